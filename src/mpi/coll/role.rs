//! The root of a collective operation, and each member's relation to it (MPI-5.0 §6.2).

use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::lane::Lane;

/// MPI_ROOT: the caller.
const ROOT: i32 = -4;
/// MPI_PROC_NULL: another member of the caller's group.
const PROC_NULL: i32 = -3;

/// What a member does in an operation with a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Root,
    /// The root is the peer with this rank.
    Leaf(i32),
    /// Another member of the root's group, in an intercommunicator.
    Nobody,
}

impl Role {
    /// `root` as it was passed; a rank is counted among the living members.
    #[inline(always)]
    pub(super) fn of(comm: &Comm, root: i32) -> Result<Role> {
        let is_rank = usize::try_from(root).is_ok_and(|root| root < comm.group.len());
        if is_rank && comm.is_whole() {
            return Ok(if root == comm.rank { Role::Root } else { Role::Leaf(root) });
        }
        Role::with_care(comm, root)
    }

    /// In an intercommunicator, in a communicator with gaps, or for a rank that does not exist.
    #[inline(never)]
    fn with_care(comm: &Comm, root: i32) -> Result<Role> {
        if comm.is_inter() {
            return Role::between(comm, root);
        }
        if !(0..comm.size()).contains(&root) {
            return Err(no_root(comm, root));
        }
        let root = comm.gaps().map_or(Ok(root), |gaps| gaps.root(root))?;
        Ok(if root == comm.living().rank { Role::Root } else { Role::Leaf(root) })
    }

    fn between(comm: &Comm, root: i32) -> Result<Role> {
        match root {
            ROOT => Ok(Role::Root),
            PROC_NULL => Ok(Role::Nobody),
            _ if (0..comm.peers().size()).contains(&root) => Ok(Role::Leaf(root)),
            _ => {
                let (last, title) = (comm.peers().size() - 1, comm.title());
                Err(Class::ROOT.because(format!(
                    "root is {root}; the other group of {title} has ranks 0 to {last} (it may be \
                     MPI_ROOT or MPI_PROC_NULL)"
                )))
            }
        }
    }

    /// The rank of the root, within a group.
    #[inline]
    pub(super) fn root(self, lane: &Lane<'_>) -> i32 {
        if let Role::Leaf(root) = self { root } else { lane.rank() }
    }
}

#[cold]
fn no_root(comm: &Comm, root: i32) -> Failure {
    let (last, title) = (comm.size() - 1, comm.title());
    Class::ROOT.because(format!("root is {root}; {title} has ranks 0 to {last}"))
}

/// The peers of an operation except this member itself; ranks after it come first.
pub(super) fn others(comm: &Comm) -> impl Iterator<Item = i32> + use<> {
    let size = comm.peers().size();
    let (first, count) = if comm.is_inter() { (0, size) } else { (comm.rank + 1, size - 1) };
    (0..count).map(move |step| (first + step) % size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Member;
    use crate::mpi::comm::Contexts;
    use crate::mpi::comm::group::Group;
    use std::sync::Arc;

    #[test]
    fn between_two_groups_the_root_is_the_caller_or_a_rank_of_the_other_group() {
        let group = |seats: &[usize]| {
            let member = |seat| Member { seat, incarnation: 0 };
            Arc::new(Group::of(seats.iter().copied().map(member).collect(), member(1)))
        };
        let contexts = Contexts { own: 7, local: 8 };
        let comm = Comm::between(0x9000, contexts, group(&[3, 1]), group(&[4, 0, 2]));
        assert_eq!(Role::of(&comm, ROOT), Ok(Role::Root));
        assert_eq!(Role::of(&comm, PROC_NULL), Ok(Role::Nobody));
        assert_eq!(Role::of(&comm, 2), Ok(Role::Leaf(2)));
        assert!(Role::of(&comm, 3).is_err() && Role::of(&comm, -1).is_err());
    }
}
