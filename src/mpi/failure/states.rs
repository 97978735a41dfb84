//! States of communicators and ranks in FT-MPI's terms, for programs that ask. They follow from the
//! deaths that this process knows of and from the recovery of the world (see
//! [`crate::fault::state`]).

use crate::base::Member;
use crate::fault::{CommState, Mode, RankState, Record, Recovery, Slot, View};
use crate::mpi::comm::Comm;
use crate::mpi::process::Process;

/// How `comm` is.
pub(in crate::mpi) fn of_comm(process: &'static Process, comm: &Comm) -> CommState {
    match comm.generation < process.engine.generation() {
        // Nothing will make it whole again.
        true => CommState::Failed,
        false => {
            ask(process, comm, |view, recovery, is_dead| CommState::of(view, recovery, is_dead))
        }
    }
}

/// How each rank of `comm` is.
pub(in crate::mpi) fn of_ranks(process: &'static Process, comm: &Comm) -> Vec<RankState> {
    ask(process, comm, |view, recovery, is_dead| {
        let ranks = 0..view.slots.len();
        ranks.map(|rank| RankState::of(rank, view, recovery, is_dead)).collect()
    })
}

/// Asks about the members of `comm`, the recovery that is under way there, if there is one, and who
/// has died since the last one.
fn ask<T>(
    process: &'static Process, comm: &Comm,
    question: impl FnOnce(&View, Option<&Recovery>, &dyn Fn(Member) -> bool) -> T,
) -> T {
    let engine = &process.engine;
    let deaths = process.world.deaths_since(engine.known_deaths());
    let is_dead = |member: Member| deaths.contains(&member);
    if !comm.is_alias_of(&process.world_comm()) {
        return question(&view(process, comm), None, &is_dead);
    }
    let is_under_way = process.engine.home().called() > engine.generation();
    match &*process.recovery.lock() {
        Some(course) => {
            let recovery = &course.recovery;
            let is_recovery = is_under_way || recovery.has_given_up();
            question(recovery.before(), is_recovery.then_some(recovery), &is_dead)
        }
        // A thread of this process takes part in it, or no thread has begun the first one.
        None => {
            let view = view(process, comm);
            let recovery = || Recovery::new(view.clone(), Record::new(), Mode::Rebuild, None);
            question(&view, is_under_way.then(recovery).as_ref(), &is_dead)
        }
    }
}

/// The members of `comm`, and where it has gaps.
fn view(process: &Process, comm: &Comm) -> View {
    let roster = comm.roster();
    let slot = |member: Member| match roster.rank_of(member) {
        Some(_) => Slot::Taken(member),
        None => Slot::Gap(member),
    };
    let slots = comm.peers().members().map(slot).collect();
    View { generation: process.engine.generation(), slots }
}
