//! Buffered sends (MPI-5.0 §3.6): out of the buffer of a communicator, of a session, or of the
//! process.

use crate::engine::{Letter, Unsent};
use crate::host::memory::Region;
use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::process::Process;

/// MPI_BSEND_OVERHEAD: what a message takes of its buffer besides its data.
pub const OVERHEAD: usize = 512;
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
fn nothing_attached() -> Failure {
    Class::BUFFER.because("no buffer is attached; see MPI_Buffer_attach")
}
