//! Whether other work wants the cores of ranks that have one each.
//!
//! Such a rank spins while it waits, and now and then offers its core to others. On an idle machine
//! that takes a microsecond. If a busy thread of another program takes the core, it keeps it for
//! milliseconds, and the message for which the rank waits has to wait as well. A rank that sleeps
//! is better off then: it saves its share of the core, and the kernel runs it as soon as it is
//! woken. So after an offer that has taken long, ranks sleep at once for a while; for twice as
//! long after the next one, if it follows soon.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// An offer of a core that nobody takes is shorter, however slow the kernel is.
const LONG: Duration = Duration::from_micros(50);
const FIRST_MS: u64 = 8;
const MOST_MS: u64 = 1024;

/// Until when ranks sleep at once, in milliseconds since the first look; 0: no need to look.
static UNTIL_MS: AtomicU64 = AtomicU64::new(0);
static PERIOD_MS: AtomicU64 = AtomicU64::new(0);

fn now_ms() -> u64 {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    // Never 0, nor before the end of a period that was none.
    ORIGIN.get_or_init(Instant::now).elapsed().as_millis() as u64 + 4 * MOST_MS
}

/// Offers the core to others by `yield_core`, and notes whether one has taken it.
pub(super) fn offer(yield_core: impl FnOnce()) {
    let start = Instant::now();
    yield_core();
    if start.elapsed() > LONG {
        note();
    }
}

#[cold]
fn note() {
    let (now, until) = (now_ms(), UNTIL_MS.load(Ordering::Relaxed));
    if now < until {
        return;
    }
    let last = PERIOD_MS.load(Ordering::Relaxed);
    let next = if now - until <= last { (2 * last).min(MOST_MS) } else { FIRST_MS };
    PERIOD_MS.store(next, Ordering::Relaxed);
    UNTIL_MS.store(now + next, Ordering::Relaxed);
}

/// Whether a rank that waits does better to sleep at once.
#[inline]
pub(super) fn is_likely() -> bool {
    UNTIL_MS.load(Ordering::Relaxed) != 0 && lasts()
}

#[cold]
fn lasts() -> bool {
    now_ms() < UNTIL_MS.load(Ordering::Relaxed)
}
