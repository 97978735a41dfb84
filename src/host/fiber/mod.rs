//! Fibers: ranks that are scheduled by this library instead of the kernel.
//!
//! A fiber has its own stack and its own glibc thread control block ([`block`]). A context switch
//! ([`switch`]) therefore takes errno, thread-locals and `pthread_self` along, and a fiber may
//! continue on any OS thread. There is one [`slot`] per core; a [`worker`] is an OS thread that
//! runs the fibers of a slot. A fiber that waits is parked. When it is woken, it continues in the
//! slot where it ran last, directly after the running fiber if that one woke it from the same slot.
//! The [`monitor`] wakes sleepers, preempts a fiber that computes for long, and gives a slot to
//! another worker while a fiber waits in the kernel.
//!
//! Some things belong to OS threads alone: signal masks, working directories, timers, threads that
//! a rank starts. A fiber that needs one of them *settles*: it keeps its current OS thread for good
//! and is from then on an ordinary OS thread, for which [`current`] is `None`.
//!
//! ```text
//! state     meaning                       wake            block
//! RUNNING   runs, or is in a run queue    → CALLED        → PARKED (by the next to run)
//! CALLED    runs, and must not park now   nothing         → RUNNING, and continues at once
//! PARKED    is in no queue                → RUNNING, queued
//! ENDED     its record is not in use      nothing
//! ```

pub(super) mod away;
mod block;
mod by_time;
mod crew;
pub(super) mod excursion;
mod executor;
mod frame;
mod latch;
mod monitor;
mod record;
mod row;
mod slot;
mod switch;
mod timers;
mod trial;
mod worker;

use crate::host::{replay, virtual_time};
use record::{CURRENT, ENDED, Left, Polls, RUNNING};
use slot::Chain;
use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;
use std::ops::Range;
use std::ptr::null;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use std::time::Instant;

pub use by_time::{Waiting, quiet_until};
pub(super) use frame::{is_on_the_move, move_to_own_stack};
pub(super) use record::{Body, Fiber, current};
pub use row::Rows;
pub(super) use trial::start_workers;

impl Fiber {
    /// A record before its first life, for a seat beside `count` first ones.
    pub(super) fn new(seat: usize, count: usize) -> &'static Fiber {
        let index = seat % count;
        let home = executor::home_of(index, count);
        Box::leak(Box::new(Fiber {
            stack: UnsafeCell::new(0),
            block: AtomicUsize::new(0),
            state: AtomicU32::new(ENDED),
            link: Cell::new(null()),
            home: AtomicUsize::new(home),
            calls_home: AtomicU32::new(0),
            worker: AtomicPtr::default(),
            shade: if count <= FEW_ENOUGH { index * SHADE % PAGE } else { 0 },
            is_settled: AtomicBool::new(false),
            signal_stack: UnsafeCell::new(0..0),
            body: UnsafeCell::new(Body { call: |_| unreachable!(), argument: 0 }),
            begun_at: Cell::new(0),
            went_on_at: Cell::new(0),
            left_at: Cell::new(0),
            ready_at: Cell::new(0),
            called_by: Cell::new(seat),
            seat,
            polls: Cell::default(),
            asked: Cell::new(0),
            calls_ahead: Cell::new(0),
            is_away: Cell::new(false),
            calls: Cell::default(),
            clear: AtomicPtr::default(),
        }))
    }

    /// Makes it ready to run `body`; false without memory. `clear` becomes 0 when it has ended.
    ///
    /// # Safety
    /// The record is not in use; both stacks are writable and belong to the fiber until it has
    /// ended, and until then `clear` stays where it is.
    pub(super) unsafe fn start(
        &'static self, stack: Range<usize>, signal_stack: Range<usize>, clear: *const AtomicU32,
        body: Body,
    ) -> bool {
        let Some(block) = block::make() else { return false };
        self.block.store(block, Ordering::Relaxed);
        self.clear.store(clear.cast_mut(), Ordering::Relaxed);
        self.is_settled.store(false, Ordering::Relaxed);
        // SAFETY: the record is not in use.
        unsafe {
            *self.signal_stack.get() = signal_stack;
            *self.body.get() = body;
            let itself = std::ptr::from_ref(self).expose_provenance();
            let top = stack.end - self.shade;
            *self.stack.get() = switch::prepare(top, live, itself);
        }
        self.calls.set(record::Calls::default());
        self.begin_clock();
        self.state.store(RUNNING, Ordering::Release);
        worker::make_ready(self);
        true
    }

    /// Frees what an ended life has left.
    ///
    /// # Safety
    /// It has ended, and nothing refers to its thread control block.
    pub(super) unsafe fn clear_up(&self) {
        let block = self.block.swap(0, Ordering::Relaxed);
        if block != 0 {
            // SAFETY: as our caller promises.
            unsafe { block::free(block) };
        }
    }

    /// Makes it ready if it is parked; otherwise its next park returns at once.
    pub(super) fn wake(&'static self) {
        if self.claim() {
            worker::make_ready(self);
        }
    }

    /// Makes the calling fiber wait until it is called, or until this time. May return early.
    pub(super) fn block(&'static self, until: Option<Instant>) {
        excursion::come_home();
        if self.was_called() {
            return;
        }
        let _timer = until.map(|until| timers::Timer::set(until, self));
        worker::leave(self, Left::Waiting);
    }

    /// Lets other fibers run first: the caller waits for something that they do.
    pub(super) fn yield_now(&'static self) {
        excursion::come_home();
        self.polls.set(Polls::Asks);
        virtual_time::pay_for_poll();
        worker::leave(self, Left::Ready);
    }
}

/// A prime number of lines, so that all shades of a page are used.
const SHADE: usize = 13 * 64;
const PAGE: usize = 4096;
/// With more fibers than this, a stack has left the caches anyway, and memory counts.
const FEW_ENOUGH: usize = 1000;

/// Where a fiber begins.
extern "C-unwind" fn live(fiber: usize) -> ! {
    // SAFETY: `start` passes its record.
    let fiber: &'static Fiber = unsafe { &*std::ptr::with_exposed_provenance(fiber) };
    CURRENT.set(Some(fiber));
    worker::arrive(fiber);
    block::begin();
    // SAFETY: it was put there for this fiber, which alone runs this.
    let Body { call, argument } = unsafe { *fiber.body.get() };
    call(argument)
}

/// In virtual time: the calling fiber waits for those that are behind it.
pub(super) fn let_those_behind_catch_up() {
    excursion::come_home();
    if let Some(fiber) = current()
        && by_time::lets_others_go_first(fiber)
    {
        fiber.gives_way();
        worker::leave(fiber, Left::Ready);
    }
}

/// Ends the fiber that `this` is: nothing of it runs any more.
pub(super) fn end(this: &'static Fiber) -> ! {
    excursion::come_home();
    worker::leave(this, Left::Ended);
    unreachable!("nobody goes on with a fiber that has ended");
}

/// There is work for workers, made outside of any fiber.
pub(super) fn rouse() {
    executor::started().inspect(|executor| executor.rouse_sleepers());
}

/// Asks the monitor to look around now.
pub(super) fn hurry() {
    timers::hurry();
}

/// Whether no fiber is ready, and all workers sleep.
pub(super) fn is_asleep() -> bool {
    executor::started().is_some_and(executor::Executor::is_asleep)
}

/// Binds the calling fiber to its current OS thread; another worker takes over its slot. Does
/// nothing in OS threads. `seat` is that of its rank.
pub(super) fn settle(seat: usize) {
    excursion::come_home();
    if let Some(fiber) = current() {
        let wants = "for its threads, signal masks, working directory or children";
        if virtual_time::is_on() {
            // Messages arrive when the worker comes to their time, of which it has none any more.
            let why = "only fibers have virtual time";
            virtual_time::stop(format!(
                "rank {seat} needs an OS thread of its own, {wants}: {why}"
            ));
        }
        replay::lose(&format!("rank {seat} needs an OS thread of its own, {wants}"));
        worker::settle(fiber);
        fiber.is_settled.store(true, Ordering::Release);
        CURRENT.set(None);
    }
}

/// Runs `call`, which may wait in the kernel: others get the core meanwhile.
pub(super) fn blocking<T>(call: impl FnOnce() -> T) -> T {
    let Some(fiber) = current() else { return call() };
    worker::begin_wait(fiber);
    let result = call();
    worker::end_wait(fiber);
    result
}

/// Interrupts the workers that run fibers, so that these see what they are asked for.
pub(super) fn interrupt_all() {
    let slots = executor::started().into_iter().flat_map(|executor| executor.slots.iter());
    slots.filter_map(|slot| slot.owner()).for_each(record::Worker::interrupt);
}

/// Runs `call`, which briefly needs much stack, on the stack that the worker of the calling fiber
/// has at home: stack pages stay allocated once they were touched, for every one of many ranks.
/// Meanwhile the fiber counts as an OS thread: should it wait, then in the kernel.
pub(super) fn aside<T>(call: impl FnOnce() -> T) -> T {
    struct Errand<F, T>(Option<F>, Option<T>);
    extern "C-unwind" fn run<T, F: FnOnce() -> T>(errand: *mut c_void) {
        // SAFETY: below, the errand outlives the call.
        let errand = unsafe { &mut *errand.cast::<Errand<F, T>>() };
        errand.1 = errand.0.take().map(|call| call());
    }
    fn start_of<T, F: FnOnce() -> T>(_: &Errand<F, T>) -> extern "C-unwind" fn(*mut c_void) {
        run::<T, F>
    }
    let Some(fiber) = current() else { return call() };
    let mut errand = Errand(Some(call), None);
    let start = start_of(&errand);
    CURRENT.set(None);
    // SAFETY: the worker is not at home as long as the fiber is on it, and the fiber cannot leave
    // it while it is not known to be a fiber.
    unsafe { switch::call_on(worker::stack_at_home(fiber), start, (&raw mut errand).cast()) };
    CURRENT.set(Some(fiber));
    errand.1.expect("the call has returned")
}

/// Fibers to be woken together, by the slots where they ran last.
pub(super) struct Batch {
    parts: [(usize, Chain); PARTS],
    /// Where the calling fiber runs: fibers of this slot have to wait for it anyway.
    own: usize,
}

const PARTS: usize = 8;
/// This many fibers are enough for another slot to let it begin.
const FEW: usize = 16;

impl Batch {
    pub(super) fn new() -> Batch {
        let own = current().map_or(usize::MAX, |fiber| fiber.home.load(Ordering::Relaxed));
        Batch { parts: [(0, Chain::EMPTY); PARTS], own }
    }

    pub(super) fn wake(&mut self, fiber: &'static Fiber) {
        if !fiber.claim() {
            return;
        }
        let home = fiber.home.load(Ordering::Relaxed);
        let part = &mut self.parts[home % PARTS];
        if part.0 != home {
            send(part);
            part.0 = home;
        }
        part.1.push(fiber);
        if part.1.len() >= FEW && home != self.own {
            send(part);
        }
    }
}

/// Makes those of this slot ready, if there are any.
fn send((home, chain): &mut (usize, Chain)) {
    if !chain.is_empty() {
        worker::make_all_ready(*home, std::mem::replace(chain, Chain::EMPTY));
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.parts.iter_mut().for_each(send);
    }
}
