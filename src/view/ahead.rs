//! A thread that does submitted work in order, so that the submitter need not wait for a disk,
//! however slow that is.

use super::start::Start;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Submitted work that is still to be done.
pub(super) struct Ahead<T>(Arc<Way<T>>);

struct Way<T> {
    state: Mutex<State<T>>,
    moved: Condvar,
}

struct State<T> {
    /// Each with its size.
    waiting: VecDeque<(T, usize)>,
    /// The size of all unfinished work.
    bytes: usize,
    /// Nothing more will be submitted.
    is_closed: bool,
    trouble: Option<io::Error>,
}

/// The thread's work: on the next item, or while it waits for one.
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

    /// The size of the unfinished work.
    pub(super) fn bytes(&self) -> usize {
        self.0.lock().bytes
    }

    /// Waits until the unfinished work is at most this much.
    pub(super) fn wait(&self, most: usize) {
        let state = self.0.lock();
        drop(self.0.moved.wait_while(state, |state| state.bytes > most));
    }

    pub(super) fn put(&self, next: T, bytes: usize) {
        let mut state = self.0.lock();
        // Data after a gap is useless.
        if state.trouble.is_none() {
            state.bytes += bytes;
            state.waiting.push_back((next, bytes));
        }
        drop(state);
        self.0.moved.notify_all();
    }

    /// Waits until everything is done, at most this long if a limit is given; returns whether it
    /// is.
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
        // Every change is complete before anything can panic.
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
