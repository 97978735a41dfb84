//! A message that has stayed in another process: its receiver reads it from there.

use super::segment::MappedHead;
use crate::host::memory::{self, Fault, Region, Span};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The state of a hold: the lowest two bits; above them is a stamp that tells messages apart.
pub(super) const OPEN: u32 = 1;
pub(super) const CLAIMED: u32 = 2;
pub(super) const RECALLED: u32 = 3;
pub(super) const STATE: u32 = 3;

/// The processes from which such messages come.
pub(super) trait Origin: Sync {
    /// The receiver is done with a message. `fault`: where the sender's memory was missing.
    fn give_back(&self, foreign: &Foreign, is_delivered: bool, fault: Option<usize>);
    /// Whether this life of the sender's seat goes on.
    fn is_alive(&self, seat: usize, incarnation: u32) -> bool;
}

/// Where a message is, and how its sender is told that it has been read.
pub(in crate::transport) struct Foreign {
    pub(super) origin: &'static dyn Origin,
    /// The process of the sender, and the head of its segment, where the hold is.
    pub(super) process: usize,
    pub(super) head: Arc<MappedHead>,
    pub(super) pid: i32,
    pub(super) address: usize,
    pub(super) hold: u32,
    pub(super) stamp: u32,
}

impl Foreign {
    /// Makes the message the receiver's for good; false when the sender has recalled it.
    pub(in crate::transport) fn claim(&self) -> bool {
        let hold = &self.head.get().holds[self.hold as usize];
        let (open, claimed) = (self.stamp | OPEN, self.stamp | CLAIMED);
        let (won, lost) = (Ordering::AcqRel, Ordering::Acquire);
        match hold.compare_exchange(open, claimed, won, lost) {
            Ok(_) => true,
            Err(found) => found == claimed,
        }
    }

    pub(in crate::transport) fn is_recalled(&self) -> bool {
        let found = self.head.get().holds[self.hold as usize].load(Ordering::Acquire);
        found != self.stamp | OPEN && found != self.stamp | CLAIMED
    }

    /// Copies this much from the other process.
    pub(in crate::transport) fn read(&self, bytes: usize, into: &Region) -> Result<(), Fault> {
        match into.span() {
            Some(span) => self.read_into(0, span.part(0, bytes)),
            None => self.read_pieces(bytes, into),
        }
    }

    fn read_into(&self, offset: usize, target: Span) -> Result<(), Fault> {
        if read(self.pid, self.address + offset, target) {
            return Ok(());
        }
        // Whose memory is not there?
        let mut block = vec![0; target.bytes()];
        if !read(self.pid, self.address + offset, Span::of_mut(&mut block)) {
            return Err(Fault { address: self.address + offset, in_source: true });
        }
        memory::copy(Span::of(&block), target)
    }

    fn read_pieces(&self, bytes: usize, into: &Region) -> Result<(), Fault> {
        const PIECE: usize = 64 << 10;
        let mut block = vec![0; PIECE.min(bytes)];
        for offset in (0..bytes).step_by(PIECE) {
            let piece = &mut block[..PIECE.min(bytes - offset)];
            self.read_into(offset, Span::of_mut(piece))?;
            memory::transfer(&Span::of(piece).into(), &into.part(offset, piece.len()))?;
        }
        Ok(())
    }

    /// The receiver is done with it. `fault`: where the sender's memory was missing.
    pub(in crate::transport) fn give_back(&self, is_delivered: bool, fault: Option<usize>) {
        self.origin.give_back(self, is_delivered, fault);
    }

    /// Whether this life of the sender's seat goes on.
    pub(in crate::transport) fn is_alive(&self, seat: usize, incarnation: u32) -> bool {
        self.origin.is_alive(seat, incarnation)
    }
}

/// Whether this process is allowed to read the memory of that one. Containers may forbid it.
pub(super) fn may_read(pid: i32) -> io::Result<()> {
    /// Nothing is mapped there.
    const NOWHERE: usize = 8;
    let mut byte = [0];
    match read_some(pid, NOWHERE, Span::of_mut(&mut byte)) {
        Err(error) if matches!(error.raw_os_error(), Some(libc::EPERM | libc::ENOSYS)) => {
            Err(error)
        }
        // It is not there, as it should be; or the process has ended.
        _ => Ok(()),
    }
}

/// Reads all of `target` from another process; false if some of it is not there.
fn read(pid: i32, address: usize, target: Span) -> bool {
    let mut done = 0;
    while done < target.bytes() {
        match read_some(pid, address + done, target.part(done, target.bytes() - done)) {
            Ok(0) | Err(_) => return false,
            Ok(read) => done += read,
        }
    }
    true
}

/// Reads the beginning of `target` from another process; returns how much.
fn read_some(pid: i32, address: usize, target: Span) -> io::Result<usize> {
    let piece = |address: usize| libc::iovec {
        iov_base: std::ptr::with_exposed_provenance_mut(address),
        iov_len: target.bytes(),
    };
    let (local, remote) = (piece(target.address()), piece(address));
    // SAFETY: the kernel checks both addresses, and tells how far it came.
    let read = unsafe { libc::process_vm_readv(pid, &raw const local, 1, &raw const remote, 1, 0) };
    usize::try_from(read).map_err(|_| io::Error::last_os_error())
}
