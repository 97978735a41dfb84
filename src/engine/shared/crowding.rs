//! How many ranks share a core: what those do who wait, and which algorithms are selected, depends
//! on it.

use crate::host::sched;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The ranks of a job that live in this process, and the cores for them.
pub struct Crowding {
    /// The ranks of the first world, which take the first seats.
    first: usize,
    cores: usize,
    /// How many ranks share a core, where that does not follow from the cores of this process.
    told: Option<usize>,
    /// The ranks of spawned worlds that live.
    spawned: AtomicUsize,
    is_crowded: AtomicBool,
}

impl Crowding {
    pub(in crate::engine) fn new(first: usize, cores: usize) -> Crowding {
        let is_crowded = AtomicBool::new(first > cores);
        Crowding { first, cores, told: None, spawned: AtomicUsize::new(0), is_crowded }
    }

    /// Ranks that are to believe that so many of them share a core, whatever they do.
    pub(in crate::engine) fn told(self, ranks_per_core: usize) -> Crowding {
        Crowding { told: Some(ranks_per_core), ..self }
    }

    /// Ranks in several processes, of which so many share a core.
    pub(in crate::engine) fn across(ranks_per_core: usize) -> Crowding {
        Crowding::new(ranks_per_core, 1).told(ranks_per_core)
    }

    /// Whether ranks have to share cores.
    #[inline]
    pub(in crate::engine) fn is_crowded(&self) -> bool {
        self.is_crowded.load(Ordering::Relaxed)
    }

    /// How many ranks share a core while those live who sit in the first `seats` seats. It is the
    /// same at any time, as members of a communicator select by it.
    #[inline]
    pub fn ranks_per_core(&self, seats: usize) -> usize {
        self.told.unwrap_or_else(|| self.first.max(seats).div_ceil(self.cores))
    }

    /// A rank begins in this seat.
    pub fn begins(&self, seat: usize) {
        if seat >= self.first {
            self.count(self.spawned.fetch_add(1, Ordering::Relaxed) + 1);
        }
    }

    /// A rank has ended in this seat.
    pub fn has_ended(&self, seat: usize) {
        if seat >= self.first {
            self.count(self.spawned.fetch_sub(1, Ordering::Relaxed) - 1);
        }
    }

    fn count(&self, spawned: usize) {
        let ranks = self.first + spawned;
        self.is_crowded.store(ranks > self.cores, Ordering::Relaxed);
        sched::expect_crowd(ranks.div_ceil(self.cores));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spawned_ranks_make_a_crowd_for_as_long_as_they_live() {
        let crowding = Crowding::new(2, 2);
        assert!(!crowding.is_crowded());
        [2, 3].into_iter().for_each(|seat| crowding.begins(seat));
        assert!(crowding.is_crowded());
        crowding.has_ended(3);
        crowding.begins(1);
        assert!(crowding.is_crowded());
        crowding.has_ended(2);
        assert!(!crowding.is_crowded(), "a replacement in the first world is no newcomer");
    }

    #[test]
    fn a_communicator_counts_seats_up_to_its_last_member() {
        let crowding = Crowding::new(2, 2);
        assert_eq!(crowding.ranks_per_core(1), 1);
        assert_eq!(crowding.ranks_per_core(2), 1);
        assert_eq!(crowding.ranks_per_core(66), 33);
        assert_eq!(Crowding::new(8, 2).told(1).ranks_per_core(8), 1);
        assert!(Crowding::new(8, 2).told(1).is_crowded());
        assert!(Crowding::across(15).is_crowded() && !Crowding::across(1).is_crowded());
    }
}
