//! Buffers for buffered sends (MPI-5.0 §3.6): of the process, of a communicator, of a session.

use crate::base::slab::Key;
use crate::engine::{Letter, Unsent};
use crate::host::memory::Region;
use crate::mpi::comm::Comm;
use crate::mpi::datatype::Address;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::p2p::Pending;
use crate::mpi::process::Process;
use parking_lot::Mutex;

/// MPI_BSEND_OVERHEAD: what a message takes of its buffer besides its data.
pub const OVERHEAD: usize = 512;
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
    pub fn attach(&self, process: &Process, address: Address, bytes: i64) -> Result {
        let mut slot = self.0.lock();
        if slot.is_some() {
            return Err(Class::BUFFER.because("a buffer is attached already; detach it first"));
        }
        if address.0 == 0 && bytes > 0 {
            let words = format!("buffer is a null pointer, and size is {bytes}");
            return Err(Class::BUFFER.because(words));
        }
        let room = (address != AUTOMATIC).then(|| usize::try_from(bytes).unwrap_or(0));
        let account = process.engine.open_account(room);
        *slot = Some(Attached { account, address, bytes });
        Ok(())
    }

    /// Waits until everything has been delivered, and returns the buffer; null when there is none.
    pub fn detach(&self, process: &Process) -> Result<(Address, i64)> {
        // From now on nothing is sent out of it.
        let Some(attached) = self.0.lock().take() else { return Ok((Address(0), 0)) };
        if !process.engine.await_flush(process.engine.flush(attached.account))? {
            // Whoever tries again after the recovery finds it, if nobody has attached another one.
            self.0.lock().get_or_insert(attached);
            return Err(interrupted());
        }
        process.engine.close_account(attached.account);
        Ok((attached.address, attached.bytes))
    }

    /// Waits until everything that was sent so far has been delivered.
    pub fn flush(&self, process: &Process) -> Result {
        match self.iflush(process) {
            Pending::Op(op) if !process.engine.await_flush(op)? => Err(interrupted()),
            _ => Ok(()),
        }
    }

    /// Starts to wait until everything that was sent so far has been delivered.
    pub fn iflush(&self, process: &Process) -> Pending {
        let attached = *self.0.lock();
        attached.map_or(Pending::Nothing, |open| Pending::Op(process.engine.flush(open.account)))
    }

    fn account(&self) -> Option<Key> {
        self.0.lock().map(|attached| attached.account)
    }
}

/// Sends out of the buffer of `comm`, or else of the session that it comes from, or else of the
/// process (MPI-5.0 §3.6).
pub(in crate::mpi) fn send(
    process: &Process, comm: &Comm, letter: Letter, data: &Region,
) -> Result {
    let of_session = || process.sessions.find(comm.group.session())?.buffer.account();
    let account = comm.buffer.account().or_else(of_session).or_else(|| process.buffer.account());
    let Some(account) = account else {
        return Err(nothing_attached());
    };
    let sent = process.engine.send_buffered(letter, data, account, OVERHEAD)?;
    sent.map_err(|unsent| match unsent {
        Unsent::Closed => nothing_attached(),
        Unsent::NoRoom { needed, free } => Class::BUFFER.because(format!(
            "the attached buffer has {free} bytes free; the message needs {needed} \
             (MPI_BSEND_OVERHEAD included)"
        )),
    })
}

#[cold]
fn interrupted() -> Failure {
    Class::PROC_ABORTED.because(
        "the other ranks are recovering from a failure; buffered sends are refused until then",
    )
}

#[cold]
fn nothing_attached() -> Failure {
    Class::BUFFER.because("no buffer is attached; see MPI_Buffer_attach")
}
