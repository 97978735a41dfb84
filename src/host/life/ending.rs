//! The ways in which a rank ends, on its own thread.

use super::{Ended, Ending, Shim, exits, threads};
use crate::host::life::running_job;
use crate::host::shims::stdio;
use crate::host::{Rank, clock, current, signals};
use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering;

/// Ends the rank whose thread this is. Safe in signal handlers.
pub fn end_current(ending: Ending) -> ! {
    if let Some(rank) = current()
        && rank.life.ended.set(Ended { ending, at: clock::now() }).is_ok()
    {
        rank.pulse.stop();
        running_job::report(rank);
    }
    threads::leave()
}

/// What `exit` means for a rank: its `atexit` entries, its destructors, its end.
pub(super) fn exit_current(status: c_int) -> ! {
    if let Some(rank) = current() {
        exits::run_all(rank, status);
        stdio::flush(rank);
        rank.life.is_orderly.store(true, Ordering::Relaxed);
    }
    end_current(Ending::Exited { status: status & 0xff })
}

/// Whether this is the process of the ranks, and not a child that one of them forked.
pub(in crate::host) fn is_own_process() -> bool {
    // SAFETY: has no preconditions.
    running_job::process() == unsafe { libc::getpid() }
}

/// The rank that is to end when its code says `exit`. A forked child is an ordinary process.
fn mortal() -> Option<&'static Rank> {
    current().filter(|_| is_own_process())
}

/// Whether this is the thread that runs the rank's `main`.
pub(super) fn is_first_thread() -> bool {
    let first = current().and_then(|rank| rank.life.threads.lock().first().cloned());
    let this = threads::this();
    first.zip(this).is_some_and(|(first, this)| std::ptr::eq(&raw const *first, this))
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

/// # Safety
/// As `abort(3)`.
#[cfg_attr(not(miri), unsafe(no_mangle))]
pub(in crate::host) unsafe extern "C-unwind" fn abort() -> ! {
    if let Some(rank) = mortal() {
        signals::raise(rank, libc::SIGABRT);
        // A handler may return; the program still ends.
        end_current(Ending::Signalled { number: libc::SIGABRT, address: 0 });
    }
    let real: unsafe extern "C-unwind" fn() -> ! = crate::host::real!("abort");
    // SAFETY: has no preconditions.
    unsafe { real() }
}

/// In the first thread, the rank goes on until its other threads have ended, too.
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

pub(super) const SHIMS: &[(&str, Shim)] = &[
    ("exit", Shim(exit as *const ())),
    ("_exit", Shim(_exit as *const ())),
    ("_Exit", Shim(_exit as *const ())),
    ("quick_exit", Shim(quick_exit as *const ())),
    ("abort", Shim(abort as *const ())),
    ("pthread_exit", Shim(pthread_exit as *const ())),
    ("pthread_create", Shim(threads::pthread_create as *const ())),
    ("thrd_create", Shim(threads::thrd_create as *const ())),
    ("thrd_exit", Shim(thrd_exit as *const ())),
    ("dl_iterate_phdr", Shim(crate::host::unwind::dl_iterate_phdr as *const ())),
    ("_dl_find_object", Shim(crate::host::unwind::_dl_find_object as *const ())),
];
