//! MPI_Comm_join: two processes with a socket between them get an intercommunicator
//! (MPI-5.0 §11.11). Each opens a port and writes its name to the socket; the one with the lesser
//! name accepts.

use crate::engine::shared::rules::Rules;
use crate::fault::ports::are_of_one_job;
use crate::host::socket::{self, Trouble};
use crate::mpi::dynamic::{connect, ports};
use crate::mpi::error::{Class, Result};
use crate::mpi::failure::ulfm;
use crate::mpi::failure::usability::{Standing, standing};
use crate::mpi::process::Process;

/// What each of them writes: a name, padded with blanks.
const BYTES: usize = 64;

/// Joins the process at the other end of the socket; `None` if it belongs to another job, to which
/// there is no way.
pub fn join(process: &'static Process, socket: i32) -> Result<Option<usize>> {
    let own = ports::open(process)?;
    let joined = meet(process, socket, &own);
    if joined.as_ref().err().is_none_or(|failure| !failure.is_death()) {
        connect::close(process, &own)?;
    }
    joined
}

fn meet(process: &'static Process, socket: i32, own: &[u8]) -> Result<Option<usize>> {
    let mut said = [b' '; BYTES];
    said[..own.len()].copy_from_slice(own);
    let mut heard = [0; BYTES];
    socket::write(socket, &said).map_err(trouble)?;
    let mut filled = 0;
    let before = process.world.epoch();
    while filled < BYTES {
        match socket::read_if_ready(socket, &mut heard[filled..]).map_err(trouble)? {
            Some(0) => {
                let words = "the other end of the socket was closed before it had joined";
                return Err(Class::OTHER.because(words));
            }
            Some(bytes) => filled += bytes,
            None => {
                process.engine.poll(|_| None::<()>)?;
                may_still_come(process, before)?;
            }
        }
    }
    let theirs = heard.trim_ascii_end();
    if !are_of_one_job(own, theirs) {
        return Ok(None);
    }
    let alone = process.self_comm();
    connect::join(process, alone, own, theirs).map(Some)
}

/// Fails if the other end may never say its name. Nobody knows yet which process that is, so any
/// counts that has died meanwhile, or earlier without the program having acknowledged it. Under
/// FT-MPI's modes nobody is waited for while others recover.
fn may_still_come(process: &'static Process, before: usize) -> Result {
    let world = process.world_comm();
    let rules = process.world.rules();
    let has_news = match rules {
        Rules::Ulfm => process.world.epoch() > before || ulfm::has_unacknowledged(process, &world),
        _ => standing(process, &world) != Standing::Well,
    };
    if !has_news {
        return Ok(());
    }
    let words = "a process has failed before the other end of the socket had joined";
    Err(Class::PROC_ABORTED.because(words))
}

fn trouble(trouble: Trouble) -> crate::mpi::error::Failure {
    Class::ARG.because(format!("fd cannot be used as a socket: {trouble}"))
}
