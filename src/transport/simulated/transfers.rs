//! Transfers: data that one rank moves between another one's memory and its own, in which that one
//! takes no part. Whoever began them waits for them together, or has something done when all have
//! come.

use crate::host::sched::Bell;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Transfers that are under way together.
#[derive(Clone, Default)]
pub struct Transfers(Arc<Inner>);

#[derive(Default)]
struct Inner {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    under_way: usize,
    then: Vec<Box<dyn FnOnce() + Send>>,
}

impl Transfers {
    /// One more begins, which ends when what this returns is called.
    pub fn hold(&self) -> impl FnOnce() + Send + use<> {
        self.0.state.lock().under_way += 1;
        let all = self.clone();
        move || all.end()
    }

    fn end(&self) {
        let mut state = self.0.state.lock();
        state.under_way -= 1;
        if state.under_way == 0 {
            let then = std::mem::take(&mut state.then);
            drop(state);
            then.into_iter().for_each(|call| call());
        }
    }

    pub fn are_over(&self) -> bool {
        self.0.state.lock().under_way == 0
    }

    /// Calls `call` when none is under way any more.
    pub fn then(&self, call: impl FnOnce() + Send + 'static) {
        let mut state = self.0.state.lock();
        if state.under_way > 0 {
            state.then.push(Box::new(call));
            return;
        }
        drop(state);
        call();
    }

    /// The calling rank, whose bell this is, waits until none is under way any more. False if it
    /// is to die first.
    pub fn await_at(&self, bell: &'static Bell, is_to_die: impl Fn() -> bool) -> bool {
        self.then(|| bell.unpark());
        loop {
            let heard = bell.listen();
            if self.are_over() {
                return true;
            }
            if is_to_die() {
                return false;
            }
            bell.park(heard);
        }
    }
}

/// Transfers of some seats: most often of none.
#[derive(Default)]
pub(super) struct OfSeats {
    many: AtomicUsize,
    by_seat: Mutex<FxHashMap<usize, Transfers>>,
}

impl OfSeats {
    /// Those of a seat that are under way, or have been.
    #[inline]
    pub(super) fn of(&self, seat: usize) -> Option<Transfers> {
        match self.many.load(Ordering::Relaxed) {
            0 => None,
            _ => self.find(seat),
        }
    }

    #[cold]
    fn find(&self, seat: usize) -> Option<Transfers> {
        self.by_seat.lock().get(&seat).cloned()
    }

    /// One more of this seat begins, which ends when what this returns is called.
    pub(super) fn hold(&self, seat: usize) -> impl FnOnce() + Send + use<> {
        let mut by_seat = self.by_seat.lock();
        let end = by_seat.entry(seat).or_default().hold();
        self.many.store(by_seat.len(), Ordering::Relaxed);
        end
    }

    pub(super) fn forget(&self, seat: usize) {
        let mut by_seat = self.by_seat.lock();
        by_seat.remove(&seat);
        self.many.store(by_seat.len(), Ordering::Relaxed);
    }
}
