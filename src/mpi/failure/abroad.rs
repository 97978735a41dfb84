//! Communicators that reach into other worlds (MPI_Comm_spawn, MPI_Comm_connect). Under the modes
//! of FT-MPI, every world recovers for itself. The one that does leaves its communicators of before
//! behind, and the members in other worlds, which stay where they are, must not wait there: what
//! reaches out is revoked. Both sides may then meet anew.

use crate::base::member::Roster;
use crate::mpi::comm::group::Group;
use crate::mpi::comm::{Comm, Contexts};
use crate::mpi::handle_table::Held;
use crate::mpi::process::Process;
use std::sync::Arc;

/// Whether `comm` has members of other worlds than the calling process.
pub fn reaches_out(process: &Process, comm: &Comm) -> bool {
    process.world.has_more_worlds()
        && (is_mixed(process, &comm.group) || is_mixed(process, comm.peers()))
}

fn is_mixed(process: &Process, group: &Group) -> bool {
    let home = process.engine.home();
    group.members().any(|member| !home.has(member.seat))
}

/// The world of the calling process is in its next generation.
pub(super) fn leave(process: &Process) {
    if !process.world.has_more_worlds() {
        return;
    }
    let generation = process.engine.generation();
    let is_old = |comm: &Held<Comm>| comm.generation < generation && reaches_out(process, comm);
    for comm in process.made_comms().filter(is_old) {
        comm.revoke(process.world, process.me);
    }
}

/// The calling process has given up while its group and that of another world were about to meet on
/// this context: no member waits there any more.
pub(in crate::mpi) fn give_up(process: &Process, context: u32, group: &Arc<Group>) {
    if is_concerned(process, group) {
        let roster: Arc<dyn Roster> = group.clone();
        process.world.revoke(context, &roster, process.me);
        process.world.let_go(context, process.me);
    }
}

/// It gives up what would have become an intercommunicator between the two halves of `all`.
pub(in crate::mpi) fn give_up_comm(process: &Process, contexts: Contexts, all: &Arc<Group>) {
    give_up(process, contexts.own, all);
    give_up(process, contexts.local, all);
}

/// The calling process needs this context, which was drawn for one purpose, no more.
pub(in crate::mpi) fn is_through(process: &Process, context: u32, group: &Arc<Group>) {
    if is_concerned(process, group) {
        process.world.let_go(context, process.me);
    }
}

/// Without modes, failures are the only reason to give up, and all members hear of these.
fn is_concerned(process: &Process, group: &Group) -> bool {
    let world = process.world;
    world.has_more_worlds() && world.rules().modes().is_some() && is_mixed(process, group)
}
