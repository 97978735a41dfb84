//! The clock of the job: normally the system's. In a deterministic replay (see [`super::replay`])
//! time is counted instead. Every MPI call, every look at the clock and every switch between ranks
//! takes a fixed time, and computing takes none. When all ranks wait, the clock jumps to the
//! earliest time that one of them waits for.
//!
//! In virtual time (`virtual_time.rs`) each rank has a clock of its own, and this is the clock of
//! the rank that runs, or the time of the event that is being carried out.

use crate::machine::units::{END, NANO, Picos};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The counted time of a call of MPI.
pub(super) const CALL: Duration = Duration::from_micros(10);
/// Counted time for a look at the clock, and for a switch to another rank.
pub(super) const MOMENT: Duration = Duration::from_micros(1);

/// Where time comes from.
///
/// | `source` | time                                                      | next      |
/// |----------|-----------------------------------------------------------|-----------|
/// | SYSTEM   | the system's                                              | `COUNTED` |
/// | COUNTED  | `passed` after `origin`                                   | `RESUMED` |
/// | RESUMED  | continues from the counted time at the system's pace      |           |
struct Clock {
    source: AtomicU8,
    origin: OnceLock<Instant>,
    /// In picoseconds.
    passed: AtomicU64,
    /// What this clock and the system's showed at the moment of resumption.
    resumption: OnceLock<(Instant, Instant)>,
}

const SYSTEM: u8 = 0;
const COUNTED: u8 = 1;
const RESUMED: u8 = 2;

static CLOCK: Clock = Clock::new();

/// The current time.
#[inline]
pub fn now() -> Instant {
    CLOCK.now()
}

/// Reads the clock for a program, which takes a moment of counted time: a loop that polls the clock
/// until a deadline therefore ends.
pub fn look() -> Instant {
    take_a_look();
    now()
}

/// In virtual time, only looking again and again takes time.
fn take_a_look() {
    const FEW: u32 = 100;
    if is_of_each_rank() && LAST_LOOK.swap(picos(), Ordering::Relaxed) != picos() {
        LOOKS.store(0, Ordering::Relaxed);
    }
    if !is_of_each_rank() || LOOKS.fetch_add(1, Ordering::Relaxed) >= FEW {
        pass(MOMENT);
        LAST_LOOK.store(picos(), Ordering::Relaxed);
    }
}

/// Each rank has a clock of its own: time is virtual.
static IS_OF_EACH_RANK: AtomicBool = AtomicBool::new(false);
/// When the rank that runs last looked at its clock, and how often it did at that time.
static LOOKS: AtomicU32 = AtomicU32::new(0);
static LAST_LOOK: AtomicU64 = AtomicU64::new(Picos::MAX);

/// Whether time is virtual: whether each rank has a clock of its own.
#[inline]
pub fn is_of_each_rank() -> bool {
    IS_OF_EACH_RANK.load(Ordering::Relaxed)
}

/// From now on each rank has a clock of its own.
pub(super) fn give_each_rank_one() {
    IS_OF_EACH_RANK.store(true, Ordering::Relaxed);
}

/// The counted time so far, if time is counted, for a program that asks.
pub(super) fn counted() -> Option<Duration> {
    take_a_look();
    CLOCK.is_counted().then(|| CLOCK.passed())
}

/// From now on time is counted, starting from zero.
pub(super) fn count() {
    CLOCK.count();
}

/// From now on time passes as the system's does.
pub(super) fn resume() {
    CLOCK.resume();
}

/// Advances the clock by `time`, if time is counted.
pub(super) fn pass(time: Duration) {
    CLOCK.pass(time);
}

/// Advances counted time to `then`: until then all ranks wait.
pub(super) fn skip_to(then: Instant) {
    CLOCK.skip_to(then);
}

/// The counted time so far.
pub fn picos() -> Picos {
    CLOCK.passed.load(Ordering::Relaxed)
}

/// Sets counted time: another rank's clock counts from here on.
pub(super) fn set(to: Picos) {
    LAST_LOOK.store(Picos::MAX, Ordering::Relaxed);
    CLOCK.passed.store(to, Ordering::Relaxed);
}

/// Advances the clock by `time`, if time is counted.
pub fn pass_picos(time: Picos) {
    CLOCK.pass_picos(time);
}

/// A time of the clock, if time is counted.
pub(super) fn picos_at(then: Instant) -> Picos {
    CLOCK.picos_at(then)
}

impl Clock {
    const fn new() -> Clock {
        Clock {
            source: AtomicU8::new(SYSTEM),
            origin: OnceLock::new(),
            passed: AtomicU64::new(0),
            resumption: OnceLock::new(),
        }
    }

    #[inline]
    fn now(&self) -> Instant {
        if self.source.load(Ordering::Acquire) == SYSTEM { Instant::now() } else { self.own() }
    }

    #[cold]
    fn own(&self) -> Instant {
        match self.resumption.get() {
            Some((shown, then)) => *shown + then.elapsed(),
            None => self.origin() + self.passed(),
        }
    }

    fn origin(&self) -> Instant {
        *self.origin.get_or_init(Instant::now)
    }

    fn passed(&self) -> Duration {
        Duration::from_nanos(self.passed.load(Ordering::Relaxed).div_ceil(NANO))
    }

    fn is_counted(&self) -> bool {
        self.source.load(Ordering::Relaxed) == COUNTED
    }

    fn count(&self) {
        self.origin();
        self.passed.store(0, Ordering::Relaxed);
        self.source.store(COUNTED, Ordering::Release);
    }

    fn resume(&self) {
        if self.is_counted() {
            self.resumption.get_or_init(|| (self.origin() + self.passed(), Instant::now()));
            self.source.store(RESUMED, Ordering::Release);
        }
    }

    fn pass(&self, time: Duration) {
        self.pass_picos(time.as_nanos() as Picos * NANO);
    }

    fn pass_picos(&self, time: Picos) {
        if self.is_counted() {
            let before = self.passed.fetch_add(time, Ordering::Relaxed);
            if before.checked_add(time).is_none() {
                self.passed.store(Picos::MAX, Ordering::Relaxed);
            }
        }
    }

    fn picos_at(&self, then: Instant) -> Picos {
        let passed = then.saturating_duration_since(self.origin()).as_nanos();
        let nanos = Picos::try_from(passed).unwrap_or(END);
        nanos.saturating_mul(NANO).min(END)
    }

    fn skip_to(&self, then: Instant) {
        if self.is_counted() {
            self.passed.fetch_max(self.picos_at(then), Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_time_passes_only_as_it_is_told_and_goes_on_by_itself_once_it_is_resumed() {
        const LATER: Duration = Duration::from_secs(3);
        let clock = Clock::new();
        clock.count();
        let begun = clock.now();
        assert_eq!(clock.now(), begun);
        clock.pass(CALL);
        assert_eq!(clock.now(), begun + CALL);
        clock.skip_to(begun + LATER);
        assert_eq!(clock.now(), begun + LATER);
        clock.skip_to(begun);
        assert_eq!(clock.now(), begun + LATER, "it never goes back");
        clock.resume();
        let resumed = clock.now();
        assert!(resumed >= begun + LATER && !clock.is_counted());
        while clock.now() == resumed {}
        clock.pass(1000 * LATER);
        assert!(clock.now() < begun + 1000 * LATER);
    }
}
