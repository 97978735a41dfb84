//! The end of MPI_Init, and MPI_Finalize.

use crate::mpi::coll;
use crate::mpi::comm::SELF;
use crate::mpi::dynamic::{connect, spawn};
use crate::mpi::error::{Failure, Result, is_death};
use crate::mpi::error_codes;
use crate::mpi::failure::recovery;
use crate::mpi::process::Process;

/// The end of MPI_Init: a replacement joins the others, and is told what it is. It has parents as
/// they have, and as they are: out of reach.
pub fn arrive(process: &'static Process) -> Result {
    process.world.note_begin(process.me);
    spawn::meet_parents(process)?;
    match recovery::join(process)? {
        true => Err(Failure::told(error_codes::RESTARTED)),
        false => Ok(()),
    }
}

/// MPI_Finalize: attributes of MPI_COMM_SELF go first, the newest before the others, and ports are
/// closed; then all who live meet. Whoever is dead is not waited for.
pub fn finalize(process: &'static Process) -> Result {
    process.phases.leave()?;
    let alone = process.self_comm();
    let cleared =
        alone.attributes.clear(&process.keyvals, SELF).map_err(|failure| failure.on(alone));
    let closed = connect::close_all(process);
    if is_death(&closed) {
        return closed;
    }
    let met = coll::part(process, &process.world_comm());
    if is_death(&met) {
        // Whoever dies here has not left: the others wait for it, and are to hear of its death.
        return met;
    }
    if process.world.rules().modes().is_some() {
        // Whoever comes to the end in peace has coped with what there was.
        process.engine.home().forgive();
    }
    process.phases.end();
    leave_if_done(process);
    cleared
}
/// A rank leaves when it has finalized MPI and has no session open, in whichever order: until then
/// others may send it something.
pub(in crate::mpi) fn leave_if_done(process: &Process) {
    if process.phases.is_finalized() && process.phases.debt().is_none() {
        process.world.depart(process.me);
    }
}
