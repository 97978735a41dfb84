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

/// So many bytes go by the memory where few members meet sooner than by messages.
const FEW: usize = 8192;

/// What is known of an operation: how many members it has, and how many of all ranks share a core.
#[derive(Clone, Copy)]
pub(super) struct Crowd {
    members: usize,
    ranks_per_core: usize,
}

impl Crowd {
    pub(super) fn of(lane: &Lane<'_>) -> Crowd {
        let members = usize::try_from(lane.size()).expect("a size is not negative");
        Crowd { members, ranks_per_core: lane.process().world.ranks_per_core() }
    }

    /// The same of so many members.
    pub(super) fn among(members: usize, ranks_per_core: usize) -> Crowd {
        Crowd { members, ranks_per_core }
    }

    /// Whether ranks have to wait for a core.
    pub(super) fn is_crowded(self) -> bool {
        self.ranks_per_core > 1
    }

    /// Whether there is anybody to meet.
    pub(super) fn meets(self) -> bool {
        self.members > 1
    }

    /// Whether those who meet are few and have cores of their own, so that each looks at what all
    /// others have.
    pub(super) fn looks_round(self) -> bool {
        self.members <= 8 && !self.is_crowded()
    }

    /// Whether those who meet share cores, or look round.
    pub(super) fn is_near(self) -> bool {
        self.meets() && (self.is_crowded() || self.looks_round())
    }

    /// Whether members meet for the bytes that one of them has for all. By message the one need not
    /// wait for those who come late; but those who share a core are all woken at once where they
    /// meet.
    pub(super) fn meets_for_broadcast(self, bytes: usize, is_blocking: bool) -> bool {
        match bytes {
            _ if is_blocking && self.broadcasts_at_once(bytes) => true,
            0..=1024 => false,
            1025..=1_048_575 => self.is_a_crowd(),
            _ => true,
        }
    }

    /// Whether so many bytes of one member are laid down for all who come to a blocking operation.
    pub(super) fn broadcasts_at_once(self, bytes: usize) -> bool {
        match self.is_crowded() {
            true => self.lays_down(bytes),
            false => self.looks_round() && bytes <= FEW,
        }
    }

    /// Whether members meet for the blocks that one of them has for each, or each for one.
    pub(super) fn meets_for_blocks(self) -> bool {
        self.is_a_crowd()
    }

    /// The same for blocks that are all so long, in a blocking operation.
    pub(super) fn meets_for_equal_blocks(self, each: usize) -> bool {
        let all = each * self.members;
        let is_little = if self.is_crowded() { self.lays_down(all) } else { all <= FEW };
        self.is_a_crowd() || self.is_near() && is_little
    }

    /// Whether they lay such blocks down at once, for one of them.
    pub(super) fn gathers_at_once(self, each: usize) -> bool {
        self.meets_for_equal_blocks(each) && self.lays_down_for_one(each)
    }

    /// Whether one lays down such blocks at once, for each of them.
    pub(super) fn scatters_at_once(self, each: usize) -> bool {
        self.meets_for_equal_blocks(each) && self.lays_down(each * self.members)
    }

    /// Whether members meet for a sum of theirs that one of them wants. Of two, one would do it
    /// alone; those with cores of their own meet sooner, and much is done sooner by both.
    pub(super) fn meets_for_sum_of_one(self, bytes: usize) -> bool {
        self.members > 2 || self.looks_round() || bytes > 1 << 16
    }

    fn is_a_crowd(self) -> bool {
        self.members > 16
    }

    /// Whether a member that has so many bytes for others lays down a copy, and need not wait for
    /// them.
    pub(super) fn lays_down(self, bytes: usize) -> bool {
        bytes <= SEGMENT
    }

    /// The same for those of whom one reads what they have.
    pub(super) fn lays_down_for_one(self, bytes: usize) -> bool {
        bytes <= 4096
    }

    /// Whether what all members have for all is laid down and put together: so much each, and in
    /// all.
    pub(super) fn packs(self, each: usize, all: usize) -> bool {
        each <= 4096 && all <= 1 << 18
    }

    /// Whether a member lays down what it has for all others, so much for each.
    pub(super) fn lays_rows_down(self, each: usize) -> bool {
        let row = each * self.members;
        row <= 1 << 14 && row * self.members <= 1 << 21
    }

    /// Whether values of so many bytes are combined by one for all.
    pub(super) fn combines_at_once(self, bytes: usize) -> bool {
        // Where parts come to less than a byte each, it would take members longer to look at each
        // other's than one to combine everything.
        // Few read each other's where they are, sooner than from copies.
        let most = if self.looks_round() { 2048 } else { 4096 };
        bytes <= most && (bytes * self.members <= 1 << 19 || bytes < self.members)
    }

    /// Whether each of the members who want results of so many bytes combines all of them for
    /// itself: two are done with that before they had told each other of halves.
    pub(super) fn combines_twice(self, bytes: usize) -> bool {
        self.members == 2 && self.looks_round() && bytes <= 1 << 20
    }

    /// Whether each member of a scan lays down so many bytes for the next one.
    pub(super) fn passes_on(self, bytes: usize) -> bool {
        bytes <= 4096 && bytes * self.members <= 1 << 19
    }

    /// Whether it reads more than that where the one before has it. Then one works at a time: many
    /// who have cores of their own send segments to each other.
    pub(super) fn passes_on_much(self, bytes: usize) -> bool {
        self.looks_round() || self.is_crowded() && bytes > 1 << 14
    }

    /// Whether values of so many bytes, which are many, are combined without messages.
    pub(super) fn combines_parts(self, bytes: usize) -> bool {
        bytes <= 4 << 20
    }

    /// How many members combine a part each of what all have. Those who share a core would only
    /// come into each other's way; some more than there are cores even out who comes late.
    pub(super) fn combiners(self) -> usize {
        let cores = self.members.div_ceil(self.ranks_per_core.max(1));
        if self.is_crowded() { (2 * cores).min(self.members) } else { self.members }
    }

    /// Children of a node on each level of a tree along which data move, and one. Where many share
    /// a core, nothing is gained by letting others pass on what one could do. (What is combined has
    /// the tree of its bracket.)
    pub(super) fn radix(self) -> i32 {
        match self.is_crowded() {
            true => i32::try_from(self.ranks_per_core * 4).map_or(256, |radix| radix.min(256)),
            false => 2,
        }
    }

    /// Whether a barrier goes through a tree; else from each to each in rounds.
    pub(super) fn meets_in_tree(self) -> bool {
        self.is_crowded()
    }

    /// An allgather of `bytes` in all.
    pub(super) fn allgather(self, bytes: usize) -> Exchange {
        match (self.members, bytes) {
            (0..=2, _) => Exchange::Direct,
            (0..=8, 32_768..) => Exchange::Direct,
            _ => Exchange::Central,
        }
    }

    /// An alltoall with `each` bytes for each.
    pub(super) fn alltoall(self, each: usize) -> Exchange {
        match (self.members, each) {
            (0..=3, _) => Exchange::Direct,
            (_, 0..=2048) if self.is_crowded() => Exchange::Central,
            _ => Exchange::Direct,
        }
    }

    /// Whether two members with cores of their own exchange their values and combine them twice.
    pub(super) fn exchanges(self) -> bool {
        self.members == 2 && !self.is_crowded()
    }

    /// A reduction of `bytes`, of `items` that cannot be divided.
    pub(super) fn reduction(self, bytes: usize, items: i64) -> Combination {
        match bytes / self.members {
            _ if self.members < 2 || items < self.members as i64 => Combination::Tree,
            0..=8191 => Combination::Tree,
            _ => Combination::Parts,
        }
    }
}

/// How many bytes of a long chain travel at a time: what fits into a packet.
pub(super) const SEGMENT: usize = crate::transport::Packet::ROOM;
