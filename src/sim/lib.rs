//! Simulators of machines that cannot be bought: their failures, their networks and their spares.
//!
//! They stand beside the house, use its machine model and random numbers, and share nothing with
//! MPI.

#![deny(unsafe_code)]

pub mod bluegene;
pub mod events;
#[allow(unsafe_code, reason = "loads applications and calls their handlers")]
pub mod foreign;
pub mod natural;
pub mod output;
mod plane;
pub mod program;
pub mod report;
pub mod spares;
pub mod stage;
pub mod wires;
