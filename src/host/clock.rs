//! The clock of the job. As a rule it is the system's. In a run that is to be replayed (see
//! [`super::replay`]) time is counted: every call of MPI, every look at the clock and every change
//! from one rank to another takes a fixed time, computing takes none, and where all ranks wait the
//! clock jumps to the time that the first of them waits for.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What a call of MPI takes in a run in which time is counted.
pub(super) const CALL: Duration = Duration::from_micros(10);
/// What it takes there to look at the clock, and until another rank goes on.
pub(super) const MOMENT: Duration = Duration::from_micros(1);

/// Where time comes from.
///
/// | value   | time                                                     | next      |
/// |---------|----------------------------------------------------------|-----------|
/// | SYSTEM  | the system's                                             | `COUNTED` |
/// | COUNTED | `PASSED` after `ORIGIN`                                  | `RESUMED` |
/// | RESUMED | goes on as the system's does, from where it was counted to |         |
static SOURCE: AtomicU8 = AtomicU8::new(SYSTEM);

const SYSTEM: u8 = 0;
const COUNTED: u8 = 1;
const RESUMED: u8 = 2;

static ORIGIN: OnceLock<Instant> = OnceLock::new();
/// In nanoseconds.
static PASSED: AtomicU64 = AtomicU64::new(0);
/// What this clock and the system's have shown at the moment when this one was resumed.
static RESUMPTION: OnceLock<(Instant, Instant)> = OnceLock::new();

/// What time it is.
#[inline]
pub fn now() -> Instant {
    if SOURCE.load(Ordering::Acquire) == SYSTEM { Instant::now() } else { own() }
}

/// The same for a program that asks, which takes a moment: who asks until it is late comes to an
/// end.
pub fn look() -> Instant {
    pass(MOMENT);
    now()
}

#[cold]
fn own() -> Instant {
    match RESUMPTION.get() {
        Some((shown, then)) => *shown + then.elapsed(),
        None => origin() + passed(),
    }
}

fn origin() -> Instant {
    *ORIGIN.get_or_init(Instant::now)
}

fn passed() -> Duration {
    Duration::from_nanos(PASSED.load(Ordering::Relaxed))
}

fn is_counted() -> bool {
    SOURCE.load(Ordering::Relaxed) == COUNTED
}

/// From now on time is counted, from nothing.
pub(super) fn count() {
    origin();
    PASSED.store(0, Ordering::Relaxed);
    SOURCE.store(COUNTED, Ordering::Release);
}

/// From now on time goes by as the system's does.
pub(super) fn resume() {
    if is_counted() {
        RESUMPTION.get_or_init(|| (origin() + passed(), Instant::now()));
        SOURCE.store(RESUMED, Ordering::Release);
    }
}

/// So much time goes by, where it is counted.
pub(super) fn pass(time: Duration) {
    if is_counted() {
        PASSED.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }
}

/// All wait until then, where time is counted.
pub(super) fn skip_to(then: Instant) {
    if is_counted() {
        let passed = then.saturating_duration_since(origin()).as_nanos();
        PASSED.fetch_max(u64::try_from(passed).unwrap_or(u64::MAX >> 1), Ordering::Relaxed);
    }
}

/// How much time has gone by, where it is counted, for a program that asks.
pub(super) fn counted() -> Option<Duration> {
    is_counted().then(|| {
        pass(MOMENT);
        passed()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_time_passes_only_as_it_is_told_and_goes_on_by_itself_once_it_is_resumed() {
        count();
        let begun = now();
        assert_eq!(now(), begun);
        pass(CALL);
        assert_eq!(look(), begun + CALL + MOMENT);
        skip_to(begun + Duration::from_secs(3));
        assert_eq!(now(), begun + Duration::from_secs(3));
        skip_to(begun);
        assert_eq!(counted(), Some(Duration::from_secs(3) + MOMENT), "it never goes back");
        resume();
        let resumed = now();
        assert!(resumed >= begun + Duration::from_secs(3) && counted().is_none());
        while now() == resumed {}
        pass(CALL);
        assert!(now() < begun + Duration::from_secs(1000));
    }
}
