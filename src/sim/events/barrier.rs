//! A barrier for threads at the end of a tick: they spin first, for a tick is short, and then
//! yield.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

pub(super) struct Barrier {
    members: usize,
    arrived: AtomicUsize,
    round: AtomicUsize,
    is_broken: AtomicBool,
}

/// How often a thread looks before it yields the core.
const LOOKS: u32 = 2_000;

impl Barrier {
    pub(super) fn new(members: usize) -> Barrier {
        let (arrived, round) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Barrier { members, arrived, round, is_broken: AtomicBool::new(false) }
    }

    /// Returns when all members have arrived here.
    pub(super) fn meet(&self) {
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.members {
            self.arrived.store(0, Ordering::Release);
            self.round.store(round + 1, Ordering::Release);
            return;
        }
        let mut looks = 0;
        while self.round.load(Ordering::Acquire) == round {
            assert!(!self.is_broken.load(Ordering::Acquire), "another thread has panicked");
            looks += 1;
            match looks < LOOKS {
                true => std::hint::spin_loop(),
                false => std::thread::yield_now(),
            }
        }
    }

    /// A member panics if it is dropped amid its work: no member waits for it.
    pub(super) fn guard(&self) -> Guard<'_> {
        Guard(self)
    }
}

pub(super) struct Guard<'a>(&'a Barrier);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.is_broken.store(true, Ordering::Release);
        }
    }
}
