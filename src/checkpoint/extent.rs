//! How many bytes of each kind ranks have registered.

use serde::{Deserialize, Serialize};

/// Data that are kept bit by bit, and doubles that may be summed.
pub(super) const KINDS: usize = 2;
pub(super) const EXACT: usize = 0;
pub(super) const DOUBLES: usize = 1;

/// How many bytes a rank has registered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    /// Bytes of each kind.
    pub bytes: [u64; KINDS],
    /// A hash of the list of registered items.
    pub digest: u64,
}

/// What all members know about each other in a checkpoint, by places.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Heads {
    /// What each has registered, and its rank at the time.
    pub(super) extents: Vec<Extent>,
    pub(super) ranks: Vec<i32>,
    /// Their nodes; empty if the layout does not depend on nodes.
    pub(super) nodes: Vec<u32>,
}
