//! Communicators: a group, a context id, and what the program attaches to them.

pub mod attached;
pub mod bootstrap;
pub mod create;
pub mod group;
pub mod intercomm;
pub mod meeting;
pub mod membership;
pub mod prepared;
pub mod wishes;

use crate::base::Member;
use crate::base::member::Roster;
use crate::engine::{Enrolment, Meeting, World};
use crate::mpi::attributes::{Attributes, Bearer, On};
use crate::mpi::comm::group::{Both, Comparison, Group};
use crate::mpi::comm::membership::Membership;
use crate::mpi::errhandler::Installed;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::failure::fault_attributes::FaultAttributes;
use crate::mpi::info::Info;
use crate::mpi::p2p::attached_buffer::Slot;
use crate::mpi::reaction::Hearer;
use crate::mpi::topology::shape::Topology;
use crate::transport::Hall;
use parking_lot::Mutex;
use std::ops::Deref;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The contexts of MPI_COMM_WORLD, as it is at first, and of MPI_COMM_SELF.
pub(super) const WORLD_CONTEXT: u32 = 0;
pub(super) const SELF_CONTEXT: u32 = 1;

pub const NULL: usize = 0x100;
pub const WORLD: usize = 0x101;
pub const SELF: usize = 0x102;

const PROC_NULL: i32 = -3;
const ANY_SOURCE: i32 = -1;

/// A communicator: of one group, or between two of them.
pub struct Comm {
    /// Its handle in this process.
    pub handle: usize,
    context: AtomicU32,
    /// Its group; of an intercommunicator, the one that this process is in.
    pub group: Arc<Group>,
    /// The other side of an intercommunicator.
    remote: Option<Remote>,
    /// The rank of this process in its group.
    pub rank: i32,
    /// In which generation of the world it was made. It is void in later ones.
    pub(super) generation: u64,
    /// Its place in the creation order of its generation (see [`crate::mpi::failure::lineage`]).
    pub(super) order: usize,
    pub(super) belongings: Arc<Belongings>,
    /// Ranks that have died and are not replaced, if there are any.
    gaps: Option<Arc<Gaps>>,
    /// The virtual topology, if it has one.
    pub(super) topology: Option<Arc<Topology>>,
    /// Counts the collective operations: a late message of one is never taken for another's.
    collectives: Arc<AtomicU32>,
    pub(super) attendance: Attendance,
    pub(super) tally: Arc<Tally>,
}

/// The living members of a communicator that has gaps.
pub struct Gaps {
    /// A communicator of the living members, with ranks of its own and the same context.
    pub(in crate::mpi) living: Comm,
    /// Their ranks in the communicator, in ascending order.
    pub(in crate::mpi) ranks: Arc<[i32]>,
    pub(in crate::mpi) roster: Arc<dyn Roster>,
}

/// The meeting, found when the first operation needs it; shared by all handles of one communicator.
#[derive(Clone, Default)]
pub struct Attendance(Arc<OnceLock<Attendee>>);

/// Released with the last handle.
struct Attendee {
    world: &'static World,
    meeting: Arc<Meeting>,
    membership: Membership,
    /// Where members in processes of their own meet, if they can.
    hall: OnceLock<Option<Hall>>,
    /// The part of this rank in the nonblocking operations.
    nonblocking: OnceLock<Arc<Enrolment>>,
}

impl Drop for Attendee {
    fn drop(&mut self) {
        self.world.leave_meeting(&self.meeting);
    }
}

/// What a program has done about failures on a communicator (ULFM).
#[derive(Default)]
pub(super) struct Tally {
    /// How many of its members' deaths are acknowledged.
    pub(super) acknowledged: AtomicU32,
    /// Counts the agreements; all members count alike.
    pub(super) agreements: AtomicU64,
}

/// What the program hangs on a communicator: what MPI_COMM_WORLD has of it outlasts a recovery.
pub struct Belongings {
    pub name: Mutex<Vec<u8>>,
    pub errhandler: Installed,
    pub attributes: Attributes,
    /// The hints that were given for it.
    info: Mutex<Arc<Info>>,
    /// What MPI_Comm_attach_buffer attached.
    pub buffer: Slot,
    /// What it tells of failures.
    pub losses: FaultAttributes,
}

impl Belongings {
    pub(super) fn new(name: &str, errhandler: Installed, attributes: Attributes) -> Belongings {
        Belongings {
            name: Mutex::new(name.as_bytes().to_vec()),
            errhandler,
            attributes,
            info: Mutex::default(),
            buffer: Slot::new(),
            losses: FaultAttributes::default(),
        }
    }
}

impl Deref for Comm {
    type Target = Belongings;
    fn deref(&self) -> &Belongings {
        &self.belongings
    }
}

/// The generation of communicators that no recovery makes void.
pub(super) const AGELESS: u64 = u64::MAX;

/// What makes an intercommunicator.
struct Remote {
    group: Arc<Group>,
    /// The members of the own group among themselves: no handle of the program's leads there.
    local: Arc<Comm>,
    /// All members of both groups.
    both: Arc<dyn Roster>,
    /// An intracommunicator of all members of both groups (see [`Comm::is_first`]).
    union: Arc<Comm>,
}

/// The contexts of an intercommunicator: its own, and that of the members of one group among
/// themselves. Both groups may share it: no member is in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contexts {
    pub own: u32,
    pub local: u32,
}

/// Where a message goes to or comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// MPI_PROC_NULL: nowhere.
    Null,
    Rank {
        rank: i32,
        member: Member,
    },
}

/// Where a message may come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Any,
    One(Peer),
}

impl Comm {
    /// Sets the error handler that the first communicators start with.
    pub fn starting_with(mut self, errhandler: Installed) -> Comm {
        Arc::get_mut(&mut self.belongings).expect("it is new").errhandler = errhandler;
        self
    }

    /// A communicator of `group`, of which the caller is a member.
    pub fn new(handle: usize, context: u32, group: Arc<Group>, name: &str) -> Comm {
        let rank = group.rank().expect("whoever holds a communicator is in it");
        Comm {
            handle,
            context: AtomicU32::new(context),
            group,
            remote: None,
            rank,
            generation: AGELESS,
            order: 0,
            belongings: Arc::new(Belongings::new(name, Installed::fatal(), Attributes::new())),
            gaps: None,
            topology: None,
            collectives: Arc::default(),
            attendance: Attendance::default(),
            tally: Arc::default(),
        }
    }

    /// Sets the gaps of a new communicator.
    pub(super) fn with_gaps(self, gaps: Option<Gaps>) -> Comm {
        let gaps = gaps.map(|mut gaps| {
            gaps.living.belongings = self.belongings.clone();
            Arc::new(gaps)
        });
        Comm { gaps, ..self }
    }

    /// The ranks that have died and are not replaced, if there are any.
    #[inline]
    pub(in crate::mpi) fn gaps(&self) -> Option<&Gaps> {
        self.gaps.as_deref()
    }

    /// The communicator of the members that do collective operations: all but the gaps.
    #[inline]
    pub fn living(&self) -> &Comm {
        self.gaps.as_ref().map_or(self, |gaps| &gaps.living)
    }

    /// Marks a new communicator as made in this generation of the world.
    pub(super) fn of_generation(self, generation: u64) -> Comm {
        Comm { generation, ..self }
    }

    /// Whether it is void in later generations of the world.
    pub(super) fn is_of_a_generation(&self) -> bool {
        self.generation != AGELESS
    }

    /// What becomes of this communicator in a later generation of the world.
    pub(super) fn reborn(&self, generation: u64, context: u32, group: Arc<Group>) -> Comm {
        let belongings = self.belongings.clone();
        Comm { generation, belongings, ..Comm::new(self.handle, context, group, "") }
    }

    /// This communicator under another handle; context and collective sequence are shared.
    pub(super) fn alias(&self, handle: usize) -> Comm {
        Comm {
            handle,
            generation: self.generation,
            belongings: self.belongings.clone(),
            gaps: self.gaps.clone(),
            topology: self.topology.clone(),
            collectives: self.collectives.clone(),
            attendance: self.attendance.clone(),
            tally: self.tally.clone(),
            ..Comm::new(handle, self.context(), self.group.clone(), "")
        }
    }

    /// Whether both are the same communicator, if perhaps under two handles or in two generations.
    pub fn is_alias_of(&self, other: &Comm) -> bool {
        Arc::ptr_eq(&self.belongings, &other.belongings)
    }

    /// An intercommunicator between `group`, of which the caller is a member, and `remote`.
    pub fn between(
        handle: usize, contexts: Contexts, group: Arc<Group>, remote: Arc<Group>,
    ) -> Comm {
        let local = Arc::new(Comm::new(handle, contexts.local, group.clone(), ""));
        let both = Arc::new(Both(group.clone(), remote.clone()));
        let union = Arc::new(Comm::new(handle, contexts.own, Arc::new(group.united(&remote)), ""));
        let remote = Some(Remote { group: remote, local, both, union });
        Comm { remote, ..Comm::new(handle, contexts.own, group, "") }
    }

    /// The context id: `2 * context` in point-to-point messages, `2 * context + 1` in collectives.
    #[inline]
    pub fn context(&self) -> u32 {
        self.context.load(Ordering::Relaxed)
    }

    /// The members have agreed on what keeps its messages apart.
    pub(super) fn settle(&self, contexts: Contexts) {
        self.context.store(contexts.own, Ordering::Relaxed);
        if let Some(gaps) = &self.gaps {
            gaps.living.settle(contexts);
        }
        if self.is_inter() {
            self.local().context.store(contexts.local, Ordering::Relaxed);
            self.union().context.store(contexts.own, Ordering::Relaxed);
        }
    }

    /// True for MPI_COMM_WORLD and MPI_COMM_SELF.
    pub fn is_predefined(&self) -> bool {
        matches!(self.handle, WORLD | SELF)
    }

    /// How this communicator compares to `other` (MPI-5.0 §7.4.1).
    pub fn compare(&self, other: &Comm) -> Comparison {
        if std::ptr::eq(self, other) {
            return Comparison::Ident;
        }
        let remote = match (&self.remote, &other.remote) {
            (None, None) => Comparison::Ident,
            (Some(mine), Some(theirs)) => mine.group.compare(&theirs.group),
            _ => Comparison::Unequal,
        };
        // What is less alike counts: the later one.
        match self.group.compare(&other.group).max(remote) {
            Comparison::Ident => Comparison::Congruent,
            unequal => unequal,
        }
    }

    /// True for intercommunicators.
    #[inline]
    pub fn is_inter(&self) -> bool {
        self.remote.is_some()
    }

    /// Whether its one member speaks with itself only.
    #[inline]
    pub fn is_alone(&self) -> bool {
        self.group.len() == 1 && !self.is_inter()
    }

    /// Whether it is of one group, all of whose ranks are there.
    #[inline(always)]
    pub(in crate::mpi) fn is_whole(&self) -> bool {
        self.remote.is_none() && self.gaps.is_none()
    }

    /// The other group of an intercommunicator.
    pub fn remote(&self) -> Result<&Arc<Group>> {
        self.remote.as_ref().map(|remote| &remote.group).ok_or_else(|| {
            let words = format!("comm is {}, which is not an intercommunicator", self.title());
            Class::COMM.because(words)
        })
    }

    /// Fails on an intercommunicator.
    pub fn must_be_intra(&self) -> Result {
        match self.is_inter() {
            false => Ok(()),
            true => Err(Class::COMM.because("comm is an intercommunicator, which cannot do this")),
        }
    }

    /// The group that messages go to and come from: in an intercommunicator, the remote group.
    #[inline]
    pub fn peers(&self) -> &Arc<Group> {
        match &self.remote {
            None => &self.group,
            Some(remote) => &remote.group,
        }
    }

    /// The members of the own group among themselves, for the local part of what two groups do
    /// together; of an intracommunicator, this is itself.
    pub fn local(&self) -> &Comm {
        self.remote.as_ref().map_or(self, |remote| &remote.local)
    }

    /// The members of both groups among themselves; of an intracommunicator, this is itself.
    #[inline]
    pub(super) fn union(&self) -> &Comm {
        self.remote.as_ref().map_or(self, |remote| &remote.union)
    }

    /// Whether the own group comes first: that with the first seat among their first members.
    pub(super) fn is_first(&self) -> bool {
        self.group.leads(self.peers())
    }

    /// The virtual topology, if it has one.
    pub fn topology(&self) -> Option<&Topology> {
        self.topology.as_deref()
    }

    /// Replaces the hints.
    pub fn set_info(&self, info: Option<&Info>) {
        *self.info.lock() = Arc::new(info.map(Info::duplicate).unwrap_or_default());
    }

    /// The hints, as an info that goes its own way.
    pub fn info(&self) -> Info {
        self.info.lock().duplicate()
    }

    fn as_bearer(&self) -> On {
        On { bearer: Bearer::Comm, handle: self.handle }
    }

    /// The tag of one part of a collective operation; the operation is not counted again.
    #[inline]
    pub fn next_tag(&self) -> i32 {
        // One after the other, as the program orders them for all members alike (MPI-5.0 §6.12).
        let number = self.collectives.load(Ordering::Relaxed);
        self.collectives.store(number.wrapping_add(1), Ordering::Relaxed);
        (number & i32::MAX as u32) as i32
    }

    /// Whether some collective operation has begun on it.
    pub(super) fn is_in_use(&self) -> bool {
        self.collectives.load(Ordering::Relaxed) != 0
    }

    /// How many members its group has.
    #[inline]
    pub fn size(&self) -> i32 {
        self.group.size()
    }

    /// The peer with `rank`, which must be valid.
    #[inline]
    pub fn member(&self, rank: i32) -> Member {
        let member = usize::try_from(rank).ok().and_then(|rank| self.peers().member(rank));
        member.expect("the rank was checked")
    }

    /// What tells its agreements from those of others: communicators that share a context have no
    /// member in common. Between two groups, both say the same.
    pub fn matter(&self) -> u64 {
        let firsts = [&self.group, self.peers()].map(|group| group.member(0));
        let leader = firsts.into_iter().flatten().map(|first| first.seat).min();
        u64::from(self.context()) << 32
            | leader.expect("no group of a communicator is empty") as u64
    }

    /// Its peers without the gaps, as a roster.
    pub fn roster(&self) -> Arc<dyn Roster> {
        match &self.gaps {
            None => self.peers().clone(),
            Some(gaps) => gaps.roster.clone(),
        }
    }

    /// All members that take part in its collective operations.
    pub fn everyone(&self) -> Arc<dyn Roster> {
        match &self.remote {
            None => self.roster(),
            Some(remote) => remote.both.clone(),
        }
    }

    /// Gives it up, for all of its members, of whom `me` is one: what they wait for there ends, and
    /// they begin nothing there that involves others.
    pub fn revoke(&self, world: &World, me: Member) {
        let everyone = self.everyone();
        world.revoke(self.context(), &everyone, me);
        if self.is_inter() {
            world.revoke(self.local().context(), &everyone, me);
        }
    }

    /// Whether the member with this rank has died and is not replaced.
    #[inline]
    fn is_gap(&self, rank: i32) -> bool {
        self.gaps.as_ref().is_some_and(|gaps| gaps.has(rank))
    }

    /// Where a send to `dest` goes.
    #[inline]
    pub fn peer(&self, dest: i32) -> Result<Peer> {
        let member = usize::try_from(dest).ok().and_then(|rank| self.peers().member(rank));
        match member {
            Some(member) if !self.is_gap(dest) => Ok(Peer::Rank { rank: dest, member }),
            Some(_) => Err(self.nobody("dest", dest)),
            None if dest == PROC_NULL => Ok(Peer::Null),
            None => Err(self.stranger("dest", dest, "MPI_PROC_NULL")),
        }
    }

    /// The member that a one-sided call names; `None`: nobody.
    #[inline]
    pub(in crate::mpi) fn target(&self, rank: i32, name: &str) -> Result<Option<Member>> {
        match usize::try_from(rank).ok().and_then(|rank| self.group.member(rank)) {
            Some(member) if !self.is_gap(rank) => Ok(Some(member)),
            Some(_) => Err(self.nobody(name, rank)),
            None if rank == PROC_NULL => Ok(None),
            None => Err(self.stranger(name, rank, "MPI_PROC_NULL")),
        }
    }

    /// The member with `rank` in a communicator of one group without gaps.
    #[inline]
    pub(super) fn plain_member(&self, rank: i32) -> Option<Member> {
        self.group.member(usize::try_from(rank).ok()?).filter(|_| self.is_whole())
    }

    /// Where a receive from `source` listens.
    #[inline]
    pub fn source(&self, source: i32) -> Result<Source> {
        let member = usize::try_from(source).ok().and_then(|rank| self.peers().member(rank));
        match member {
            Some(member) if !self.is_gap(source) => {
                Ok(Source::One(Peer::Rank { rank: source, member }))
            }
            Some(_) => Err(self.nobody("source", source)),
            None if source == ANY_SOURCE => Ok(Source::Any),
            None if source == PROC_NULL => Ok(Source::One(Peer::Null)),
            None => Err(self.stranger("source", source, "MPI_ANY_SOURCE or MPI_PROC_NULL")),
        }
    }

    /// Its name, for messages.
    pub fn title(&self) -> String {
        let name = self.name.lock();
        match name.as_slice() {
            [] if self.is_inter() => {
                format!("an intercommunicator of {} and {} ranks", self.size(), self.peers().size())
            }
            [] if self.size() == 1 => "a communicator of one rank".into(),
            [] => format!("a communicator of {} ranks", self.size()),
            name => String::from_utf8_lossy(name).into_owned(),
        }
    }

    #[cold]
    fn nobody(&self, name: &str, rank: i32) -> Failure {
        let words = format!("{name} is {rank}, a failed process in {}", self.title());
        Class::RANK.because(words)
    }

    #[cold]
    fn stranger(&self, name: &str, rank: i32, others: &str) -> Failure {
        let last = self.peers().size() - 1;
        let whose = if self.is_inter() { "the other group of " } else { "" };
        let words = format!("{name} is {rank}; {whose}{} has ranks 0 to {last}", self.title());
        Class::RANK.because(format!("{words} (it may be {})", others))
    }
}

impl Failure {
    /// Directs this failure to the error handler of `comm`, even if its handle was freed meanwhile.
    pub fn on(self, comm: &Comm) -> Failure {
        self.heard_by(Hearer { comm: comm.handle, reaction: comm.errhandler.reaction() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(seats: &[usize], me: usize) -> Arc<Group> {
        let member = |seat| Member { seat, incarnation: 0 };
        Arc::new(Group::of(seats.iter().copied().map(member).collect(), member(me)))
    }

    /// Whoever compares numbers of operations takes them for ones of 31 bits.
    #[test]
    fn collective_operations_are_numbered_by_31_bits() {
        let comm = Comm::new(0x9000, 7, group(&[0, 1], 0), "");
        comm.collectives.store(i32::MAX as u32 - 1, Ordering::Relaxed);
        let tags = [(); 3].map(|()| comm.next_tag());
        assert_eq!(tags, [i32::MAX - 1, i32::MAX, 0]);
    }

    #[test]
    fn the_peers_of_an_intercommunicator_are_the_other_group() {
        let contexts = Contexts { own: 7, local: 8 };
        let comm = Comm::between(0x9000, contexts, group(&[3, 1], 1), group(&[4, 0, 2], 1));
        assert!(comm.is_inter() && !comm.local().is_inter());
        assert_eq!((comm.rank, comm.size(), comm.peers().size()), (1, 2, 3));
        assert_eq!((comm.context(), comm.local().context()), (7, 8));
        let rank = |rank, seat| Peer::Rank { rank, member: Member { seat, incarnation: 0 } };
        assert_eq!(comm.peer(2), Ok(rank(2, 2)));
        assert_eq!(comm.source(0), Ok(Source::One(rank(0, 4))));
        assert!(comm.peer(3).is_err());
        assert_eq!(comm.local().peer(0), Ok(rank(0, 3)));
        assert_eq!(comm.roster().size(), 3);
        let everyone = comm.everyone();
        let ranks = [3, 1, 4, 0, 2].map(|seat| everyone.rank_of(Member { seat, incarnation: 0 }));
        assert_eq!(ranks, [0, 1, 0, 1, 2].map(Some));
    }

    #[test]
    fn intercommunicators_compare_by_both_groups() {
        let contexts = Contexts { own: 7, local: 8 };
        let between = |handle, remote: &[usize]| {
            Comm::between(handle, contexts, group(&[3, 1], 1), group(remote, 1))
        };
        let (a, b, c) = (between(1, &[4, 0]), between(2, &[0, 4]), between(3, &[4, 2]));
        assert_eq!(a.compare(&a), Comparison::Ident);
        assert_eq!(a.compare(&between(4, &[4, 0])), Comparison::Congruent);
        assert_eq!(a.compare(&b), Comparison::Similar);
        assert_eq!(a.compare(&c), Comparison::Unequal);
        assert_eq!(a.compare(a.local()), Comparison::Unequal, "one is between groups");
    }
}
