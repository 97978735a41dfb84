//! The signal functions of libc, for ranks: each rank has its own dispositions, and a signal to its
//! own process means the rank.

use super::numbers::{KILL, bits, blank, einval, ends_a_process, is_virtual};
use super::waits::at_ease;
use super::{
    alarms, is_blocked, let_through, listen_to, raise, real_sigaction, send, sending, sleeps, waits,
};
use crate::host::life::{self, Ending, Thread, end_current, is_own_process};
use crate::host::shims::Entry;
use crate::host::{Rank, current};
use libc::{c_int, sigaction, siginfo_t, sigset_t};
use std::sync::Arc;

unsafe extern "C" fn sigaction_shim(
    number: c_int, new: *const sigaction, old: *mut sigaction,
) -> c_int {
    let rank = current().filter(|_| is_own_process());
    let Some(rank) = rank else {
        // SAFETY: as our caller promises.
        return unsafe { real_sigaction(number, new, old) };
    };
    let is_fixed = matches!(number, libc::SIGKILL | libc::SIGSTOP);
    // SAFETY: null, or an action that the caller passes.
    let new = unsafe { new.as_ref() }.copied();
    let Some(disposition) = rank.signals.of(number).filter(|_| number > 0) else {
        return einval();
    };
    if is_fixed && new.is_some() {
        return einval();
    }
    if !old.is_null() {
        // SAFETY: the caller passes room for an action.
        unsafe { old.write(disposition.read()) };
    }
    if let Some(new) = new {
        disposition.write(&new);
        let is_handled = !matches!(new.sa_sigaction, libc::SIG_DFL | libc::SIG_IGN);
        if is_handled && number != KILL {
            listen_to(number, new.sa_flags & libc::SA_NOCLDSTOP);
        }
    }
    0
}

unsafe extern "C" fn signal_shim(number: c_int, handler: usize) -> usize {
    // SAFETY: as our caller promises.
    unsafe { replace(number, handler, libc::SA_RESTART) }
}

/// The meaning of `signal` in a program compiled for strict C: a handler serves once.
unsafe extern "C" fn sysv_signal_shim(number: c_int, handler: usize) -> usize {
    // SAFETY: as our caller promises.
    unsafe { replace(number, handler, libc::SA_RESETHAND | libc::SA_NODEFER) }
}

unsafe extern "C" fn sigignore_shim(number: c_int) -> c_int {
    // SAFETY: as our caller promises.
    if unsafe { replace(number, libc::SIG_IGN, 0) } == libc::SIG_ERR { -1 } else { 0 }
}

/// The handler before, or `SIG_ERR`.
///
/// # Safety
/// As `signal(2)`.
unsafe fn replace(number: c_int, handler: usize, flags: c_int) -> usize {
    let (mut new, mut old) = (blank(), blank());
    new.sa_sigaction = handler;
    new.sa_flags = flags;
    // SAFETY: both are actions of ours.
    let status = unsafe { sigaction_shim(number, &new, &mut old) };
    if status == 0 { old.sa_sigaction } else { libc::SIG_ERR }
}

unsafe extern "C" fn raise_shim(number: c_int) -> c_int {
    match current().filter(|_| is_own_process()) {
        Some(rank) if number > 0 && is_virtual(number) => {
            raise(rank, number);
            0
        }
        // SAFETY: as our caller promises.
        _ => unsafe { libc::raise(number) },
    }
}

unsafe extern "C" fn kill_shim(process: libc::pid_t, number: c_int) -> c_int {
    // SAFETY: has no preconditions.
    let is_self = process == unsafe { libc::getpid() };
    match current().filter(|_| is_self && is_own_process() && is_virtual(number)) {
        Some(rank) => {
            to_rank(rank, number);
            0
        }
        // SAFETY: as our caller promises.
        None => unsafe { libc::kill(process, number) },
    }
}

/// A rank sends signal `number` to itself as a whole: to the calling thread, unless it blocks it.
fn to_rank(rank: &'static Rank, number: c_int) {
    if !is_blocked(number) {
        raise(rank, number);
    } else if !send(rank, number) && ends_a_process(number) {
        end_current(Ending::Signalled { number, address: 0 });
    }
}

unsafe extern "C" fn sigqueue_shim(
    process: libc::pid_t, number: c_int, value: libc::sigval,
) -> c_int {
    // SAFETY: has no preconditions.
    let (own, thread) = unsafe { (libc::getpid(), libc::gettid()) };
    if process != own || !is_own_process() || current().is_none() {
        // SAFETY: as our caller promises.
        return unsafe { libc::sigqueue(process, number, value) };
    }
    let story = Queued { number, error: 0, code: libc::SI_QUEUE, gap: 0, process, user: 0, value };
    let mut room = [0u64; size_of::<siginfo_t>() / 8];
    // SAFETY: the room is larger than the story, and as the kernel lays it out.
    unsafe { room.as_mut_ptr().cast::<Queued>().write(story) };
    // At ease: unless it is blocked, the signal is there before this returns.
    at_ease(|| {
        // SAFETY: sends a signal to the calling thread.
        let sent = unsafe {
            libc::syscall(libc::SYS_rt_tgsigqueueinfo, own, thread, number, room.as_ptr())
        };
        sent as c_int
    })
}

/// What `siginfo_t` holds for a signal with a value.
#[repr(C)]
struct Queued {
    number: c_int,
    error: c_int,
    code: c_int,
    gap: c_int,
    process: libc::pid_t,
    user: libc::uid_t,
    value: libc::sigval,
}

unsafe extern "C" fn pthread_kill_shim(thread: libc::pthread_t, number: c_int) -> c_int {
    // SAFETY: has no preconditions.
    let is_self = thread == unsafe { libc::pthread_self() };
    match current().filter(|_| is_self && is_own_process() && is_virtual(number)) {
        Some(rank) => {
            raise(rank, number);
            0
        }
        // SAFETY: as our caller promises.
        None => unsafe { kill_other(thread, number) },
    }
}

/// # Safety
/// As `pthread_kill(3)`.
unsafe fn kill_other(thread: libc::pthread_t, number: c_int) -> c_int {
    let threads = current().map(life::living_threads).unwrap_or_default();
    // What libc knows of a thread that was born a fiber is not its number in the kernel.
    let is_meant = |it: &&Arc<Thread>| it.is_of_fiber() && it.pthread() == thread as usize;
    match threads.iter().find(is_meant) {
        Some(_) if number == 0 => 0,
        Some(_) if !is_virtual(number) => libc::EINVAL,
        Some(fiber) => {
            sending::deliver(fiber, number);
            0
        }
        // SAFETY: as our caller promises.
        None => unsafe { libc::pthread_kill(thread, number) },
    }
}

unsafe extern "C" fn tgkill_shim(process: c_int, thread: c_int, number: c_int) -> c_int {
    // SAFETY: has no preconditions.
    let is_self = thread == unsafe { libc::gettid() };
    match current().filter(|_| is_self && is_own_process() && is_virtual(number)) {
        Some(rank) => {
            raise(rank, number);
            0
        }
        // SAFETY: as our caller promises.
        None => unsafe { libc::syscall(libc::SYS_tgkill, process, thread, number) as c_int },
    }
}

/// At ease: pending signals that become unblocked are handled before this returns.
unsafe extern "C" fn sigmask_shim(how: c_int, new: *const sigset_t, old: *mut sigset_t) -> c_int {
    if !new.is_null() {
        // The kernel keeps a mask for each of its threads.
        life::settle();
    }
    let rank = current().filter(|_| how != libc::SIG_UNBLOCK && is_own_process());
    // SAFETY: null, or a set that the caller passes.
    let Some((rank, mut set)) = rank.zip(unsafe { new.as_ref() }.copied()) else {
        // SAFETY: as our caller promises.
        return at_ease(|| unsafe { libc::pthread_sigmask(how, new, old) });
    };
    let_through(&mut set);
    // SAFETY: a set of our own.
    rank.signals.expect(unsafe { bits(&raw const set) }, false);
    // SAFETY: as our caller promises.
    at_ease(|| unsafe { libc::pthread_sigmask(how, &set, old) })
}

unsafe extern "C" fn sigprocmask_shim(
    how: c_int, new: *const sigset_t, old: *mut sigset_t,
) -> c_int {
    // SAFETY: as our caller promises.
    match unsafe { sigmask_shim(how, new, old) } {
        0 => 0,
        _ => einval(),
    }
}

/// The tables of the functions of libc about signals.
pub(in crate::host) fn tables() -> impl Iterator<Item = &'static [Entry]> {
    waits::SHIMS.into_iter().chain([SHIMS, alarms::SHIMS, sleeps::SHIMS])
}

const SHIMS: &[Entry] = &[
    ("sigaction", sigaction_shim as *const ()),
    ("__sigaction", sigaction_shim as *const ()),
    ("signal", signal_shim as *const ()),
    ("bsd_signal", signal_shim as *const ()),
    ("ssignal", signal_shim as *const ()),
    ("__sysv_signal", sysv_signal_shim as *const ()),
    ("sysv_signal", sysv_signal_shim as *const ()),
    ("sigignore", sigignore_shim as *const ()),
    ("raise", raise_shim as *const ()),
    ("gsignal", raise_shim as *const ()),
    ("kill", kill_shim as *const ()),
    ("pthread_kill", pthread_kill_shim as *const ()),
    ("sigqueue", sigqueue_shim as *const ()),
    ("tgkill", tgkill_shim as *const ()),
    ("pthread_sigmask", sigmask_shim as *const ()),
    ("sigprocmask", sigprocmask_shim as *const ()),
];
