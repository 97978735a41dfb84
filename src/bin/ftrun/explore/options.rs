//! The command line of `ftrun explore`: its own options, among those that every run gets.

use crate::explore::help;
use crate::options::{self, Does};
use crate::request::{self, Asked, Request};
use crate::shared::refusal::Refusal;
use ftmpi_cli::{Complaint, Dashes, Item, Reader, numbers};
use ftmpi_explore::{Expect, Limits};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// What the user wants explored, and how.
pub(super) struct Wanted {
    pub(super) request: Request,
    /// The words of the launcher before the program, but for the number of ranks.
    pub(super) launcher: Vec<String>,
    /// The program and its arguments.
    pub(super) program: Vec<String>,
    pub(super) settings: Settings,
}

/// The options of the exploration itself.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) expect: Expect,
    pub(super) tolerance: f64,
    pub(super) only: String,
    pub(super) statuses: Vec<i32>,
    pub(super) checks_leaks: bool,
    pub(super) limits: Limits,
    pub(super) minutes: Option<f64>,
    pub(super) runs: Option<usize>,
    pub(super) jobs: usize,
    /// How many runs `--replay` makes.
    times: usize,
    pub(super) state: PathBuf,
    pub(super) copies: Vec<PathBuf>,
    pub(super) memory: usize,
    pub(super) junit: Option<PathBuf>,
    pub(super) json: Option<PathBuf>,
    pub(super) lcov: Option<PathBuf>,
    pub(super) html: Option<PathBuf>,
    pub(super) is_quiet: bool,
    pub(super) is_resumed: bool,
}

/// What the command line asks for.
pub(super) enum Asks {
    Explore(Box<Wanted>),
    Replay(Replay),
    /// To show what has been found.
    Show(PathBuf),
    Help,
}

/// A finding to run again.
#[derive(Debug)]
pub(super) struct Replay {
    pub(super) place: PathBuf,
    pub(super) times: usize,
    /// How many runs at a time.
    pub(super) jobs: usize,
}

/// What an option does: one of ours, or one of the launcher's.
#[derive(Clone, Copy, PartialEq)]
enum Ours {
    Expect,
    Tolerance,
    Lines,
    Status,
    Leaks,
    Faults,
    Orders,
    Minutes,
    Runs,
    Jobs,
    State,
    Resume,
    Replay,
    Times,
    Show,
    Copy,
    Memory,
    Junit,
    Json,
    Lcov,
    Html,
    Quiet,
    Launcher(Does, usize),
}

const NAMES: [(&str, Ours, usize); 22] = [
    ("expect", Ours::Expect, 1),
    ("tolerance", Ours::Tolerance, 1),
    ("lines", Ours::Lines, 1),
    ("status", Ours::Status, 1),
    ("leaks", Ours::Leaks, 1),
    ("faults", Ours::Faults, 1),
    ("orders", Ours::Orders, 1),
    ("minutes", Ours::Minutes, 1),
    ("runs", Ours::Runs, 1),
    ("jobs", Ours::Jobs, 1),
    ("state", Ours::State, 1),
    ("resume", Ours::Resume, 1),
    ("replay", Ours::Replay, 1),
    ("times", Ours::Times, 1),
    ("show", Ours::Show, 1),
    ("copy", Ours::Copy, 1),
    ("memory", Ours::Memory, 1),
    ("junit", Ours::Junit, 1),
    ("json", Ours::Json, 1),
    ("lcov", Ours::Lcov, 1),
    ("html", Ours::Html, 1),
    ("quiet", Ours::Quiet, 0),
];

fn find(name: &str) -> Option<(Ours, usize)> {
    let own = NAMES.iter().find(|(known, ..)| *known == name);
    let own = own.map(|(_, ours, values)| (*ours, *values));
    own.or_else(|| options::find(name).map(|(does, count)| (Ours::Launcher(does, count), count)))
}

/// Options of the launcher that the exploration decides itself.
const NOT_HERE: [(&[Does], &str); 4] = [
    (&[Does::Kill, Does::KillFile, Does::MeanTime], "the exploration decides who dies"),
    (
        &[Does::Watch, Does::Port, Does::Draw, Does::Record, Does::Report, Does::Trace],
        "the exploration makes many runs; use it with one that it has found",
    ),
    (&[Does::Match], "the exploration decides which messages receives match"),
    (&[Does::RankKind], "ranks are fibers here, in the order of a seed"),
];

type Words = Reader<std::vec::IntoIter<OsString>, fn(&str) -> Option<(Ours, usize)>>;

/// Reads the words after `ftrun explore`.
pub(super) fn read(called: &str, words: Vec<OsString>) -> Result<Asks, Refusal> {
    let mut settings = Settings::default();
    let mut launcher: Vec<OsString> = Vec::new();
    let mut reader: Words = Reader::new(words.into_iter(), Dashes::OneOrTwo, find as _);
    let (mut end, mut replay) = (Vec::new(), None);
    let program = loop {
        match reader.item().map_err(refused)? {
            None => {
                if let Some(place) = replay {
                    let Settings { times, jobs, .. } = settings;
                    return Ok(Asks::Replay(Replay { place, times, jobs }));
                }
                let usage = format!(
                    "what is to be explored? Use `{called} explore -np N ./program`; see \
                     {called} explore --help"
                );
                return Err(Refusal::usage(usage));
            }
            Some(Item::End) => {
                end.push(OsString::from("--"));
                break reader.rest();
            }
            Some(Item::Word(word)) => {
                break std::iter::once(word).chain(reader.rest()).collect();
            }
            Some(Item::Option { dashed, does: Ours::Launcher(does, _), values }) => {
                if does == Does::Help {
                    return Ok(Asks::Help);
                }
                if let Some((_, why)) = NOT_HERE.iter().find(|(these, _)| these.contains(&does)) {
                    return Err(Refusal::usage(format!("{dashed} cannot be used here: {why}")));
                }
                let is_half = does == Does::VariablePair
                    && !values.iter().any(|value| value.to_string_lossy().contains('='));
                launcher.push(dashed.into());
                launcher.extend(values);
                if is_half {
                    launcher.extend(reader.word());
                }
            }
            Some(Item::Option { does: Ours::Replay, values, .. }) => {
                replay = Some(PathBuf::from(&values[0]));
            }
            Some(Item::Option { does: Ours::Show, values, .. }) => {
                return Ok(Asks::Show(values[0].clone().into()));
            }
            Some(Item::Option { dashed, does, values }) => {
                settings.obey(&dashed, does, values, &mut reader)?;
            }
        }
    };
    if replay.is_some() {
        let words = "--replay knows the program and its options: leave them out";
        return Err(Refusal::usage(words));
    }
    settings.settle()?;
    let plain = |words: &[OsString]| -> Vec<String> {
        words.iter().map(|word| word.to_string_lossy().into_owned()).collect()
    };
    let all = launcher.iter().cloned().chain(end).chain(program.clone());
    let request = match request::read(called, all)? {
        Asked::Run(request) => *request,
        Asked::Help | Asked::Version => return Ok(Asks::Help),
    };
    let (launcher, program) = (without_ranks(&plain(&launcher)), plain(&program));
    Ok(Asks::Explore(Box::new(Wanted { request, launcher, program, settings })))
}

/// The launcher's words without those that the repeated run gets anew.
fn without_ranks(words: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let name = word.trim_start_matches('-');
        match options::find(name) {
            Some((Does::Ranks | Does::RanksPerNode | Does::Seed, count)) => {
                (0..count).for_each(|_| _ = words.next());
            }
            Some((_, count)) => {
                kept.push(word.clone());
                kept.extend(words.by_ref().take(count).cloned());
            }
            None => kept.push(word.clone()),
        }
    }
    kept
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            expect: Expect::Status,
            tolerance: 0.0,
            only: String::new(),
            statuses: vec![0],
            checks_leaks: true,
            limits: Limits { faults: 2, orders: 200, is_endless: false },
            minutes: None,
            runs: None,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            times: 1,
            state: PathBuf::from("ftrun-explore"),
            copies: Vec::new(),
            memory: 4 << 30,
            junit: None,
            json: None,
            lcov: None,
            html: None,
            is_quiet: false,
            is_resumed: false,
        }
    }
}

impl Settings {
    fn obey(
        &mut self, dashed: &str, does: Ours, values: Vec<OsString>, reader: &mut Words,
    ) -> Result<(), Refusal> {
        let value = values.first().map(|value| value.to_string_lossy().into_owned());
        let value = value.unwrap_or_default();
        let no = |wanted: &str| Refusal::usage(format!("{dashed} is {wanted}, not `{value}`"));
        let count = |least: usize| {
            let count = value.parse().ok().filter(|count: &usize| *count >= least);
            count.ok_or_else(|| no(&format!("a number from {least} on")))
        };
        let path = || Some(PathBuf::from(&values[0]));
        match does {
            Ours::Expect => self.expect = expect(dashed, &value, reader)?,
            Ours::Tolerance => {
                let number = value.parse().ok().filter(|number: &f64| (0.0..1.0).contains(number));
                self.tolerance = number.ok_or_else(|| no("a number from 0 to 1, such as 1e-9"))?;
            }
            Ours::Lines => self.only = value,
            Ours::Status => {
                let numbers = value.split(',').map(|word| word.trim().parse().ok());
                let numbers: Option<Vec<i32>> = numbers.collect();
                self.statuses = numbers.ok_or_else(|| no("numbers, such as 0,3"))?;
            }
            Ours::Leaks => {
                self.checks_leaks = match value.as_str() {
                    "on" => true,
                    "off" => false,
                    _ => return Err(no("on or off")),
                }
            }
            Ours::Faults => self.limits.faults = count(0)?,
            Ours::Orders => self.limits.orders = count(0)? as u64,
            Ours::Minutes => {
                let minutes = value.parse().ok().filter(|minutes: &f64| *minutes > 0.0);
                self.minutes = Some(minutes.ok_or_else(|| no("a number of minutes"))?);
            }
            Ours::Runs => self.runs = Some(count(1)?),
            Ours::Jobs => self.jobs = count(1)?,
            Ours::Times => self.times = count(1)?,
            Ours::State => self.state = values[0].clone().into(),
            Ours::Resume => {
                self.state = values[0].clone().into();
                self.is_resumed = true;
            }
            Ours::Copy => self.copies.extend(path()),
            Ours::Memory => {
                self.memory = numbers::size(&value).ok_or_else(|| no("a size such as 2G"))?;
            }
            Ours::Junit => self.junit = path(),
            Ours::Json => self.json = path(),
            Ours::Lcov => self.lcov = path(),
            Ours::Html => self.html = path(),
            Ours::Quiet => self.is_quiet = true,
            Ours::Replay | Ours::Show | Ours::Launcher(..) => {}
        }
        Ok(())
    }

    /// Output files are named from the directory in which the user is.
    fn settle(&mut self) -> Result<(), Refusal> {
        self.limits.is_endless = self.minutes.is_some() || self.runs.is_some();
        let files = [&mut self.junit, &mut self.json, &mut self.lcov, &mut self.html];
        for file in files.into_iter().flatten() {
            *file = absolute(file)?;
        }
        self.state = absolute(&self.state)?;
        for copy in &mut self.copies {
            *copy = absolute(copy)?;
            if !copy.exists() {
                return Err(Refusal::usage(format!("--copy {}: no such file", copy.display())));
            }
        }
        Ok(())
    }

    /// For how long to explore.
    pub(super) fn time(&self) -> Option<Duration> {
        self.minutes.map(|minutes| Duration::from_secs_f64(minutes * 60.0))
    }
}

fn absolute(path: &std::path::Path) -> Result<PathBuf, Refusal> {
    let no = |error| Refusal::usage(format!("{}: {error}", path.display()));
    std::path::absolute(path).map_err(no)
}

/// `status`, `same`, `sorted`, `set`, `file F` or `command C`.
fn expect(dashed: &str, value: &str, reader: &mut Words) -> Result<Expect, Refusal> {
    let mut more = || {
        let word = reader.word().map(|word| word.to_string_lossy().into_owned());
        word.ok_or_else(|| Refusal::usage(format!("{dashed} {value} needs a {value} after it")))
    };
    Ok(match value {
        "status" => Expect::Status,
        "same" => Expect::Same,
        "sorted" => Expect::Sorted,
        "set" => Expect::Set,
        "command" => Expect::Command(more()?),
        "file" => {
            let file = more()?;
            let text = std::fs::read_to_string(&file);
            Expect::Text(text.map_err(|error| {
                Refusal::usage(format!("cannot read {dashed} file {file}: {error}"))
            })?)
        }
        other => {
            return Err(Refusal::usage(format!(
                "{dashed} is `status`, `same`, `sorted`, `set`, `file FILE` or `command \
                 COMMAND`, not `{other}`"
            )));
        }
    })
}

fn refused(complaint: Complaint<Ours>) -> Refusal {
    match complaint {
        Complaint::Lacks { dashed, does: Ours::Expect } => Refusal::usage(format!(
            "{dashed} needs `status`, `same`, `sorted`, `set`, `file FILE` or `command COMMAND` \
             after it"
        )),
        other => {
            let own = NAMES.iter().map(|(name, ..)| *name);
            Refusal::usage(other.words(own.chain(options::names())))
        }
    }
}

/// The manual page of the command.
pub(super) fn page(called: &str) -> String {
    help::PAGE.replace("@NAME@", called)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Result<Asks, Refusal> {
        read("ftrun", line.split_whitespace().map(OsString::from).collect())
    }

    fn wanted(line: &str) -> Wanted {
        match asked(line) {
            Ok(Asks::Explore(wanted)) => *wanted,
            Ok(_) => panic!("{line}: no exploration"),
            Err(refusal) => panic!("{line}: {}", refusal.sentence),
        }
    }

    #[test]
    fn options_of_the_exploration_and_of_the_runs_may_be_mixed() {
        let wanted = wanted("-np 4 --faults 1 --mode rebuild --expect same ./prog --faults 3");
        assert_eq!(wanted.request.job.ranks, 4);
        assert_eq!((wanted.settings.limits.faults, wanted.settings.expect), (1, Expect::Same));
        assert_eq!(wanted.launcher, ["--mode", "rebuild"]);
        assert_eq!(wanted.program, ["./prog", "--faults", "3"]);
    }

    #[test]
    fn a_finding_is_replayed_as_often_as_is_asked() {
        for (line, expected) in
            [("--replay found/3", 1), ("--times 100 --replay found/3 --jobs 2", 100)]
        {
            let Ok(Asks::Replay(replay)) = asked(line) else { panic!("{line}: no replay") };
            assert_eq!((replay.times, replay.place), (expected, "found/3".into()));
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_the_cure() {
        for (line, said) in [
            ("", "Use `ftrun explore -np N ./program`"),
            ("-np 4 --kill 1@1s ./a", "--kill cannot be used here: the exploration decides"),
            ("-np 4 --expect sme ./a", "--expect is `status`, `same`, `sorted`, `set`"),
            ("-np 4 --fauls 2 ./a", "did you mean --faults?"),
            ("-np 4 --leaks maybe ./a", "--leaks is on or off, not `maybe`"),
            ("./a", "how many ranks?"),
            ("--replay found/1 --times 0", "--times is a number from 1 on, not `0`"),
            ("--replay found/1 -np 2 ./a", "--replay knows the program and its options"),
        ] {
            let Err(refusal) = asked(line) else { panic!("{line} is accepted") };
            assert!(refusal.sentence.contains(said), "{line}: {}", refusal.sentence);
        }
    }
}
