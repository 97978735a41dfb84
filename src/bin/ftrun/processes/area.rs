//! The memory in which the ranks of one host carry out short collective operations without
//! messages. It has no name, and vanishes with the last process that has it open.

use ftmpi_wireup::Area;
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::{MemfdFlags, memfd_create};

/// Memory for the processes of a job, empty at first.
pub(super) struct Memory(OwnedFd);

impl Memory {
    /// For so many processes; `None` if there are none to share it, or more than can. Without it,
    /// everything goes by messages.
    pub(super) fn for_processes(processes: usize) -> Option<Memory> {
        let is_for = (2..=Area::MOST).contains(&processes);
        let made = || memfd_create(c"ftmpi area", MemfdFlags::CLOEXEC).ok();
        is_for.then(made).flatten().map(Memory)
    }

    /// Where ranks find it.
    pub(super) fn place(&self) -> Area {
        Area { pid: std::process::id() as i32, descriptor: self.0.as_raw_fd() }
    }
}
