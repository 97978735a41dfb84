//! What ranks that were spawned have to know of their world and of their parents: certificates of
//! birth, which they find by their seats.

use crate::base::Member;
use crate::base::roll::Roll;
use crate::engine::shared::rules::InitialErrhandler;
use crate::engine::{Founding, Loans, World};
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
    fn of(founding: &Founding) -> Birth {
        Birth {
            members: Arc::new(Roll::new(founding.members().collect())),
            context: founding.context,
            contexts: founding.contexts,
            parents: Arc::new(Roll::new(founding.parents.clone())),
            errhandlers: founding.errhandlers.clone(),
        }
    }

    /// The members of the world as `me` knows them: perhaps a replacement in its seat.
    pub fn world_of(&self, me: Member) -> Vec<Member> {
        let of = |member: &Member| if member.seat == me.seat { me } else { *member };
        self.members.members().iter().map(of).collect()
    }

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
    /// The seats of spawned worlds, where all ranks are in this process.
    loans: Loans,
    /// By seat: the world, and which of the commands the rank runs.
    all: BTreeMap<usize, (Arc<Birth>, usize)>,
    /// Births that not all parents have confirmed, if some of these are here: by root.
    open: Vec<(Member, Arc<Birth>)>,
}

impl Births {
    /// What becomes of the seats beyond the first world, and who gets them.
    pub(super) fn lend<T>(&self, lend: impl FnOnce(&mut Loans) -> T) -> T {
        lend(&mut self.0.lock().loans)
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

/// A world is about to be born.
pub fn register(world: &World, founding: &Founding) {
    let (births, birth) = (world.tenant::<Births>(), Arc::new(Birth::of(founding)));
    if founding.errhandlers.contains(&Some(InitialErrhandler::Return)) {
        world.charter().hear();
    }
    let mut state = births.0.lock();
    for (member, appnum) in founding.members().zip(founding.appnums()) {
        state.all.insert(member.seat, (birth.clone(), appnum));
    }
    // Only parents confirm it.
    let is_parent_here =
        |own: Range<usize>| founding.parents.iter().any(|it| own.contains(&it.seat));
    if world.own_seats().is_none_or(is_parent_here) {
        state.open.push((founding.by, birth));
    }
}

/// A rank has ended, and gets no replacement unless one was ordered before.
pub fn note_end(world: &World, member: Member) {
    if member.seat >= world.ranks() {
        world.tenant::<Births>().lend(|loans| loans.end(member));
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
