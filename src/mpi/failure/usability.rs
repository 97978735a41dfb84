//! Whether a communicator can be used, and which error class a failure has: the job's rules decide.
//!
//! Without failures, the check is two loads and two branches.

use crate::engine::shared::rules::MsgMode;
use crate::fault::enumerate;
use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Failure, Result, is_failure, told};
use crate::mpi::error_codes;
use crate::mpi::failure::{abroad, attributes};
use crate::mpi::process::Process;

/// How a communicator stands in the eyes of one of its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Well,
    /// This rank of it is dead.
    Affected {
        rank: i32,
    },
    /// The others have begun to recover from a failure, of whomever.
    Interrupted,
    /// It was made before a recovery.
    Stale,
}

/// Fails where the rules allow no communication on `comm`.
#[inline(always)]
pub fn must_stand(process: &Process, comm: &Comm) -> Result {
    let engine = &process.engine;
    if engine.is_calm() && comm.generation >= engine.generation() {
        return Ok(());
    }
    examine(process, comm)
}

#[cold]
fn examine(process: &Process, comm: &Comm) -> Result {
    let Some(modes) = attributes::modes(process, comm) else { return Ok(()) };
    match standing(process, comm) {
        Standing::Stale => Err(stale(comm)),
        Standing::Affected { rank } if modes.msg == MsgMode::Noop => {
            let cure = match abroad::reaches_out(process, comm) {
                true => "create it again when its world has recovered",
                false => "recover first",
            };
            let words = format!("rank {rank} of {} has failed; {cure}", comm.title());
            Err(Class::PROC_ABORTED.because(words))
        }
        Standing::Interrupted if modes.msg == MsgMode::Noop => Err(Class::PROC_ABORTED
            .because("the other ranks are recovering from a failure; join the recovery")),
        _ => Ok(()),
    }
}

/// Fails on a communicator that was made before a recovery.
#[inline]
pub fn must_be_fresh(process: &Process, comm: &Comm) -> Result {
    match comm.generation >= process.engine.generation() {
        true => Ok(()),
        false => Err(stale(comm)),
    }
}

#[cold]
fn stale(comm: &Comm) -> Failure {
    let words = format!("{} was created before a recovery; create it again", comm.title());
    Class::PROC_ABORTED.because(words)
}

/// How `comm` stands.
pub fn standing(process: &Process, comm: &Comm) -> Standing {
    let engine = &process.engine;
    if comm.generation < engine.generation() {
        return Standing::Stale;
    }
    // Asked first: a recovery begins after the death that it is for.
    let is_called = engine.home().called() > engine.generation();
    if let Some(rank) = engine.first_dead(&*comm.everyone()) {
        return Standing::Affected { rank };
    }
    match is_called && !comm.is_alone() {
        true => Standing::Interrupted,
        false => Standing::Well,
    }
}

/// The ranks that have died so far, in words, if that may be what `code` is about.
pub fn dead(process: &Process, code: i32) -> Option<String> {
    let told = told(process.world.rules(), Class::PROC_ABORTED);
    let is_it = is_failure(Class(code)) || code == told.0 || code == error_codes::RESTARTED;
    if process.world.epoch() == 0 || !is_it {
        return None;
    }
    let seats = process.world.bereaved();
    let noun = if seats.len() == 1 { "rank" } else { "ranks" };
    Some(format!("; failed so far: {noun} {}", enumerate(&seats)))
}
