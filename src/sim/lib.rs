//! Machines nobody could buy: simulators of their failures, their networks and their spares.
//!
//! They stand beside the house, on its machine model and its chance, and share nothing with MPI.

#![deny(unsafe_code)]

/// What every floor stands on, as far as a simulator has to do with it.
#[path = "../base"]
pub mod base {
    pub mod agenda;
    pub mod json;
    pub mod random;
}
#[path = "../machine/mod.rs"]
pub mod machine;
#[path = "../view/mod.rs"]
pub mod view;

pub mod bluegene;
pub mod events;
#[allow(unsafe_code, reason = "loads applications and calls their handlers")]
pub mod foreign;
pub mod natural;
pub mod output;
pub mod report;
pub mod spares;
pub mod stage;
pub mod words;
