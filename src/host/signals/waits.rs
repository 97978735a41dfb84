//! Calls in which a thread of a rank waits and holds no lock: signals reach it there at once, and
//! so does its death. And the waits for signals themselves.

use super::let_through;
use super::numbers::bits;
use crate::host::life::{self};
use crate::host::shims::Entry;
use crate::host::{current, errno, fiber};
use libc::{c_int, c_long, siginfo_t, sigset_t, timespec};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};
use std::sync::atomic::Ordering;

/// Runs `call`, in which the calling thread holds nothing.
pub(super) fn at_ease<T>(call: impl FnOnce() -> T) -> T {
    match life::this_thread() {
        Some(thread) => fiber::blocking(|| thread.signals.at_ease(call)),
        None => call(),
    }
}

/// Makes a stand-in for each function, which calls the function at ease.
macro_rules! at_ease {
    ($($name:ident($($argument:ident: $kind:ty),*) -> $result:ty;)*) => {
        mod real {
            use super::*;
            unsafe extern "C-unwind" {
                $(pub(super) fn $name($($argument: $kind),*) -> $result;)*
            }
        }
        $(
            unsafe extern "C-unwind" fn $name($($argument: $kind),*) -> $result {
                // SAFETY: as our caller promises.
                at_ease(|| unsafe { real::$name($($argument),*) })
            }
        )*
        const EASY: &[Entry] = &[$((stringify!($name), $name as *const ())),*];
    };
}

type Set = *const sigset_t;
pub(super) type Time = *const timespec;
pub(super) type Files = *mut libc::fd_set;

at_ease! {
    __poll_chk(files: *mut libc::pollfd, count: libc::nfds_t, limit: c_int, room: usize) -> c_int;
    epoll_wait(poll: c_int, events: *mut libc::epoll_event, most: c_int, limit: c_int) -> c_int;
    semop(set: c_int, operations: *mut libc::sembuf, count: usize) -> c_int;
    semtimedop(set: c_int, operations: *mut libc::sembuf, count: usize, limit: Time) -> c_int;
    msgrcv(queue: c_int, to: *mut libc::c_void, bytes: usize, sort: c_long, flags: c_int) -> isize;
}

/// Makes a stand-in for each function whose last argument is a set of signals to block meanwhile.
macro_rules! at_ease_with_mask {
    ($($name:ident($($argument:ident: $kind:ty),*);)*) => {
        $(
            unsafe extern "C-unwind" fn $name($($argument: $kind,)* mask: Set) -> c_int {
                if !mask.is_null() {
                    // The kernel keeps a mask for each of its threads.
                    life::settle();
                }
                // SAFETY: null, or a set that the caller passes.
                let own = unsafe { mask.as_ref() }.copied().map(|mut own| {
                    let_through(&mut own);
                    own
                });
                let mask = own.as_ref().map_or(mask, |own| own as Set);
                // SAFETY: as our caller promises.
                at_ease(|| unsafe { libc::$name($($argument,)* mask) })
            }
        )*
        const MASKED: &[Entry] = &[$((stringify!($name), $name as *const ())),*];
    };
}

at_ease_with_mask! {
    sigsuspend();
    ppoll(files: *mut libc::pollfd, count: libc::nfds_t, limit: Time);
    pselect(most: c_int, read: Files, write: Files, odd: Files, limit: Time);
    epoll_pwait(poll: c_int, events: *mut libc::epoll_event, most: c_int, limit: c_int);
}

/// Runs `call`, which waits for the signals of `set`: those to the whole process arrive here.
fn awaiting<T>(set: u64, call: impl FnOnce() -> T) -> T {
    // Signals wait for threads of the kernel's.
    life::settle();
    let Some((rank, thread)) = current().zip(life::this_thread()) else { return call() };
    rank.signals.expect(set, true);
    let inbox = &thread.signals;
    inbox.awaited.fetch_or(set, Ordering::SeqCst);
    inbox.awaits.store(set, Ordering::SeqCst);
    let result = inbox.at_ease(call);
    inbox.awaits.store(0, Ordering::SeqCst);
    result
}

unsafe extern "C-unwind" fn sigwait(set: Set, number: *mut c_int) -> c_int {
    loop {
        // SAFETY: the caller passes a set.
        let taken = unsafe { sigtimedwait(set, null_mut(), null()) };
        if taken > 0 {
            // SAFETY: the caller passes room for a number.
            unsafe { number.write(taken) };
            return 0;
        }
        let error = errno::get();
        if error != libc::EINTR {
            return error;
        }
    }
}

unsafe extern "C-unwind" fn sigwaitinfo(set: Set, story: *mut siginfo_t) -> c_int {
    // SAFETY: as our caller promises.
    unsafe { sigtimedwait(set, story, null()) }
}

unsafe extern "C-unwind" fn sigtimedwait(set: Set, story: *mut siginfo_t, limit: Time) -> c_int {
    let mut told = MaybeUninit::<siginfo_t>::uninit();
    loop {
        // SAFETY: the caller passes a set, and a time or null. libc's own function does not tell
        // signals to a thread from those to the process.
        let taken = awaiting(unsafe { bits(set) }, || unsafe {
            libc::syscall(libc::SYS_rt_sigtimedwait, set, told.as_mut_ptr(), limit, 8_usize)
        });
        let taken = taken as c_int;
        if taken <= 0 {
            return taken;
        }
        // SAFETY: the kernel has filled in the signal that it returned.
        let told = unsafe { told.assume_init_mut() };
        let is_for_all = told.si_code == libc::SI_USER && life::is_own_process();
        if current().is_none() || !is_for_all {
            if !story.is_null() {
                if told.si_code == libc::SI_TKILL {
                    // As libc says it.
                    told.si_code = libc::SI_USER;
                }
                // SAFETY: the caller passes room for a story.
                unsafe { story.write(*told) };
            }
            return taken;
        }
        // It arrived before the supervisor could take it, for all waiters: this thread is one.
        life::forward(taken);
    }
}

/// The creator of the descriptor is assumed to be its reader.
unsafe extern "C" fn signalfd(descriptor: c_int, set: Set, flags: c_int) -> c_int {
    // SAFETY: the caller passes a set.
    awaiting(unsafe { bits(set) }, || ());
    // SAFETY: as our caller promises.
    unsafe { libc::signalfd(descriptor, set, flags) }
}

const WAITS: &[Entry] = &[
    ("sigwait", sigwait as *const ()),
    ("sigwaitinfo", sigwaitinfo as *const ()),
    ("sigtimedwait", sigtimedwait as *const ()),
    ("signalfd", signalfd as *const ()),
];

/// What waits at ease, and what waits for signals.
pub(super) const SHIMS: [&[Entry]; 3] = [EASY, MASKED, WAITS];
