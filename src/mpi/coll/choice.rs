//! Which algorithm for how much, among how many: the one place where that is decided.
//!
//! All members are threads of one process, and often share few cores. What costs most is to wake
//! somebody up, so small operations let everybody sleep once; and large messages are copied once,
//! straight out of the sender's memory, so the fewest copies win.

use crate::mpi::lane::Lane;

/// How everybody's blocks come to everybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exchange {
    /// Through the first member, who gets all and gives all: each of the others sleeps once.
    Central,
    /// From each to each, all at once.
    Direct,
}

/// How values are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Combination {
    /// Up a tree, whole.
    Tree,
    /// Every member combines its part of everybody's.
    Parts,
}

/// What is known of an operation: how many members it has, whether they share cores.
#[derive(Clone, Copy)]
pub(super) struct Crowd {
    members: usize,
    is_crowded: bool,
}

impl Crowd {
    pub(super) fn of(lane: &Lane<'_>) -> Crowd {
        let members = usize::try_from(lane.size()).expect("a size is not negative");
        Crowd { members, is_crowded: lane.process().world.is_crowded() }
    }

    /// Children of a node on each level of a tree.
    pub(super) fn radix(self) -> i32 {
        match self.members {
            _ if !self.is_crowded => 2,
            0..=32 => 32,
            _ => 8,
        }
    }

    /// Whether a barrier goes through a tree; else from each to each in rounds.
    pub(super) fn meets_in_tree(self) -> bool {
        self.is_crowded
    }

    /// An allgather of `bytes` in all.
    pub(super) fn allgather(self, bytes: usize) -> Exchange {
        match (self.members, bytes) {
            (0..=2, _) => Exchange::Direct,
            (0..=8, 32_768..) => Exchange::Direct,
            _ => Exchange::Central,
        }
    }

    /// An alltoall with `bytes` of each member for all.
    pub(super) fn alltoall(self, bytes: usize) -> Exchange {
        match (self.members, bytes * self.members) {
            (0..=4, _) => Exchange::Direct,
            (_, 0..=262_144) if self.is_crowded => Exchange::Central,
            _ => Exchange::Direct,
        }
    }

    /// A reduction of `bytes`, of `items` that cannot be divided.
    pub(super) fn reduction(self, bytes: usize, items: i64) -> Combination {
        match bytes {
            _ if items < self.members as i64 * 8 => Combination::Tree,
            0..=65_535 => Combination::Tree,
            _ if self.members < 2 => Combination::Tree,
            _ => Combination::Parts,
        }
    }
}

/// How many bytes of a long chain travel at a time: what fits into a packet.
pub(super) const SEGMENT: usize = crate::transport::Packet::ROOM;
