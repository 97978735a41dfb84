//! Which seats stay empty.

use std::sync::atomic::{AtomicBool, Ordering};

/// The seats whose ranks have ended for good, and whose ends everybody has heard of.
pub(super) struct Gone(Vec<AtomicBool>);

impl Gone {
    pub(super) fn new(seats: usize) -> Gone {
        Gone((0..seats).map(|_| AtomicBool::new(false)).collect())
    }

    pub(super) fn seats(&self) -> usize {
        self.0.len()
    }

    /// True if nobody is to come who sits in `seat`.
    pub(super) fn has(&self, seat: usize) -> bool {
        self.0[seat].load(Ordering::Acquire)
    }

    /// Nobody is to come to this seat any more.
    pub(super) fn note(&self, seat: usize) {
        self.0[seat].store(true, Ordering::Release);
    }
}
