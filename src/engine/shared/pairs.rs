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
        if let Some(count) = self.row(from).get(to) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What this sender has sent so far counts no more.
    pub(super) fn forget(&self, from: usize) {
        self.row(from).iter().for_each(|count| count.store(0, Ordering::Relaxed));
    }

    /// The pairs with messages: sender, receiver, how many.
    pub fn all(&self) -> impl Iterator<Item = (usize, usize, u64)> {
        let of = |from| self.of(from).map(move |(to, count)| (from, to, count));
        self.senders.clone().flat_map(of)
    }

    /// To which seats a sender has sent, and how many.
    pub fn of(&self, from: usize) -> impl Iterator<Item = (usize, u64)> {
        let counts = self.row(from).iter().map(|count| count.load(Ordering::Relaxed));
        counts.enumerate().filter(|(_, count)| *count > 0)
    }

    fn row(&self, from: usize) -> &[AtomicU64] {
        if !self.senders.contains(&from) {
            return &[];
        }
        let start = (from - self.senders.start) * self.seats;
        &self.counts[start..start + self.seats]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_messages_of_a_sender_are_forgotten_and_those_of_others_are_not() {
        let pairs = Pairs::new(2..4, 5);
        for (from, to) in [(2, 0), (3, 4), (2, 0), (3, 1), (1, 0), (2, 5)] {
            pairs.count(from, to);
        }
        assert_eq!(pairs.all().collect::<Vec<_>>(), [(2, 0, 2), (3, 1, 1), (3, 4, 1)]);
        pairs.forget(3);
        pairs.forget(4);
        assert_eq!(pairs.all().collect::<Vec<_>>(), [(2, 0, 2)]);
        assert_eq!((pairs.of(2).collect::<Vec<_>>(), pairs.of(4).count()), (vec![(0, 2)], 0));
    }
}
