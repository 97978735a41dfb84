//! Algorithm selection: which algorithm for how many bytes among how many members. Only this file
//! decides that, and only this file has the thresholds.
//!
//! The members of a communicator share memory, and often few cores. Waking a thread costs most, so
//! in a small operation each member sleeps at most once; a large block is copied once, straight out
//! of its owner's memory. All members must select alike, so a choice depends only on what all of
//! them know.

use super::bundle::bytes_of_bundle;
use crate::engine::FEW_MEMBERS;
use crate::mpi::comm::membership::Membership;
use crate::mpi::lane::Lane;
use crate::mpi::run::Way;

/// Where the members of one group carry out an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Venue {
    /// By messages.
    Wire,
    /// In shared memory; `all`: each member waits for all others.
    Memory { all: bool },
    /// In shared memory, where each of few members shows what it has, and waits for what all others
    /// show.
    Lines,
}

/// How the members learn that all have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// By a counter, or by a flag for each member.
    Memory,
    /// By a flag for each member, which the first one sees, and a flag of that one.
    AtFirst,
    /// Up a tree and down again.
    Tree,
    /// By messages to the members at distances 1, 2, 4 ... (Hensgen, Finkel and Manber 1988).
    Dissemination,
}

/// Algorithms of broadcast, gather and scatter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rooted {
    /// Through a copy in shared memory.
    Buffered,
    /// Straight out of the owner's memory (single copy).
    SingleCopy,
    /// By messages: along a tree, or directly to or from the root.
    Wire,
}

/// Algorithms of allgather and alltoall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// Through copies in shared memory.
    Buffered,
    /// Straight out of the owners' memory (single copy).
    SingleCopy,
    /// Through copies in shared memory, and the first member, which waits for all and tells them.
    AtFirst,
    /// By messages through the first member, which collects all blocks and hands them out.
    Central,
    /// By messages from each member to each, all at once.
    Pairwise,
    /// By messages of 1, 2, 4 ... blocks to the members at these distances (Bruck and others 1997).
    Doubling,
    /// By messages along a ring, a block each time.
    Ring,
}

/// How a reduction is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// Whole vectors, up a tree.
    Tree,
    /// Every member combines one part of all members' vectors.
    Parts,
}

/// Which members combine values, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// One member, or each for itself, from copies in shared memory.
    Buffered,
    /// The first member, from copies in shared memory.
    AtFirst,
    /// Each member that wants results combines all values, in their owners' memory.
    Replicated,
    /// Some members combine one part each, in the owners' memory.
    Parts,
    /// By messages.
    Wire,
}

/// Algorithms of prefix reductions, along the chain of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chain {
    /// Each member publishes a copy of its partial result for the next member.
    Buffered,
    /// The last member to arrive combines for all.
    Central,
    /// Each member reads the partial result in the memory of the member before it.
    SingleCopy,
    /// By messages, in segments.
    Pipeline,
}

/// Up to this many bytes go faster through shared memory than by messages when the members are few
/// and have cores of their own.
pub(super) const FEW: usize = 8192;

/// What fits into a packet: the segment of a long chain, and the limit of a buffered copy.
pub(super) const SEGMENT: usize = crate::transport::Packet::ROOM;

/// What members in processes of their own publish as a copy.
const SHORT: usize = crate::transport::LONGEST_IN_AREA;

/// What is known of an operation before it begins: the input of the selection.
#[derive(Clone, Copy)]
pub struct Crowd {
    /// Its `can_meet` holds for the operation.
    membership: Membership,
    is_blocking: bool,
    afar: Afar,
    /// By levels: how many are in one process at most.
    most: u16,
}

const _: () = assert!(size_of::<Crowd>() <= 16, "it is passed in registers");

/// Whether members are in processes of their own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Afar {
    No,
    /// They share memory in which each publishes copies, and polls those of others.
    Few,
    /// They share such memory, but only the first one polls the copies of all others.
    Many,
    /// Several are in a process, and meet there; in such memory their processes exchange what all
    /// of them have, which must fit together.
    Levels,
}

impl Crowd {
    pub(super) fn of(lane: &Lane<'_>) -> Crowd {
        let membership = Membership::of(&lane.comm().group, lane.process().world);
        Crowd { is_blocking: lane.way() == Way::Blocking, ..Crowd::of_membership(membership, lane) }
    }

    /// Those who do the blocking operation of `lane`.
    #[inline(always)]
    pub(super) fn of_membership(membership: Membership, lane: &Lane<'_>) -> Crowd {
        let can_meet = membership.can_meet && lane.is_for_shared_memory();
        Crowd {
            membership: Membership { can_meet, ..membership },
            is_blocking: true,
            afar: Afar::No,
            most: 1,
        }
    }

    /// Members in processes of their own, which share memory for copies. Few of them all poll, also
    /// if they share cores: through the first one, each would be switched to twice.
    pub(super) fn afar(lane: &Lane<'_>) -> Crowd {
        let here = Crowd::of(lane);
        let is_few = here.members() <= FEW_MEMBERS;
        let afar = if is_few { Afar::Few } else { Afar::Many };
        let membership = Membership { is_small: true, can_meet: true, ..here.membership };
        Crowd { membership, afar, ..here }
    }

    /// Members of which processes have several, at most so many, and share memory for copies. They
    /// all meet there: operations with a root, in which not all wait for all, go by messages.
    pub(super) fn by_levels(lane: &Lane<'_>, most: usize) -> Crowd {
        let here = Crowd::of(lane);
        let membership = Membership { is_small: false, can_meet: true, ..here.membership };
        let most = u16::try_from(most).unwrap_or(u16::MAX);
        Crowd { membership, afar: Afar::Levels, most, ..here }
    }

    fn is_by_levels(self) -> bool {
        self.afar == Afar::Levels
    }

    /// Whether members in several processes may publish so many bytes each.
    fn fits_afar(self, each: usize) -> bool {
        match self.afar {
            Afar::No => false,
            Afar::Few | Afar::Many => each <= SHORT,
            Afar::Levels => {
                let most = usize::from(self.most);
                bytes_of_bundle(most, most * each) <= SHORT
            }
        }
    }

    /// Whether members are in processes of their own, and publish copies of at most [`SHORT`].
    #[inline(always)]
    fn is_afar(self) -> bool {
        self.afar != Afar::No
    }

    /// Members whose data move in shared memory beside what takes time.
    pub(super) fn beside_time(members: u32) -> Crowd {
        let membership = Membership {
            members,
            ranks_per_core: members.max(2),
            is_small: false,
            can_meet: members > 1,
        };
        Crowd { membership, is_blocking: false, afar: Afar::No, most: 1 }
    }

    #[inline(always)]
    pub(super) fn members(self) -> usize {
        self.membership.members as usize
    }

    /// Whether ranks have to wait for a core.
    #[inline(always)]
    pub(super) fn is_crowded(self) -> bool {
        self.membership.ranks_per_core > 1
    }

    /// Whether the members are few and have cores of their own, so that each polls what all others
    /// have published.
    #[inline(always)]
    pub(super) fn is_small(self) -> bool {
        self.membership.is_small
    }

    /// Whether the operation may use shared memory, and there is another member to share it with.
    #[inline(always)]
    fn can_meet(self) -> bool {
        self.membership.can_meet
    }

    /// Where they show or put copies of what they have, for all others.
    #[inline(always)]
    pub(super) fn of_copies(self) -> Venue {
        if self.is_small() && !self.is_afar() { Venue::Lines } else { Venue::Memory { all: true } }
    }

    /// Whether its members can reach each other's memory while they do it.
    pub(super) fn shares_memory(self) -> bool {
        self.can_meet() && !self.is_afar()
    }

    fn is_large(self) -> bool {
        self.members() > 16
    }

    #[inline]
    pub(super) fn barrier(self) -> Barrier {
        match self.can_meet() {
            true if self.afar == Afar::Many => Barrier::AtFirst,
            true => Barrier::Memory,
            false if self.is_crowded() => Barrier::Tree,
            false => Barrier::Dissemination,
        }
    }

    /// With messages the root need not wait for late members; but members that share a core are all
    /// woken at once through shared memory.
    #[inline]
    pub(super) fn bcast(self, bytes: usize) -> Rooted {
        if self.is_afar() {
            let is_short = bytes <= SHORT && !self.is_by_levels();
            return if is_short { Rooted::Buffered } else { Rooted::Wire };
        }
        let is_little = match self.is_crowded() {
            true => bytes <= SEGMENT,
            false => self.is_small() && bytes <= FEW,
        };
        let meets = match bytes {
            _ if is_little => true,
            0..=1024 => false,
            1025..=1_048_575 => self.is_large(),
            _ => true,
        };
        match bytes {
            _ if !meets || !self.can_meet() => Rooted::Wire,
            0..=SEGMENT => Rooted::Buffered,
            _ => Rooted::SingleCopy,
        }
    }

    /// A block of each member for the root; `each`: the length of a block if all are equal.
    /// `Buffered`: all members know that each publishes a copy. Otherwise, a member with more than
    /// it would copy lets the root read it in place.
    #[inline]
    pub(super) fn gather(self, each: Option<usize>) -> Rooted {
        if self.is_afar() {
            let is_short = each.is_some_and(|each| each <= SHORT) && !self.is_by_levels();
            return if is_short { Rooted::Buffered } else { Rooted::Wire };
        }
        let is_little = each.is_some_and(|each| self.is_little(each));
        match self.can_meet() && (self.is_large() || is_little) {
            true if each.is_some_and(|each| self.buffers_for_root(each)) => Rooted::Buffered,
            true => Rooted::SingleCopy,
            false => Rooted::Wire,
        }
    }

    /// Whether blocks of this length are so short that an operation on them uses shared memory.
    #[inline]
    fn is_little(self, each: usize) -> bool {
        let all = each * self.members();
        match self.is_crowded() {
            true => all <= SEGMENT,
            false => self.is_small() && all <= FEW,
        }
    }

    /// Whether a member publishes a copy of its block for the root, and need not wait until it is
    /// read.
    #[inline]
    pub(super) fn buffers_for_root(self, bytes: usize) -> bool {
        bytes <= 4096
    }

    /// One block of the root for each member; `each` as in [`Crowd::gather`].
    #[inline]
    pub(super) fn scatter(self, each: Option<usize>) -> Venue {
        if self.is_afar() {
            let is_short = each.is_some_and(|each| each * self.members() <= SHORT);
            return if is_short && !self.is_by_levels() {
                Venue::Memory { all: false }
            } else {
                Venue::Wire
            };
        }
        match self.gather(each) {
            Rooted::Wire => Venue::Wire,
            _ => Venue::Memory { all: false },
        }
    }

    /// Whether the root publishes a copy of all blocks, and need not wait for the other members.
    #[inline]
    pub(super) fn buffers_blocks(self, all: usize) -> bool {
        all <= SEGMENT
    }

    /// Blocks of at most `each` bytes, and of `all` bytes together; `is_even`: all are equal.
    #[inline]
    pub(super) fn allgather(self, each: usize, all: usize, is_even: bool) -> Exchange {
        match (self.members(), all) {
            _ if self.afar == Afar::Few && each <= SHORT => Exchange::Buffered,
            _ if self.afar == Afar::Many && is_even && all <= SHORT => Exchange::AtFirst,
            _ if self.is_by_levels() && self.fits_afar(each) => Exchange::Buffered,
            // By messages.
            _ if self.is_afar() => Exchange::Pairwise,
            _ if self.can_meet() && each <= 4096 && all <= 1 << 18 => Exchange::Buffered,
            _ if self.can_meet() => Exchange::SingleCopy,
            (0..=2, _) => Exchange::Pairwise,
            (0..=8, 32_768..) => Exchange::Pairwise,
            _ if self.is_crowded() => Exchange::Central,
            (_, 0..=32_767) => Exchange::Doubling,
            _ => Exchange::Ring,
        }
    }

    /// `each` bytes for each member; `None`: the lengths differ.
    #[inline]
    pub(super) fn alltoall(self, each: Option<usize>) -> Exchange {
        let rows = |each: usize| each * self.members() <= 1 << 14;
        let all = |each: usize| each * self.members() * self.members() <= 1 << 21;
        match (self.members(), each) {
            (_, Some(each)) if self.afar != Afar::Many && self.fits_afar(each * self.members()) => {
                Exchange::Buffered
            }
            // By messages, many through the first member.
            _ if self.is_afar() => Exchange::Pairwise,
            (_, Some(each)) if self.can_meet() && rows(each) && all(each) => Exchange::Buffered,
            _ if self.can_meet() => Exchange::SingleCopy,
            (0..=3, _) => Exchange::Pairwise,
            (_, Some(0..=2048)) if self.is_crowded() => Exchange::Central,
            _ => Exchange::Pairwise,
        }
    }

    /// A reduction of `bytes` at a root. Of two members, one would do it alone; two with cores of
    /// their own meet faster, and share a long reduction.
    #[inline]
    pub(super) fn reduce(self, bytes: usize, is_plain: bool) -> Reduction {
        if self.is_by_levels() {
            return Reduction::Wire;
        } else if self.is_afar() {
            return self.reduce_afar(bytes, is_plain, Reduction::Buffered);
        }
        match self.members() > 2 || self.is_small() || bytes > 1 << 16 {
            true => self.allreduce(bytes, is_plain),
            false => Reduction::Wire,
        }
    }

    /// A reduction of `bytes` whose result goes to all members; `is_plain`: one member can combine
    /// what others have.
    #[inline]
    pub(super) fn allreduce(self, bytes: usize, is_plain: bool) -> Reduction {
        match self.afar {
            Afar::No => {}
            Afar::Few | Afar::Levels => {
                return self.reduce_afar(bytes, is_plain, Reduction::Buffered);
            }
            Afar::Many => return self.reduce_afar(bytes, is_plain, Reduction::AtFirst),
        }
        match bytes {
            _ if !is_plain || !self.can_meet() => Reduction::Wire,
            _ if self.combines_copies(bytes) => Reduction::Buffered,
            // Two members combine everything faster than they could tell each other of halves.
            0..=0x10_0000 if self.members() == 2 && self.is_small() => Reduction::Replicated,
            0..=0x40_0000 => Reduction::Parts,
            _ => Reduction::Wire,
        }
    }

    /// Where members share memory for copies, one combines at most so much, one by one.
    fn reduce_afar(self, bytes: usize, is_plain: bool, way: Reduction) -> Reduction {
        let is_short = bytes <= 2048 && self.members() <= 256 && self.fits_afar(bytes);
        if is_plain && is_short { way } else { Reduction::Wire }
    }

    /// A reduction of `bytes` of which each member gets a part.
    #[inline]
    pub(super) fn reduce_scatter(self, bytes: usize, is_plain: bool) -> Reduction {
        self.allreduce(bytes, is_plain)
    }

    #[inline]
    fn combines_copies(self, bytes: usize) -> bool {
        // If parts were shorter than a byte each, the members would take longer to look at each
        // other's than one takes to combine everything. Few members read each other's values in
        // place faster than from copies.
        let most = if self.is_small() { 2048 } else { 4096 };
        bytes <= most && (bytes * self.members() <= 1 << 19 || bytes < self.members())
    }

    /// Whether a member whose results overwrite what others read publishes a copy for them.
    pub(super) fn buffers_values(self, bytes: usize) -> bool {
        bytes <= SEGMENT
    }

    /// A prefix reduction of `bytes`; `is_in_one_piece`: the values can be combined in place, and
    /// each result is for the member that combines it.
    #[inline]
    pub(super) fn scan(self, bytes: usize, is_plain: bool, is_in_one_piece: bool) -> Chain {
        let is_little = bytes <= 4096 && bytes * self.members() <= 1 << 19;
        match self.afar {
            Afar::No => {}
            Afar::Few if is_plain && bytes <= SHORT => return Chain::Buffered,
            // With messages, a member can be further ahead of others.
            _ => return Chain::Pipeline,
        }
        match self.can_meet() {
            true if is_little && is_plain && self.is_blocking => Chain::Buffered,
            // A member that computes meanwhile must not be the one to pass on what others wait for.
            true if is_little && is_plain => Chain::Central,
            // Only one member works at a time: many with cores of their own send segments to each
            // other instead.
            true if is_in_one_piece
                && self.is_blocking
                && (self.is_small() || self.is_crowded() && bytes > 1 << 14) =>
            {
                Chain::SingleCopy
            }
            _ => Chain::Pipeline,
        }
    }

    /// How many members combine a part each of all members' vectors. Members that share a core
    /// would only get in each other's way; a few more than there are cores make up for late ones.
    pub(super) fn combiners(self) -> usize {
        let cores =
            self.membership.members.div_ceil(self.membership.ranks_per_core.max(1)) as usize;
        if self.is_crowded() { (2 * cores).min(self.members()) } else { self.members() }
    }

    /// The radix of a tree along which data move: each node has one child fewer than that on each
    /// level. When many ranks share a core, nothing is gained by letting others pass on what one
    /// could do. (A tree of values to combine has the radix of its bracket.)
    pub(super) fn radix(self) -> i32 {
        match self.is_crowded() {
            true => self.membership.ranks_per_core.min(64) as i32 * 4,
            false => 2,
        }
    }

    /// Whether members with cores of their own exchange values of so many bytes by messages, and
    /// each combines those of all.
    pub(super) fn exchanges(self, bytes: usize) -> bool {
        const MOST: usize = 64;
        const ALL: usize = 32 << 10;
        let is_little = || self.members() <= MOST && bytes * self.members() <= ALL;
        !self.is_crowded() && (self.members() == 2 || is_little())
    }

    /// How a reduction of `bytes` in `items` that cannot be divided is bracketed, whether by
    /// messages or in shared memory.
    #[inline]
    pub(super) fn combination(self, bytes: usize, items: i64) -> Combination {
        match bytes / self.members() {
            _ if self.members() < 2 || items < self.members() as i64 => Combination::Tree,
            0..=8191 => Combination::Tree,
            _ => Combination::Parts,
        }
    }

    /// Whether members of a reduction whose result is divided send each other parts by messages, or
    /// whole vectors up a tree. Two of them send one message each, instead of one after the other.
    #[inline]
    pub(super) fn divides(self, bytes: usize, items: i64) -> bool {
        self.members() == 2 || self.combination(bytes, items) == Combination::Parts
    }
}
