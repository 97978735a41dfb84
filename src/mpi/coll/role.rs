//! The root of an operation, and the others.

use crate::mpi::comm::{Comm, Root};
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;

/// What a member does in an operation with a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Root,
    /// The root is the peer with this rank.
    Leaf(i32),
    /// Not the root, but of its group: only between two groups.
    Nobody,
}

impl Role {
    #[inline]
    pub(super) fn of(comm: &Comm, root: i32) -> Result<Role> {
        if !comm.is_inter() {
            let root = comm.root(root)?;
            return Ok(if root == comm.living().rank { Role::Root } else { Role::Leaf(root) });
        }
        Ok(match comm.root_between(root)? {
            Root::This => Role::Root,
            Root::Nobody => Role::Nobody,
            Root::Rank(rank) => Role::Leaf(rank),
        })
    }

    /// The rank of the root, within a group.
    #[inline]
    pub(super) fn root(self, lane: &Lane<'_>) -> i32 {
        if let Role::Leaf(root) = self { root } else { lane.rank() }
    }
}

/// The peers of an operation but for this member itself, those after it first.
pub(super) fn others(comm: &Comm) -> impl Iterator<Item = i32> + use<> {
    let size = comm.peers().size();
    let (first, count) = if comm.is_inter() { (0, size) } else { (comm.rank + 1, size - 1) };
    (0..count).map(move |step| (first + step) % size)
}
