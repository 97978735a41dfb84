//! What ranks that were spawned have to know of their world and of their parents: certificates of
//! birth, which they find by their seats.
//!
//! The seats beyond the first world are lent to spawned worlds. Those of a world are free again
//! once each of its ranks has ended and none has a replacement; the next world there begins with
//! incarnations that these seats have not had.

use crate::base::Member;
use crate::base::roll::Roll;
use crate::engine::World;
use crate::engine::shared::rules::InitialErrhandler;
use crate::mpi::comm::group::Group;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The world of a spawned rank.
pub struct Birth {
    /// The members of its MPI_COMM_WORLD, and the context of that.
    pub members: Arc<Roll>,
    pub context: u32,
    /// The contexts of the intercommunicator with the parents, and these.
    pub contexts: (u32, u32),
    pub parents: Arc<Roll>,
    /// By command: what hears of errors at first, if that was said.
    pub errhandlers: Vec<Option<InitialErrhandler>>,
}

impl Birth {
    /// The members of the world as `me` knows them: perhaps a replacement in its seat.
    pub fn world_of(&self, me: Member) -> Vec<Member> {
        let of = |member: &Member| if member.seat == me.seat { me } else { *member };
        self.members.members().iter().map(of).collect()
    }
}

impl Birth {
    /// What hears of errors at first in a rank that runs this command.
    pub fn errhandler(&self, world: &World, appnum: usize) -> Option<InitialErrhandler> {
        self.errhandlers[appnum].or(world.charter().errhandler())
    }
}

/// All births of a job.
#[derive(Default)]
pub(super) struct Births(Mutex<State>);

#[derive(Default)]
struct State {
    /// The seats of each spawned world of which ranks may be alive.
    lent: Vec<Range<usize>>,
    /// By seat: the latest incarnation that has ended for good.
    ended: BTreeMap<usize, u32>,
    /// By seat: the world, and which of the commands the rank runs.
    all: BTreeMap<usize, (Arc<Birth>, usize)>,
    /// Births that not all parents have confirmed: by root.
    open: Vec<(Member, Arc<Birth>)>,
}

impl Births {
    /// Takes seats; `choose` says how many for each command, if there are so many in a row.
    pub(super) fn take(
        &self, world: &World, choose: impl FnOnce(usize) -> Option<Vec<usize>>,
    ) -> Option<(Range<usize>, Vec<usize>)> {
        let mut state = self.0.lock();
        state.take_back(world);
        let free = state.free(world.ranks()..world.size());
        let counts = choose(free.iter().map(Range::len).max().unwrap_or(0))?;
        let count: usize = counts.iter().sum();
        let first = free.iter().find(|free| free.len() >= count).map_or(0, |free| free.start);
        let seats = first..first + count;
        if count > 0 {
            state.lent.push(seats.clone());
            state.lent.sort_by_key(|lent| lent.start);
            state.ended.retain(|seat, _| !seats.contains(seat));
        }
        Some((seats, counts))
    }

    /// Whether seats may become free: some are lent.
    pub(super) fn have_lent(&self) -> bool {
        !self.0.lock().lent.is_empty()
    }

    /// These ranks are about to be born, at the order of `root`.
    pub(super) fn register(&self, root: Member, birth: &Arc<Birth>, appnums: &[usize]) {
        let mut state = self.0.lock();
        for (member, appnum) in birth.members.members().iter().zip(appnums) {
            state.all.insert(member.seat, (birth.clone(), *appnum));
        }
        state.open.push((root, birth.clone()));
    }

    /// All parents know of the birth.
    pub(super) fn confirm(&self, context: u32) {
        self.0.lock().open.retain(|(_, birth)| birth.context != context);
    }

    /// The births that `root` has ordered and that were not confirmed.
    pub(super) fn unconfirmed(&self, root: Member) -> Vec<Arc<Birth>> {
        let state = self.0.lock();
        let own = state.open.iter().filter(|(by, _)| *by == root);
        own.map(|(_, birth)| birth.clone()).collect()
    }
}

impl State {
    fn has_ended(&self, world: &World, seat: usize) -> bool {
        let ended = self.ended.get(&seat);
        ended.is_some_and(|incarnation| *incarnation >= world.latest(seat).incarnation)
    }

    /// Takes the seats of worlds back that are over.
    fn take_back(&mut self, world: &World) {
        let lent = std::mem::take(&mut self.lent);
        let lives = |lent: &Range<usize>| !lent.clone().all(|seat| self.has_ended(world, seat));
        self.lent = lent.into_iter().filter(lives).collect();
    }

    /// The rows of free seats among `all`.
    fn free(&self, all: Range<usize>) -> Vec<Range<usize>> {
        let starts = std::iter::once(all.start).chain(self.lent.iter().map(|lent| lent.end));
        let ends = self.lent.iter().map(|lent| lent.start).chain([all.end]);
        starts.zip(ends).map(|(start, end)| start..end).filter(|free| !free.is_empty()).collect()
    }
}

/// A rank has ended, and gets no replacement unless one was ordered before.
pub fn note_end(world: &World, member: Member) {
    if member.seat >= world.ranks() {
        let births = world.tenant::<Births>();
        births.0.lock().ended.insert(member.seat, member.incarnation);
    }
}

/// The group of MPI_COMM_WORLD, as `me` holds it.
pub fn group_of_world(world: &World, me: Member) -> Group {
    match of(world, me.seat) {
        Some((birth, _)) => Group::of(birth.world_of(me), me),
        None => Group::world(world.ranks(), me),
    }
}

/// The birth of the rank in `seat`, and which of the commands it runs, if it was spawned.
pub fn of(world: &World, seat: usize) -> Option<(Arc<Birth>, usize)> {
    if seat < world.ranks() {
        return None;
    }
    let births = world.tenant::<Births>();
    let state = births.0.lock();
    state.all.get(&seat).map(|(birth, appnum)| (birth.clone(), *appnum))
}
