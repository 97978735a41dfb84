//! What it costs to let other threads run. Beside busy programs, whoever yields gets the core back
//! after their slices, which is milliseconds; a sleeper that is woken gets it within microseconds.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A yield that takes so many nanoseconds has cost somebody else's slice.
const LONG: u64 = 500_000;
/// Ranks that share a core have something to do in their turns, so there it may take so many for
/// each of them, but never as long as a slice of another program.
const TURN: u64 = 125_000;
const SLICE: u64 = 2_000_000;
/// A long yield shows that other programs want this core if it has lasted for this part of the time
/// since the one before. Where several jobs or hosts share a machine, waiting ranks yield to each
/// other, and only some of these yields are long.
const PART: u64 = 8;
/// For how many times as long nobody yields after that: then trying again costs little.
const TIMES: u64 = 20;

/// In a yield that takes so many nanoseconds, somebody else has run.
const SHARED: u64 = 1_500;

/// Times are nanoseconds since some moment.
pub(super) struct Price {
    /// Whether somebody else has run in the last yield.
    is_shared: AtomicBool,
    /// Which yields are long.
    long: AtomicU64,
    dear_until: AtomicU64,
    /// When the last long yield was over, or the time after it for which nobody was to yield.
    last: AtomicU64,
}

impl Price {
    pub(super) const fn new() -> Price {
        Price {
            is_shared: AtomicBool::new(false),
            long: AtomicU64::new(LONG),
            dear_until: AtomicU64::new(0),
            last: AtomicU64::new(0),
        }
    }

    /// So many ranks share a core from now on.
    pub(super) fn expect(&self, ranks_per_core: usize) {
        let turns = TURN * ranks_per_core as u64;
        self.long.store(turns.clamp(LONG, SLICE), Ordering::Relaxed);
    }

    /// A yield is over, which began then.
    pub(super) fn pay(&self, began: u64, now: u64) {
        let lasted = now.saturating_sub(began);
        if self.is_shared() != (lasted >= SHARED) {
            self.is_shared.store(lasted >= SHARED, Ordering::Relaxed);
        }
        if lasted < self.long.load(Ordering::Relaxed) {
            return;
        }
        let is_much = PART * lasted >= now.saturating_sub(self.last.load(Ordering::Relaxed));
        let rest = if is_much { TIMES * lasted } else { 0 };
        self.last.store(now + rest, Ordering::Relaxed);
        if is_much {
            self.dear_until.store(now + rest, Ordering::Relaxed);
        }
    }

    /// Whether others want the core who give it back soon.
    #[inline]
    pub(super) fn is_shared(&self) -> bool {
        self.is_shared.load(Ordering::Relaxed)
    }

    /// Whether whoever waits should rather sleep.
    #[inline]
    pub(super) fn is_dear(&self, now: impl FnOnce() -> u64) -> bool {
        let until = self.dear_until.load(Ordering::Relaxed);
        until != 0 && now() < until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn after_long_yields_waiters_sleep_for_a_while_and_then_try_again() {
        let price = Price::new();
        assert!(!price.is_dear(|| 0));
        price.pay(100 * MS, 100 * MS + LONG - 1);
        price.pay(101 * MS, 105 * MS);
        assert!(!price.is_dear(|| 105 * MS), "the first may be an accident");
        price.pay(106 * MS, 110 * MS);
        assert!(price.is_dear(|| 110 * MS) && price.is_dear(|| 190 * MS - 1));
        price.pay(111 * MS, 111 * MS + 100);
        assert!(price.is_dear(|| 112 * MS), "a short yield meanwhile changes nothing");
        assert!(!price.is_dear(|| 190 * MS));
        price.pay(191 * MS, 195 * MS);
        assert!(price.is_dear(|| 195 * MS), "and it is as it was");
    }

    #[test]
    fn with_many_ranks_on_a_core_yields_take_as_long_as_their_turns() {
        let (price, lasted) = (Price::new(), 3 * LONG);
        price.expect(15);
        for began in [100 * MS, 102 * MS, 104 * MS] {
            price.pay(began, began + lasted);
        }
        assert!(!price.is_dear(|| 106 * MS));
        price.expect(4);
        for began in [106 * MS, 108 * MS] {
            price.pay(began, began + lasted);
        }
        assert!(price.is_dear(|| 110 * MS));
    }

    #[test]
    fn a_core_is_shared_if_somebody_has_run_in_the_last_yield() {
        let price = Price::new();
        for (lasted, is_shared) in [(300, false), (4000, true), (3000, true), (400, false)] {
            price.pay(MS, MS + lasted);
            assert_eq!(price.is_shared(), is_shared, "{lasted}");
        }
    }

    #[test]
    fn a_long_yield_now_and_then_is_cheap() {
        let price = Price::new();
        for turn in 1..100 {
            price.pay(turn * 20 * MS, turn * 20 * MS + 2 * MS);
            assert!(!price.is_dear(|| turn * 20 * MS + 2 * MS), "{turn}");
        }
    }

    #[test]
    fn a_clock_that_stands_still_or_goes_back_makes_nothing_dear() {
        let price = Price::new();
        price.pay(9, 9);
        price.pay(1 << 40, 9);
        assert!(!price.is_dear(|| 0));
    }
}
