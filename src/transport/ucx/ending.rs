//! The end of the process, in which UCX takes itself apart while other threads still run: a thread
//! that lets it work then would end the process by an error of UCX's.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Whether the process ends, and how many threads use UCX.
struct Ending {
    is_over: AtomicBool,
    users: AtomicUsize,
}

static ENDING: Ending = Ending::new();

impl Ending {
    const fn new() -> Ending {
        Ending { is_over: AtomicBool::new(false), users: AtomicUsize::new(0) }
    }

    fn unless_over<R>(&self, work: impl FnOnce() -> R) -> Option<R> {
        self.users.fetch_add(1, Ordering::SeqCst);
        let is_over = self.is_over.load(Ordering::SeqCst);
        let done = if is_over { None } else { Some(work()) };
        self.users.fetch_sub(1, Ordering::SeqCst);
        done
    }

    /// A thread that does not come back from UCX is not waited for.
    fn end(&self) {
        const LONGEST: Duration = Duration::from_secs(1);
        self.is_over.store(true, Ordering::SeqCst);
        let began = Instant::now();
        while self.users.load(Ordering::SeqCst) > 0 && began.elapsed() < LONGEST {
            thread::yield_now();
        }
    }
}

/// Uses UCX, unless the process ends.
pub(super) fn unless_over<R>(work: impl FnOnce() -> R) -> Option<R> {
    ENDING.unless_over(work)
}

/// From now on, `exit` waits until nobody uses UCX, which was opened before.
pub(super) fn watch_exit() {
    static ONCE: Once = Once::new();
    // SAFETY: the function stays.
    ONCE.call_once(|| _ = unsafe { libc::atexit(over) });
}

/// Runs before UCX's own ending.
extern "C" fn over() {
    ENDING.end();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn the_end_waits_for_whoever_uses_it_and_nobody_does_afterwards() {
        let (ending, both, left) = (Ending::new(), Barrier::new(2), AtomicBool::new(false));
        thread::scope(|scope| {
            scope.spawn(|| {
                ending.unless_over(|| {
                    both.wait();
                    while !ending.is_over.load(Ordering::SeqCst) {
                        thread::yield_now();
                    }
                    left.store(true, Ordering::SeqCst);
                })
            });
            both.wait();
            ending.end();
            assert!(left.load(Ordering::SeqCst));
        });
        assert_eq!(ending.unless_over(|| 7), None);
    }
}
