//! Messages that were matched by MPI_Mprobe and wait for MPI_Mrecv (MPI-5.0 §3.8.2).

use crate::host::memory::Region;
use crate::mpi::comm::Comm;
use crate::mpi::error::Result;
use crate::mpi::handle_table::Held;
use crate::mpi::p2p::held_messages::{Message, NO_PROC, NULL};
use crate::mpi::p2p::outcome::{FROM_NOBODY, Match, Pending, completed};
use crate::mpi::p2p::status::Completed;
use crate::mpi::process::Process;

/// Keeps what a probe on `comm` has found; says what it is like.
pub fn keep(process: &Process, comm: &Held<Comm>, found: Match) -> Result<(usize, Completed)> {
    match found {
        Err(failed) => Ok((NULL, failed)),
        Ok(None) => Ok((NO_PROC, FROM_NOBODY.into())),
        Ok(Some(held)) => {
            let seen = completed(&held.outcome());
            Ok((process.messages.keep(comm, held)?, seen))
        }
    }
}

/// Receives a matched message.
pub fn mrecv(process: &Process, message: usize, into: &Region) -> Result<Completed> {
    if message == NO_PROC {
        return Ok(FROM_NOBODY.into());
    }
    let Message { held, comm } = process.messages.take(message)?;
    let mut end = completed(&process.engine.receive_held(held, into)?);
    end.news = end.news.map_err(|failure| failure.on(&comm));
    Ok(end)
}

/// Starts to receive a matched message: it is there, so that this is done at once. Returns the
/// handle of the request.
pub fn imrecv(process: &'static Process, message: usize, into: &Region) -> Result<usize> {
    if message == NO_PROC {
        let nobody = Pending::Complete(FROM_NOBODY);
        return process.requests.keep(&Held::Ever(process.self_comm()), nobody);
    }
    let Message { held, comm } = process.messages.take(message)?;
    let outcome = process.engine.receive_held(held, into)?;
    process.requests.keep(&comm, Pending::Op(process.engine.complete(outcome)))
}
