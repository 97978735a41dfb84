//! The workers that make runs side by side: each takes a task, makes its runs, and hands back what
//! it has seen.

use crate::explore::runner::Runner;
use ftmpi_explore::{Failure, Schedule, Seen, Shrink, Why, judge, taken};
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// What a worker is to do.
pub(super) enum Task {
    Run(Schedule, Why),
    /// Make a finding small: its number, and a run that shows it.
    Shrink(usize, Schedule, String),
}

/// What has come of it.
pub(super) enum Done {
    Ran { schedule: Schedule, why: Why, seen: Box<Seen>, failure: Option<Failure>, took: Duration },
    Shrunk { number: usize, schedule: Schedule, seen: Box<Seen>, failure: Failure, runs: usize },
    Failed(io::Error),
}

/// How many runs it may take to make a finding small.
const MOST_TO_SHRINK: usize = 60;

/// Workers, and the ways to and from them.
pub(super) struct Crew<'scope> {
    tasks: Sender<Task>,
    pub(super) done: Receiver<Done>,
    workers: Vec<ScopedJoinHandle<'scope, ()>>,
}

impl<'scope> Crew<'scope> {
    /// Starts so many workers; `seed` is the one of the plain order.
    pub(super) fn begin<'env>(
        scope: &'scope Scope<'scope, 'env>, runner: &'env Runner, count: usize, seed: u64,
    ) -> Crew<'scope> {
        let (tasks, waiting) = channel();
        let (report, done) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        let worker = |slot| {
            let (waiting, report) = (Arc::clone(&waiting), report.clone());
            scope.spawn(move || {
                let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
                while let Ok(task) = next() {
                    if report.send(work(runner, slot, seed, task)).is_err() {
                        break;
                    }
                }
            })
        };
        let workers = (0..count).map(worker).collect();
        Crew { tasks, done, workers }
    }

    pub(super) fn give(&self, task: Task) {
        // Workers live as long as the crew.
        let _ = self.tasks.send(task);
    }

    /// Waits for the workers to come to the end of their tasks.
    pub(super) fn end(self) {
        drop((self.tasks, self.done));
        self.workers.into_iter().for_each(|worker| _ = worker.join());
    }
}

fn work(runner: &Runner, slot: usize, seed: u64, task: Task) -> Done {
    let begun = Instant::now();
    match task {
        Task::Run(schedule, why) => match tried(runner, slot, seed, &schedule) {
            Ok((seen, failure)) => {
                let (seen, took) = (Box::new(seen), begun.elapsed());
                Done::Ran { schedule, why, seen, failure, took }
            }
            Err(error) => Done::Failed(error),
        },
        Task::Shrink(number, schedule, key) => {
            shrink(runner, slot, seed, (number, schedule, &key)).unwrap_or_else(Done::Failed)
        }
    }
}

/// Makes a run and judges it.
pub(super) fn tried(
    runner: &Runner, slot: usize, seed: u64, schedule: &Schedule,
) -> io::Result<(Seen, Option<Failure>)> {
    let Some(expected) = runner.expected(slot, schedule.ranks, seed) else {
        return Ok((Seen::default(), None));
    };
    let seen = runner.run(slot, schedule)?;
    let failure = judge(&expected, schedule, &seen);
    Ok((seen, failure))
}

/// Looks for the smallest run with the same failure, and makes it once more.
fn shrink(
    runner: &Runner, slot: usize, seed: u64, (number, schedule, key): (usize, Schedule, &str),
) -> io::Result<Done> {
    let (mut shrink, mut runs) = (Shrink::new(schedule, seed, MOST_TO_SHRINK), 0);
    let ranks = shrink.best().ranks;
    if shrink.needs_matches() {
        let (seen, _) = tried(runner, slot, seed, shrink.best())?;
        runs += 1;
        shrink.name_matches(taken(&seen.trace));
    }
    while let Some(schedule) = shrink.propose() {
        if schedule.ranks != ranks && !runner.may_shrink() {
            continue;
        }
        let (_, failure) = tried(runner, slot, seed, &schedule)?;
        runs += 1;
        if failure.is_some_and(|failure| failure.key == key) {
            shrink.accept(schedule);
        }
    }
    let schedule = shrink.best().clone();
    let (seen, failure) = tried(runner, slot, seed, &schedule)?;
    let gone = || io::Error::other(format!("the run {schedule} does not repeat"));
    let failure = failure.ok_or_else(gone)?;
    Ok(Done::Shrunk { number, schedule, seen: Box::new(seen), failure, runs: runs + 1 })
}
