//! What an open session keeps.

use crate::mpi::errhandler::Installed;
use crate::mpi::info::Info;
use crate::mpi::p2p::attached_buffer::Slot;

/// One session of a process.
pub struct Session {
    pub(super) handle: usize,
    pub errhandler: Installed,
    pub(super) info: Info,
    /// What MPI_Session_attach_buffer attached.
    pub buffer: Slot,
}

impl Session {
    /// What the session provides, as an info that goes its own way.
    pub fn info(&self) -> Info {
        self.info.duplicate()
    }
}
