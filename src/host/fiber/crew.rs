//! The workers of virtual time on several cores (see [`excursion`](super::excursion)): one of them
//! has the *turn*, and carries out what happens next. Whoever has nothing to do takes the turn when
//! it has been free for a moment. The *helpers*, all but the first, sleep if that does not happen
//! for long, until a rank goes away.

use super::by_time::{self, Next};
use super::executor::executor;
use super::record::{Fiber, Worker};
use crate::host::futex::{wait_on, wake_one_on};
use crate::host::virtual_time;
use crate::launch;
use std::hint::spin_loop;
use std::io::Error;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering, fence};
use std::time::{Duration, Instant};

/// How often the turn has been taken and given up: odd while some worker has it.
static TURN: AtomicU32 = AtomicU32::new(0);
/// Whether there are workers beside the first one.
static HAS_HELPERS: AtomicBool = AtomicBool::new(false);
/// How many helpers sleep, or are about to; and how often one was called.
static ASLEEP: AtomicU32 = AtomicU32::new(0);
static CALLS: AtomicU32 = AtomicU32::new(0);

/// Starts workers for the other cores, if ranks declare what they compute.
pub(super) fn hire() -> Result<(), Error> {
    if !virtual_time::is_declared() {
        return Ok(());
    }
    for core in 1..launch::cores() {
        executor().hire_helper(core)?;
        HAS_HELPERS.store(true, Ordering::Relaxed);
    }
    Ok(())
}

/// Whether ranks may compute beside each other.
pub(super) fn has_helpers() -> bool {
    HAS_HELPERS.load(Ordering::Relaxed)
}

/// The worker takes the turn if nobody has it.
pub(super) fn take_turn(worker: &Worker) -> bool {
    take_turn_if(worker, TURN.load(Ordering::Relaxed))
}

/// The worker takes the turn if nobody has it, and nobody has had it since it was `seen`.
fn take_turn_if(worker: &Worker, seen: u32) -> bool {
    let (done, failed) = (Ordering::Acquire, Ordering::Relaxed);
    let take = || {
        seen.is_multiple_of(2)
            && TURN.compare_exchange(seen, seen.wrapping_add(1), done, failed).is_ok()
    };
    let has = worker.has_turn.get() || take();
    worker.has_turn.set(has);
    has
}

/// The worker leaves it to others what happens next.
pub(super) fn give_turn(worker: &Worker) {
    if worker.has_turn.replace(false) {
        TURN.fetch_add(1, Ordering::Release);
    }
}

/// The worker gives up the turn to compute for a while, which is worth a helper.
pub(super) fn leave_to_helpers(worker: &Worker) {
    give_turn(worker);
    // A helper counts itself before it sees that nobody has given up the turn.
    fence(Ordering::SeqCst);
    if ASLEEP.load(Ordering::Relaxed) > 0 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        wake_one_on(&CALLS);
    }
}

/// The fiber that goes on now in virtual time, on this worker. None if nothing happens any more
/// before something is done from outside.
pub(super) fn next(worker: &Worker) -> Option<&'static Fiber> {
    let is_helper = worker.slot().is_none();
    let mut idleness = Idleness::default();
    loop {
        if worker.has_turn.get() || idleness.is_turn_left(worker, is_helper) {
            match by_time::next() {
                Next::Fiber(fiber) => return Some(fiber),
                // It sleeps with the turn.
                Next::Nothing if !is_helper => return None,
                Next::Nothing | Next::Later => give_turn(worker),
            }
        }
    }
}

/// A worker without anything to do looks around, and less often by and by.
#[derive(Default)]
struct Idleness(u32);

impl Idleness {
    /// Takes the turn if it is free for so long that whoever has given it up is not about to come
    /// back; otherwise waits for a moment.
    fn is_turn_left(&mut self, worker: &Worker, is_helper: bool) -> bool {
        let seen = TURN.load(Ordering::Relaxed);
        if seen.is_multiple_of(2) && remains(seen) && take_turn_if(worker, seen) {
            return true;
        }
        self.pass(is_helper);
        false
    }

    fn pass(&mut self, is_helper: bool) {
        const LOOKS: u32 = 400;
        const NAPS: u32 = 100;
        const SPINS: usize = 20;
        const SHORTEST: Duration = Duration::from_micros(20);
        const DOUBLINGS: u32 = 6;
        static NOTHING: AtomicU32 = AtomicU32::new(0);
        self.0 = self.0.saturating_add(1);
        match self.0.checked_sub(LOOKS) {
            None => (0..SPINS).for_each(|_| spin_loop()),
            Some(NAPS..) if is_helper => self.sleep(),
            Some(more) => wait_on(&NOTHING, 0, Some(SHORTEST * (1 << more.min(DOUBLINGS)))),
        }
    }

    /// A helper sleeps until it is called.
    fn sleep(&mut self) {
        let calls = CALLS.load(Ordering::Relaxed);
        ASLEEP.fetch_add(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if !TURN.load(Ordering::Relaxed).is_multiple_of(2) {
            wait_on(&CALLS, calls, None);
        }
        ASLEEP.fetch_sub(1, Ordering::Relaxed);
        *self = Idleness::default();
    }
}

/// Whether nobody takes the turn in a moment.
fn remains(seen: u32) -> bool {
    const MOMENT: Duration = Duration::from_micros(2);
    let begun = Instant::now();
    while TURN.load(Ordering::Relaxed) == seen {
        if begun.elapsed() >= MOMENT {
            return true;
        }
        spin_loop();
    }
    false
}
