//! Protocols of failure, as pure machines: no clock, no wire, no thread.

pub mod ledger;

pub use ledger::Ledger;
