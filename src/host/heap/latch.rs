//! A lock of one word that survives `fork`: whoever holds it in the parent holds it in the child.
//!
//!     0 free   1 held   2 held, and somebody may sleep on it

use std::sync::atomic::{AtomicU32, Ordering};

#[derive(Default)]
#[repr(transparent)]
pub(super) struct Latch(AtomicU32);

/// Releases the latch when it goes out of scope.
pub(super) struct Held<'a>(&'a Latch);

impl Latch {
    pub(super) const fn new() -> Latch {
        Latch(AtomicU32::new(0))
    }

    #[inline]
    pub(super) fn hold(&self) -> Held<'_> {
        self.acquire();
        Held(self)
    }

    #[inline]
    pub(super) fn acquire(&self) {
        if self.0.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {
            self.acquire_slowly();
        }
    }

    #[inline]
    pub(super) fn release(&self) {
        if self.0.swap(0, Ordering::Release) == 2 {
            self.wake_one();
        }
    }

    #[cold]
    fn acquire_slowly(&self) {
        for _ in 0..100 {
            std::hint::spin_loop();
            if self.0.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                return;
            }
        }
        while self.0.swap(2, Ordering::Acquire) != 0 {
            let nobody = std::ptr::null::<libc::timespec>();
            // SAFETY: the futex word lives as long as `self`; a spurious return is looked at again.
            unsafe {
                let op = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
                libc::syscall(libc::SYS_futex, self.0.as_ptr(), op, 2, nobody)
            };
        }
    }

    #[cold]
    fn wake_one(&self) {
        // SAFETY: waking uses the word as a name only.
        unsafe {
            let op = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
            libc::syscall(libc::SYS_futex, self.0.as_ptr(), op, 1)
        };
    }
}

impl Drop for Held<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::UnsafeCell;
    use std::sync::Arc;

    struct Counter(Latch, UnsafeCell<u64>);
    // SAFETY: the cell is touched only while the latch is held.
    unsafe impl Sync for Counter {}

    #[test]
    fn two_threads_never_hold_it_at_once() {
        let counter = Arc::new(Counter(Latch::default(), UnsafeCell::new(0)));
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let counter = counter.clone();
                std::thread::spawn(move || {
                    for _ in 0..50_000 {
                        let _held = counter.0.hold();
                        // SAFETY: the latch is held.
                        unsafe { *counter.1.get() += 1 };
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        // SAFETY: the threads are gone.
        assert_eq!(unsafe { *counter.1.get() }, 200_000);
    }
}
