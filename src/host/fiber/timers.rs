//! Timers of fibers, and the word by which the [monitor](super::monitor) is asked to look around.

use super::record::Fiber;
use crate::host::futex::wake_one_on;
use crate::host::replay;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

/// Fibers to be called at a time, with a serial number that keeps equal times apart.
static TIMERS: Mutex<BTreeMap<(Instant, u64), &'static Fiber>> = Mutex::new(BTreeMap::new());

/// What the monitor does.
///
/// | value    | meaning                                        |
/// |----------|------------------------------------------------|
/// | AWAKE    | looks around, or will after some milliseconds  |
/// | ASLEEP   | until it is nudged                             |
/// | HURRIED  | asked to look around now                       |
pub(super) static STATE: AtomicU32 = AtomicU32::new(AWAKE);

pub(super) const AWAKE: u32 = 0;
pub(super) const ASLEEP: u32 = 1;
const HURRIED: u32 = 2;

/// A worker has begun to work: the monitor looks around as long as one does.
pub(super) fn nudge() {
    if STATE.load(Ordering::SeqCst) == ASLEEP {
        hurry();
    }
}

/// Makes the monitor look around now.
pub(super) fn hurry() {
    if STATE.swap(HURRIED, Ordering::SeqCst) != HURRIED {
        wake_one_on(&STATE);
    }
}

/// Calls its fiber at its time, unless it is dropped before.
pub(super) struct Timer((Instant, u64));

impl Timer {
    pub(super) fn set(at: Instant, fiber: &'static Fiber) -> Timer {
        static SET: AtomicU64 = AtomicU64::new(0);
        let key = (at, SET.fetch_add(1, Ordering::Relaxed));
        let mut timers = TIMERS.lock();
        timers.insert(key, fiber);
        let is_first = timers.first_key_value().is_some_and(|(first, _)| *first == key);
        drop(timers);
        // In a replay, the worker does that.
        if is_first && !replay::is_in_force() {
            hurry();
        }
        Timer(key)
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        TIMERS.lock().remove(&self.0);
    }
}

/// Calls the fibers whose time has come; returns when the next is due.
pub(super) fn ring(now: Instant) -> Option<Instant> {
    loop {
        let mut timers = TIMERS.lock();
        let first = timers.first_entry()?;
        let (at, _) = *first.key();
        if at > now {
            return Some(at);
        }
        let fiber = first.remove();
        drop(timers);
        fiber.wake();
    }
}

/// When the next timer is due.
pub(super) fn next() -> Option<Instant> {
    TIMERS.lock().first_key_value().map(|((at, _), _)| *at)
}
