//! The kernel's futex and fibers, for the model checker.

use loom::sync::{Condvar, Mutex};

#[derive(Default)]
pub(super) struct Kernel {
    queue: Mutex<()>,
    woken: Condvar,
}

/// A fiber, as a thread of the model; `None` for one that uses the kernel.
pub(super) struct Fiber {
    is_called: Mutex<bool>,
    call: Condvar,
}

loom::thread_local! {
    static CURRENT: std::cell::Cell<Option<&'static Fiber>> = std::cell::Cell::new(None);
}

pub(super) fn this_fiber() -> Option<&'static Fiber> {
    CURRENT.with(std::cell::Cell::get)
}

impl Fiber {
    /// Makes the calling thread a fiber.
    pub(super) fn begin() {
        let fiber = Fiber { is_called: Mutex::new(false), call: Condvar::new() };
        CURRENT.with(|current| current.set(Some(Box::leak(Box::new(fiber)))));
    }

    pub(super) fn wake(&'static self) {
        *self.is_called.lock().expect("no test panics in here") = true;
        self.call.notify_one();
    }

    pub(super) fn block(&'static self, _: Option<std::time::Instant>) {
        let mut is_called = self.is_called.lock().expect("no test panics in here");
        while !*is_called {
            is_called = self.call.wait(is_called).expect("no test panics in here");
        }
        *is_called = false;
    }

    pub(super) fn yield_now(&'static self) {
        loom::thread::yield_now();
    }
}

impl Kernel {
    /// Compares and sleeps in one step, as the kernel does; may wake spuriously.
    pub(super) fn wait(&self, is_as_seen: impl FnOnce() -> bool) {
        let queue = self.queue.lock().expect("no test panics in here");
        if is_as_seen() {
            drop(self.woken.wait(queue).expect("no test panics in here"));
        }
    }

    pub(super) fn wake_all(&self) {
        let queue = self.queue.lock().expect("no test panics in here");
        self.woken.notify_all();
        drop(queue);
    }
}
