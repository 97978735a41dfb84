//! MPI_Comm_join: two processes with a socket between them get an intercommunicator
//! (MPI-5.0 §11.11). Each opens a port and writes its name to the socket; the one with the lesser
//! name accepts.

use crate::host::socket::{self, Trouble};
use crate::mpi::dynamic::{connect, ports};
use crate::mpi::error::{Class, Result};
use crate::mpi::process::Process;

/// What each of them writes: a name, padded with blanks.
const BYTES: usize = 64;

/// Joins the process at the other end of the socket; `None` if it belongs to another job, to which
/// there is no way.
pub fn join(process: &'static Process, socket: i32) -> Result<Option<usize>> {
    let own = ports::open(process);
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
    while filled < BYTES {
        match socket::read_if_ready(socket, &mut heard[filled..]).map_err(trouble)? {
            Some(0) => {
                let words = "the other end of the socket was closed before it had joined";
                return Err(Class::OTHER.because(words));
            }
            Some(bytes) => filled += bytes,
            None => _ = process.engine.poll(|_| None::<()>)?,
        }
    }
    let theirs = heard.trim_ascii_end();
    if !ports::is_of_this_job(theirs) {
        return Ok(None);
    }
    let alone = process.self_comm();
    match own < theirs {
        true => connect::accept(process, alone, 0, Ok(own.to_vec())),
        false => connect::connect(process, alone, 0, Ok(theirs.to_vec())),
    }
    .map(Some)
}

fn trouble(trouble: Trouble) -> crate::mpi::error::Failure {
    Class::ARG.because(format!("fd cannot be used as a socket: {trouble}"))
}
