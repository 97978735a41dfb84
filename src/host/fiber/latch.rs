//! Latches: locks held for a few instructions, and freed by a plain store, which costs a fraction
//! of what a lock costs that threads sleep on.

use std::cell::UnsafeCell;
use std::hint::spin_loop;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Default)]
pub(super) struct Latch(AtomicBool);

impl Latch {
    #[inline]
    pub(super) fn take(&self) {
        if self.0.swap(true, Ordering::Acquire) {
            self.wait();
        }
    }

    #[cold]
    fn wait(&self) {
        let mut turns = 0;
        while self.0.load(Ordering::Relaxed) || self.0.swap(true, Ordering::Acquire) {
            turns += 1;
            match turns % 100 {
                // Its holder may wait for this core.
                // SAFETY: has no preconditions.
                0 => _ = unsafe { libc::sched_yield() },
                _ => spin_loop(),
            }
        }
    }

    #[inline]
    pub(super) fn free(&self) {
        self.0.store(false, Ordering::Release);
    }
}

/// A value that its latch guards.
#[derive(Default)]
pub(super) struct Latched<T> {
    latch: Latch,
    value: UnsafeCell<T>,
}

// SAFETY: one thread at a time has the value.
unsafe impl<T: Send> Sync for Latched<T> {}

impl<T> Latched<T> {
    #[inline]
    pub(super) fn hold(&self) -> Held<'_, T> {
        self.latch.take();
        Held(self)
    }
}

/// Holds a latch, until it is dropped.
pub(super) struct Held<'a, T>(&'a Latched<T>);

impl<T> Deref for Held<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the latch is held.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Held<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Held<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.0.latch.free();
    }
}
