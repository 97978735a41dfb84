//! Algorithm selection: which algorithm for how many bytes among how many members. The only place
//! that decides it, and the only place with its thresholds.
//!
//! The members of a communicator share memory, and often few cores. Waking a thread costs most, so
//! in a small operation each member sleeps at most once; a large block is copied once, straight out
//! of its owner's memory. All members must choose alike, so a choice depends only on what all of
//! them know.

use crate::mpi::lane::Lane;
use crate::mpi::run::Way;

/// Where the members of one group carry an operation out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Venue {
    /// By messages.
    Wire,
    /// In memory that all of them see; `all`: each waits for all others.
    Memory { all: bool },
}

/// How everybody comes to know that all have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// By a counter, or by a flag of each.
    Memory,
    /// Up a tree and down again.
    Tree,
    /// Each to those at distances 1, 2, 4 ... (Hensgen, Finkel and Manber 1988).
    Dissemination,
}

/// How one member's bytes come to all, or what each has to one, or a block of one's to each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rooted {
    /// Through a copy in shared memory.
    Buffered,
    /// Straight out of the owner's memory.
    SingleCopy,
    /// By messages: along a tree, or to and from the root itself.
    Wire,
}

/// How everybody's blocks come to everybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// Through copies in shared memory.
    Buffered,
    /// Straight out of their owners' memory.
    SingleCopy,
    /// By messages, through the first member, who gets all and gives all.
    Central,
    /// By messages, from each to each, all at once.
    Pairwise,
}

/// How values are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// Up a tree, whole.
    Tree,
    /// Every member combines its part of everybody's.
    Parts,
}

/// Who combines values, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// One member, or each for itself, from copies in shared memory.
    Buffered,
    /// Each who wants results, all of them, where the values lie.
    Replicated,
    /// Some members, a part each, where the values lie.
    Parts,
    /// By messages.
    Wire,
}

/// How results come along the chain of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chain {
    /// Each lays down for the next one what all up to it have come to.
    Buffered,
    /// The last one to come combines for all.
    Central,
    /// Each reads in the memory of the one before.
    SingleCopy,
    /// By messages, in segments.
    Pipeline,
}

/// So many bytes go by shared memory sooner than by messages, where few members have cores of their
/// own.
const FEW: usize = 8192;

/// What fits into a packet: how much of a long chain travels at a time, and of how much a copy is
/// laid down.
pub(super) const SEGMENT: usize = crate::transport::Packet::ROOM;

/// What is known of an operation before it begins.
#[derive(Clone, Copy)]
pub struct Crowd {
    members: usize,
    /// How many of all ranks share a core.
    ranks_per_core: usize,
    is_blocking: bool,
    /// Whether the operation may go by shared memory, and there is anybody to share it with.
    can_meet: bool,
}

impl Crowd {
    #[inline(always)]
    pub(super) fn of(lane: &Lane<'_>) -> Crowd {
        let members = lane.comm().group.len();
        Crowd {
            members,
            ranks_per_core: lane.process().world.ranks_per_core(),
            is_blocking: lane.way() == Way::Blocking,
            can_meet: members > 1 && lane.turn().is_some(),
        }
    }

    #[inline(always)]
    pub(super) fn members(self) -> usize {
        self.members
    }

    /// Whether ranks have to wait for a core.
    #[inline(always)]
    pub(super) fn is_crowded(self) -> bool {
        self.ranks_per_core > 1
    }

    /// Whether the members are few and have cores of their own, so that each looks at what all
    /// others have.
    #[inline(always)]
    pub(super) fn is_small(self) -> bool {
        self.members <= 8 && !self.is_crowded()
    }

    fn is_large(self) -> bool {
        self.members > 16
    }

    #[inline]
    pub(super) fn barrier(self) -> Barrier {
        match self.can_meet {
            true => Barrier::Memory,
            false if self.is_crowded() => Barrier::Tree,
            false => Barrier::Dissemination,
        }
    }

    /// By message a root need not wait for those who come late; but those who share a core are all
    /// woken at once by shared memory.
    #[inline]
    pub(super) fn bcast(self, bytes: usize) -> Rooted {
        let is_little = match self.is_crowded() {
            true => bytes <= SEGMENT,
            false => self.is_small() && bytes <= FEW,
        };
        let meets = match bytes {
            _ if is_little && self.is_blocking => true,
            0..=1024 => false,
            1025..=1_048_575 => self.is_large(),
            _ => true,
        };
        match bytes {
            _ if !meets || !self.can_meet => Rooted::Wire,
            0..=SEGMENT => Rooted::Buffered,
            _ => Rooted::SingleCopy,
        }
    }

    /// A block of each member for the root; `each`: the length of a block if all are equal. A
    /// member with more than it lays down lets the root read it in place.
    #[inline]
    pub(super) fn gather(self, each: Option<usize>) -> Venue {
        if self.can_meet && (self.is_large() || each.is_some_and(|each| self.is_little(each))) {
            return Venue::Memory { all: false };
        }
        Venue::Wire
    }

    /// Whether such blocks are so little that a blocking operation on them goes by shared memory.
    #[inline]
    fn is_little(self, each: usize) -> bool {
        let all = each * self.members;
        let is_little = match self.is_crowded() {
            true => all <= SEGMENT,
            false => self.is_small() && all <= FEW,
        };
        self.is_blocking && is_little
    }

    /// Whether a member lays down a copy of its block for the root, and need not wait for it.
    #[inline]
    pub(super) fn buffers_for_root(self, bytes: usize) -> bool {
        bytes <= 4096
    }

    /// A block of the root's for each; `each` as above.
    #[inline]
    pub(super) fn scatter(self, each: Option<usize>) -> Venue {
        self.gather(each)
    }

    /// Whether the root lays down a copy of all blocks, and need not wait for the others.
    #[inline]
    pub(super) fn buffers_blocks(self, all: usize) -> bool {
        all <= SEGMENT
    }

    /// Blocks of so many bytes at the most, and in all.
    #[inline]
    pub(super) fn allgather(self, each: usize, all: usize) -> Exchange {
        match (self.members, all) {
            _ if self.can_meet && each <= 4096 && all <= 1 << 18 => Exchange::Buffered,
            _ if self.can_meet => Exchange::SingleCopy,
            (0..=2, _) => Exchange::Pairwise,
            (0..=8, 32_768..) => Exchange::Pairwise,
            _ => Exchange::Central,
        }
    }

    /// `each` bytes for each; `None`: not as much for all.
    #[inline]
    pub(super) fn alltoall(self, each: Option<usize>) -> Exchange {
        let rows = |each: usize| each * self.members <= 1 << 14;
        let all = |each: usize| each * self.members * self.members <= 1 << 21;
        match (self.members, each) {
            (_, Some(each)) if self.can_meet && rows(each) && all(each) => Exchange::Buffered,
            _ if self.can_meet => Exchange::SingleCopy,
            (0..=3, _) => Exchange::Pairwise,
            (_, Some(0..=2048)) if self.is_crowded() => Exchange::Central,
            _ => Exchange::Pairwise,
        }
    }

    /// Values of so many bytes for one member. Of two, one would do it alone; those with cores of
    /// their own meet sooner, and much is done sooner by both.
    #[inline]
    pub(super) fn reduce(self, bytes: usize, is_plain: bool) -> Reduction {
        match self.members > 2 || self.is_small() || bytes > 1 << 16 {
            true => self.allreduce(bytes, is_plain),
            false => Reduction::Wire,
        }
    }

    /// The same for all of them; `is_plain`: one member can combine what others have.
    #[inline]
    pub(super) fn allreduce(self, bytes: usize, is_plain: bool) -> Reduction {
        match bytes {
            _ if !is_plain || !self.can_meet => Reduction::Wire,
            _ if self.combines_copies(bytes) => Reduction::Buffered,
            // Two are done with all of them before they had told each other of halves.
            0..=0x10_0000 if self.members == 2 && self.is_small() => Reduction::Replicated,
            0..=0x40_0000 => Reduction::Parts,
            _ => Reduction::Wire,
        }
    }

    /// The same where each gets a part of the result.
    #[inline]
    pub(super) fn reduce_scatter(self, bytes: usize, is_plain: bool) -> Reduction {
        self.allreduce(bytes, is_plain)
    }

    #[inline]
    fn combines_copies(self, bytes: usize) -> bool {
        // Where parts come to less than a byte each, it would take members longer to look at each
        // other's than one to combine everything.
        // Few read each other's where they are, sooner than from copies.
        let most = if self.is_small() { 2048 } else { 4096 };
        bytes <= most && (bytes * self.members <= 1 << 19 || bytes < self.members)
    }

    /// Whether a member whose results go where others read lays down a copy for them.
    pub(super) fn buffers_values(self, bytes: usize) -> bool {
        bytes <= SEGMENT
    }

    /// Values of so many bytes; `is_in_one_piece`: they can be combined where they lie, and each
    /// result is for the member that combines it.
    #[inline]
    pub(super) fn scan(self, bytes: usize, is_plain: bool, is_in_one_piece: bool) -> Chain {
        let is_little = bytes <= 4096 && bytes * self.members <= 1 << 19;
        match self.can_meet {
            true if is_little && is_plain && self.is_blocking => Chain::Buffered,
            // Who does something else meanwhile is not to hand on what others wait for.
            true if is_little && is_plain => Chain::Central,
            // One works at a time: many who have cores of their own send segments to each other.
            true if is_in_one_piece
                && self.is_blocking
                && (self.is_small() || self.is_crowded() && bytes > 1 << 14) =>
            {
                Chain::SingleCopy
            }
            _ => Chain::Pipeline,
        }
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

    /// Whether two members with cores of their own exchange their values and combine them twice, by
    /// messages.
    pub(super) fn exchanges(self) -> bool {
        self.members == 2 && !self.is_crowded()
    }

    /// Where the brackets are in a reduction of `bytes` in `items` that cannot be divided, whatever
    /// the values travel by.
    #[inline]
    pub(super) fn combination(self, bytes: usize, items: i64) -> Combination {
        match bytes / self.members {
            _ if self.members < 2 || items < self.members as i64 => Combination::Tree,
            0..=8191 => Combination::Tree,
            _ => Combination::Parts,
        }
    }
}
