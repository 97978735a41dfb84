//! Runs: computations of the floor above that go on whenever an operation has ended that they wait
//! for. A thread that waits or tests carries on the runs that are due, with nothing locked.
//!
//! A run is an operation itself, so that it can be waited for like any other.
//!
//! | `task` | `is_due` | meaning                                                        |
//! |--------|----------|----------------------------------------------------------------|
//! | there  | no       | waits for an operation                                         |
//! | there  | yes      | stands in the queue of those that can go on                    |
//! | away   | no       | some thread carries it on                                      |
//! | away   | yes      | the same, and meanwhile one of its operations ended: once more |

use crate::base::slab::Key;
use crate::base::sync::biased::Guard;
use crate::engine::rank::operation::{Course, Died, Mishap, Ops, Outcome, Stage, Task};
use crate::engine::{Engine, State};
use crate::transport::Envelope;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll, Waker};

impl Engine {
    /// Starts the run that `make` makes, which is told its key, and carries it on until it has to
    /// wait. `None`: it has ended well already.
    pub fn start_run(&self, make: impl FnOnce(Key) -> Task) -> Result<Option<Key>, Died> {
        let mut state = self.state.lock();
        let course = Course { task: None, is_due: false };
        let run = state.begin(Stage::Running(course), Envelope::default(), None);
        let (task, end) = Guard::unlocked(&mut state, || carry_on(make(run)));
        let end = end?;
        let is_done = end.is_some_and(|outcome| outcome.mishap.is_none());
        match is_done {
            true => state.ops.0.discard(run),
            false => self.put_down(&mut state, run, task, end),
        }
        self.drive(&mut state)?;
        Ok(Some(run).filter(|_| !is_done))
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

    /// Looks at the operations as they are, for a run: nothing makes progress.
    pub fn look<T>(&self, look: impl FnOnce(&mut Ops) -> T) -> T {
        look(&mut self.state.lock().ops)
    }

    /// Carries on the runs that can go on.
    #[inline]
    pub(in crate::engine) fn drive(&self, state: &mut Guard<'_, State>) -> Result<(), Died> {
        if state.has_due() {
            self.drive_all(state)?;
        }
        Ok(())
    }

    #[inline(never)]
    fn drive_all(&self, state: &mut Guard<'_, State>) -> Result<(), Died> {
        while let Some(run) = state.due.pop_front() {
            let Some(course) = state.course(run) else { continue };
            course.is_due = false;
            let task = course.task.take().expect("only a run that rests is in the queue");
            let (task, end) = Guard::unlocked(state, || carry_on(task));
            self.put_down(state, run, task, end?);
        }
        self.share_news(state);
        Ok(())
    }

    /// A run that was carried on has ended, or rests.
    fn put_down(&self, state: &mut State, run: Key, task: Option<Task>, end: Option<Outcome>) {
        if let Some(outcome) = end {
            return self.finish(state, run, outcome);
        }
        let course = state.course(run).expect("a run is there until it has ended");
        course.task = task;
        if course.is_due {
            state.due.push_back(run);
        }
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
    pub(in crate::engine) fn has_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// One of the operations of `run` has ended.
    pub(in crate::engine) fn wake_run(&mut self, run: Key) {
        let Some(course) = self.course(run) else { return };
        if !std::mem::replace(&mut course.is_due, true) && course.task.is_some() {
            self.due.push_back(run);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::engine::Mode;
    use crate::engine::rank::tests::{engine, letter, pattern, peer, world};
    use crate::host::memory::Region;
    use std::future::poll_fn;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::thread;

    fn pair() -> [&'static Engine; 2] {
        let world = world(2);
        [0, 1].map(|seat| &*Box::leak(Box::new(engine(world, seat))))
    }

    fn receive(engine: &Engine, tag: i32) -> Key {
        let started = engine.start_receive(pattern(1, tag), peer(1), Region::EMPTY);
        started.expect("nobody dies here")
    }

    fn send(engine: &Engine, tag: i32) {
        let sent = engine.send(letter(1, 0, tag), &Region::EMPTY, Mode::Standard);
        assert_eq!(sent, Ok(None));
    }

    async fn end(engine: &'static Engine, run: Key, op: Key) -> Outcome {
        poll_fn(|_| engine.ended_for(op, run).map_or(Poll::Pending, Poll::Ready)).await
    }

    fn start(engine: &'static Engine, make: impl FnOnce(Key) -> Task) -> Key {
        let started = engine.start_run(make).expect("nobody dies here");
        started.expect("it waits for a message")
    }

    #[test]
    fn a_run_that_ends_at_once_leaves_nothing_behind() {
        let [engine, _] = pair();
        let done = engine.start_run(|_| Box::pin(async { Ok(Outcome::default()) }));
        assert_eq!(done, Ok(None));
        assert_eq!(engine.state.lock().ops.0.len(), 0);
        let mishap = Some(Mishap::Failed);
        let failed = Outcome { mishap, ..Outcome::default() };
        let run = engine.start_run(|_| Box::pin(async move { Ok(failed) })).expect("it lives");
        let run = run.expect("its failure is to be asked for");
        assert_eq!(engine.wait(run), Ok(failed));
    }

    #[test]
    fn a_run_goes_on_whoever_makes_progress() {
        let [engine, other] = pair();
        let task = move |run| async move {
            for tag in 0..100 {
                assert_eq!(end(engine, run, receive(engine, tag)).await.mishap, None);
            }
            Ok(Outcome { tag: 7, ..Outcome::default() })
        };
        let run = start(engine, |run| Box::pin(task(run)));
        let last = receive(engine, 1000);
        // This thread never asks for the run itself.
        let waiter = thread::spawn(move || engine.wait(last));
        (0..100).chain([1000]).for_each(|tag| send(other, tag));
        assert_eq!(waiter.join().expect("no panic").map(|end| end.mishap), Ok(None));
        assert_eq!(engine.wait(run).map(|end| end.tag), Ok(7));
    }

    #[test]
    fn one_thread_at_a_time_carries_a_run_on_and_no_end_is_missed() {
        const ROUNDS: i32 = 2000;
        let [engine, other] = pair();
        let polls = &*Box::leak(Box::new(AtomicUsize::new(0)));
        let inside = AtomicBool::new(false);
        let task = move |run| async move {
            for tag in 0..ROUNDS {
                let both = [receive(engine, tag), receive(engine, ROUNDS + tag)];
                for op in both {
                    let mut wait = Box::pin(end(engine, run, op));
                    poll_fn(|context| {
                        assert!(!inside.swap(true, Ordering::SeqCst), "two at once");
                        polls.fetch_add(1, Ordering::Relaxed);
                        let polled = wait.as_mut().poll(context);
                        inside.store(false, Ordering::SeqCst);
                        polled
                    })
                    .await;
                }
            }
            Ok(Outcome::default())
        };
        let run = start(engine, |run| Box::pin(task(run)));
        let sender = thread::spawn(move || {
            (0..ROUNDS)
                .for_each(|tag| [tag, ROUNDS + tag].into_iter().for_each(|t| send(other, t)));
        });
        let is_over = move |ops: &mut Ops| ops.outcome(run).map(|_| ());
        let waiters = [(); 3].map(|()| thread::spawn(move || engine.wait_for(is_over)));
        for waiter in waiters {
            assert_eq!(waiter.join().expect("no panic"), Ok(()));
        }
        sender.join().expect("no panic");
        assert!(polls.load(Ordering::Relaxed) >= 2 * ROUNDS as usize);
        assert_eq!(engine.wait(run).map(|end| end.mishap), Ok(None));
    }

    #[test]
    fn a_run_that_breaks_ends_and_says_so() {
        let [engine, other] = pair();
        let task = move |run| async move {
            end(engine, run, receive(engine, 3)).await;
            panic!("an invariant does not hold")
        };
        let run = start(engine, |run| Box::pin(task(run)));
        send(other, 3);
        assert_eq!(engine.wait(run).map(|end| end.mishap), Ok(Some(Mishap::Failed)));
    }
}
