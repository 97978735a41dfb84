//! The fibers that wait for one bell.
//!
//! ```text
//! waiter                              ringer
//!   puts itself into the line           changes the bell's word
//!   has the word changed? then leave    takes the whole line, and calls every fiber in it
//!   else wait to be called
//! ```
//!
//! The first fiber to wait is the *regular*: it counts as always standing in the line, so that a
//! wait costs it nothing here, and it may be called when it does not wait. Other fibers have places
//! on their stacks. No fiber can step out of the middle: one that wants to leave takes the whole
//! line as a ringer does and calls the others, perhaps without need. If it does not find itself, a
//! ringer has taken it and is about to call it.

#[cfg(loom)]
use crate::base::sync::atomic::fence;
use crate::base::sync::atomic::{AtomicPtr, AtomicU8, Ordering};
use std::ptr::null_mut;
use std::time::Instant;

#[cfg(loom)]
pub(super) use super::model::Fiber;
#[cfg(not(loom))]
pub(super) use crate::host::fiber::Fiber;

/// The model checker derives the single order of SeqCst operations from fences only.
#[inline]
pub(super) fn order_for_model() {
    #[cfg(loom)]
    fence(Ordering::SeqCst);
}

#[derive(Default)]
pub(super) struct Line {
    regular: AtomicPtr<Fiber>,
    first: AtomicPtr<Place>,
}

struct Place {
    fiber: &'static Fiber,
    next: *mut Place,
    /// 1 when it is out of the line. No other fiber touches the place from then on.
    is_called: AtomicU8,
}

impl Line {
    #[cfg(not(loom))]
    pub(super) const fn new() -> Line {
        Line { regular: AtomicPtr::new(null_mut()), first: AtomicPtr::new(null_mut()) }
    }

    /// Calls every waiting fiber, each by `wake`.
    #[inline]
    pub(super) fn call_all(&self, mut wake: impl FnMut(&'static Fiber)) {
        // SAFETY: fibers stay until the process ends.
        if let Some(regular) = unsafe { self.regular.load(Ordering::SeqCst).as_ref() } {
            wake(regular);
        }
        if !self.first.load(Ordering::SeqCst).is_null() {
            self.take(null_mut(), &mut wake);
        }
    }

    /// Calls every waiting fiber except `own`; returns whether `own` was there.
    fn take(&self, own: *mut Place, wake: &mut impl FnMut(&'static Fiber)) -> bool {
        let mut found = false;
        let mut at = self.first.swap(null_mut(), Ordering::SeqCst);
        // SAFETY: a fiber in the line does not leave its place before it is called.
        while let Some(place) = unsafe { at.as_ref() } {
            let (fiber, next) = (place.fiber, place.next);
            if std::ptr::eq(at, own) {
                found = true;
            } else {
                place.is_called.store(1, Ordering::Release);
                wake(fiber);
            }
            at = next;
        }
        found
    }

    /// Whether `fiber` is the regular waiter. The first fiber to ask becomes the regular.
    #[inline]
    fn is_regular(&self, fiber: &'static Fiber) -> bool {
        let fiber = std::ptr::from_ref(fiber).cast_mut();
        let mut regular = self.regular.load(Ordering::Relaxed);
        if regular.is_null() {
            let order = Ordering::SeqCst;
            let before = self.regular.compare_exchange(null_mut(), fiber, order, order);
            regular = before.map_or_else(|other| other, |_| fiber);
            order_for_model();
        }
        std::ptr::eq(regular, fiber)
    }

    /// Makes `fiber`, the caller, wait until it is called or until that time, provided that the
    /// bell has not rung once it is in the line.
    pub(super) fn wait(
        &self, fiber: &'static Fiber, until: Option<Instant>, has_rung: impl Fn() -> bool,
    ) {
        if self.is_regular(fiber) {
            if !has_rung() {
                fiber.block(until);
            }
            return;
        }
        let mut place = Place { fiber, next: null_mut(), is_called: AtomicU8::new(0) };
        let own = &raw mut place;
        let mut first = self.first.load(Ordering::Relaxed);
        loop {
            // SAFETY: the place is ours until it is in the line.
            unsafe { (*own).next = first };
            let (set, seen) = (Ordering::SeqCst, Ordering::Relaxed);
            match self.first.compare_exchange_weak(first, own, set, seen) {
                Ok(_) => break,
                Err(now) => first = now,
            }
        }
        order_for_model();
        // SAFETY: the place lives until the end of this function.
        let is_called = || unsafe { &(*own).is_called }.load(Ordering::Acquire) == 1;
        if !has_rung() {
            fiber.block(until);
        }
        if is_called() || self.take(own, &mut |other| other.wake()) {
            return;
        }
        while !is_called() {
            // The ringer that has taken us runs on another core, or waits for this one.
            crate::host::cores::let_threads_run();
        }
    }
}

// SAFETY: places are handed from one to the other through the line.
unsafe impl Send for Line {}
// SAFETY: as above.
unsafe impl Sync for Line {}
