//! How many recoveries a rank has taken part in, and how long they took it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

#[derive(Default)]
pub struct RecoveryTimes {
    count: AtomicU64,
    nanoseconds: AtomicU64,
}

impl RecoveryTimes {
    /// The rank has taken part in one.
    pub(super) fn add(&self, time: Duration) {
        self.count.fetch_add(1, Ordering::Relaxed);
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    pub fn nanoseconds(&self) -> u64 {
        self.nanoseconds.load(Ordering::Relaxed)
    }
}
