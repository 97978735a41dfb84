//! A slot: the right to run fibers on one core, with the run queue of those that are ready.
//!
//! A slot belongs to one worker at a time. A worker whose fiber waits in the kernel may lose its
//! slot to another meanwhile; it finds out under the latch when it returns for the next fiber. So
//! there is one latch per slot, held for a few instructions, and never where a signal handler could
//! find it held by its own thread.

use super::latch::Latch;
use super::record::{Fiber, Worker};
use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::ptr::null;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

/// On cache lines of its own: other workers often read theirs.
#[repr(align(128))]
pub(super) struct Slot {
    latch: Latch,
    ready: UnsafeCell<Ready>,
    /// The number of fibers in the queue and the rows, for readers without the latch.
    count: AtomicUsize,
    /// The next fiber to run, for readers without the latch.
    next: AtomicUsize,
    /// Counts fibers that began to run here.
    pub(super) turns: AtomicU32,
    /// Its worker sleeps, or is about to.
    pub(super) is_asleep: AtomicBool,
    /// The fiber that runs here waits in the kernel, and has reported it.
    is_waiting: AtomicBool,
}

// SAFETY: `ready` is touched under the latch only.
unsafe impl Sync for Slot {}
// SAFETY: as above.
unsafe impl Send for Slot {}

/// The state that the latch guards.
struct Ready {
    owner: *const Worker,
    queue: Chain,
    rows: Rows,
    /// Woken by the fiber that runs here: it continues as soon as that one waits.
    next: *const Fiber,
    /// How often in a row a woken fiber has overtaken the queue.
    streak: u32,
}

/// Rows of fibers that were called together and may have continued since. Their members have not
/// been touched yet.
#[derive(Default)]
struct Rows {
    rows: VecDeque<Vec<&'static Fiber>>,
    /// How many of the first row have continued.
    at: usize,
    /// How many are left.
    count: usize,
    spare: Vec<Vec<&'static Fiber>>,
    /// The queue has had its turn.
    is_due: bool,
}

/// The number of empty rows that are kept for reuse.
const SPARE: usize = 16;

impl Rows {
    /// The next one that is parked.
    fn pop(&mut self) -> Option<&'static Fiber> {
        while let Some(row) = self.rows.front() {
            let Some(&fiber) = row.get(self.at) else {
                let mut row = self.rows.pop_front().expect("there is a first one");
                row.clear();
                self.at = 0;
                if self.spare.len() < SPARE {
                    self.spare.push(row);
                }
                continue;
            };
            row.get(self.at + 2).inspect(|later| later.approach());
            row.get(self.at + 1).inspect(|next| next.approach_stack());
            self.at += 1;
            self.count -= 1;
            if fiber.claim() {
                return Some(fiber);
            }
        }
        None
    }

    /// The last half of the rest, as far as they are parked.
    fn split(&mut self) -> Chain {
        let (mut half, mut count) = (Chain::EMPTY, self.count.div_ceil(2));
        while count > 0 {
            let is_only = self.rows.len() == 1;
            let Some(last) = self.rows.back_mut() else { break };
            if is_only && last.len() == self.at {
                break;
            }
            let Some(fiber) = last.pop() else {
                self.rows.pop_back();
                continue;
            };
            self.count -= 1;
            count -= 1;
            if fiber.claim() {
                half.push(fiber);
            }
        }
        half
    }
}

/// After this many, the queue has its turn.
const LONGEST_STREAK: u32 = 64;

/// Fibers in a row, linked through themselves.
#[derive(Clone, Copy)]
pub(super) struct Chain {
    first: *const Fiber,
    last: *const Fiber,
    count: usize,
}

impl Chain {
    pub(super) const EMPTY: Chain = Chain { first: null(), last: null(), count: 0 };

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn push(&mut self, fiber: &'static Fiber) {
        fiber.link.set(null());
        // SAFETY: a fiber in a chain is ready, and its link belongs to the chain.
        match unsafe { self.last.as_ref() } {
            Some(last) => last.link.set(fiber),
            None => self.first = fiber,
        }
        self.last = fiber;
        self.count += 1;
    }

    fn append(&mut self, other: Chain) {
        if other.is_empty() {
            return;
        }
        // SAFETY: as above.
        match unsafe { self.last.as_ref() } {
            Some(last) => last.link.set(other.first),
            None => self.first = other.first,
        }
        self.last = other.last;
        self.count += other.count;
    }

    fn pop(&mut self) -> Option<&'static Fiber> {
        // SAFETY: fibers stay until the process ends.
        let fiber = unsafe { self.first.as_ref() }?;
        self.first = fiber.link.get();
        self.count -= 1;
        if self.first.is_null() {
            self.last = null();
        }
        Some(fiber)
    }

    /// Removes the fiber at this place, the first being 0.
    fn take(&mut self, place: usize) -> Option<&'static Fiber> {
        let mut rest = self.split(place);
        let taken = self.pop();
        rest.append(*self);
        *self = rest;
        taken
    }

    /// Removes the first `count`, which are not all.
    fn split(&mut self, count: usize) -> Chain {
        let mut front = Chain::EMPTY;
        for _ in 0..count {
            let Some(fiber) = self.pop() else { break };
            front.push(fiber);
        }
        front
    }
}

/// Holds the latch of a slot.
struct Held<'a>(&'a Slot);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let ready = self.ready();
        self.0.count.store(ready.queue.count + ready.rows.count, Ordering::Relaxed);
        self.0.next.store(ready.next.addr(), Ordering::Relaxed);
        self.0.latch.free();
    }
}

impl Ready {
    /// The next fiber of those in the queue and in the rows.
    #[inline]
    fn pop(&mut self) -> Option<&'static Fiber> {
        let rows = &mut self.rows;
        if rows.count == 0 {
            return self.queue.pop();
        }
        rows.is_due = !rows.is_due;
        if rows.is_due {
            rows.pop().or_else(|| self.queue.pop())
        } else {
            self.queue.pop().or_else(|| rows.pop())
        }
    }
}

impl Held<'_> {
    #[allow(clippy::mut_from_ref, reason = "one at a time, and none leaves this file")]
    fn ready(&self) -> &mut Ready {
        // SAFETY: the latch is held.
        unsafe { &mut *self.0.ready.get() }
    }
}

/// What a worker finds when it looks for a fiber to run.
pub(super) enum Found {
    Fiber(&'static Fiber),
    Nobody,
    /// The slot belongs to another worker now.
    Lost,
}

impl Slot {
    pub(super) fn new() -> Slot {
        let ready = Ready {
            owner: null(),
            queue: Chain::EMPTY,
            rows: Rows::default(),
            next: null(),
            streak: 0,
        };
        Slot {
            latch: Latch::default(),
            ready: UnsafeCell::new(ready),
            count: AtomicUsize::new(0),
            next: AtomicUsize::new(0),
            turns: AtomicU32::new(0),
            is_asleep: AtomicBool::new(false),
            is_waiting: AtomicBool::new(false),
        }
    }

    #[inline]
    fn hold(&self) -> Held<'_> {
        self.latch.take();
        Held(self)
    }

    /// How many fibers are in the queue and in rows, approximately.
    #[inline]
    pub(super) fn queue_len(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Whether the queue or a row holds a fiber.
    #[inline]
    pub(super) fn has_queue(&self) -> bool {
        self.queue_len() > 0
    }

    /// Whether a fiber is ready here.
    pub(super) fn has_work(&self) -> bool {
        self.has_queue() || self.next.load(Ordering::Relaxed) != 0
    }

    /// The fiber that is next here, and since which turn: an unchanged value means a long wait.
    pub(super) fn sight(&self) -> (usize, u32) {
        (self.next.load(Ordering::Relaxed), self.turns.load(Ordering::Relaxed))
    }

    /// Makes `fiber` run as soon as the one that runs on `worker` waits; false if the slot has left
    /// that worker. The second value is true if a fiber had to move to the queue.
    #[inline]
    pub(super) fn run_next(&self, worker: &Worker, fiber: &'static Fiber) -> Option<bool> {
        let held = self.hold();
        let ready = held.ready();
        if !std::ptr::eq(ready.owner, worker) {
            return None;
        }
        // SAFETY: fibers stay until the process ends.
        let before = unsafe { std::mem::replace(&mut ready.next, fiber).as_ref() };
        before.inspect(|before| ready.queue.push(before));
        Some(before.is_some())
    }

    /// Adds a chain of ready fibers.
    pub(super) fn append(&self, chain: Chain) {
        self.hold().ready().queue.append(chain);
    }

    /// Takes the fibers of this row, which were called; leaves an empty row.
    pub(super) fn append_row(&self, row: &mut Vec<&'static Fiber>) {
        let held = self.hold();
        let rows = &mut held.ready().rows;
        let fresh = rows.spare.pop().unwrap_or_default();
        rows.count += row.len();
        rows.rows.push_back(std::mem::replace(row, fresh));
    }

    /// The fiber that `worker` is to run: normally the one that was woken last. A fiber that only
    /// `yields` lets all others have their turn before it runs again.
    #[inline]
    pub(super) fn pick(&self, worker: &Worker, yields: bool) -> Found {
        let held = self.hold();
        let ready = held.ready();
        if !std::ptr::eq(ready.owner, worker) {
            return Found::Lost;
        }
        // The worker was assumed to wait in the kernel, and has not reported its return.
        if self.is_waiting() {
            self.is_waiting.store(false, Ordering::Relaxed);
        }
        // SAFETY: fibers stay until the process ends.
        let mut next = unsafe { ready.next.as_ref() };
        if yields && let Some(last) = next.take() {
            ready.next = null();
            ready.queue.push(last);
        }
        let is_alone = ready.queue.is_empty() && ready.rows.count == 0;
        let is_first = ready.streak < LONGEST_STREAK || is_alone;
        let chosen = match next.filter(|_| is_first) {
            Some(next) => {
                (ready.next, ready.streak) = (null(), ready.streak + 1);
                Some(next)
            }
            None => {
                ready.streak = 0;
                ready.pop()
            }
        };
        match chosen {
            Some(fiber) => Found::Fiber(fiber),
            None => Found::Nobody,
        }
    }

    /// The fiber that `worker` is to run in a replay: `choose` picks one of a number.
    pub(super) fn draw(&self, worker: &Worker, choose: impl FnOnce(usize) -> usize) -> Found {
        let held = self.hold();
        let ready = held.ready();
        if !std::ptr::eq(ready.owner, worker) {
            return Found::Lost;
        }
        // SAFETY: fibers stay until the process ends.
        if let Some(next) = unsafe { std::mem::replace(&mut ready.next, null()).as_ref() } {
            ready.queue.push(next);
        }
        while let Some(called) = ready.rows.pop() {
            ready.queue.push(called);
        }
        let count = ready.queue.count;
        let place = if count == 0 { 0 } else { choose(count) };
        ready.queue.take(place).map_or(Found::Nobody, Found::Fiber)
    }

    /// Gives all fibers that are ready to `put`.
    pub(super) fn empty(&self, put: &mut dyn FnMut(&'static Fiber)) {
        let held = self.hold();
        let ready = held.ready();
        // SAFETY: fibers stay until the process ends.
        let next = unsafe { std::mem::replace(&mut ready.next, null()).as_ref() };
        next.into_iter().for_each(&mut *put);
        while let Some(fiber) = ready.pop() {
            put(fiber);
        }
    }

    /// Half of those in the queue, for another slot that has none.
    pub(super) fn give_half(&self) -> Chain {
        let held = self.hold();
        let ready = held.ready();
        let mut half = ready.queue.split(ready.queue.count.div_ceil(2));
        half.append(ready.rows.split());
        half
    }

    /// Removes the next fiber, if it is still `fiber`.
    pub(super) fn give_next(&self, fiber: usize) -> Option<&'static Fiber> {
        let held = self.hold();
        let ready = held.ready();
        if ready.next.addr() != fiber {
            return None;
        }
        // SAFETY: fibers stay until the process ends.
        unsafe { std::mem::replace(&mut ready.next, null()).as_ref() }
    }

    /// Takes the slot from `from` (null: from no worker) and gives it to `to`; false if `from` did
    /// not have it.
    pub(super) fn pass(&self, from: *const Worker, to: *const Worker) -> bool {
        let held = self.hold();
        let ready = held.ready();
        let is_meant = std::ptr::eq(ready.owner, from);
        if is_meant {
            ready.owner = to;
            self.is_waiting.store(false, Ordering::Relaxed);
        }
        is_meant
    }

    /// Gives the slot to `to` if no worker has it, or one whose fiber waits in the kernel.
    pub(super) fn pass_if_idle(&self, to: &Worker) -> bool {
        let held = self.hold();
        let ready = held.ready();
        let is_idle = ready.owner.is_null() || self.is_waiting();
        if is_idle {
            ready.owner = to;
            self.is_waiting.store(false, Ordering::Relaxed);
        }
        is_idle
    }

    /// `worker` is about to sleep; false if the slot does not belong to that worker.
    pub(super) fn fall_asleep(&self, worker: &Worker) -> bool {
        let held = self.hold();
        let is_own = std::ptr::eq(held.ready().owner, worker);
        if is_own {
            self.is_asleep.store(true, Ordering::SeqCst);
        }
        is_own
    }

    /// `worker` is awake again; false if it was called.
    pub(super) fn awake(&self, worker: &Worker) -> bool {
        let held = self.hold();
        std::ptr::eq(held.ready().owner, worker) && self.is_asleep.swap(false, Ordering::SeqCst)
    }

    /// The worker to call, if this slot's worker sleeps: only one caller gets it.
    pub(super) fn sleeper(&self) -> Option<&'static Worker> {
        if !self.is_asleep.load(Ordering::SeqCst) {
            return None;
        }
        let held = self.hold();
        let is_asleep = self.is_asleep.swap(false, Ordering::SeqCst);
        // SAFETY: the records of workers stay until the process ends.
        let owner = unsafe { held.ready().owner.as_ref() };
        owner.filter(|_| is_asleep)
    }

    /// `worker`'s fiber is about to wait in the kernel; false if the slot does not belong to that
    /// worker, or the worker sleeps.
    pub(super) fn begin_wait(&self, worker: &Worker) -> bool {
        let held = self.hold();
        let is_own =
            std::ptr::eq(held.ready().owner, worker) && !self.is_asleep.load(Ordering::SeqCst);
        if is_own {
            self.is_waiting.store(true, Ordering::SeqCst);
        }
        is_own
    }

    /// The fiber has returned from the kernel; false if the slot belongs to another worker now.
    pub(super) fn end_wait(&self, worker: &Worker) -> bool {
        let held = self.hold();
        let is_own = std::ptr::eq(held.ready().owner, worker);
        if is_own {
            self.is_waiting.store(false, Ordering::Relaxed);
        }
        is_own
    }

    #[inline]
    pub(super) fn is_waiting(&self) -> bool {
        self.is_waiting.load(Ordering::Relaxed)
    }

    /// The worker that has the slot now.
    pub(super) fn owner(&self) -> Option<&'static Worker> {
        // SAFETY: the records of workers stay until the process ends.
        unsafe { self.hold().ready().owner.as_ref() }
    }
}
