//! The signal state of a thread: signals that are held back until it is at a harmless place, and
//! signals that it waits for.

use libc::siginfo_t;
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering, compiler_fence};

/// How many signals are kept with the kernel's description; others are kept as numbers.
const STORIES: usize = 4;

/// One per thread. Only its own thread and handlers on it take things out.
#[derive(Default)]
pub(in crate::host) struct Inbox {
    deferred: AtomicU64,
    /// What waits until a handler is done: the mask of a fiber, which has none in the kernel.
    masked: AtomicU64,
    stories: [Story; STORIES],
    /// Below this address of its stack the thread is in a call in which it holds nothing.
    ease: AtomicUsize,
    /// What it waits for in `sigwait` and the like, and what it ever waited for.
    pub(super) awaits: AtomicU64,
    pub(super) awaited: AtomicU64,
}

/// `number`: 0 free, `WRITING` being written or read, else the signal that it describes.
struct Story {
    number: AtomicI32,
    told: UnsafeCell<MaybeUninit<siginfo_t>>,
}

const WRITING: i32 = -1;

// SAFETY: a story is touched only by the thread that has set its number to `WRITING`.
unsafe impl Sync for Story {}
// SAFETY: plain data that the kernel made, valid in every thread.
unsafe impl Send for Story {}

impl Default for Story {
    fn default() -> Story {
        Story { number: AtomicI32::new(0), told: UnsafeCell::new(MaybeUninit::uninit()) }
    }
}

impl Inbox {
    /// Keeps signal `number` pending. Safe in handlers.
    pub(super) fn defer(&self, number: i32, story: &siginfo_t) {
        let (taken, old) = (Ordering::Acquire, Ordering::Relaxed);
        let claim = |it: &&Story| it.number.compare_exchange(0, WRITING, taken, old).is_ok();
        if let Some(free) = self.stories.iter().find(claim) {
            // SAFETY: the number says that it is ours.
            unsafe { (*free.told.get()).write(*story) };
            free.number.store(number, Ordering::Release);
        }
        self.note(number);
    }

    /// Keeps signal `number` pending, without a description.
    pub(super) fn note(&self, number: i32) {
        self.deferred.fetch_or(1 << number, Ordering::SeqCst);
    }

    pub(in crate::host) fn is_empty(&self) -> bool {
        self.ready() == 0
    }

    fn ready(&self) -> u64 {
        self.deferred.load(Ordering::SeqCst) & !(self.masked.load(Ordering::Relaxed) << 1)
    }

    /// Whether signal `number` waits until a handler is done.
    pub(super) fn is_masked(&self, number: i32) -> bool {
        self.masked.load(Ordering::Relaxed) >> (number - 1) & 1 == 1
    }

    /// Keeps the signals of `set` pending, too; returns the mask before.
    pub(super) fn mask(&self, set: u64) -> u64 {
        self.masked.fetch_or(set, Ordering::Relaxed)
    }

    /// From now on only the signals of `set` wait.
    pub(super) fn mask_only(&self, set: u64) {
        self.masked.store(set, Ordering::Relaxed);
    }

    /// The thread has a mask in the kernel from now on.
    pub(in crate::host) fn hand_mask_to_kernel(&self) {
        let masked = self.masked.swap(0, Ordering::Relaxed);
        if masked != 0 {
            // SAFETY: all zeroes are an empty set.
            let mut set: libc::sigset_t = unsafe { std::mem::zeroed() };
            // SAFETY: a set of signals begins with the bits of the first 64.
            unsafe {
                (&raw mut set).cast::<u64>().write(masked);
                libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut());
            }
        }
    }

    /// The first signal that waits, with its story. On the thread itself only.
    pub(super) fn take(&self) -> Option<(i32, siginfo_t)> {
        let deferred = self.ready();
        let number = (1..64).find(|number| deferred >> number & 1 == 1)?;
        self.deferred.fetch_and(!(1 << number), Ordering::SeqCst);
        let (taken, old) = (Ordering::Acquire, Ordering::Relaxed);
        let claim = |it: &&Story| it.number.compare_exchange(number, WRITING, taken, old).is_ok();
        let Some(known) = self.stories.iter().find(claim) else {
            return Some((number, plain_story(number)));
        };
        // SAFETY: the number says that it is ours, and was set after the story was written.
        let story = unsafe { (*known.told.get()).assume_init_read() };
        known.number.store(0, Ordering::Release);
        Some((number, story))
    }

    /// Runs `call`, a call of libc in which the calling thread holds no lock: meanwhile it may be
    /// ended, and handlers may leave by a jump.
    pub(super) fn at_ease<T>(&self, call: impl FnOnce() -> T) -> T {
        let here = 0u8;
        let before = self.ease.swap((&raw const here).addr(), Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        let result = call();
        compiler_fence(Ordering::SeqCst);
        self.ease.store(before, Ordering::Relaxed);
        result
    }

    /// The thread is about to end, in or out of ease.
    pub(in crate::host) fn forget_ease(&self) {
        self.ease.store(0, Ordering::Relaxed);
    }

    pub(super) fn is_at_ease(&self, sp: usize) -> bool {
        sp <= self.ease.load(Ordering::Relaxed)
    }

    /// What `act`, a handler, does is not part of the call that it has interrupted.
    pub(super) fn out_of_ease<T>(&self, act: impl FnOnce() -> T) -> T {
        let before = self.ease.swap(0, Ordering::Relaxed);
        let result = act();
        self.ease.store(before, Ordering::Relaxed);
        result
    }
}

/// All that can be said about a signal of which only the number is known.
pub(super) fn plain_story(number: i32) -> siginfo_t {
    // SAFETY: all zeroes are a valid description.
    let mut story: siginfo_t = unsafe { std::mem::zeroed() };
    story.si_signo = number;
    story.si_code = libc::SI_TKILL;
    story
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_deferred_signal_comes_out_once_with_its_story() {
        let inbox = Inbox::default();
        for number in [10, 12, 34, 40, 45, 50] {
            let mut story = plain_story(number);
            story.si_errno = number + 1;
            inbox.defer(number, &story);
        }
        inbox.note(10);
        for number in [10, 12, 34, 40] {
            let (taken, story) = inbox.take().unwrap();
            assert_eq!((taken, story.si_errno), (number, number + 1));
        }
        assert_eq!(inbox.take().map(|(number, _)| number), Some(45));
        assert!(!inbox.is_empty());
        assert_eq!(inbox.take().map(|(number, _)| number), Some(50));
        assert!(inbox.take().is_none() && inbox.is_empty());
    }

    #[test]
    fn ease_ends_with_the_call_and_inside_a_handler() {
        let inbox = Inbox::default();
        let sp = (&raw const inbox).addr() - (1 << 16);
        assert!(!inbox.is_at_ease(sp));
        inbox.at_ease(|| {
            assert!(inbox.is_at_ease(sp));
            inbox.out_of_ease(|| assert!(!inbox.is_at_ease(sp)));
            assert!(inbox.is_at_ease(sp));
        });
        assert!(!inbox.is_at_ease(sp));
    }
}
