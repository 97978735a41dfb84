//! The directory that keeps an exploration: its command line, its findings, its coverage.
//!
//! `words` and `home` say what was explored and from where, `NUMBER/` has a finding, `coverage.*`
//! what failures have met. `work/` has the directories of runs while they are made. The directory
//! is locked meanwhile, so that no two explorations share it.

use crate::shared::refusal::Refusal;
use ftmpi_explore::{Failure, Finding, Schedule, Seen};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

pub(super) struct State {
    pub(super) directory: PathBuf,
    /// The lock of the directory while an exploration goes on.
    held: Option<File>,
}

const WORDS: &str = "words";
const HOME: &str = "home";
const SCHEDULE: &str = "schedule";
const KEY: &str = "key";

impl State {
    /// Makes a new state; what an earlier exploration has left there goes.
    pub(super) fn create(directory: &Path, words: &[OsString]) -> Result<State, Refusal> {
        let no = |error: io::Error| {
            Refusal::usage(format!("cannot write --state {}: {error}", directory.display()))
        };
        let is_ours = directory.join(WORDS).exists();
        let is_empty = fs::read_dir(directory).map_or(true, |mut files| files.next().is_none());
        if !is_ours && !is_empty {
            return Err(Refusal::usage(format!(
                "--state {}: this directory has other files; name an empty or a new one",
                directory.display()
            )));
        }
        if is_ours {
            let _held = hold(directory).map_err(no)?;
            fs::remove_dir_all(directory).map_err(no)?;
        }
        let mut state = State { directory: directory.to_path_buf(), held: None };
        state.begin(words).map_err(no)?;
        Ok(state)
    }

    /// The state that an earlier exploration has left, to go on with.
    pub(super) fn resume(directory: &Path, words: &[OsString]) -> Result<State, Refusal> {
        let mut state = State::open(directory)?;
        let words = without_resume(words, directory);
        state.begin(&words).map_err(|error| {
            Refusal::usage(format!("cannot write --resume {}: {error}", directory.display()))
        })?;
        Ok(state)
    }

    fn begin(&mut self, words: &[OsString]) -> io::Result<()> {
        fs::create_dir_all(&self.directory)?;
        self.held = Some(hold(&self.directory)?);
        fs::create_dir_all(self.work())?;
        let words: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
        fs::write(self.directory.join(WORDS), words.join(&0))?;
        let home = std::env::current_dir()?;
        fs::write(self.directory.join(HOME), home.as_os_str().as_bytes())
    }

    /// The state that an exploration has left.
    pub(super) fn open(directory: &Path) -> Result<State, Refusal> {
        let no = || {
            let place = directory.display();
            Refusal::usage(format!("{place} is not the state of an exploration"))
        };
        let directory = std::path::absolute(directory).map_err(|_| no())?;
        match directory.join(WORDS).exists() {
            true => Ok(State { directory, held: None }),
            false => Err(no()),
        }
    }

    /// The words after `ftrun explore`, and the directory in which they were said.
    pub(super) fn origin(&self) -> io::Result<(Vec<OsString>, PathBuf)> {
        let words = fs::read(self.directory.join(WORDS))?;
        let words = words.split(|byte| *byte == 0).map(|word| OsString::from_vec(word.to_vec()));
        let home = OsString::from_vec(fs::read(self.directory.join(HOME))?);
        Ok((words.collect(), home.into()))
    }

    pub(super) fn work(&self) -> PathBuf {
        self.directory.join("work")
    }

    /// Keeps a finding: its smallest run, how that fails, what it has shown, and its story.
    pub(super) fn keep(
        &self, finding: &Finding, number: usize, (seen, failure): (&Seen, &Failure), story: &str,
    ) -> io::Result<()> {
        let place = self.directory.join(number.to_string());
        fs::create_dir_all(&place)?;
        fs::write(place.join(SCHEDULE), format!("{}\n", finding.schedule))?;
        fs::write(place.join(KEY), &failure.key)?;
        fs::write(place.join("stdout"), &seen.stdout)?;
        fs::write(place.join("stderr"), &seen.stderr)?;
        fs::write(place.join("story"), story)
    }

    /// The schedule of a finding.
    pub(super) fn schedule(&self, number: &str) -> Result<Schedule, Refusal> {
        let file = self.directory.join(number).join(SCHEDULE);
        let text = fs::read_to_string(&file).ok();
        let schedule = text.as_deref().and_then(Schedule::parse);
        schedule.ok_or_else(|| Refusal::usage(format!("there is no finding in {}", file.display())))
    }

    /// What tells the failure of a finding from others.
    pub(super) fn key(&self, number: &str) -> Option<String> {
        fs::read_to_string(self.directory.join(number).join(KEY)).ok()
    }

    /// All stories, in the order of their numbers.
    pub(super) fn stories(&self) -> io::Result<Vec<String>> {
        let mut numbers: Vec<usize> = fs::read_dir(&self.directory)?
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .collect();
        numbers.sort_unstable();
        let story = |number: usize| {
            fs::read_to_string(self.directory.join(number.to_string()).join("story"))
        };
        numbers.into_iter().map(story).collect()
    }

    /// Writes a file as a whole: an exploration may be stopped at any moment.
    pub(super) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let partial = self.directory.join(format!("{name}.new"));
        fs::write(&partial, text)?;
        fs::rename(&partial, self.directory.join(name))
    }

    pub(super) fn read(&self, name: &str) -> io::Result<String> {
        fs::read_to_string(self.directory.join(name))
    }

    /// How many findings there are.
    pub(super) fn count(&self) -> usize {
        (1..).take_while(|number| self.directory.join(number.to_string()).exists()).count()
    }

    /// Removes the directories of runs.
    pub(super) fn tidy(&self) {
        let _ = fs::remove_dir_all(self.work());
    }
}

/// The lock of a directory.
fn hold(directory: &Path) -> io::Result<File> {
    let file = File::open(directory)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => {
            Err(io::Error::other("another exploration is using it"))
        }
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

/// The words of an exploration that is resumed, as those of one that begins.
fn without_resume(words: &[OsString], directory: &Path) -> Vec<OsString> {
    let mut kept: Vec<OsString> = vec!["--state".into(), directory.into()];
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let name = word.to_string_lossy();
        match name.trim_start_matches('-') {
            "resume" if name.starts_with('-') => _ = words.next(),
            bare if bare.starts_with("resume=") && name.starts_with('-') => {}
            _ => kept.push(word.clone()),
        }
    }
    kept
}
