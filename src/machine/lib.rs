//! Models of machines: pure, no clock, no transport, no file.

#![forbid(unsafe_code)]

pub mod berths;
pub mod chance;
pub mod collectives;
pub mod cost;
pub mod dragonfly;
mod ends;
pub mod fat_tree;
pub mod faults;
mod flows;
pub mod forced_match;
pub mod happening;
pub mod map;
pub mod model;
pub mod network;
mod packets;
mod path;
pub mod placement;
mod reading;
pub mod region;
pub mod schedule;
mod simgrid;
pub mod spares;
pub mod topology;
pub mod traffic;
pub mod units;
pub mod wires;

pub use chance::Chance;
pub use model::Model;
