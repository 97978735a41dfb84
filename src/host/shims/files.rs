//! The `FILE`s that a rank opens: its own to flush at the end, and unknown to libc's list.

use super::open_files::FILES;
use super::stdio;
use super::stream::Stream;
use super::table;
use crate::host::errno;
use crate::host::rank::libc_state;
use libc::FILE;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

table!(
    fopen, fopen64, fdopen, freopen, freopen64, tmpfile, tmpfile64, fmemopen, open_memstream,
    open_wmemstream, fopencookie, fclose, fflush, fflush_unlocked, fcloseall, _flushlbf;
    _IO_fopen = fopen, _IO_fdopen = fdopen, _IO_fclose = fclose, _IO_fflush = fflush
);

unsafe extern "C" {
    #[link_name = "freopen64"]
    fn real_freopen(path: *const c_char, mode: *const c_char, stream: *mut FILE) -> *mut FILE;
    #[link_name = "fmemopen"]
    fn real_fmemopen(place: *mut c_void, bytes: usize, mode: *const c_char) -> *mut FILE;
    #[link_name = "open_memstream"]
    fn real_memstream(text: *mut *mut c_char, bytes: *mut usize) -> *mut FILE;
    #[link_name = "open_wmemstream"]
    fn real_wmemstream(text: *mut *mut libc::wchar_t, count: *mut usize) -> *mut FILE;
    #[link_name = "fflush_unlocked"]
    fn real_fflush_unlocked(stream: *mut FILE) -> c_int;
    #[link_name = "fcloseall"]
    fn real_fcloseall() -> c_int;
    #[link_name = "_flushlbf"]
    fn real_flushlbf();
}

/// Notes what the calling rank has just opened.
fn noted(stream: *mut FILE) -> *mut FILE {
    if let Some(state) = libc_state().filter(|_| !stream.is_null()) {
        FILES.of(state).add(Stream(stream), None);
    }
    stream
}

unsafe extern "C" fn fopen(path: *const c_char, mode: *const c_char) -> *mut FILE {
    // SAFETY: as our caller vouches.
    noted(unsafe { libc::fopen64(path, mode) })
}

unsafe extern "C" fn fopen64(path: *const c_char, mode: *const c_char) -> *mut FILE {
    // SAFETY: as our caller vouches.
    noted(unsafe { libc::fopen64(path, mode) })
}

unsafe extern "C" fn fdopen(descriptor: c_int, mode: *const c_char) -> *mut FILE {
    // SAFETY: as our caller vouches.
    noted(unsafe { libc::fdopen(descriptor, mode) })
}

extern "C" fn tmpfile() -> *mut FILE {
    // SAFETY: no precondition.
    noted(unsafe { libc::tmpfile64() })
}

extern "C" fn tmpfile64() -> *mut FILE {
    tmpfile()
}

unsafe extern "C" fn fmemopen(place: *mut c_void, bytes: usize, mode: *const c_char) -> *mut FILE {
    // SAFETY: as our caller vouches.
    noted(unsafe { real_fmemopen(place, bytes, mode) })
}

unsafe extern "C" fn open_memstream(text: *mut *mut c_char, bytes: *mut usize) -> *mut FILE {
    // SAFETY: as our caller vouches.
    noted(unsafe { real_memstream(text, bytes) })
}

unsafe extern "C" fn open_wmemstream(
    text: *mut *mut libc::wchar_t, count: *mut usize,
) -> *mut FILE {
    // SAFETY: as our caller vouches.
    noted(unsafe { real_wmemstream(text, count) })
}

unsafe extern "C" fn fopencookie(
    cookie: *mut c_void, mode: *const c_char, functions: stdio::CookieFunctions,
) -> *mut FILE {
    // SAFETY: as our caller vouches.
    noted(unsafe { stdio::fopencookie(cookie, mode, functions) })
}

/// A rank that reopens or closes its stdout affects only itself: from here on its stream has a
/// descriptor of its own.
fn part_from_job(stream: Stream) {
    // SAFETY: the stream is open.
    unsafe { libc::fflush(stream.0) };
    if (0..=2).contains(&stream.descriptor()) {
        // SAFETY: any number may be asked for.
        let own = unsafe { libc::fcntl(stream.descriptor(), libc::F_DUPFD_CLOEXEC, 3) };
        stream.set_descriptor(own);
    }
}

unsafe extern "C" fn freopen(
    path: *const c_char, mode: *const c_char, stream: *mut FILE,
) -> *mut FILE {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        return unsafe { real_freopen(path, mode, stream) };
    };
    let is_standard = stdio::standard(state, stream).is_some();
    if is_standard {
        part_from_job(Stream(stream));
    }
    // SAFETY: as our caller vouches.
    let reopened = unsafe { real_freopen(path, mode, stream) };
    if !reopened.is_null() {
        Stream(reopened).take_from_libc();
    } else if !is_standard {
        FILES.of(state).remove(Stream(stream));
    }
    reopened
}

unsafe extern "C" fn freopen64(
    path: *const c_char, mode: *const c_char, stream: *mut FILE,
) -> *mut FILE {
    // SAFETY: as our caller vouches.
    unsafe { freopen(path, mode, stream) }
}

pub(super) unsafe extern "C" fn fclose(stream: *mut FILE) -> c_int {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        return unsafe { libc::fclose(stream) };
    };
    let Some(standard) = stdio::standard(state, stream) else {
        FILES.of(state).remove(Stream(stream));
        // SAFETY: as our caller vouches.
        return unsafe { libc::fclose(stream) };
    };
    // The FILE stays, as libc's own three do; it is only connected to nothing.
    // SAFETY: the stream is open.
    let status = unsafe { libc::fflush(stream) };
    let descriptor = standard.descriptor();
    standard.set_descriptor(-1);
    if descriptor > 2 {
        // SAFETY: a reopened stream has a descriptor of its own.
        unsafe { libc::close(descriptor) };
    } else if descriptor < 0 {
        errno::set(libc::EBADF);
        return libc::EOF;
    }
    status
}

unsafe extern "C" fn fflush(stream: *mut FILE) -> c_int {
    match libc_state() {
        Some(state) if stream.is_null() => {
            stdio::flush_all(state);
            0
        }
        // SAFETY: as our caller vouches.
        _ => unsafe { libc::fflush(stream) },
    }
}

unsafe extern "C" fn fflush_unlocked(stream: *mut FILE) -> c_int {
    match libc_state() {
        Some(state) if stream.is_null() => {
            stdio::flush_all(state);
            0
        }
        // SAFETY: as our caller vouches.
        _ => unsafe { real_fflush_unlocked(stream) },
    }
}

extern "C" fn fcloseall() -> c_int {
    match libc_state() {
        Some(state) => {
            stdio::flush_all(state);
            0
        }
        // SAFETY: no precondition.
        None => unsafe { real_fcloseall() },
    }
}

extern "C" fn _flushlbf() {
    match libc_state() {
        Some(state) => stdio::flush_all(state),
        // SAFETY: no precondition.
        None => unsafe { real_flushlbf() },
    }
}

/// Records a stream of `popen` together with its process.
pub(super) fn note_process(stream: *mut FILE, process: libc::pid_t) -> *mut FILE {
    match libc_state() {
        Some(state) if !stream.is_null() => FILES.of(state).add(Stream(stream), Some(process)),
        _ => return null_mut(),
    }
    stream
}
