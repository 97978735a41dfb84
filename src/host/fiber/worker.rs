//! Workers: OS threads that run fibers, and what a fiber does when it gives up its stack.
//!
//! A worker without a fiber is *at home*, on its original stack: it looks for a ready fiber for a
//! while and then sleeps. A worker may also be a *spare*, without a slot, or *kept* by a fiber that
//! has settled on it; a kept worker ends with its fiber. In virtual time there are *helpers*, which
//! have no slot either, and run fibers all the same (see [`crew`]).

use super::executor::{Executor, executor};
use super::record::{CURRENT, ENDED, Fiber, Left, NO_SLOT, Worker};
use super::slot::{Chain, Found, Slot};
use super::switch::{switch, thread_pointer};
use super::timers;
use super::{by_time, crew};
use crate::host::cores::{PROMPT, ask_for_slices_of, begin_on};
use crate::host::signals::SignalStack;
use crate::host::{clock, replay, virtual_time};
use std::hint::spin_loop;
use std::ptr::{from_ref, null, null_mut};
use std::sync::atomic::{Ordering, fence};

impl Worker {
    pub(super) fn slot(&self) -> Option<&'static Slot> {
        executor().slots.get(self.slot.load(Ordering::Acquire))
    }

    /// The body of its OS thread.
    pub(super) fn live(&'static self, home: Option<usize>) {
        const SIGNAL_STACK_BYTES: usize = 64 << 10;
        // SAFETY: has no preconditions.
        self.number.store(unsafe { libc::gettid() }, Ordering::Relaxed);
        // `sched_yield` gives up the rest of a slice: with long ones, a worker that seeks fibers
        // would stand behind other programs for milliseconds each time.
        ask_for_slices_of(PROMPT);
        self.home_pointer.set(thread_pointer());
        let signal_stack = SignalStack::begin(SIGNAL_STACK_BYTES);
        // SAFETY: has no preconditions. A fiber that settles here may go to other directories.
        unsafe { libc::unshare(libc::CLONE_FS) };
        home.inspect(|home| begin_on(*home));
        while !self.is_kept.get() {
            let found = if replay::is_in_force() { self.draw() } else { self.find(false) };
            match found {
                Some(fiber) => self.visit(fiber),
                None => match self.slot() {
                    Some(slot) => self.rest(slot),
                    None => {
                        executor().spares.lock().push(self);
                        self.sleep();
                    }
                },
            }
            self.arrive();
        }
        self.is_kept.set(false);
        SignalStack::end(signal_stack);
        executor().retired.lock().push(self);
    }

    /// The fiber to run now, if the worker has a slot and a fiber is ready there.
    #[inline]
    fn find(&self, yields: bool) -> Option<&'static Fiber> {
        self.judge(self.slot()?.pick(self, yields))
    }

    /// Draws the next fiber by the seed of a replayed run. The supervisor and the timers come
    /// first.
    fn draw(&self) -> Option<&'static Fiber> {
        if virtual_time::is_on() {
            let has_part = self.slot().is_some() || self.is_helper.get();
            return if has_part { crew::next(self) } else { None };
        }
        let slot = self.slot()?;
        replay::let_supervisor_work();
        timers::ring(clock::now());
        let found = self.judge(slot.draw(self, replay::draw))?;
        clock::pass(clock::MOMENT);
        Some(found)
    }

    #[inline]
    fn judge(&self, found: Found) -> Option<&'static Fiber> {
        match found {
            Found::Fiber(fiber) => Some(fiber),
            Found::Nobody => None,
            Found::Lost => {
                self.slot.store(NO_SLOT, Ordering::Relaxed);
                None
            }
        }
    }

    /// Records that `fiber` continues here.
    #[inline]
    fn take(&self, fiber: &'static Fiber) {
        fiber.worker.store(from_ref(self).cast_mut(), Ordering::Release);
        if let Some(slot) = self.slot() {
            let turns = &slot.turns;
            turns.store(turns.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
            fiber.home.store(executor().index(slot), Ordering::Relaxed);
        }
        self.is_to_make_room.store(false, Ordering::Relaxed);
    }

    /// From home to a fiber, and back.
    fn visit(&self, fiber: &'static Fiber) {
        self.take(fiber);
        // SAFETY: a fiber that was ready is off its stack, and ours alone; home is this thread's.
        unsafe { switch(self.home.get(), *fiber.stack.get(), fiber.pthread()) };
    }

    /// Finishes what is left to do for the fiber whose stack was left last.
    #[inline]
    fn arrive(&self) {
        let Some((fiber, left)) = self.left.take() else { return };
        fiber.worker.store(null_mut(), Ordering::Release);
        fiber.stop_clock(left);
        match left {
            Left::Away => by_time::take_home(fiber),
            Left::Ready => make_ready_on(self, fiber),
            Left::Waiting if fiber.park() => {}
            Left::Waiting => make_ready_on(self, fiber),
            Left::Ended => {
                fiber.state.store(ENDED, Ordering::SeqCst);
                // SAFETY: the word stays until it is 0; nothing of the fiber is used afterwards.
                unsafe { &*fiber.clear.load(Ordering::Relaxed) }.store(0, Ordering::SeqCst);
                (executor().on_end)();
            }
        }
    }

    /// No fiber is ready here: looks around in other slots, and then sleeps.
    fn rest(&self, own: &'static Slot) {
        let executor = executor();
        // In virtual time, nothing happens any more.
        let counts = replay::is_in_force() && !virtual_time::is_on();
        if counts && replay::skip_to(timers::next()) {
            return;
        }
        executor.looking.fetch_add(1, Ordering::SeqCst);
        let has_found = look_around(executor, own);
        executor.looking.fetch_sub(1, Ordering::SeqCst);
        if has_found {
            executor.rouse_neglected(own);
            return;
        }
        if !own.fall_asleep(self) {
            return;
        }
        executor.asleep.fetch_add(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        let has_work = || own.has_work() || executor.slots.iter().any(Slot::has_queue);
        let is_called = has_work() || replay::is_in_force() && replay::is_supervisor_called();
        if !is_called {
            self.sleep();
        }
        // An outdated call may have arrived late.
        if own.awake(self) {
            executor.asleep.fetch_sub(1, Ordering::SeqCst);
        }
        if is_called {
            timers::nudge();
        }
    }
}

/// Looks for fibers that wait for other workers, for as long as it takes the kernel to put a thread
/// to sleep and wake it; whether there are some in slot `own` now.
fn look_around(executor: &Executor, own: &Slot) -> bool {
    const TURNS: usize = 15;
    const SPINS: usize = 50;
    /// This few fibers are taken only after several looks: usually they run in their own slot
    /// sooner.
    const FEW: usize = 3;
    const PATIENCE: usize = 6;
    let others = || executor.slots.iter().filter(|slot| !std::ptr::eq(*slot, own));
    let (mut neglected, mut seen) = (None, [(0, 0); 64]);
    for turn in 1..=TURNS {
        for _ in 0..SPINS {
            if own.has_work() {
                return true;
            }
            spin_loop();
        }
        // Fibers that are ready there will run soon, with their data in the cache. Not so where
        // none has run since the last look, or where there are always more of them.
        for other in others().filter(|slot| slot.has_queue()) {
            let turns = other.turns.load(Ordering::Relaxed);
            let (before, looks) = &mut seen[executor.index(other) % 64];
            if *before != turns {
                (*before, *looks) = (turns, 0);
            }
            *looks += 1;
            let patience = if other.queue_len() <= FEW { PATIENCE } else { 1 };
            if turn < TURNS && *looks <= patience {
                continue;
            }
            let half = other.give_half();
            if !half.is_empty() {
                own.append(half);
                return true;
            }
        }
        // The next fiber there usually runs at once. Not so where the running one computes.
        let mut sights = others().map(|slot| (from_ref(slot), slot.sight()));
        let candidate = sights.find(|(_, (next, _))| *next != 0);
        if let Some((slot, (next, _))) = candidate.filter(|_| candidate == neglected) {
            // SAFETY: slots stay until the process ends.
            if let Some(fiber) = unsafe { &*slot }.give_next(next) {
                let mut chain = Chain::EMPTY;
                chain.push(fiber);
                own.append(chain);
                return true;
            }
        }
        neglected = candidate;
        // SAFETY: has no preconditions.
        unsafe { libc::sched_yield() };
    }
    false
}

/// The calling fiber leaves its stack to a fiber that is ready. Returns when it continues, unless
/// it has ended.
#[inline]
pub(super) fn leave(this: &'static Fiber, left: Left) {
    // SAFETY: a running fiber has a worker, whose record stays.
    let worker = unsafe { &*this.worker.load(Ordering::Relaxed) };
    // In a replay, the worker draws the next fiber at home.
    let goes_home = replay::is_in_force();
    let next = if goes_home { None } else { worker.find(left == Left::Ready) };
    let (stack, pointer) = match next {
        Some(next) => {
            worker.take(next);
            // SAFETY: a fiber that was ready is off its stack, and ours alone.
            (unsafe { *next.stack.get() }, next.pthread())
        }
        // OS threads may want the core, and a worker without a slot must not run.
        None if left == Left::Ready && !goes_home && worker.slot().is_some() => {
            // SAFETY: has no preconditions.
            unsafe { libc::sched_yield() };
            return;
        }
        // SAFETY: the worker is not at home, so that context waits.
        None => (unsafe { *worker.home.get() }, worker.home_pointer.get()),
    };
    worker.left.set(Some((this, left)));
    // SAFETY: as above; the fiber is not made ready before another stack is in use.
    unsafe { switch(this.stack.get(), stack, pointer) };
    arrive(this);
}

/// The stack pointer of the calling fiber's worker at home.
pub(super) fn stack_at_home(this: &Fiber) -> usize {
    // SAFETY: a running fiber has a worker, whose record stays, and which is not at home.
    unsafe { *(*this.worker.load(Ordering::Relaxed)).home.get() }
}

/// The calling fiber continues, or begins.
#[inline]
pub(super) fn arrive(this: &'static Fiber) {
    // SAFETY: a running fiber has a worker, whose record stays.
    unsafe { &*this.worker.load(Ordering::Relaxed) }.arrive();
}

/// The slot of the calling fiber, or its last one.
#[inline]
pub(super) fn slot_of(this: &'static Fiber) -> usize {
    this.home.load(Ordering::Relaxed)
}

/// Whether other fibers are ready where the calling one runs.
pub(super) fn has_others_ready(this: &'static Fiber) -> bool {
    executor().slots[slot_of(this)].has_work()
}

/// `fiber`, which `worker` has just left, is ready again.
fn make_ready_on(worker: &Worker, fiber: &'static Fiber) {
    let executor = executor();
    let slot = worker.slot().map(|slot| executor.index(slot));
    let home = slot.unwrap_or_else(|| fiber.home.load(Ordering::Relaxed));
    let mut chain = Chain::EMPTY;
    chain.push(fiber);
    executor.slots[home].append(chain);
    executor.rouse(home);
}

/// Makes `fiber` ready: it continues where it ran last and its data is in the cache, or after the
/// calling fiber.
#[inline]
pub(super) fn make_ready(fiber: &'static Fiber) {
    let executor = executor();
    // SAFETY: a running fiber has a worker, whose record stays.
    let here = CURRENT.get().map(|this| unsafe { &*this.worker.load(Ordering::Relaxed) });
    if let Some((worker, slot)) = here.and_then(|worker| Some((worker, worker.slot()?))) {
        let home = &executor.slots[fiber.home.load(Ordering::Relaxed) % executor.slots.len()];
        let stays = !std::ptr::eq(home, slot) && goes_home(fiber, home);
        match if stays { None } else { slot.run_next(worker, fiber) } {
            Some(false) => return,
            Some(true) => return executor.rouse(executor.index(slot)),
            None => {}
        }
    }
    let mut chain = Chain::EMPTY;
    chain.push(fiber);
    make_all_ready(fiber.home.load(Ordering::Relaxed), chain);
}

/// Whether `fiber`, called from another core, continues in its own slot. Not if that slot's worker
/// sleeps, nor, if no other fiber is ready, every so often: so two fibers that do nothing but call
/// each other end up on one core.
fn goes_home(fiber: &Fiber, home: &Slot) -> bool {
    const OFTEN: u32 = 64;
    if home.has_work() {
        return true;
    }
    let calls = fiber.calls_home.load(Ordering::Relaxed).wrapping_add(1);
    fiber.calls_home.store(calls, Ordering::Relaxed);
    !home.is_asleep.load(Ordering::Relaxed) && !calls.is_multiple_of(OFTEN)
}

/// Makes all fibers of `chain` ready, where they ran last.
pub(super) fn make_all_ready(home: usize, chain: Chain) {
    let executor = executor();
    let home = home % executor.slots.len();
    executor.slots[home].append(chain);
    executor.rouse(home);
}

/// The calling fiber is about to wait in the kernel.
pub(super) fn begin_wait(this: &'static Fiber) {
    if replay::is_in_force() {
        // All other workers wait, too.
        return;
    }
    // SAFETY: a running fiber has a worker, whose record stays.
    let worker = unsafe { &*this.worker.load(Ordering::Relaxed) };
    if let Some(slot) = worker.slot()
        && slot.begin_wait(worker)
    {
        fence(Ordering::SeqCst);
        if slot.has_work() {
            executor().staff(slot);
        }
    }
}

/// The calling fiber has returned from the kernel.
pub(super) fn end_wait(this: &'static Fiber) {
    // SAFETY: as above.
    let worker = unsafe { &*this.worker.load(Ordering::Relaxed) };
    if let Some(slot) = worker.slot()
        && !slot.end_wait(worker)
    {
        worker.slot.store(NO_SLOT, Ordering::Relaxed);
    }
}

/// The calling fiber keeps the worker that it runs on, whose slot goes to another.
pub(super) fn settle(this: &'static Fiber) {
    // SAFETY: as above.
    let worker = unsafe { &*this.worker.load(Ordering::Relaxed) };
    worker.is_kept.set(true);
    crew::give_turn(worker);
    let slot = worker.slot();
    worker.slot.store(NO_SLOT, Ordering::Relaxed);
    if let Some(slot) = slot
        && slot.pass(worker, null())
    {
        executor().staff(slot);
        timers::hurry();
    }
}
