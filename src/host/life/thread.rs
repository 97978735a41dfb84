//! The record of one thread of a rank.

use crate::host::fiber::Fiber;
use crate::host::signals::{Inbox, KILL, SignalStack};
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// One thread of a rank: an OS thread, or a fiber.
///
/// | `alive`    | `is_leaving` | meaning                                          |
/// |------------|--------------|--------------------------------------------------|
/// | `STARTING` | no           | created, has not run yet                         |
/// | its id     | no           | runs                                             |
/// | its id     | yes          | on the last steps to the exit system call        |
/// | 0          | yes          | gone: the kernel wrote the 0 as its last act     |
///
/// For a fiber, `alive` is [`FIBER`] instead of the id, and a worker writes the 0.
pub(in crate::host) struct Thread {
    pub(super) alive: AtomicU32,
    /// Its fiber, if it started as one.
    pub(super) fiber: Option<&'static Fiber>,
    pub(super) is_leaving: AtomicBool,
    /// Its glibc handle, which is the owner in the locks of `FILE`s.
    pub(super) pthread: AtomicUsize,
    /// Where it may be ended although it is not in the program's code (see `supervisor`).
    pub(super) excused_at: [AtomicUsize; 2],
    /// How often glibc has run our destructor for it.
    pub(super) farewells: AtomicU32,
    /// Its pending and awaited signals.
    pub(in crate::host) signals: Inbox,
    pub(super) signal_stack: Option<SignalStack>,
}

pub(super) const STARTING: u32 = u32::MAX;
pub(super) const FIBER: u32 = u32::MAX - 1;

thread_local! {
    pub(super) static THREAD: Cell<*const Thread> = const { Cell::new(ptr::null()) };
}

impl Thread {
    /// `signal_stack_bytes` is 0 where the thread gets its signal stack from elsewhere.
    pub(super) fn new(signal_stack_bytes: usize, fiber: Option<&'static Fiber>) -> Arc<Thread> {
        Arc::new(Thread {
            alive: AtomicU32::new(STARTING),
            fiber,
            is_leaving: AtomicBool::new(false),
            pthread: AtomicUsize::new(0),
            excused_at: [AtomicUsize::new(0), AtomicUsize::new(0)],
            farewells: AtomicU32::new(0),
            signals: Inbox::default(),
            signal_stack: SignalStack::new(signal_stack_bytes),
        })
    }

    /// Its number in the kernel, while it runs.
    pub(in crate::host) fn number(&self) -> Option<i32> {
        match self.alive.load(Ordering::Acquire) {
            STARTING | 0 => None,
            FIBER => self.fiber?.number(),
            number => Some(number as i32),
        }
    }

    /// Whether it is a fiber now, which may continue on a different OS thread each time.
    pub(in crate::host) fn is_fiber(&self) -> bool {
        self.fiber.is_some_and(|fiber| !fiber.is_settled())
    }

    /// Whether it started as a fiber.
    pub(in crate::host) fn is_of_fiber(&self) -> bool {
        self.fiber.is_some()
    }

    /// The address of the word that becomes 0 when it is gone.
    pub(super) fn alive(&self) -> *const AtomicU32 {
        &raw const self.alive
    }

    pub(super) fn is_gone(&self) -> bool {
        self.alive.load(Ordering::Acquire) == 0
    }

    pub(super) fn is_leaving(&self) -> bool {
        self.is_leaving.load(Ordering::Acquire)
    }

    pub(in crate::host) fn pthread(&self) -> usize {
        self.pthread.load(Ordering::Relaxed)
    }

    /// Sends the signal that makes a thread check whether it is to die, and its pending signals.
    pub(in crate::host) fn poke(&self) {
        if let Some(number) = self.number().filter(|_| !self.is_leaving()) {
            // SAFETY: sends a signal to a thread of this process, or to none.
            unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), number, KILL) };
        } else if let Some(fiber) = self.fiber.filter(|_| !self.is_gone()) {
            fiber.wake();
        }
    }

    /// From now on it may also be ended at this program counter and stack pointer.
    pub(super) fn excuse(&self, pc: usize, sp: usize) {
        self.excused_at[0].store(pc, Ordering::Relaxed);
        self.excused_at[1].store(sp, Ordering::Relaxed);
    }

    pub(in crate::host) fn is_excused(&self, pc: usize, sp: usize) -> bool {
        let [at, stack] = &self.excused_at;
        at.load(Ordering::Relaxed) == pc && stack.load(Ordering::Relaxed) == sp
    }
}

/// The calling thread, if it is one of a rank.
pub(in crate::host) fn this() -> Option<&'static Thread> {
    // SAFETY: a rank keeps the records of its threads until they are gone.
    unsafe { THREAD.get().as_ref() }
}

/// What a thread does with the signals that wait for it.
static SERVE: OnceLock<fn(&'static Thread)> = OnceLock::new();

/// Threads do this with signals that have found them at a place where they might have held
/// something: called before the first of them lives.
pub(in crate::host) fn serve_signals_by(serve: fn(&'static Thread)) {
    SERVE.get_or_init(|| serve);
}

/// The calling thread holds nothing: it does what signals want that wait for it.
#[inline]
pub(in crate::host) fn look_at_signals() {
    if let Some(thread) = this()
        && !thread.signals.is_empty()
        && let Some(serve) = SERVE.get()
    {
        serve(thread);
    }
}
