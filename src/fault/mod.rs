//! Protocols of failure, as pure machines: no clock, no wire, no thread.

pub mod chronicle;
pub mod ledger;

pub use chronicle::{Chronicle, Tale};
pub use ledger::Ledger;
