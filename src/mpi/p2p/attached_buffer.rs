//! Attached buffers (MPI-5.0 §3.6): where the process, a communicator or a session has one.

use crate::base::slab::Key;
use crate::engine::Engine;
use crate::mpi::datatype::Address;
use crate::mpi::error::{Class, Failure, Result};
use parking_lot::Mutex;

/// MPI_BUFFER_AUTOMATIC: the library finds the memory.
pub const AUTOMATIC: Address = Address(2);

/// Where one buffer can be attached.
#[derive(Default)]
pub struct Slot(Mutex<Option<Attached>>);

#[derive(Clone, Copy)]
struct Attached {
    account: Key,
    address: Address,
    bytes: i64,
}

impl Slot {
    pub fn new() -> Slot {
        Slot::default()
    }

    /// Attaches a buffer. What is in it is of no matter: its size is what counts.
    pub fn attach(&self, engine: &Engine, address: Address, bytes: i64) -> Result {
        let mut slot = self.0.lock();
        if slot.is_some() {
            return Err(Class::BUFFER.because("a buffer is attached already; detach it first"));
        }
        if address.0 == 0 && bytes > 0 {
            let words = format!("buffer is a null pointer, and size is {bytes}");
            return Err(Class::BUFFER.because(words));
        }
        let room = (address != AUTOMATIC).then(|| usize::try_from(bytes).unwrap_or(0));
        let account = engine.open_account(room);
        *slot = Some(Attached { account, address, bytes });
        Ok(())
    }

    /// Waits until everything has been delivered, and returns the buffer; null when there is none.
    pub fn detach(&self, engine: &Engine) -> Result<(Address, i64)> {
        // From now on nothing is sent out of it.
        let Some(attached) = self.0.lock().take() else { return Ok((Address(0), 0)) };
        if !engine.await_flush(engine.flush(attached.account))? {
            // Whoever tries again after the recovery finds it, if nobody has attached another one.
            self.0.lock().get_or_insert(attached);
            return Err(interrupted());
        }
        engine.close_account(attached.account);
        Ok((attached.address, attached.bytes))
    }

    /// Waits until everything that was sent so far has been delivered.
    pub fn flush(&self, engine: &Engine) -> Result {
        match self.iflush(engine) {
            Some(op) if !engine.await_flush(op)? => Err(interrupted()),
            _ => Ok(()),
        }
    }

    /// Starts to wait until everything that was sent so far has been delivered.
    pub fn iflush(&self, engine: &Engine) -> Option<Key> {
        let attached = *self.0.lock();
        attached.map(|open| engine.flush(open.account))
    }

    pub(super) fn account(&self) -> Option<Key> {
        self.0.lock().map(|attached| attached.account)
    }
}

#[cold]
fn interrupted() -> Failure {
    Class::PROC_ABORTED
        .because("the other ranks are recovering from a failure; buffered messages wait until then")
}
