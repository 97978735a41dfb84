//! Spare nodes (Hori et al. 2015): which substitutions work how often, and how messages collide
//! after them.

pub mod collectives;
pub mod drawing;
pub mod figures;
pub mod plot;
pub mod sample;
mod scenes;
mod shares;
pub mod sheet;
pub mod study;
mod svg;
pub mod table;
#[cfg(test)]
mod tests;
pub mod worst;

pub use study::{Case, Outcome, Study};
