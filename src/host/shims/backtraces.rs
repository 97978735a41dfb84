//! backtrace_symbols: names the frames of private images by the template's symbols, which libc
//! knows.

use super::table;
use crate::host::current;
use std::ffi::{c_char, c_int, c_void};

table!(backtrace_symbols, backtrace_symbols_fd);

unsafe extern "C" {
    #[link_name = "backtrace_symbols"]
    fn real_symbols(frames: *const *mut c_void, count: c_int) -> *mut *mut c_char;
    #[link_name = "backtrace_symbols_fd"]
    fn real_symbols_fd(frames: *const *mut c_void, count: c_int, descriptor: c_int);
}

/// The frames, translated to their addresses in the template.
///
/// # Safety
/// `frames` has `count` addresses.
unsafe fn origins(frames: *const *mut c_void, count: c_int) -> Vec<*mut c_void> {
    let count = usize::try_from(count).unwrap_or(0);
    // SAFETY: the caller vouches for the array.
    let frames = (0..count).map(|index| unsafe { *frames.add(index) });
    let origin = |frame: *mut c_void| {
        let origin = current()?.images.origin(frame.expose_provenance())?;
        Some(std::ptr::with_exposed_provenance_mut(origin))
    };
    frames.map(|frame| origin(frame).unwrap_or(frame)).collect()
}

unsafe extern "C" fn backtrace_symbols(
    frames: *const *mut c_void, count: c_int,
) -> *mut *mut c_char {
    // SAFETY: as our caller vouches.
    unsafe { real_symbols(origins(frames, count).as_ptr(), count) }
}

unsafe extern "C" fn backtrace_symbols_fd(
    frames: *const *mut c_void, count: c_int, descriptor: c_int,
) {
    // SAFETY: as our caller vouches.
    unsafe { real_symbols_fd(origins(frames, count).as_ptr(), count, descriptor) }
}
