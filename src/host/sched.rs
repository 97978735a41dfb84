//! The one seam through which everything waits: `park`, `unpark`, `yield_now`.
//!
//! The executor behind it runs each rank on an OS thread.

use std::sync::atomic::{AtomicU32, Ordering};

/// What threads sleep on until somebody has news for them.
///
/// To wait: [`Bell::listen`], look whether there is something to do, and if not [`Bell::park`].
/// To wake: make the news visible by a SeqCst operation, then [`Bell::unpark`]. Either the sleeper
/// sees the news or the waker sees the sleeper. The word: bit 0 says that somebody may sleep, the
/// rest counts the rings.
#[derive(Default)]
pub struct Bell {
    word: AtomicU32,
}

/// That a thread has begun to listen, and since which ring.
#[derive(Clone, Copy, Debug)]
pub struct Heard(u32);

impl Bell {
    /// Announces that the caller may go to sleep.
    pub fn listen(&self) -> Heard {
        Heard(self.word.fetch_or(1, Ordering::SeqCst) | 1)
    }

    /// Sleeps until the first ring after [`Bell::listen`]; may also return without one.
    pub fn park(&self, heard: Heard) {
        let wait = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
        let word = self.word.as_ptr();
        let forever = std::ptr::null::<libc::timespec>();
        // SAFETY: the word is valid as long as `self`.
        unsafe { libc::syscall(libc::SYS_futex, word, wait, heard.0, forever) };
    }

    /// Wakes everybody who listens. Costs one load when nobody does.
    #[inline]
    pub fn unpark(&self) {
        if self.word.load(Ordering::SeqCst) & 1 == 1 {
            self.ring();
        }
    }

    #[cold]
    fn ring(&self) {
        let heard = self.word.load(Ordering::Relaxed);
        if heard & 1 == 0 {
            return;
        }
        let next = heard.wrapping_add(1);
        // A lost race means that somebody else rings, or that one more has begun to listen.
        if self.word.compare_exchange(heard, next, Ordering::SeqCst, Ordering::Relaxed).is_err() {
            return self.ring();
        }
        let wake = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
        // SAFETY: the word is valid as long as `self`.
        unsafe { libc::syscall(libc::SYS_futex, self.word.as_ptr(), wake, i32::MAX) };
    }
}

/// Lets others run.
pub fn yield_now() {
    std::thread::yield_now();
}
