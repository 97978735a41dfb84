//! How many messages each rank has sent to each other one, counted from when somebody asks.
//!
//! Nothing is counted before that, and the fast path of messages does not count: ranks leave it
//! from then on.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number for each pair of a sender of this process and a seat.
pub struct Pairs {
    senders: Range<usize>,
    seats: usize,
    counts: Box<[AtomicU64]>,
}

impl Pairs {
    /// The most seats: the table has the square of that.
    pub const MOST_SEATS: usize = 1024;

    pub(super) fn new(senders: Range<usize>, seats: usize) -> Pairs {
        let counts = (0..senders.len() * seats).map(|_| AtomicU64::new(0)).collect();
        Pairs { senders, seats, counts }
    }

    /// A rank has sent one more message to this one.
    pub(in crate::engine) fn count(&self, from: usize, to: usize) {
        if self.senders.contains(&from) && to < self.seats {
            self.counts[(from - self.senders.start) * self.seats + to]
                .fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The pairs with messages: sender, receiver, how many.
    pub fn all(&self) -> impl Iterator<Item = (usize, usize, u64)> {
        let counts = self.counts.iter().enumerate();
        let told = counts.map(|(at, count)| (at, count.load(Ordering::Relaxed)));
        told.filter(|(_, count)| *count > 0)
            .map(|(at, count)| (self.senders.start + at / self.seats, at % self.seats, count))
    }
}
