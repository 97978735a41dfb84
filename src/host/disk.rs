//! Reads and writes of files, straight from and to the program's memory.
//!
//! Each is one system call at an explicit position, so that threads share a descriptor without a
//! lock, and a rank is not ended in the middle. While it waits, other fibers get the core. The
//! kernel refuses memory that is not there, so no address needs to be checked before.

use super::fiber;
use super::memory::Span;
use libc::{c_int, iovec};
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::AsRawFd;

/// The most pieces of memory that one call takes.
pub const MOST_PIECES: usize = 1024;

/// The direction of an access to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Read,
    Write,
}

/// Moves data between `file`, from byte `at` on, and `pieces` of memory, of which there are at most
/// [`MOST_PIECES`]. Returns how many bytes were moved; 0 at the end of the file, if it reads.
pub fn access(direction: Direction, file: &File, pieces: &[Span], at: u64) -> Result<usize> {
    let position = i64::try_from(at).map_err(|_| Error::from_raw_os_error(libc::EFBIG))?;
    let moved = match pieces {
        [one] => again(|| access_one(direction, file, *one, position)),
        many => access_many(direction, file, many, position),
    };
    match moved {
        // Pipes and terminals have no positions: whoever opens one takes what comes next.
        Err(error) if error.raw_os_error() == Some(libc::ESPIPE) => stream(direction, file, pieces),
        moved => moved,
    }
}

fn access_one(direction: Direction, file: &File, piece: Span, position: i64) -> isize {
    let start = std::ptr::with_exposed_provenance_mut(piece.address());
    let (descriptor, bytes) = (file.as_raw_fd(), piece.bytes());
    match direction {
        // SAFETY: the caller of MPI vouches for the memory (§2.3), and the kernel checks it.
        Direction::Read => unsafe { libc::pread64(descriptor, start, bytes, position) },
        // SAFETY: the caller of MPI vouches for the memory (§2.3), and the kernel checks it.
        Direction::Write => unsafe { libc::pwrite64(descriptor, start, bytes, position) },
    }
}

fn access_many(direction: Direction, file: &File, pieces: &[Span], position: i64) -> Result<usize> {
    let (list, count) = listed(pieces);
    again(|| match direction {
        // SAFETY: the list is ours; the kernel checks the memory in it.
        Direction::Read => unsafe {
            libc::preadv64(file.as_raw_fd(), list.as_ptr(), count, position)
        },
        // SAFETY: the list is ours; the kernel checks the memory in it.
        Direction::Write => unsafe {
            libc::pwritev64(file.as_raw_fd(), list.as_ptr(), count, position)
        },
    })
}

fn stream(direction: Direction, file: &File, pieces: &[Span]) -> Result<usize> {
    let (list, count) = listed(pieces);
    again(|| match direction {
        // SAFETY: the list is ours; the kernel checks the memory in it.
        Direction::Read => unsafe { libc::readv(file.as_raw_fd(), list.as_ptr(), count) },
        // SAFETY: the list is ours; the kernel checks the memory in it.
        Direction::Write => unsafe { libc::writev(file.as_raw_fd(), list.as_ptr(), count) },
    })
}

fn listed(pieces: &[Span]) -> (Vec<iovec>, c_int) {
    assert!(pieces.len() <= MOST_PIECES, "the kernel takes no more at a time");
    let entry = |piece: &Span| iovec {
        iov_base: std::ptr::with_exposed_provenance_mut(piece.address()),
        iov_len: piece.bytes(),
    };
    (pieces.iter().map(entry).collect(), pieces.len() as c_int)
}

/// Repeats a system call that a signal has interrupted.
fn again(mut call: impl FnMut() -> isize) -> Result<usize> {
    loop {
        // The error is read before the fiber can change threads.
        let moved = fiber::blocking(|| usize::try_from(call()).map_err(|_| Error::last_os_error()));
        match moved {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            moved => return moved,
        }
    }
}

/// Runs a call that may wait for a disk; other fibers get the core meanwhile.
pub fn wait_for<T>(call: impl FnOnce() -> T) -> T {
    fiber::blocking(call)
}

/// Makes sure that the disk has room for the first `bytes` of `file`, which may become longer.
pub fn allocate(file: &File, bytes: i64) -> Result<()> {
    let status = fiber::blocking(|| {
        // SAFETY: takes plain numbers.
        unsafe { libc::posix_fallocate64(file.as_raw_fd(), 0, bytes) }
    });
    if status == 0 { Ok(()) } else { Err(Error::from_raw_os_error(status)) }
}
