//! Machines as they are thought of: pure, no clock, no wire, no file.

pub mod chance;
pub mod schedule;

pub use chance::Chance;
