//! The fault injection that a user asks for: `--kill`, `--kill-file`, `--mttf`, `--seed` and
//! `--match`.

use crate::calls;
use crate::shared::refusal::Refusal;
use ftmpi_launch::{Job, RankKind};
use ftmpi_machine::forced_match::ForcedMatch;
use ftmpi_machine::schedule::{self, Event, When};
use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::time::Duration;

/// The orders so far, with the places where they were written.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    events: Vec<(String, Event)>,
    mean: Option<Duration>,
    seed: Option<Seed>,
    matches: Vec<ForcedMatch>,
}

/// The source of the random choices.
#[derive(Clone, Copy, Debug)]
enum Seed {
    Given(u64),
    /// Drawn here: the user must be told it to repeat the run.
    Drawn(u64),
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
            return Err(no(dashed, "failures have to be some time apart: use 2s"));
        }
        self.mean = Some(mean);
        Ok(())
    }

    /// Whether there is a seed already.
    pub(crate) fn has_seed(&self) -> bool {
        self.seed.is_some()
    }

    /// A seed for a run that repeats itself in any case.
    pub(crate) fn seed_if_none(&mut self) {
        self.seed = self.seed.or(Some(Seed::Given(0)));
    }

    /// `--seed NUMBER`, or `--seed random`.
    pub(crate) fn seed(&mut self, dashed: &str, value: &OsStr) -> Result<(), Refusal> {
        let text = value.to_string_lossy();
        self.seed = Some(match text.parse() {
            Ok(seed) => Seed::Given(seed),
            Err(_) if text == "random" => Seed::Drawn(drawn()),
            Err(_) => return Err(no(dashed, &format!("`{text}` is not a number, nor `random`"))),
        });
        Ok(())
    }

    /// `--match RANK:N=SOURCE`.
    pub(crate) fn force(&mut self, dashed: &str, value: &OsStr) -> Result<(), Refusal> {
        let text = value.to_string_lossy();
        let forced = ForcedMatch::parse(&text);
        let why = || {
            no(
                dashed,
                &format!("`{text}` is not RANK:N=SOURCE, such as 0:2=3, nor RANK:choiceN=INDEX"),
            )
        };
        self.matches.push(forced.ok_or_else(why)?);
        Ok(())
    }

    /// Puts the orders into the job, now that its number of ranks is known, and whether they are
    /// threads; may return a remark to print.
    pub(crate) fn give_to(
        self, job: &mut Job, has_threads: bool,
    ) -> Result<Option<String>, Refusal> {
        for (place, event) in &self.events {
            if event.seat >= job.seats() {
                let why =
                    format!("there is no rank {}: they are 0 to {}", event.seat, job.seats() - 1);
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
        job.matches = self.matches;
        job.kills = self.events.into_iter().map(|(_, event)| event).collect();
        let seed = self.seed.map(|seed| match seed {
            Seed::Given(seed) | Seed::Drawn(seed) => seed,
        });
        match self.mean {
            None if has_threads && seed.is_some() => {
                let why = "the order in which threads run is the system's: leave --ranks thread \
                           out, or use --mttf TIME";
                return Err(no("--seed", why));
            }
            Some(mean) => job.chance = Some((mean, seed.unwrap_or_else(drawn))),
            None => {}
        }
        job.seed = seed.filter(|_| !has_threads);
        if job.seed.is_some() {
            job.kind = RankKind::Fiber;
        }
        Ok(match (self.seed, job.chance) {
            (Some(Seed::Drawn(seed)), _) => Some(format!("--seed {seed} repeats this run")),
            (None, Some((_, seed))) => {
                Some(format!("failures come by chance: --seed {seed} orders the same ones"))
            }
            _ => None,
        })
    }
}

/// Any number that the next run will not draw again.
fn drawn() -> u64 {
    RandomState::new().hash_one(0) % 1_000_000
}

/// `--machine FILE|NAME`: resolved for the library, whatever directory the job runs in.
pub(crate) fn machine(dashed: &str, value: &OsStr) -> Result<String, Refusal> {
    let name = value.to_string_lossy();
    // A name that is no file may be a built-in machine: the library knows.
    let Ok(path) = Path::new(value).canonicalize() else { return Ok(name.into_owned()) };
    let path = path.to_str().filter(|path| !path.contains('\n'));
    let no = || Refusal::usage(format!("cannot read {dashed} {name}: its path is not plain text"));
    path.map(str::to_string).ok_or_else(no)
}

/// `--time-scale FACTOR`.
pub(crate) fn time_scale(dashed: &str, value: &OsStr) -> Result<f64, Refusal> {
    let text = value.to_string_lossy();
    let factor = text.parse().ok().filter(|factor: &f64| factor.is_finite() && *factor > 0.0);
    factor.ok_or_else(|| no(dashed, &format!("`{text}` is not a factor above 0, such as 0.001")))
}

/// `--report FILE`: the file can be written. What it holds stays until the job begins. Its name is
/// valid whatever directory the job runs in.
pub(crate) fn report(dashed: &str, value: &OsStr) -> Result<String, Refusal> {
    let name = value.to_string_lossy();
    let no = |why: &str| Refusal::usage(format!("cannot write {dashed} {name}: {why}"));
    let is_new = !Path::new(value).exists();
    let tried = OpenOptions::new().write(true).create(true).truncate(false).open(value);
    let path = tried.and_then(|_| Path::new(value).canonicalize());
    if is_new && path.is_ok() {
        // Left for the job: a command line that is refused leaves nothing behind.
        let _ = std::fs::remove_file(value);
    }
    let path = path.map_err(|error| no(&error.to_string()))?;
    let path = path.to_str().filter(|path| !path.contains('\n'));
    path.map(str::to_string).ok_or_else(|| no("its path is not plain text"))
}

fn no(place: &str, why: &str) -> Refusal {
    Refusal::usage(format!("{place}: {why}"))
}
