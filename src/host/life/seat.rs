//! Seats: who lives in each, and who holds on to the memory of the one that did.

use super::ground::Ground;
use crate::host::Rank;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// A place for one rank at a time.
///
/// `tenure`: incarnation in the upper half, then one bit *closed*, then the number of pins.
///
/// | closed | pins | meaning                             | `pin`  | next                       |
/// |--------|------|-------------------------------------|--------|----------------------------|
/// | no     | any  | its memory is there (dead or alive) | counts | the undertaker closes      |
/// | yes    | > 0  | waits for copies in progress        | `None` | pins fall                  |
/// | yes    | 0    | its memory may go                   | `None` | next incarnation, not closed |
pub(super) struct Seat {
    rank: AtomicPtr<Rank>,
    tenure: AtomicU64,
    /// Taken by the undertaker's thread only.
    pub(super) ground: Mutex<Ground>,
}

const CLOSED: u64 = 1 << 31;
const PINS: u64 = CLOSED - 1;

/// Keeps the memory of one incarnation mapped, even when it is dead.
#[derive(Debug)]
pub struct Pin {
    tenure: Option<&'static AtomicU64>,
    incarnation: u32,
}

impl Pin {
    /// A pin where there is nothing to hold.
    pub(super) fn idle() -> Pin {
        Pin { tenure: None, incarnation: 0 }
    }
}

impl Seat {
    pub(super) fn new(ground: Ground) -> Seat {
        Seat {
            rank: AtomicPtr::default(),
            tenure: AtomicU64::new(CLOSED),
            ground: Mutex::new(ground),
        }
    }

    /// The rank that lives here, or the last that did.
    pub(super) fn rank(&self) -> Option<&'static Rank> {
        // SAFETY: only records that stay until the process ends are stored.
        unsafe { self.rank.load(Ordering::Acquire).as_ref() }
    }

    /// `rank` lives here from now on.
    pub(super) fn let_to(&self, rank: &'static Rank) {
        self.rank.store(std::ptr::from_ref(rank).cast_mut(), Ordering::Release);
        self.tenure.store(u64::from(rank.incarnation) << 32, Ordering::Release);
    }

    pub(super) fn pin(&'static self, incarnation: u32) -> Option<Pin> {
        let mut tenure = self.tenure.load(Ordering::Relaxed);
        loop {
            if tenure >> 32 != u64::from(incarnation) || tenure & CLOSED != 0 {
                return None;
            }
            assert!(tenure & PINS < PINS - 1, "fewer copies than that are in progress");
            let (taken, old) = (Ordering::Acquire, Ordering::Relaxed);
            match self.tenure.compare_exchange_weak(tenure, tenure + 1, taken, old) {
                Ok(_) => return Some(Pin { tenure: Some(&self.tenure), incarnation }),
                Err(now) => tenure = now,
            }
        }
    }

    /// No more pins; whether none is left.
    pub(super) fn close(&self) -> bool {
        self.tenure.fetch_or(CLOSED, Ordering::AcqRel) & PINS == 0
    }
}

impl Drop for Pin {
    fn drop(&mut self) {
        let Some(tenure) = self.tenure else { return };
        // Who copies for too long is given up: then the seat counts the pins of the next life.
        let is_meant = |now: u64| now >> 32 == u64::from(self.incarnation);
        let fall = |now| is_meant(now).then(|| now - 1);
        let _ = tenure.fetch_update(Ordering::Release, Ordering::Relaxed, fall);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_of_an_earlier_life_does_not_count_in_the_next() {
        let ground = Ground::default();
        let seat: &'static Seat = Box::leak(Box::new(Seat::new(ground)));
        seat.tenure.store(0, Ordering::Relaxed);
        let pin = seat.pin(0).unwrap();
        assert!(!seat.close(), "one copies");
        seat.tenure.store(1 << 32, Ordering::Relaxed);
        let of_next_life = seat.pin(1).unwrap();
        drop(pin);
        assert!(!seat.close(), "one copies from the next life");
        drop(of_next_life);
        assert!(seat.close());
        assert!(seat.pin(1).is_none());
    }
}
