//! Functions that return strings: strtok remembers per rank, duplicates come from its heap.

use super::alloc::malloc;
use super::state::Part;
use super::table;
use crate::host::errno;
use crate::host::rank::libc_state;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

table!(
    strtok, strdup, strndup, wcsdup, tmpnam, ttyname, getlogin;
    __strdup = strdup, __strndup = strndup
);

unsafe extern "C" {
    fn wcslen(text: *const libc::wchar_t) -> usize;
    #[link_name = "tmpnam"]
    fn real_tmpnam(place: *mut c_char) -> *mut c_char;
    #[link_name = "ttyname"]
    fn real_ttyname(fd: c_int) -> *mut c_char;
    #[link_name = "getlogin"]
    fn real_getlogin() -> *mut c_char;
    fn getlogin_r(place: *mut c_char, bytes: usize) -> c_int;
}

#[derive(Default)]
pub(super) struct Strings {
    strtok: AtomicPtr<c_char>,
    buffer: OnceLock<Buffer>,
}

static STRINGS: Part<Strings> = Part::new();

/// What libc keeps in a static array: the program may read and write it until the next call.
struct Buffer(*mut [c_char; BUFFER_BYTES]);

const BUFFER_BYTES: usize = 256;

// SAFETY: an address of memory that stays as long as its rank; the program guards its use.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: it came from a box, and the program that used it is gone.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

impl Strings {
    fn buffer(&self) -> *mut c_char {
        let make = || Buffer(Box::into_raw(Box::new([0; BUFFER_BYTES])));
        self.buffer.get_or_init(make).0.cast()
    }
}

unsafe extern "C" fn strtok(text: *mut c_char, separators: *const c_char) -> *mut c_char {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        return unsafe { libc::strtok(text, separators) };
    };
    let mut rest = STRINGS.of(state).strtok.load(Ordering::Relaxed);
    if text.is_null() && rest.is_null() {
        return null_mut();
    }
    // SAFETY: the caller vouches for the strings, of this call and of the one before.
    let token = unsafe { libc::strtok_r(text, separators, &raw mut rest) };
    STRINGS.of(state).strtok.store(rest, Ordering::Relaxed);
    token
}

/// A copy of `bytes` bytes from `text`, terminated; null when there is no memory.
unsafe fn duplicate(text: *const c_char, bytes: usize) -> *mut c_char {
    let copy = malloc(bytes + 1).cast::<c_char>();
    if !copy.is_null() {
        // SAFETY: the caller vouches for the text; the copy is one byte longer.
        unsafe { copy.copy_from_nonoverlapping(text, bytes) };
        // SAFETY: as above.
        unsafe { copy.add(bytes).write(0) };
    }
    copy
}

unsafe extern "C" fn strdup(text: *const c_char) -> *mut c_char {
    // SAFETY: the caller vouches for a terminated string.
    unsafe { duplicate(text, libc::strlen(text)) }
}

unsafe extern "C" fn strndup(text: *const c_char, most: usize) -> *mut c_char {
    // SAFETY: the caller vouches for `most` bytes or a terminator before.
    unsafe { duplicate(text, libc::strnlen(text, most)) }
}

unsafe extern "C" fn wcsdup(text: *const libc::wchar_t) -> *mut libc::wchar_t {
    // SAFETY: the caller vouches for a terminated string.
    let count = unsafe { wcslen(text) } + 1;
    let copy: *mut c_void = malloc(count * size_of::<libc::wchar_t>());
    if !copy.is_null() {
        // SAFETY: both have that many characters.
        unsafe { copy.cast::<libc::wchar_t>().copy_from_nonoverlapping(text, count) };
    }
    copy.cast()
}

unsafe extern "C" fn tmpnam(place: *mut c_char) -> *mut c_char {
    let own = libc_state().filter(|_| place.is_null()).map(|state| STRINGS.of(state).buffer());
    // SAFETY: the buffer is larger than L_tmpnam; otherwise as our caller vouches.
    unsafe { real_tmpnam(own.unwrap_or(place)) }
}

extern "C" fn ttyname(fd: c_int) -> *mut c_char {
    let Some(state) = libc_state() else {
        // SAFETY: any number may be asked about.
        return unsafe { real_ttyname(fd) };
    };
    let buffer = STRINGS.of(state).buffer();
    // SAFETY: the buffer has that many bytes.
    match unsafe { libc::ttyname_r(fd, buffer, BUFFER_BYTES) } {
        0 => buffer,
        number => {
            errno::set(number);
            null_mut()
        }
    }
}

extern "C" fn getlogin() -> *mut c_char {
    let Some(state) = libc_state() else {
        // SAFETY: no precondition.
        return unsafe { real_getlogin() };
    };
    let buffer = STRINGS.of(state).buffer();
    // SAFETY: the buffer has that many bytes.
    match unsafe { getlogin_r(buffer, BUFFER_BYTES) } {
        0 => buffer,
        number => {
            errno::set(number);
            null_mut()
        }
    }
}
