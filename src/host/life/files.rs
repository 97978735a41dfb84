//! Releases `FILE` locks that a dead thread still holds, which would block every rank that prints.

use crate::host::memory::{Span, copy};
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

/// The parts of glibc's `FILE` and of its lock that matter here, by offset.
const NEXT: usize = 104;
const LOCK: usize = 136;

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Lock {
    word: u32,
    depth: u32,
    owner: usize,
}

/// Releases the locks of libc's streams that belong to the thread `pthread`, which is gone.
pub(super) fn release_locks_of(pthread: usize) {
    unsafe extern "C" {
        static _IO_list_all: *mut c_void;
    }
    // More streams than these are not open.
    const MANY: usize = 1 << 20;
    // SAFETY: the head of libc's list.
    let mut file = unsafe { _IO_list_all }.addr();
    for _ in 0..MANY {
        let Some(lock) = word(file + LOCK).filter(|_| file != 0) else { return };
        if let Some(Lock { owner, .. }) = look::<Lock>(lock)
            && owner == pthread
        {
            release(lock);
        }
        // Others open and close streams meanwhile; a stale pointer ends the walk, not the process.
        file = word(file + NEXT).unwrap_or(0);
    }
}

fn word(address: usize) -> Option<usize> {
    look(address)
}

fn look<T: Copy + Default>(address: usize) -> Option<T> {
    let mut value = T::default();
    let target = Span::new((&raw mut value).cast(), size_of::<T>());
    let source = Span::new(std::ptr::without_provenance(address), size_of::<T>());
    copy(source, target).ok()?;
    Some(value)
}

fn release(lock: usize) {
    let lock = std::ptr::with_exposed_provenance_mut::<Lock>(lock);
    // SAFETY: the owner of the lock is gone, so only we change it.
    let word = unsafe {
        (&raw mut (*lock).owner).write(0);
        (&raw mut (*lock).depth).write(0);
        AtomicU32::from_ptr(&raw mut (*lock).word)
    };
    if word.swap(0, Ordering::SeqCst) > 1 {
        let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
        // SAFETY: wakes a thread that waits for the lock.
        unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, 1) };
    }
}
