//! Where a rank has a process of its own, the kernel calls the program's handlers, wherever they
//! find a thread. One that leaves by `longjmp` would abandon what the thread holds: a lock of this
//! library, or of `malloc`. So a thread blocks the signals for which the program has handlers while
//! it is in a call of MPI, and lets them in where the call waits and holds nothing.
//!
//! A program without handlers pays nothing for that. What is known of handlers is what the program
//! tells `sigaction` or `signal`, which are this library's there.

use super::numbers::{FAULTS, bits, blank};
use crate::host::life::Pulse;
use libc::{c_int, sigaction, siginfo_t, sigset_t};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The signals for which the program has handlers, one bit each; the lowest is that of signal 1.
static HANDLED: AtomicU64 = AtomicU64::new(0);

/// That of the one rank of this process.
static PULSE: OnceLock<Pulse> = OnceLock::new();

/// A thread that is in a call of MPI, and holds signals back.
#[derive(Clone, Copy)]
struct Held {
    /// What it blocked before.
    mask: u64,
    /// How many calls it is in: callbacks of the program make some of their own.
    calls: u32,
    /// Where the stack was in the outermost of them.
    place: usize,
}

thread_local! {
    static HELD: Cell<Option<Held>> = const { Cell::new(None) };
}

/// The pulse of a rank that has this process for itself: its calls hold signals back as soon as
/// there are handlers.
pub fn own_pulse() -> Pulse {
    let pulse = PULSE.get_or_init(Pulse::default);
    if HANDLED.load(Ordering::SeqCst) != 0 {
        pulse.hold_signals();
    }
    pulse.clone()
}

/// The calling thread enters a call of MPI.
#[cold]
pub fn enter_call() {
    let mark = 0u8;
    let place = (&raw const mark).addr();
    let held = match HELD.take() {
        Some(held) if held.place > place => Held { calls: held.calls + 1, ..held },
        // A callback has jumped out of that call.
        Some(held) => Held { calls: 1, place, ..held },
        None => Held { mask: block(HANDLED.load(Ordering::Relaxed)), calls: 1, place },
    };
    HELD.set(Some(held));
}

/// The calling thread leaves a call of MPI. Handlers run here, and may never return.
#[cold]
pub fn leave_call() {
    let Some(held) = HELD.take() else { return };
    match held.calls {
        1 => restore(held.mask),
        calls => HELD.set(Some(Held { calls: calls - 1, ..held })),
    }
}

/// Runs `wait`, in which the calling thread holds nothing: handlers may run there, and may never
/// return.
#[inline]
pub(in crate::host) fn let_in(wait: impl FnOnce()) {
    let held = match HANDLED.load(Ordering::Relaxed) {
        0 => None,
        _ => HELD.take(),
    };
    let Some(held) = held else { return wait() };
    restore(held.mask);
    wait();
    block(HANDLED.load(Ordering::Relaxed));
    HELD.set(Some(held));
}

/// Blocks these signals; returns what was blocked before.
fn block(signals: u64) -> u64 {
    change(libc::SIG_BLOCK, signals)
}

fn restore(mask: u64) {
    change(libc::SIG_SETMASK, mask);
}

fn change(how: c_int, signals: u64) -> u64 {
    // SAFETY: all zeroes are an empty set, which begins with the bits of the first 64.
    unsafe {
        let mut set: sigset_t = std::mem::zeroed();
        (&raw mut set).cast::<u64>().write(signals);
        let mut before = set;
        libc::pthread_sigmask(how, &set, &mut before);
        bits(&before)
    }
}

/// The program has this handler now.
fn note(number: c_int, handler: usize) {
    let is_handler = !matches!(handler, libc::SIG_DFL | libc::SIG_IGN);
    // Faults cannot wait; profilers want to see where the program is.
    let may_wait = !FAULTS.contains(&number) && !matches!(number, libc::SIGABRT | libc::SIGPROF);
    if is_handler && may_wait && (1..=64).contains(&number) {
        HANDLED.fetch_or(1 << (number - 1), Ordering::SeqCst);
        if let Some(pulse) = PULSE.get() {
            pulse.hold_signals();
        }
    }
}

type Change = unsafe extern "C" fn(c_int, *const sigaction, *mut sigaction) -> c_int;
type Choose = unsafe extern "C" fn(c_int, *const c_void) -> *const c_void;

/// libc's own.
///
/// # Safety
/// As `sigaction(2)`.
pub(super) unsafe fn real_sigaction(
    number: c_int, new: *const sigaction, old: *mut sigaction,
) -> c_int {
    let real: Change = crate::host::real!("sigaction");
    // SAFETY: as our caller promises.
    unsafe { real(number, new, old) }
}

/// Sets an action, as libc does.
///
/// # Safety
/// As `sigaction(2)`.
#[cfg_attr(not(miri), unsafe(export_name = "sigaction"))]
pub(super) unsafe extern "C" fn set_action(
    number: c_int, new: *const sigaction, old: *mut sigaction,
) -> c_int {
    // SAFETY: null, or an action that the caller passes.
    let wanted = unsafe { new.as_ref() }.map_or(blank().sa_sigaction, |new| new.sa_sigaction);
    note(number, wanted);
    // SAFETY: as our caller promises.
    unsafe { real_sigaction(number, new, old) }
}

/// Sets a handler, as libc does.
///
/// # Safety
/// As `signal(2)`.
#[cfg_attr(not(miri), unsafe(export_name = "signal"))]
pub(super) unsafe extern "C" fn set_handler(
    number: c_int, handler: *const c_void,
) -> *const c_void {
    note(number, handler.addr());
    let real: Choose = crate::host::real!("signal");
    // SAFETY: as our caller promises.
    unsafe { real(number, handler) }
}

/// Sets a handler that serves once, as libc does for programs compiled for strict C.
///
/// # Safety
/// As `signal(2)`.
#[cfg_attr(not(miri), unsafe(export_name = "__sysv_signal"))]
pub(super) unsafe extern "C" fn set_handler_once(
    number: c_int, handler: *const c_void,
) -> *const c_void {
    note(number, handler.addr());
    let real: Choose = crate::host::real!("__sysv_signal");
    // SAFETY: as our caller promises.
    unsafe { real(number, handler) }
}

/// With `SA_RESTART`: the interrupted thread is seen before the system call that it would restart,
/// which tells what call it is; [`interrupt`](super::places::interrupt) makes it fail if a rank
/// wants that.
pub(super) fn listen(number: i32, handler: usize, flags: i32) {
    const FLAGS: i32 = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER | libc::SA_RESTART;
    let mut action = blank();
    action.sa_sigaction = handler;
    action.sa_flags = FLAGS | flags;
    // SAFETY: our handler is made for any signal at any time.
    unsafe { real_sigaction(number, &action, ptr::null_mut()) };
}

/// Does to the process of the calling thread what the signal with this story does if it is not
/// handled.
pub(super) fn as_by_default(number: c_int, story: &siginfo_t) {
    let strikes_again =
        matches!(number, libc::SIGSEGV | libc::SIGBUS | libc::SIGFPE | libc::SIGILL)
            && story.si_code > 0;
    // SAFETY: restores the default and sends the signal again, unless its instruction does that.
    unsafe {
        real_sigaction(number, &blank(), ptr::null_mut());
        if !strikes_again {
            let (process, thread) = (libc::getpid(), libc::gettid());
            libc::syscall(libc::SYS_tgkill, process, thread, number);
        }
    }
}
