//! Messages that were matched by MPI_Mprobe and wait for MPI_Mrecv (MPI-5.0 §3.8.2).

use crate::engine;
use crate::host::memory::Region;
use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::handle_table::{self, Held, Shelf, Sort};
use crate::mpi::p2p::status::Completed;
use crate::mpi::p2p::{self, FROM_NOBODY, Match, Pending};
use crate::mpi::process::Process;
use parking_lot::Mutex;

pub const NULL: usize = 0x128;
pub const NO_PROC: usize = 0x129;

/// The messages that a rank holds, by handle.
#[derive(Default)]
pub struct Messages(Mutex<Shelf<Message>>);

struct Message {
    held: engine::Held,
    /// Where it came, even if that was freed meanwhile: its error handler hears of failures.
    comm: Held<Comm>,
}

impl Messages {
    pub fn new() -> Messages {
        Messages::default()
    }

    /// Removes all messages, unless a thread died while it changed them.
    pub(in crate::mpi) fn clear(&self) {
        let left = self.0.try_lock().map(|mut shelf| std::mem::take(&mut *shelf));
        drop(left);
    }

    /// How many are held.
    pub(in crate::mpi) fn count(&self) -> usize {
        self.0.lock().len()
    }

    fn keep(&self, comm: &Held<Comm>, held: engine::Held) -> Result<usize> {
        let kept = self.0.lock().insert(Message { held, comm: comm.clone() });
        match kept {
            Ok(key) => Ok(handle_table::handle(Sort::Message, key)),
            Err(_) => Err(Class::INTERN.because("too many messages: four million are held")),
        }
    }

    fn take(&self, handle: usize) -> Result<Message> {
        let key = handle_table::key(Sort::Message, handle);
        let message = key.and_then(|key| self.0.lock().remove(key));
        message.ok_or_else(|| unknown(handle))
    }
}

#[cold]
fn unknown(handle: usize) -> Failure {
    let words = match handle {
        NULL => "message is MPI_MESSAGE_NULL".to_string(),
        _ => {
            format!("message is {handle:#x}, not a valid message handle (was it received already?)")
        }
    };
    Class::REQUEST.because(words)
}

/// Keeps what a probe on `comm` has found; says what it is like.
pub fn keep(process: &Process, comm: &Held<Comm>, found: Match) -> Result<(usize, Completed)> {
    match found {
        Err(failed) => Ok((NULL, failed)),
        Ok(None) => Ok((NO_PROC, FROM_NOBODY.into())),
        Ok(Some(held)) => {
            let seen = p2p::completed(&held.outcome());
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
    let mut completed = p2p::completed(&process.engine.receive_held(held, into)?);
    completed.news = completed.news.map_err(|failure| failure.on(&comm));
    Ok(completed)
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
