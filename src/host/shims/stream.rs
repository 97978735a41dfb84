//! A `FILE` of a rank: what this room does with it behind libc's back.

use super::alloc;
use crate::host::errno;
use libc::FILE;
use std::ffi::{c_char, c_int, c_long, c_void};
use std::ptr::null_mut;

unsafe extern "C" {
    fn _IO_un_link(stream: *mut FILE);
    fn funlockfile(stream: *mut FILE);
    fn ftrylockfile(stream: *mut FILE) -> c_int;
    fn fflush_unlocked(stream: *mut FILE) -> c_int;
}

/// The part of libc's `FILE` that programs were compiled against since 1997.
#[repr(C)]
pub(super) struct Layout {
    flags: c_int,
    pub(super) pointers: [*mut c_char; 11],
    markers: *mut c_void,
    chain: *mut FILE,
    descriptor: c_int,
    flags2: c_int,
    old_offset: c_long,
    column_and_short_buffer: u64,
    lock: *mut Lock,
    offset: i64,
    codecvt: *mut c_void,
    pub(super) wide: *mut c_void,
    free_list: [*mut c_void; 3],
    pub(super) mode: c_int,
}

/// libc's recursive lock of a `FILE`.
#[repr(C)]
struct Lock {
    word: c_int,
    depth: c_int,
    owner: *mut c_void,
}

/// A `FILE` of a rank.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Stream(pub(super) *mut FILE);

// SAFETY: libc guards each FILE by its own lock.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    pub(super) fn layout(self) -> *mut Layout {
        self.0.cast()
    }

    pub(super) fn descriptor(self) -> c_int {
        // SAFETY: the FILE is open, or was until its rank died.
        unsafe { (*self.layout()).descriptor }
    }

    pub(super) fn set_descriptor(self, descriptor: c_int) {
        // SAFETY: as above; the caller holds no lock that libc needs for this.
        unsafe { (*self.layout()).descriptor = descriptor };
    }

    /// Frees the memory that libc has allocated for the FILE: its content is lost, and no code of
    /// the program is called. Its rank is dead and runs no more.
    pub(super) fn dispose(self) {
        const HAS_BUFFER_OF_PROGRAM: c_int = 1;
        const BUFFER: usize = 6;
        let layout = self.layout();
        // SAFETY: libc allocates a FILE in one block, at whose start it is, and a buffer in another
        // unless this flag is set. No thread uses them any more.
        unsafe {
            if (*layout).flags & HAS_BUFFER_OF_PROGRAM == 0 {
                alloc::free((*layout).pointers[BUFFER].cast());
            }
            alloc::free(self.0.cast());
        }
    }

    /// Takes the FILE out of libc's list: from now on only its rank flushes it.
    pub(super) fn take_from_libc(self) {
        // SAFETY: the FILE is open. It is at the front of the list, so this is quick.
        unsafe { _IO_un_link(self.0) };
    }

    /// Writes out what is buffered, unless a thread is in the middle of changing it.
    pub(super) fn flush_if_free(self) {
        self.try_to_flush();
    }

    /// Flushes once; returns the `errno` of a failure.
    pub(super) fn try_to_flush(self) -> Option<c_int> {
        // What another thread of the rank does with the FILE takes microseconds.
        for _ in 0..200 {
            // SAFETY: the FILE is open.
            if unsafe { ftrylockfile(self.0) } == 0 {
                // SAFETY: the lock is held.
                let status = unsafe { fflush_unlocked(self.0) };
                let error = (status != 0).then(errno::get);
                // SAFETY: the lock is held.
                unsafe { funlockfile(self.0) };
                return error;
            }
            std::thread::yield_now();
        }
        None
    }

    /// In a forked child: the thread that held the lock is not there.
    pub(super) fn unlock_by_force(self) {
        // SAFETY: the FILE is open, and a forked child has one thread.
        let lock = unsafe { (*self.layout()).lock };
        if !lock.is_null() {
            // SAFETY: as above.
            unsafe { lock.write(Lock { word: 0, depth: 0, owner: null_mut() }) };
        }
    }
}
