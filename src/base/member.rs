//! Identifies one incarnation of one rank.

use serde::{Deserialize, Serialize};

/// One life of one rank: identities are never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Member {
    pub seat: usize,
    /// 0 for the first life in a seat, then 1, 2, …
    pub incarnation: u32,
}

/// The members of a communicator, as far as failures are concerned.
pub trait Roster: Send + Sync {
    /// The rank of `member`; `None` when it is not in the roster.
    fn rank_of(&self, member: Member) -> Option<i32>;
    /// The number of members.
    fn size(&self) -> usize;
}
