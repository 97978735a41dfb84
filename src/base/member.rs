//! Who: one life of one rank.

/// One life of one rank: identities are never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    pub seat: usize,
    /// 0 for the first life in a seat, then 1, 2, …
    pub incarnation: u32,
}
