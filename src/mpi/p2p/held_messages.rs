//! The messages that a rank holds: matched by MPI_Mprobe, and not received yet.

use crate::engine;
use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::handle_table::{self, Held, Shelf, Sort};
use parking_lot::Mutex;

pub const NULL: usize = 0x128;
pub const NO_PROC: usize = 0x129;

/// The messages that a rank holds, by handle.
#[derive(Default)]
pub struct Messages(Mutex<Shelf<Message>>);

pub(super) struct Message {
    pub(super) held: engine::Held,
    /// Where it came, even if that was freed meanwhile: its error handler hears of failures.
    pub(super) comm: Held<Comm>,
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

    pub(super) fn keep(&self, comm: &Held<Comm>, held: engine::Held) -> Result<usize> {
        let kept = self.0.lock().insert(Message { held, comm: comm.clone() });
        match kept {
            Ok(key) => Ok(handle_table::handle(Sort::Message, key)),
            Err(_) => Err(Class::INTERN.because("too many messages: four million are held")),
        }
    }

    pub(super) fn take(&self, handle: usize) -> Result<Message> {
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
