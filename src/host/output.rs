//! Output of the host's own threads: what dead ranks have left unflushed, and the job's final
//! messages. Even if no process reads it, ranks must be buried and time limits kept.

use std::ffi::{c_int, c_void};
use std::io::{Error, ErrorKind};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long a reader may take to make room.
const PATIENCE: Duration = Duration::from_millis(500);
/// The bytes that a descriptor with room accepts without waiting.
const PIECE: usize = 4096;

/// Bytes of output lost so far because no reader took them.
static LOST: AtomicUsize = AtomicUsize::new(0);
/// The last write timed out: the next one does not wait.
static IS_STUCK: AtomicBool = AtomicBool::new(false);

/// Writes `bytes`, unless that would take too long; returns whether all were written.
pub fn write(descriptor: c_int, bytes: &[u8]) -> bool {
    let patience = if IS_STUCK.load(Ordering::Relaxed) { Duration::ZERO } else { PATIENCE };
    let written = write_within(descriptor, bytes, patience);
    IS_STUCK.store(written == Err(ErrorKind::TimedOut), Ordering::Relaxed);
    written == Ok(())
}

/// Write errors that mean lost output: no room, or a broken disk. A closed descriptor was closed on
/// purpose, and a pipe without a reader ends the rank by SIGPIPE.
const FAILURES: [c_int; 4] = [libc::ENOSPC, libc::EDQUOT, libc::EFBIG, libc::EIO];
/// The exit status of a job that failed only to write its output.
const UNWRITTEN: c_int = 1;

/// The first error of writing the job's output or files; 0 if none.
static FAILURE: AtomicI32 = AtomicI32::new(0);
/// Which of the standard streams is incomplete, as a set of bits; 0 where it is another file.
static INCOMPLETE: AtomicUsize = AtomicUsize::new(0);

/// A sentence about output that was lost; empty when there is none.
pub(super) fn about_losses() -> String {
    let unread = match LOST.load(Ordering::Relaxed) {
        0 => String::new(),
        bytes => {
            format!(
                "ftrun: {bytes} bytes of output were lost: the reader closed or stopped reading\n"
            )
        }
    };
    let error = Error::from_raw_os_error(FAILURE.load(Ordering::Relaxed));
    let stream = match INCOMPLETE.load(Ordering::Relaxed) {
        0 => return unread,
        1 => "standard output is",
        2 => "standard error is",
        _ => "standard output and standard error are",
    };
    format!("{unread}ftrun: {stream} incomplete: {error}\n")
}

/// A write to `descriptor` has failed with this `errno`. A program must not lose its output
/// silently, though few programs check.
pub(super) fn note_failure(descriptor: c_int, error: c_int) {
    if FAILURES.contains(&error) && matches!(descriptor, 1 | 2) {
        INCOMPLETE.fetch_or(descriptor as usize, Ordering::Relaxed);
        note_unwritten(error);
    }
}

/// Records that a file which the user asked for is incomplete; another message reports it.
pub fn note_unwritten(error: c_int) {
    let _ = FAILURE.compare_exchange(0, error, Ordering::Relaxed, Ordering::Relaxed);
}

/// The exit status of a job that would otherwise end with `status`.
pub(super) fn judged(status: c_int) -> c_int {
    match status {
        0 if FAILURE.load(Ordering::Relaxed) != 0 => UNWRITTEN,
        status => status,
    }
}

/// Whether standard output is a pipe whose reader is gone.
pub fn has_no_reader() -> bool {
    let mut wanted = libc::pollfd { fd: 1, events: libc::POLLOUT, revents: 0 };
    // SAFETY: one description of ours.
    let ready = unsafe { libc::poll(&raw mut wanted, 1, 0) };
    ready > 0 && wanted.revents & libc::POLLERR != 0
}

fn write_within(descriptor: c_int, mut bytes: &[u8], patience: Duration) -> Result<(), ErrorKind> {
    let begun = Instant::now();
    let never_waits = waits_never(descriptor);
    while !bytes.is_empty() {
        if !has_room(descriptor, patience.saturating_sub(begun.elapsed())) {
            LOST.fetch_add(bytes.len(), Ordering::Relaxed);
            return Err(ErrorKind::TimedOut);
        }
        let written = match never_waits {
            Some(write) => write(descriptor, bytes),
            None => {
                let piece = &bytes[..bytes.len().min(PIECE)];
                // SAFETY: the bytes live.
                unsafe { libc::write(descriptor, piece.as_ptr().cast(), piece.len()) }
            }
        };
        match usize::try_from(written) {
            Ok(written) => bytes = &bytes[written..],
            Err(_) => {
                let error = Error::last_os_error();
                match error.kind() {
                    // Another thread was quicker.
                    ErrorKind::Interrupted | ErrorKind::WouldBlock => {}
                    other => {
                        note_failure(descriptor, error.raw_os_error().unwrap_or(0));
                        return Err(other);
                    }
                }
            }
        }
    }
    Ok(())
}

/// Whether `descriptor` accepts data within that time, or has an error to report.
fn has_room(descriptor: c_int, longest: Duration) -> bool {
    let begun = Instant::now();
    loop {
        let mut wanted = libc::pollfd { fd: descriptor, events: libc::POLLOUT, revents: 0 };
        let left = longest.saturating_sub(begun.elapsed()).as_millis();
        // SAFETY: one description of ours.
        let ready = unsafe { libc::poll(&raw mut wanted, 1, c_int::try_from(left).unwrap_or(0)) };
        let is_interrupted = Error::last_os_error().kind() == ErrorKind::Interrupted;
        match ready {
            -1 if is_interrupted => {}
            // If polling fails, the write is tried.
            -1 => return true,
            ready => return ready > 0,
        }
    }
}

type Write = fn(c_int, &[u8]) -> isize;

/// A way of writing to `descriptor` that never waits: others may fill the room that was seen.
fn waits_never(descriptor: c_int) -> Option<Write> {
    let mut status = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: writes to room of ours.
    if unsafe { libc::fstat(descriptor, status.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: written above.
    match unsafe { status.assume_init() }.st_mode & libc::S_IFMT {
        libc::S_IFIFO => Some(write_to_pipe),
        libc::S_IFSOCK => Some(write_to_socket),
        _ => None,
    }
}

fn write_to_pipe(descriptor: c_int, bytes: &[u8]) -> isize {
    const NO_PLACE: libc::off_t = -1;
    let base = bytes.as_ptr().cast_mut().cast::<c_void>();
    let part = libc::iovec { iov_base: base, iov_len: bytes.len() };
    // SAFETY: the bytes live, and are only read.
    unsafe { libc::pwritev2(descriptor, &raw const part, 1, NO_PLACE, libc::RWF_NOWAIT) }
}

fn write_to_socket(descriptor: c_int, bytes: &[u8]) -> isize {
    let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
    // SAFETY: the bytes live.
    unsafe { libc::send(descriptor, bytes.as_ptr().cast(), bytes.len(), flags) }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    #[test]
    fn a_pipe_that_nobody_reads_takes_what_fits_and_no_longer_than_patience() {
        let (reader, writer) = std::io::pipe().unwrap();
        let (short, begun) = (Duration::from_millis(20), Instant::now());
        let all = vec![b'x'; 1 << 20];
        let end = write_within(writer.as_raw_fd(), &all, short);
        assert_eq!(end, Err(ErrorKind::TimedOut));
        assert!(begun.elapsed() < Duration::from_secs(100));
        assert!(about_losses().contains("bytes of output were lost"));
        drop(reader);
    }

    #[test]
    fn what_somebody_reads_arrives_whole() {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let all: Vec<u8> = (0..1 << 20).map(|at| at as u8).collect();
        let copy = all.clone();
        let thread = std::thread::spawn(move || {
            let patience = Duration::from_secs(100);
            assert_eq!(write_within(writer.as_raw_fd(), &copy, patience), Ok(()));
        });
        let mut seen = Vec::new();
        std::io::Read::read_to_end(&mut reader, &mut seen).unwrap();
        thread.join().unwrap();
        assert!(seen == all);
    }
}
