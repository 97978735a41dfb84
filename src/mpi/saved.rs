//! When a rank's last checkpoint counted, for those who watch the job.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Nanoseconds since the job began, and one; 0: there is no checkpoint.
#[derive(Default)]
pub struct Saved(AtomicU64);

impl Saved {
    /// A checkpoint counts from this age of the job on.
    pub fn note(&self, age: Duration) {
        self.0.store(age.as_nanos() as u64 + 1, Ordering::Relaxed);
    }

    /// The age of the job when the last checkpoint counted.
    pub fn last(&self) -> Option<Duration> {
        self.0.load(Ordering::Relaxed).checked_sub(1).map(Duration::from_nanos)
    }
}
