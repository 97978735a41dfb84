//! A program's socket, on which two ranks exchange a few bytes.

use std::io::Error;

/// Why that failed.
pub type Trouble = Error;

/// How long one look waits at most, in milliseconds: a fiber keeps its core meanwhile.
const PATIENCE_MS: i32 = 1;

/// Writes all of `bytes`, which are few.
pub fn write(socket: i32, mut bytes: &[u8]) -> Result<(), Error> {
    while !bytes.is_empty() {
        // SAFETY: reads from a slice; a bad descriptor is an error.
        let sent =
            unsafe { libc::send(socket, bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL) };
        match usize::try_from(sent) {
            Ok(sent) => bytes = &bytes[sent..],
            Err(_) => match Error::last_os_error() {
                error if error.raw_os_error() == Some(libc::EINTR) => {}
                error => return Err(error),
            },
        }
    }
    Ok(())
}

/// Reads what is there, after a short wait; `None` if nothing is.
pub fn read_if_ready(socket: i32, into: &mut [u8]) -> Result<Option<usize>, Error> {
    let mut look = libc::pollfd { fd: socket, events: libc::POLLIN, revents: 0 };
    // SAFETY: one record of our own.
    let ready = unsafe { libc::poll(&mut look, 1, PATIENCE_MS) };
    if ready == 0 {
        return Ok(None);
    }
    // SAFETY: writes to a slice; a bad descriptor is an error.
    let read =
        unsafe { libc::recv(socket, into.as_mut_ptr().cast(), into.len(), libc::MSG_DONTWAIT) };
    match usize::try_from(read) {
        Ok(read) => Ok(Some(read)),
        Err(_) => match Error::last_os_error() {
            error if matches!(error.raw_os_error(), Some(libc::EINTR | libc::EAGAIN)) => Ok(None),
            error => Err(error),
        },
    }
}
