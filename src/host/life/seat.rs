//! Seats: who lives in each, and who holds on to the memory of the one that did.

use super::ground::Ground;
use crate::host::Rank;
use parking_lot::Mutex;
use std::ops::Deref;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// A place for one rank at a time.
///
/// `tenure`: incarnation in the upper half, then one bit *closed*, then the number of pins.
///
/// | closed | pins | meaning                             | `pin`  | next                       |
/// |--------|------|-------------------------------------|--------|----------------------------|
/// | no     | any  | its memory is there (dead or alive) | counts | the supervisor closes      |
/// | yes    | > 0  | waits for copies and visits         | `None` | pins fall                  |
/// | yes    | 0    | its memory and record may go        | `None` | next incarnation, not closed |
pub(super) struct Seat {
    /// The record of whoever lives here or was the last who did, until that goes.
    rank: AtomicPtr<Rank>,
    tenure: AtomicU64,
    /// Taken by the supervisor's thread only.
    pub(super) ground: Mutex<Ground>,
}

const CLOSED: u64 = 1 << 31;
const PINS: u64 = CLOSED - 1;
/// Nobody has lived here yet.
const EMPTY: u64 = !PINS;

/// Keeps the memory of one incarnation mapped, and its record, even when it is dead.
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

/// The record of a rank, as somebody sees it who is not of that rank: it stays meanwhile.
pub struct Visit {
    rank: &'static Rank,
    pin: Pin,
}

impl Visit {
    /// The record, for somebody who is about to end the process: it never goes.
    pub fn for_good(self) -> &'static Rank {
        std::mem::forget(self.pin);
        self.rank
    }
}

impl Deref for Visit {
    type Target = Rank;

    fn deref(&self) -> &Rank {
        self.rank
    }
}

impl Seat {
    pub(super) fn new(ground: Ground) -> Seat {
        Seat {
            rank: AtomicPtr::default(),
            tenure: AtomicU64::new(EMPTY),
            ground: Mutex::new(ground),
        }
    }

    /// The rank that lives here, or the last that did. For the supervisor, who alone lets records
    /// go; others [`Seat::visit`].
    pub(super) fn rank(&self) -> Option<&'static Rank> {
        // SAFETY: `vacate` takes a record from here before it goes, on the same thread.
        unsafe { self.rank.load(Ordering::Acquire).as_ref() }
    }

    /// The same for everybody; `None` where the record is about to go, or gone.
    pub(super) fn visit(&'static self) -> Option<Visit> {
        let pin = self.pin_if(|_| true)?;
        // SAFETY: a record stays as long as its seat is pinned.
        let rank = unsafe { self.rank.load(Ordering::Acquire).as_ref() }?;
        Some(Visit { rank, pin })
    }

    /// The incarnation that lives here, or did last.
    pub(super) fn incarnation(&self) -> Option<u32> {
        let tenure = self.tenure.load(Ordering::Acquire);
        (tenure != EMPTY).then_some((tenure >> 32) as u32)
    }

    /// `rank` lives here from now on.
    pub(super) fn let_to(&self, rank: &'static Rank) {
        self.rank.store(std::ptr::from_ref(rank).cast_mut(), Ordering::Release);
        self.tenure.store(u64::from(rank.incarnation) << 32, Ordering::Release);
    }

    /// The record of whoever lived here goes: nobody pins it, and nobody will.
    ///
    /// # Safety
    /// The seat is closed, no pin is left, no thread of the rank is; the caller is the supervisor,
    /// and forgets his own references to the record.
    pub(super) unsafe fn vacate(&self) {
        let rank = self.rank.swap(std::ptr::null_mut(), Ordering::AcqRel);
        if !rank.is_null() {
            // SAFETY: `let_to` got what came out of a box; our caller promises that nobody uses it.
            drop(unsafe { Box::from_raw(rank) });
        }
    }

    pub(super) fn pin(&'static self, incarnation: u32) -> Option<Pin> {
        self.pin_if(|tenant| tenant == incarnation)
    }

    fn pin_if(&'static self, is_meant: impl Fn(u32) -> bool) -> Option<Pin> {
        let mut tenure = self.tenure.load(Ordering::Relaxed);
        loop {
            let incarnation = (tenure >> 32) as u32;
            if !is_meant(incarnation) || tenure & CLOSED != 0 {
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
