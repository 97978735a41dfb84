//! The failures that a user orders: `--kill`, `--kill-file`, `--mttf` and `--seed`.

use crate::calls;
use crate::job::Job;
use crate::machine::schedule::{self, Event, When};
use crate::shared::refusal::Refusal;
use std::ffi::OsStr;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::time::Duration;

/// What was ordered so far, with the places where it was written.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    events: Vec<(String, Event)>,
    mean: Option<Duration>,
    seed: Option<u64>,
}

impl Faults {
    /// `--kill RANK@WHEN`.
    pub(crate) fn kill(&mut self, dashed: &str, value: &OsStr) -> Result<(), Refusal> {
        let text = value.to_string_lossy();
        let place = format!("{dashed} {text}");
        let event = Event::parse(&text).map_err(|why| no(&place, &why))?;
        self.events.push((place, event));
        Ok(())
    }

    /// `--kill-file FILE`.
    pub(crate) fn file(&mut self, dashed: &str, value: &OsStr) -> Result<(), Refusal> {
        let file = value.to_string_lossy();
        let text = std::fs::read_to_string(value)
            .map_err(|error| Refusal::usage(format!("cannot read {dashed} {file}: {error}")))?;
        let events = schedule::parse(&file, &text).map_err(Refusal::usage)?;
        self.events
            .extend(events.into_iter().map(|(line, event)| (format!("{file}:{line}"), event)));
        Ok(())
    }

    /// `--mttf TIME`.
    pub(crate) fn mean(&mut self, dashed: &str, value: &OsStr) -> Result<(), Refusal> {
        let mean = schedule::time(&value.to_string_lossy()).map_err(|why| no(dashed, &why))?;
        if mean.is_zero() {
            return Err(no(dashed, "failures have to be some time apart: say 2s"));
        }
        self.mean = Some(mean);
        Ok(())
    }

    /// `--seed NUMBER`.
    pub(crate) fn seed(&mut self, dashed: &str, value: &OsStr) -> Result<(), Refusal> {
        let text = value.to_string_lossy();
        let seed = text.parse().map_err(|_| no(dashed, &format!("`{text}` is no number")))?;
        self.seed = Some(seed);
        Ok(())
    }

    /// Gives the orders to the job, now that it is known how many ranks it has; may hand back what
    /// is to be said about them.
    pub(crate) fn give_to(self, job: &mut Job) -> Result<Option<String>, Refusal> {
        for (place, event) in &self.events {
            if event.seat >= job.ranks {
                let why =
                    format!("there is no rank {}: they are 0 to {}", event.seat, job.ranks - 1);
                return Err(no(place, &why));
            }
            if let When::Call { name: Some(name), .. } = &event.when
                && !calls::is_known(name)
            {
                let hint = match calls::nearest(name) {
                    Some(near) => format!("; did you mean {near}?"),
                    None => " that returns an error code; mpi.h lists them".to_string(),
                };
                return Err(no(place, &format!("there is no call {name}{hint}")));
            }
        }
        job.kills = self.events.into_iter().map(|(_, event)| event).collect();
        let Some(mean) = self.mean else {
            let lone = self.seed.is_some();
            return if lone { Err(no("--seed", "say --mttf TIME with it")) } else { Ok(None) };
        };
        // Any number will do that the next run does not have.
        let seed = self.seed.unwrap_or_else(|| RandomState::new().hash_one(0) % 1_000_000);
        job.chance = Some((mean, seed));
        let is_news = self.seed.is_none();
        Ok(is_news.then(|| format!("failures come by chance: --seed {seed} repeats them")))
    }
}

/// `--report FILE`: the file is there and empty from now on. Its name holds wherever the job runs.
pub(crate) fn report(dashed: &str, value: &OsStr) -> Result<String, Refusal> {
    let name = value.to_string_lossy();
    let no = |why: &str| Refusal::usage(format!("cannot write {dashed} {name}: {why}"));
    File::create(value).map_err(|error| no(&error.to_string()))?;
    let path = Path::new(value).canonicalize().map_err(|error| no(&error.to_string()))?;
    let path = path.to_str().filter(|path| !path.contains('\n'));
    path.map(str::to_string).ok_or_else(|| no("its path is not plain text"))
}

fn no(place: &str, why: &str) -> Refusal {
    Refusal::usage(format!("{place}: {why}"))
}
