//! `--replay DIR/NUMBER`: runs a finding again, once or many times.

use crate::explore::job::{FOUND, broken, prepared, seed};
use crate::explore::options::{self, Asks, Replay};
use crate::explore::runner::Runner;
use crate::explore::state::State;
use crate::explore::{crew, source};
use crate::shared::refusal::Refusal;
use ftmpi_explore::{Failure, Schedule, Seen, story};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Some runs show the finding, and others do not.
const SOMETIMES: u8 = 4;

/// Makes the runs that `replay` asks for, and says whether they show the finding.
pub(super) fn again(called: &str, replay: &Replay) -> Result<u8, Refusal> {
    let (Some(directory), Some(number)) = (replay.place.parent(), replay.place.file_name()) else {
        return Err(Refusal::usage("--replay needs DIR/NUMBER, such as ftrun-explore/1"));
    };
    let state = State::open(directory)?;
    let number = number.to_string_lossy();
    let (schedule, key) = (state.schedule(&number)?, state.key(&number));
    let (words, home) = state.origin().map_err(broken)?;
    let enter = |error| Refusal::usage(format!("cannot enter {}: {error}", home.display()));
    std::env::set_current_dir(&home).map_err(enter)?;
    let Asks::Explore(mut wanted) = options::read(called, words)? else {
        return Err(Refusal::usage("the state is not of an exploration"));
    };
    let prepared = prepared(called, &mut wanted)?;
    let seed = seed(&prepared);
    let runner = Runner::new(prepared, wanted.settings.clone(), &state.work()).map_err(broken)?;
    // As when it was found: a run that hangs is ended soon.
    let begun = Instant::now();
    let plain = Schedule::plain(schedule.ranks, seed);
    let reference = runner.run(0, &plain).map_err(broken)?;
    runner.refer_to(&reference);
    runner.limit_by(&reference, begun.elapsed());
    let (seen, failure) = crew::tried(&runner, 0, seed, &schedule).map_err(broken)?;
    let first = tell(&schedule, &seen, failure.as_ref());
    if replay.times == 1 {
        state.tidy();
        return Ok(first);
    }
    let key = key.or(failure.as_ref().map(|failure| failure.key.clone()));
    let shows = |failure: Option<Failure>| {
        failure.is_some_and(|failure| key.as_ref().is_none_or(|key| *key == failure.key))
    };
    let more = shown(replay, |slot| {
        let (_, failure) = crew::tried(&runner, slot, seed, &schedule)?;
        Ok(shows(failure))
    });
    state.tidy();
    let count = more.map_err(broken)? + usize::from(shows(failure));
    println!("{count} of {} runs show the finding", replay.times);
    Ok(match count {
        0 => 0,
        count if count == replay.times => FOUND,
        _ => SOMETIMES,
    })
}

/// How many of the runs after the first show the finding; they go side by side.
fn shown(replay: &Replay, run: impl Fn(usize) -> io::Result<bool> + Sync) -> io::Result<usize> {
    let left = AtomicUsize::new(replay.times - 1);
    let next =
        || left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
    std::thread::scope(|scope| {
        let worker = |slot| {
            let (run, next) = (&run, &next);
            scope.spawn(move || {
                let mut count = 0;
                while next().is_ok() {
                    count += usize::from(run(slot)?);
                }
                Ok(count)
            })
        };
        let workers: Vec<_> = (0..replay.jobs).map(worker).collect();
        let counts = workers.into_iter().map(|worker| worker.join().expect("no run panics"));
        counts.sum()
    })
}

/// Prints what a run has shown; returns the exit status that says so.
fn tell(schedule: &Schedule, seen: &Seen, failure: Option<&Failure>) -> u8 {
    print!("{}", seen.stdout);
    eprint!("{}", seen.stderr);
    let Some(failure) = failure else {
        println!("the run is as expected: {schedule}");
        return 0;
    };
    let mut lines = Default::default();
    source::find(&mut lines, seen.trace.places.iter().flat_map(|place| &place.0));
    print!("{}", story(failure, schedule, &seen.trace, &lines));
    FOUND
}
