//! Protocols of failure, as pure machines: no clock, no wire, no thread.

pub mod ledger;

pub use ledger::Ledger;

/// One life of one rank: identities are never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    pub seat: usize,
    /// 0 for the first life in a seat, then 1, 2, …
    pub incarnation: u32,
}
