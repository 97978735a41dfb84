//! How a program ends a rank by itself: `exit`, and what is like it.

use super::abort::abort;
use super::ending::{end_current, mortal};
use super::threads::is_first_thread;
use super::verdict::Ending;
use super::{exits, threads};
use crate::host::shims::{Entry, stdio};
use crate::host::{current, fiber};
use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering;

/// What `exit` means for a rank: its `atexit` entries, its destructors, its end.
pub(super) fn exit_current(status: c_int) -> ! {
    if let Some(rank) = current() {
        exits::run_all(rank, status);
        fiber::excursion::come_home();
        stdio::flush(rank);
        rank.life.is_orderly.store(true, Ordering::Relaxed);
    }
    end_current(Ending::Exited { status: status & 0xff })
}

/// # Safety
/// As `exit(3)`.
#[cfg_attr(not(miri), unsafe(no_mangle))]
pub(in crate::host) unsafe extern "C-unwind" fn exit(status: c_int) -> ! {
    if mortal().is_some() {
        exit_current(status);
    }
    if let Some(rank) = current() {
        exits::run_all(rank, status);
        stdio::flush(rank);
    }
    let real: unsafe extern "C-unwind" fn(c_int) -> ! = crate::host::real!("exit");
    // SAFETY: as our caller promises.
    unsafe { real(status) }
}

/// # Safety
/// As `_exit(2)`.
#[cfg_attr(not(miri), unsafe(no_mangle))]
pub(super) unsafe extern "C-unwind" fn _exit(status: c_int) -> ! {
    if mortal().is_some() {
        end_current(Ending::Exited { status: status & 0xff });
    }
    loop {
        // SAFETY: ends the process.
        unsafe { libc::syscall(libc::SYS_exit_group, status) };
    }
}

unsafe extern "C-unwind" fn quick_exit(status: c_int) -> ! {
    if let Some(rank) = current() {
        exits::run_quick(rank);
    }
    // SAFETY: has no further preconditions.
    unsafe { _exit(status) }
}

/// In the first thread, the rank continues until its other threads have ended, too.
unsafe extern "C-unwind" fn pthread_exit(value: *mut c_void) -> ! {
    let real: unsafe extern "C-unwind" fn(*mut c_void) -> ! = crate::host::real!("pthread_exit");
    let Some(rank) = mortal().filter(|_| is_first_thread()) else {
        // SAFETY: as our caller promises.
        unsafe { real(value) }
    };
    exits::run_thread_local(rank);
    loop {
        let seen = rank.life.bell.listen();
        if rank.life.is_ending() || rank.pulse.is_stopping() {
            end_current(Ending::Killed);
        }
        if rank.life.threads.lock().len() == 1 {
            exit_current(0);
        }
        rank.life.bell.park(seen);
    }
}

unsafe extern "C-unwind" fn thrd_exit(value: c_int) -> ! {
    // SAFETY: the value is only passed on.
    unsafe { pthread_exit(std::ptr::without_provenance_mut(value as usize)) }
}

pub(in crate::host) const SHIMS: &[Entry] = &[
    ("exit", exit as *const ()),
    ("_exit", _exit as *const ()),
    ("_Exit", _exit as *const ()),
    ("quick_exit", quick_exit as *const ()),
    ("abort", abort as *const ()),
    ("pthread_exit", pthread_exit as *const ()),
    ("pthread_create", threads::pthread_create as *const ()),
    ("thrd_create", threads::thrd_create as *const ()),
    ("thrd_exit", thrd_exit as *const ()),
    ("dl_iterate_phdr", crate::host::unwind::dl_iterate_phdr as *const ()),
    ("_dl_find_object", crate::host::unwind::_dl_find_object as *const ()),
];
