//! What signals mean by their numbers, and the shapes in which libc has them.

use crate::host::errno;
use libc::{c_int, sigaction, sigset_t};

pub(super) const SIGNALS: usize = 65;

/// The signal by which the supervisor makes a thread check whether it is to die.
pub(in crate::host) const KILL: i32 = libc::SIGURG;

/// Raised by the thread's own instructions.
pub(super) const FAULTS: &[i32] =
    &[libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS];

/// What ends a process that has not made up its mind.
pub(super) const ENDING: &[i32] = &[
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGABRT,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGPIPE,
    libc::SIGALRM,
    libc::SIGTERM,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGXCPU,
    libc::SIGXFSZ,
    libc::SIGIO,
    libc::SIGPWR,
    libc::SIGSTKFLT,
];

/// Stopping and continuing means the process.
pub(super) fn is_virtual(number: c_int) -> bool {
    const OF_PROCESS: &[i32] =
        &[libc::SIGSTOP, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU, libc::SIGCONT];
    (1..SIGNALS as c_int).contains(&number) && !OF_PROCESS.contains(&number)
}

/// The signals of `set`, one bit each; the lowest is that of signal 1.
///
/// # Safety
/// `set` is readable.
pub(super) unsafe fn bits(set: *const sigset_t) -> u64 {
    // SAFETY: as our caller promises; a set begins with the bits of the first 64.
    unsafe { set.cast::<u64>().read() }
}

pub(super) fn blank() -> sigaction {
    // SAFETY: all zeroes are a valid action: the default one.
    unsafe { std::mem::zeroed() }
}

/// Whether a process that does nothing about signal `number` ends.
pub(in crate::host) fn ends_a_process(number: i32) -> bool {
    FAULTS.contains(&number) || ENDING.contains(&number) || number >= libc::SIGRTMIN()
}

/// What a call says that was given a wrong signal or time.
pub(super) fn einval() -> c_int {
    errno::set(libc::EINVAL);
    -1
}
