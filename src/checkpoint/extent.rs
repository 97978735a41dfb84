//! How much data ranks have registered, and of which kinds.

/// Data of which every bit counts, and doubles that are summed up.
pub(super) const KINDS: usize = 2;
pub(super) const EXACT: usize = 0;
pub(super) const DOUBLES: usize = 1;

/// How much data a rank has registered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Bytes of each kind.
    pub bytes: [u64; KINDS],
    /// A number that differs where the lists of what is registered do.
    pub digest: u64,
}

/// What all know of those who take a checkpoint, by places.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Heads {
    /// What each has registered, and its rank then.
    pub(super) extents: Vec<Extent>,
    pub(super) ranks: Vec<i32>,
    /// The nodes that they are on; none if the layout does not go by them.
    pub(super) nodes: Vec<u32>,
}
