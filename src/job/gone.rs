//! Which seats stay empty.

use std::sync::atomic::{AtomicBool, Ordering};

/// The seats whose ranks have ended for good, once all other ranks could learn of it.
pub(super) struct Gone(Vec<AtomicBool>);

impl Gone {
    /// Beyond the first `ranks` seats nobody lives as long as nobody is spawned.
    pub(super) fn new(ranks: usize, seats: usize) -> Gone {
        Gone((0..seats).map(|seat| AtomicBool::new(seat >= ranks)).collect())
    }

    pub(super) fn seats(&self) -> usize {
        self.0.len()
    }

    /// True if no rank will be in `seat` again.
    pub(super) fn has(&self, seat: usize) -> bool {
        self.0[seat].load(Ordering::Acquire)
    }

    /// No rank will be in `seat` again.
    pub(super) fn note(&self, seat: usize) {
        self.0[seat].store(true, Ordering::Release);
    }
}
