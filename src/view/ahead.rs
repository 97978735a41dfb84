//! Work that a thread of its own does in turn, so that whoever hands it over need not wait for a
//! disk, however slow that is.

use super::start::Start;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What is handed over, and is still to be done.
pub(super) struct Ahead<T>(Arc<Way<T>>);

struct Way<T> {
    state: Mutex<State<T>>,
    moved: Condvar,
}

struct State<T> {
    /// Each with its size.
    waiting: VecDeque<(T, usize)>,
    /// The size of all that is not done.
    bytes: usize,
    /// Nothing more is to come.
    is_closed: bool,
    trouble: Option<io::Error>,
}

/// What the thread does: with the next one, or while it waits for one.
pub(super) trait Work<T>: Send + 'static {
    fn take(&mut self, next: T) -> io::Result<()>;
    fn rest(&mut self) -> io::Result<()>;
}

/// How long the thread waits for more before it rests.
const IDLE: Duration = Duration::from_millis(500);

impl<T: Send + 'static> Ahead<T> {
    pub(super) fn begin(work: impl Work<T>, start: Start) -> io::Result<Ahead<T>> {
        let state = State { waiting: VecDeque::new(), bytes: 0, is_closed: false, trouble: None };
        let way = Arc::new(Way { state: Mutex::new(state), moved: Condvar::new() });
        let its = way.clone();
        start(Box::new(move || its.work_off(work)))?;
        Ok(Ahead(way))
    }

    /// The size of what has been handed over and is not done.
    pub(super) fn bytes(&self) -> usize {
        self.0.lock().bytes
    }

    /// Waits until that is no more than so much.
    pub(super) fn wait(&self, most: usize) {
        let state = self.0.lock();
        drop(self.0.moved.wait_while(state, |state| state.bytes > most));
    }

    pub(super) fn put(&self, next: T, bytes: usize) {
        let mut state = self.0.lock();
        // What comes after a gap is of no use.
        if state.trouble.is_none() {
            state.bytes += bytes;
            state.waiting.push_back((next, bytes));
        }
        drop(state);
        self.0.moved.notify_all();
    }

    /// Waits until all is done, for so long at most if that is said; whether it is.
    pub(super) fn end(&self, patience: Option<Duration>) -> io::Result<bool> {
        let mut state = self.0.lock();
        state.is_closed = true;
        self.0.moved.notify_all();
        let is_under_way = |state: &mut State<T>| state.bytes > 0 || !state.waiting.is_empty();
        let (mut state, is_late) = match patience {
            Some(patience) => {
                let waited = self.0.moved.wait_timeout_while(state, patience, is_under_way);
                let (state, late) = waited.unwrap_or_else(PoisonError::into_inner);
                (state, late.timed_out())
            }
            None => {
                let waited = self.0.moved.wait_while(state, is_under_way);
                (waited.unwrap_or_else(PoisonError::into_inner), false)
            }
        };
        state.trouble.take().map_or(Ok(!is_late), Err)
    }
}

impl<T> Drop for Ahead<T> {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.moved.notify_all();
    }
}

impl<T> Way<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // Every change is whole before anything can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work_off(&self, mut work: impl Work<T>) {
        let mut is_rested = true;
        loop {
            let is_idle = |state: &mut State<T>| state.waiting.is_empty() && !state.is_closed;
            let state = self.lock();
            let mut state = if is_rested {
                let waited = self.moved.wait_while(state, is_idle);
                waited.unwrap_or_else(PoisonError::into_inner)
            } else {
                let waited = self.moved.wait_timeout_while(state, IDLE, is_idle);
                waited.unwrap_or_else(PoisonError::into_inner).0
            };
            let next = state.waiting.pop_front();
            let is_last = next.is_none() && state.is_closed;
            drop(state);
            let (done, bytes) = match next {
                Some((next, bytes)) => (work.take(next), bytes),
                None if is_last => return,
                None => (work.rest(), 0),
            };
            is_rested = bytes == 0;
            let mut state = self.lock();
            state.bytes -= bytes;
            if let Err(why) = done {
                state.waiting.clear();
                (state.bytes, state.trouble) = (0, Some(why));
            }
            drop(state);
            self.moved.notify_all();
        }
    }
}
