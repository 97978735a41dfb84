//! Identifies one incarnation of one rank.

/// One life of one rank: identities are never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Member {
    pub seat: usize,
    /// 0 for the first life in a seat, then 1, 2, …
    pub incarnation: u32,
}

/// The members of a communicator, as far as failures are concerned.
pub trait Roster: Send + Sync {
    /// The rank that `member` has; `None` when it is not one of them.
    fn rank_of(&self, member: Member) -> Option<i32>;
    /// How many they are.
    fn size(&self) -> usize;
}
