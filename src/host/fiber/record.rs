//! The records of fibers, and of the workers that run them.

use crate::host::clock;
use crate::host::futex::{wait_on, wake_one_on};
use crate::host::signals::KILL;
use crate::host::virtual_time::{self, accounts};
use crate::machine::units::Picos;
use std::cell::{Cell, UnsafeCell};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicUsize, Ordering};

/// One rank's context. Records stay until the process ends, and serve one life after the other: a
/// late call only wakes the next life without effect.
#[repr(C, align(64))]
pub(in crate::host) struct Fiber {
    /// The saved stack pointer, while it does not run. From here to `worker` is what a switch
    /// needs.
    pub(super) stack: UnsafeCell<usize>,
    pub(super) block: AtomicUsize,
    pub(super) state: AtomicU32,
    pub(super) is_settled: AtomicBool,
    /// The next fiber in its queue.
    pub(super) link: Cell<*const Fiber>,
    /// The slot in which it ran last.
    pub(super) home: AtomicUsize,
    pub(super) worker: AtomicPtr<Worker>,
    /// How often it was called from other cores while no other fiber was ready on its own.
    pub(super) calls_home: AtomicU32,
    /// The number of bytes of its stack that are left out, so that the lines that each switch
    /// touches have different distances from the start of a page: few lines at one distance fit
    /// into a cache.
    pub(super) shade: usize,
    /// In virtual time: its clock when its life began; when it left its stack, and became ready
    /// since. From here to `is_away` is what others need who go on in its place.
    pub(super) begun_at: Cell<Picos>,
    /// When it last went on.
    pub(super) went_on_at: Cell<Picos>,
    pub(super) left_at: Cell<Picos>,
    pub(super) ready_at: Cell<Picos>,
    /// Whose doing it was that it became ready, and whose fiber it is.
    pub(super) called_by: Cell<usize>,
    pub(super) seat: usize,
    pub(super) polls: Cell<Polls>,
    /// How often it has asked since it did something else.
    pub(super) asked: Cell<u32>,
    /// How many calls it has begun before others whose clocks showed the same.
    pub(super) calls_ahead: Cell<u32>,
    /// It computes while others go on (see `excursion.rs`).
    pub(super) is_away: Cell<bool>,
    /// Where its handlers run.
    pub(super) signal_stack: UnsafeCell<Range<usize>>,
    pub(super) body: UnsafeCell<Body>,
    pub(super) calls: Cell<Calls>,
    /// Zeroed when it has ended, as the kernel does for a thread.
    pub(super) clear: AtomicPtr<AtomicU32>,
}

/// Calls of MPI in which a fiber is: several, where a callback calls.
#[derive(Clone, Copy, Default)]
pub(super) struct Calls {
    pub(super) count: u32,
    /// Where on the stack the first of them began.
    pub(super) place: usize,
}

/// Whether a fiber that is ready only asks: then nothing is new for it before something else
/// happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Polls {
    #[default]
    No,
    Asks,
    /// It asked, and something may have happened since.
    HasAsked,
    /// It only lets those go first that are behind it.
    GivesWay,
}

/// What a fiber does first and last.
#[derive(Clone, Copy)]
pub(in crate::host) struct Body {
    pub(in crate::host) call: fn(usize) -> !,
    pub(in crate::host) argument: usize,
}

// SAFETY: cells are touched by the worker that runs the fiber, or makes it ready; the link by the
// holder of the chain that it is in.
unsafe impl Sync for Fiber {}
// SAFETY: as above.
unsafe impl Send for Fiber {}

pub(super) const RUNNING: u32 = 0;
pub(super) const CALLED: u32 = 1;
pub(super) const PARKED: u32 = 2;
pub(super) const ENDED: u32 = 3;

/// The fiber whose thread-locals these are, unless it has settled.
pub(super) static CURRENT: own::Current = own::Current;

/// Read several times in every wait: so it is at a fixed distance from the thread pointer, while
/// Rust's thread-locals are found by calling ld.so.
#[cfg(not(any(miri, loom)))]
mod own {
    use super::Fiber;

    pub(in crate::host::fiber) struct Current;

    std::arch::global_asm!(
        ".pushsection .tbss.ftmpi_fiber, \"awT\", @nobits",
        ".hidden ftmpi_fiber",
        ".globl ftmpi_fiber",
        ".p2align 3",
        "ftmpi_fiber:",
        "    .skip 8",
        ".size ftmpi_fiber, 8",
        ".popsection",
    );

    impl Current {
        #[inline(always)]
        pub(in crate::host::fiber) fn get(&self) -> Option<&'static Fiber> {
            let fiber: *const Fiber;
            // SAFETY: the linker knows how far the variable is from the thread's own address.
            unsafe {
                std::arch::asm!(
                    "mov {at}, qword ptr [rip + ftmpi_fiber@GOTTPOFF]",
                    "mov {at}, qword ptr fs:[{at}]",
                    at = out(reg) fiber,
                    options(nostack, preserves_flags, readonly)
                );
            }
            // SAFETY: it is null at first, and then what `set` got.
            unsafe { fiber.as_ref() }
        }

        pub(in crate::host::fiber) fn set(&self, fiber: Option<&'static Fiber>) {
            let fiber = fiber.map_or(std::ptr::null(), std::ptr::from_ref);
            // SAFETY: as above; only this thread looks there.
            unsafe {
                std::arch::asm!(
                    "mov {at}, qword ptr [rip + ftmpi_fiber@GOTTPOFF]",
                    "mov qword ptr fs:[{at}], {fiber}",
                    at = out(reg) _,
                    fiber = in(reg) fiber,
                    options(nostack, preserves_flags)
                );
            }
        }
    }
}

/// A stand-in for Miri, which cannot run machine code.
#[cfg(any(miri, loom))]
mod own {
    use super::{Cell, Fiber};

    pub(in crate::host::fiber) struct Current;

    thread_local!(static FIBER: Cell<Option<&'static Fiber>> = const { Cell::new(None) });

    impl Current {
        pub(in crate::host::fiber) fn get(&self) -> Option<&'static Fiber> {
            FIBER.get()
        }

        pub(in crate::host::fiber) fn set(&self, fiber: Option<&'static Fiber>) {
            FIBER.set(fiber);
        }
    }
}

/// The calling fiber; `None` in OS threads, and in fibers that have become OS threads.
#[inline]
pub(in crate::host) fn current() -> Option<&'static Fiber> {
    CURRENT.get()
}

impl Fiber {
    /// The value of `pthread_self` in it.
    pub(in crate::host) fn pthread(&self) -> usize {
        self.block.load(Ordering::Relaxed)
    }

    /// Marks the fiber as called. True if it was parked, and the caller must make it ready.
    pub(super) fn claim(&self) -> bool {
        let (done, seen) = (Ordering::AcqRel, Ordering::Relaxed);
        let step = |state| match state {
            // Called already: no news, but the caller's writes must be seen, too.
            RUNNING | CALLED => Some(CALLED),
            PARKED => Some(RUNNING),
            _ => None,
        };
        let is_parked = self.state.fetch_update(done, seen, step) == Ok(PARKED);
        if is_parked && virtual_time::is_on() {
            self.ready_at.set(self.left_at.get().max(clock::picos()));
            self.called_by.set(accounts::blamed());
        }
        is_parked
    }

    /// It will run soon: prefetches its record.
    #[inline]
    pub(super) fn approach(&'static self) {
        fetch(std::ptr::from_ref(self).addr());
    }

    /// It may run next: prefetches what it touches first.
    #[inline]
    pub(super) fn approach_stack(&'static self) {
        // SAFETY: the worker that runs it may change the word meanwhile, as a whole.
        let stack = unsafe { AtomicUsize::from_ptr(self.stack.get()) }.load(Ordering::Relaxed);
        (0..LINES).for_each(|line| fetch(stack + 64 * line));
        fetch(self.pthread());
    }

    /// Consumes a call that arrived while it ran.
    pub(super) fn was_called(&self) -> bool {
        let (done, seen) = (Ordering::Acquire, Ordering::Relaxed);
        // A call that arrives just now is seen when the fiber is to be parked.
        self.state.load(seen) == CALLED
            && self.state.compare_exchange(CALLED, RUNNING, done, seen).is_ok()
    }

    /// It has left its stack, and parks now; false if it was called meanwhile.
    pub(super) fn park(&self) -> bool {
        let (done, seen) = (Ordering::AcqRel, Ordering::Acquire);
        if self.state.compare_exchange(RUNNING, PARKED, done, seen).is_ok() {
            return true;
        }
        self.state.store(RUNNING, Ordering::Release);
        false
    }

    /// The number of the OS thread that it runs on, if it runs.
    pub(in crate::host) fn number(&self) -> Option<i32> {
        // SAFETY: the records of workers stay until the process ends.
        let worker = unsafe { self.worker.load(Ordering::Acquire).as_ref() };
        worker.map(Worker::number)
    }

    /// It only lets those go first that are behind it.
    pub(super) fn gives_way(&self) {
        self.polls.set(Polls::GivesWay);
    }

    /// The worker that runs it, which is the calling one.
    pub(super) fn worker(&self) -> &'static Worker {
        // SAFETY: a running fiber has a worker, whose record stays.
        unsafe { &*self.worker.load(Ordering::Relaxed) }
    }

    /// Whether it has become an OS thread.
    pub(in crate::host) fn is_settled(&self) -> bool {
        self.is_settled.load(Ordering::Acquire)
    }

    /// Whether the calling fiber, a handler on its own signal stack (as `place` shows), has run for
    /// long while others wait: true once per request.
    pub(in crate::host) fn is_to_make_room(&self, place: usize) -> bool {
        // SAFETY: the fiber's own cell.
        if !unsafe { &*self.signal_stack.get() }.contains(&place) {
            return false;
        }
        // SAFETY: as above.
        let worker = unsafe { self.worker.load(Ordering::Relaxed).as_ref() };
        worker.is_some_and(Worker::is_to_make_room)
    }
}

/// The number of lines of a stack to prefetch before its fiber continues.
const LINES: usize = 12;

/// Prefetches the line at `address`, which need not be mapped.
#[inline]
fn fetch(address: usize) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: only a hint, for any address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::without_provenance(address)) };
}

/// An OS thread that runs fibers.
pub(super) struct Worker {
    pub(super) number: AtomicI32,
    /// The context at home, and its thread pointer.
    pub(super) home: UnsafeCell<usize>,
    pub(super) home_pointer: Cell<usize>,
    /// The index of its slot, or [`NO_SLOT`].
    pub(super) slot: AtomicUsize,
    /// The fiber whose stack it has just left, and why; for the next context to handle.
    pub(super) left: Cell<Option<(&'static Fiber, Left)>>,
    pub(super) is_kept: Cell<bool>,
    /// The fiber that it runs should yield.
    pub(super) is_to_make_room: AtomicBool,
    /// 1: it is called. It sleeps on this word.
    pub(super) call: AtomicU32,
    /// In virtual time: it carries out what happens next, alone or with the fiber that it runs.
    pub(super) has_turn: Cell<bool>,
    /// It has no slot, and runs fibers in virtual time nevertheless.
    pub(super) is_helper: Cell<bool>,
}

// SAFETY: the cells are touched on the worker's own thread only, at home or in its fibers.
unsafe impl Sync for Worker {}
// SAFETY: as above.
unsafe impl Send for Worker {}

/// A worker without a slot.
pub(super) const NO_SLOT: usize = usize::MAX;

/// Why a fiber has left its stack.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// It yields, and is ready to run again.
    Ready,
    /// It waits to be called.
    Waiting,
    /// It is done.
    Ended,
    /// It has been away, and comes home.
    Away,
}

impl Worker {
    pub(super) fn new() -> Worker {
        Worker {
            number: AtomicI32::new(0),
            home: UnsafeCell::new(0),
            home_pointer: Cell::new(0),
            slot: AtomicUsize::new(NO_SLOT),
            left: Cell::new(None),
            is_kept: Cell::new(false),
            is_to_make_room: AtomicBool::new(false),
            call: AtomicU32::new(0),
            has_turn: Cell::new(false),
            is_helper: Cell::new(false),
        }
    }

    /// Its number in the kernel.
    pub(super) fn number(&self) -> i32 {
        self.number.load(Ordering::Relaxed)
    }

    pub(super) fn is_to_make_room(&self) -> bool {
        self.is_to_make_room.load(Ordering::Relaxed)
            && self.is_to_make_room.swap(false, Ordering::Relaxed)
    }

    /// Makes its fiber yield at the next place where that is possible.
    pub(super) fn interrupt(&self) {
        self.is_to_make_room.store(true, Ordering::Relaxed);
        // SAFETY: sends a signal to a thread of this process, or to none.
        unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), self.number(), KILL) };
    }

    pub(super) fn call(&self) {
        self.call.store(1, Ordering::SeqCst);
        wake_one_on(&self.call);
    }

    pub(super) fn sleep(&self) {
        while self.call.swap(0, Ordering::SeqCst) == 0 {
            wait_on(&self.call, 0, None);
        }
    }
}
