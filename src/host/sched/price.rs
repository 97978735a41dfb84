//! What it costs to let other threads run. Beside busy programs, whoever yields gets the core back
//! after their slices, which is milliseconds; a sleeper that is woken gets it within microseconds.

use std::sync::atomic::{AtomicU64, Ordering};

/// A yield that takes so many nanoseconds has cost somebody else's slice.
const LONG: u64 = 200_000;
/// For how many times as long nobody yields after that: then trying again costs little.
const TIMES: u64 = 20;

/// Times are nanoseconds since some moment.
pub(super) struct Price {
    dear_until: AtomicU64,
}

impl Price {
    pub(super) const fn new() -> Price {
        Price { dear_until: AtomicU64::new(0) }
    }

    /// A yield is over, which began then.
    pub(super) fn pay(&self, began: u64, now: u64) {
        let lasted = now.saturating_sub(began);
        if lasted >= LONG {
            self.dear_until.store(now + TIMES * lasted, Ordering::Relaxed);
        }
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

    #[test]
    fn after_a_long_yield_waiters_sleep_for_a_while_and_then_try_again() {
        let price = Price::new();
        assert!(!price.is_dear(|| 0));
        price.pay(1_000, 1_000 + LONG - 1);
        assert!(!price.is_dear(|| LONG));
        price.pay(1_000, 4_001_000);
        assert!(price.is_dear(|| 4_001_000) && price.is_dear(|| 84_000_999));
        price.pay(5_000_000, 5_000_100);
        assert!(price.is_dear(|| 6_000_000), "a short yield meanwhile changes nothing");
        assert!(!price.is_dear(|| 84_001_000));
    }

    #[test]
    fn a_clock_that_stands_still_or_goes_back_makes_nothing_dear() {
        let price = Price::new();
        price.pay(9, 9);
        price.pay(1 << 40, 9);
        assert!(!price.is_dear(|| 0));
    }
}
