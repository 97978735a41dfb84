//! A one-word lock that survives `fork` and reports when its holder tries to take it again.
//!
//! ```text
//! 0 free   1 held   2 held, and a thread may sleep on it
//! ```
//!
//! A fault inside a corrupted heap leads to a handler of the program (libgfortran's prints a
//! backtrace), which allocates: it must not wait for the thread that it interrupted.

use crate::host::errno;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

#[derive(Default)]
pub(super) struct Latch {
    word: AtomicU32,
    holder: AtomicUsize,
}

/// Releases the latch when it goes out of scope.
pub(super) struct Held<'a>(&'a Latch);

/// A name for the calling thread: the address of its descriptor.
#[inline]
fn this_thread() -> usize {
    let thread;
    // SAFETY: reads the word that points to itself; the ABI of x86-64 puts it there.
    unsafe {
        std::arch::asm!("mov {}, fs:[0]", out(reg) thread, options(nostack, readonly, pure));
    }
    thread
}

impl Latch {
    pub(super) const fn new() -> Latch {
        Latch { word: AtomicU32::new(0), holder: AtomicUsize::new(0) }
    }

    /// Waits until no other thread holds it; `None` if the calling thread does already.
    #[inline]
    pub(super) fn hold(&self) -> Option<Held<'_>> {
        let taken = self.word.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed);
        if taken.is_err() && !self.acquire_slowly() {
            return None;
        }
        self.holder.store(this_thread(), Ordering::Relaxed);
        Some(Held(self))
    }

    /// Frees it by force: its holder is dead.
    #[inline]
    pub(super) fn release(&self) {
        self.holder.store(0, Ordering::Relaxed);
        if self.word.swap(0, Ordering::Release) == 2 {
            self.wake_one();
        }
    }

    #[cold]
    fn acquire_slowly(&self) -> bool {
        if self.holder.load(Ordering::Relaxed) == this_thread() {
            return false;
        }
        for _ in 0..100 {
            std::hint::spin_loop();
            if self.word.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                return true;
            }
        }
        // A successful allocation must not change it.
        errno::kept(|| {
            while self.word.swap(2, Ordering::Acquire) != 0 {
                let for_ever = std::ptr::null::<libc::timespec>();
                let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
                let word = self.word.as_ptr();
                // SAFETY: the word lives as long as `self`; the loop handles spurious returns.
                unsafe { libc::syscall(libc::SYS_futex, word, operation, 2, for_ever) };
            }
        });
        true
    }

    #[cold]
    fn wake_one(&self) {
        let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
        // SAFETY: waking uses the word as a name only.
        unsafe { libc::syscall(libc::SYS_futex, self.word.as_ptr(), operation, 1) };
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
                        let _held = counter.0.hold().unwrap();
                        assert!(counter.0.hold().is_none(), "it is held by this very thread");
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
