//! The ledger of deaths.

/// One life of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    pub seat: usize,
    pub incarnation: u32,
}
