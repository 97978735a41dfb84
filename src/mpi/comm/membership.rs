//! What never changes about the members of a communicator, and decides how they work together.

use super::group::Group;
use crate::engine::{FEW_MEMBERS, World};

/// Facts that all members know alike.
#[derive(Clone, Copy)]
pub(in crate::mpi) struct Membership {
    pub(in crate::mpi) members: u32,
    /// How many ranks share a core.
    pub(in crate::mpi) ranks_per_core: u32,
    /// Whether they are few and have cores of their own.
    pub(in crate::mpi) is_small: bool,
    /// Whether they may use shared memory, and there is another member to share it with.
    pub(in crate::mpi) can_meet: bool,
}

impl Membership {
    pub(in crate::mpi) fn of(group: &Group, world: &World) -> Membership {
        let members = group.len();
        let ranks_per_core = world.crowding.ranks_per_core(group.seats());
        Membership {
            members: u32::try_from(members).expect("ranks fit an int"),
            ranks_per_core: u32::try_from(ranks_per_core).expect("ranks fit an int"),
            is_small: members <= FEW_MEMBERS && ranks_per_core <= 1,
            can_meet: members > 1 && world.can_meet(),
        }
    }
}
