//! Runs: computations of the floor above that go on whenever an operation has ended that they wait
//! for. Whoever waits or asks for anything carries on the runs that are due, with nothing locked.
//!
//! A run is an operation itself, so that it can be waited for like any other.
//!
//! | `task` | `is_due` | meaning                                                        |
//! |--------|----------|----------------------------------------------------------------|
//! | there  | no       | waits for an operation                                         |
//! | there  | yes      | stands in the queue of those that can go on                    |
//! | away   | no       | some thread carries it on                                      |
//! | away   | yes      | the same, and meanwhile one of its operations ended: once more |

use super::op::{Died, Mishap, Outcome, Stage};
use super::{Engine, State};
use crate::base::slab::Key;
use crate::transport::Envelope;
use parking_lot::MutexGuard;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// What a run does. It waits for nothing but [`Engine::ended_for`].
pub type Task = Pin<Box<dyn Future<Output = Result<Outcome, Died>> + Send>>;

/// Where a run is.
pub(super) struct Course {
    task: Option<Task>,
    is_due: bool,
}

impl Engine {
    /// A run that has nothing to do yet.
    pub fn open_run(&self) -> Key {
        let course = Course { task: None, is_due: false };
        self.state.lock().begin(Stage::Running(course), Envelope::default(), None)
    }

    /// Lets a run begin, and carries it on until it has to wait.
    pub fn start_run(&self, run: Key, task: Task) -> Result<(), Died> {
        let mut state = self.state.lock();
        let course = state.course(run).expect("a run that was opened is there until it has ended");
        *course = Course { task: Some(task), is_due: true };
        state.due.push_back(run);
        self.drive(&mut state)
    }

    /// How an operation has ended, which is forgotten; if it has not, `run` goes on when it has.
    pub fn ended_for(&self, op: Key, run: Key) -> Option<Outcome> {
        let mut state = self.state.lock();
        let outcome = state.ops.collect(op);
        if outcome.is_none()
            && let Some(op) = state.ops.0.find_mut(op)
        {
            op.run = Some(run);
        }
        outcome
    }

    /// Carries on the runs that can go on.
    #[inline]
    pub(super) fn drive(&self, state: &mut MutexGuard<'_, State>) -> Result<(), Died> {
        if state.has_due() {
            self.drive_all(state)?;
        }
        Ok(())
    }

    #[inline(never)]
    fn drive_all(&self, state: &mut MutexGuard<'_, State>) -> Result<(), Died> {
        while let Some(run) = state.due.pop_front() {
            let Some(course) = state.course(run) else { continue };
            course.is_due = false;
            let task = course.task.take().expect("only a run that rests is in the queue");
            let (task, end) = MutexGuard::unlocked(state, || carry_on(task));
            if let Some(outcome) = end? {
                self.finish(state, run, outcome);
                continue;
            }
            let course = state.course(run).expect("a run is there until it has ended");
            course.task = task;
            if course.is_due {
                state.due.push_back(run);
            }
        }
        self.share_news(state);
        Ok(())
    }
}

/// Carries a run on until it has to wait. A run that has ended is gone when its end is known.
fn carry_on(mut task: Task) -> (Option<Task>, Result<Option<Outcome>, Died>) {
    let mut context = Context::from_waker(Waker::noop());
    match catch_unwind(AssertUnwindSafe(|| task.as_mut().poll(&mut context))) {
        Ok(Poll::Pending) => (Some(task), Ok(None)),
        Ok(Poll::Ready(end)) => (None, end.map(Some)),
        Err(_) => (None, Ok(Some(Outcome { mishap: Some(Mishap::Failed), ..Outcome::default() }))),
    }
}

impl State {
    fn course(&mut self, run: Key) -> Option<&mut Course> {
        match &mut self.ops.0.find_mut(run)?.stage {
            Stage::Running(course) => Some(course),
            _ => None,
        }
    }

    /// Whether a run can go on.
    #[inline]
    pub(super) fn has_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// One of the operations of `run` has ended.
    pub(super) fn wake_run(&mut self, run: Key) {
        let Some(course) = self.course(run) else { return };
        if !std::mem::replace(&mut course.is_due, true) && course.task.is_some() {
            self.due.push_back(run);
        }
    }
}
