//! Reads and writes of files, straight from and to the program's memory.
//!
//! Each is one system call at an explicit position, so that threads share a descriptor without a
//! lock, and a rank is not ended in the middle. The kernel refuses memory that is not there, so no
//! address needs to be checked before.
//!
//! While a long access is under way, other fibers get the core. Handing it over takes longer than
//! a short one takes with the kernel's cache; so for a short one that is done only if the data to
//! be read are not there. Should a short write wait, the monitor notices it.

use super::fiber;
use super::memory::Span;
use libc::{c_int, iovec};
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::AsRawFd;

/// The most pieces of memory that one call takes.
pub const MOST_PIECES: usize = 1024;

/// Up to this many bytes are moved in less time than handing a core over takes.
const SHORT: usize = 1 << 17;

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
    let mut is_long = pieces.iter().map(|piece| piece.bytes()).sum::<usize>() > SHORT;
    let list = listed(pieces);
    if !is_long && direction == Direction::Read && fiber::current().is_some() {
        match again(false, || read_at_hand(file, &list, position)) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => is_long = true,
            // Not all file systems can tell.
            Err(error) if error.raw_os_error() == Some(libc::EOPNOTSUPP) => {}
            moved => return moved,
        }
    }
    match again(is_long, || access_now(direction, file, &list, position)) {
        // Pipes and terminals have no positions: whoever opens one takes what comes next.
        Err(error) if error.raw_os_error() == Some(libc::ESPIPE) => {
            again(true, || stream(direction, file, &list))
        }
        moved => moved,
    }
}

fn access_now(direction: Direction, file: &File, list: &[iovec], position: i64) -> isize {
    let (descriptor, count) = (file.as_raw_fd(), list.len() as c_int);
    match direction {
        // SAFETY: the list is ours; the kernel checks the memory in it.
        Direction::Read => unsafe { libc::preadv64(descriptor, list.as_ptr(), count, position) },
        // SAFETY: the list is ours; the kernel checks the memory in it.
        Direction::Write => unsafe { libc::pwritev64(descriptor, list.as_ptr(), count, position) },
    }
}

/// Reads what the kernel has at hand.
fn read_at_hand(file: &File, list: &[iovec], position: i64) -> isize {
    let (descriptor, count) = (file.as_raw_fd(), list.len() as c_int);
    // SAFETY: the list is ours; the kernel checks the memory in it.
    unsafe { libc::preadv64v2(descriptor, list.as_ptr(), count, position, libc::RWF_NOWAIT) }
}

fn stream(direction: Direction, file: &File, list: &[iovec]) -> isize {
    let (descriptor, count) = (file.as_raw_fd(), list.len() as c_int);
    match direction {
        // SAFETY: the list is ours; the kernel checks the memory in it.
        Direction::Read => unsafe { libc::readv(descriptor, list.as_ptr(), count) },
        // SAFETY: the list is ours; the kernel checks the memory in it.
        Direction::Write => unsafe { libc::writev(descriptor, list.as_ptr(), count) },
    }
}

fn listed(pieces: &[Span]) -> Vec<iovec> {
    assert!(pieces.len() <= MOST_PIECES, "the kernel takes no more at a time");
    let entry = |piece: &Span| iovec {
        iov_base: std::ptr::with_exposed_provenance_mut(piece.address()),
        iov_len: piece.bytes(),
    };
    pieces.iter().map(entry).collect()
}

/// Repeats a system call that a signal has interrupted. While one that is long is under way, others
/// get the core.
fn again(is_long: bool, mut call: impl FnMut() -> isize) -> Result<usize> {
    // The error is read before the fiber can change threads.
    let mut once = || usize::try_from(call()).map_err(|_| Error::last_os_error());
    loop {
        match if is_long { fiber::blocking(&mut once) } else { once() } {
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
