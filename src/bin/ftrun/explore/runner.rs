//! Makes one run: in its own directory and process, with an end in any case.

use crate::explore::job::fix_addresses;
use crate::explore::options::Settings;
use crate::prepared::Prepared;
use ftmpi_explore::{Expect, Expected, Kind, Schedule, Seen, Trace, leaks};
use ftmpi_launch::{Job, RankKind};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// All that runs have in common.
pub(super) struct Runner {
    prepared: Prepared,
    settings: Settings,
    /// Where the user is: files of the command line are named from there.
    home: PathBuf,
    /// Where the directories of the runs are.
    work: PathBuf,
    limits: Mutex<Limits>,
    /// What a run with so many ranks must show; `None` if it fails without failures.
    expected: Mutex<HashMap<usize, Option<Arc<Expected>>>>,
}

/// How long a run may take.
#[derive(Clone, Copy)]
struct Limits {
    real: Duration,
    counted: Duration,
    /// Processor time: what a rank takes that computes for ever, and a busy machine does not
    /// lengthen.
    computed: Duration,
}

/// Output beyond this is not looked at, and a run that writes more than [`FLOOD`] is ended.
const MOST_OUTPUT: usize = 16 << 20;
const FLOOD: u64 = 256 << 20;
/// Larger files are linked, not copied.
const LARGE: u64 = 64 << 20;

impl Runner {
    pub(super) fn new(prepared: Prepared, settings: Settings, work: &Path) -> io::Result<Runner> {
        let home = std::env::current_dir()?;
        fs::create_dir_all(work)?;
        fix_addresses();
        const FIRST_LIMIT: Duration = Duration::from_secs(600);
        let limit = prepared.request.job.timeout.unwrap_or(FIRST_LIMIT);
        let limits = Mutex::new(Limits { real: limit, counted: limit, computed: limit });
        let (work, expected) = (work.to_path_buf(), Mutex::default());
        Ok(Runner { prepared, settings, home, work, limits, expected })
    }

    /// Whether the program can run with fewer ranks: several programs have their own numbers.
    pub(super) fn may_shrink(&self) -> bool {
        self.prepared.request.apps.len() == 1
    }

    /// From now on runs may take ten times as long as the first one, whose real time is given.
    pub(super) fn limit_by(&self, first: &Seen, real: Duration) {
        const LEAST: Duration = Duration::from_secs(3);
        const LEAST_COUNTED: Duration = Duration::from_millis(300);
        const LEAST_COMPUTED: Duration = Duration::from_millis(500);
        if self.prepared.request.job.timeout.is_none() {
            let time = |micros: Option<u64>| Duration::from_micros(micros.unwrap_or(0));
            let (counted, computed) = (time(first.trace.micros), time(first.trace.computed));
            let limits = Limits {
                real: (real * 10).max(LEAST),
                counted: (counted * 10).max(LEAST_COUNTED),
                computed: (computed * 10).max(LEAST_COMPUTED),
            };
            *self.limits.lock().unwrap_or_else(PoisonError::into_inner) = limits;
        }
    }

    /// The job of a run.
    fn job(&self, schedule: &Schedule, trace: &Path, limits: Limits) -> Job {
        let mut job = self.prepared.request.job.clone();
        job.ranks = schedule.ranks;
        job.seed = Some(schedule.seed);
        job.kind = RankKind::Fiber;
        job.kills = schedule.kills.iter().map(|kill| kill.event()).collect();
        job.matches = schedule.matches.clone();
        job.trace = Some(trace.display().to_string());
        job.leftovers = true;
        job.timeout = Some(limits.real);
        job.virtual_timeout = Some(limits.counted);
        job.processor_timeout = Some(limits.computed);
        job
    }

    /// Runs `schedule` in the directory of this slot; leaves its files there.
    pub(super) fn run(&self, slot: usize, schedule: &Schedule) -> io::Result<Seen> {
        const LATE: i32 = 124;
        let limits = *self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = self.run_within(slot, schedule, limits)?;
        let counted = Duration::from_micros(seen.trace.micros.unwrap_or(0));
        let is_late = seen.ended_for == Some(Kind::Hang) || seen.status == Some(LATE);
        // On a busy machine a run may be late that is not stuck.
        match is_late && counted < limits.counted && seen.trace.computing.is_empty() {
            true => self.run_within(slot, schedule, Limits { real: limits.real * 4, ..limits }),
            false => Ok(seen),
        }
    }

    fn run_within(&self, slot: usize, schedule: &Schedule, limits: Limits) -> io::Result<Seen> {
        let place = self.directory(slot);
        let _ = fs::remove_dir_all(&place);
        let inside = place.join("run");
        fs::create_dir_all(&inside)?;
        self.furnish(&inside)?;
        let (stdout, stderr) = (place.join("stdout"), place.join("stderr"));
        let trace = place.join("trace");
        let mut command = self.prepared.command(&self.job(schedule, &trace, limits));
        command.current_dir(&inside).stdin(Stdio::null());
        command.stdout(File::create(&stdout)?).stderr(File::create(&stderr)?);
        let mut child = command.spawn()?;
        let (status, ended_for) = self.wait(&mut child, limits.real * 2, &place)?;
        let mut seen = Seen {
            status: status.and_then(shell_status).filter(|_| ended_for.is_none()),
            ended_for,
            stdout: text(&stdout)?,
            stderr: text(&stderr)?,
            trace: Trace::read(&fs::read_to_string(&trace).unwrap_or_default()),
            complaint: None,
        };
        if let (Expect::Command(judge), None) = (&self.settings.expect, ended_for) {
            seen.complaint = complaint(judge, &inside, &stdout)?;
        }
        Ok(seen)
    }

    pub(super) fn directory(&self, slot: usize) -> PathBuf {
        self.work.join(slot.to_string())
    }

    /// Puts the files into the directory of a run that the command line names.
    fn furnish(&self, inside: &Path) -> io::Result<()> {
        for app in &self.prepared.request.apps {
            for word in std::iter::once(&app.program).chain(&app.arguments) {
                let word = Path::new(word);
                let is_below = word.components().all(|part| {
                    matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir)
                });
                let from = self.home.join(word);
                if word.is_relative() && is_below && from.exists() {
                    put(&from, &inside.join(word))?;
                }
            }
        }
        for file in &self.settings.copies {
            put(file, &inside.join(file.file_name().unwrap_or_default()))?;
        }
        Ok(())
    }

    /// Waits for the end of a run, and brings it about if it takes too long or too much.
    fn wait(
        &self, child: &mut Child, limit: Duration, place: &Path,
    ) -> io::Result<(Option<ExitStatus>, Option<Kind>)> {
        const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
        const GRACE: Duration = Duration::from_millis(300);
        let begun = Instant::now();
        let handle = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
        while !has_ended(&handle, BETWEEN_LOOKS)? {
            let size = |name: &str| fs::metadata(place.join(name)).map_or(0, |file| file.len());
            let reason = match () {
                () if begun.elapsed() > limit => Some(Kind::Hang),
                () if size("stdout") + size("stderr") > FLOOD => Some(Kind::Hang),
                () if resident(child.id()) > self.settings.memory => Some(Kind::Memory),
                () => None,
            };
            if reason.is_some() {
                // Asked to end, it writes down what it has done.
                let _ = pidfd_send_signal(&handle, Signal::TERM);
                if !has_ended(&handle, GRACE)? {
                    let _ = child.kill();
                }
                return Ok((Some(child.wait()?), reason));
            }
        }
        Ok((Some(child.wait()?), None))
    }

    /// What a run among so many ranks must show; runs it without failures if that is not known.
    pub(super) fn expected(&self, slot: usize, ranks: usize, seed: u64) -> Option<Arc<Expected>> {
        let known = |all: &HashMap<usize, Option<Arc<Expected>>>| all.get(&ranks).cloned();
        let lock = || self.expected.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known(&lock()) {
            return known;
        }
        let schedule = Schedule::plain(ranks, seed);
        let seen = self.run(slot, &schedule).ok();
        let fresh = seen.filter(|seen| seen.status.is_some_and(|status| self.is_well(status)));
        let fresh = fresh.map(|seen| Arc::new(self.expects(&seen)));
        lock().entry(ranks).or_insert(fresh).clone()
    }

    fn is_well(&self, status: i32) -> bool {
        self.settings.statuses.contains(&status)
    }

    /// What the runs after this one must show.
    fn expects(&self, reference: &Seen) -> Expected {
        let mut statuses = self.settings.statuses.clone();
        // Then the status of a rank that has died is that of the job, whatever the others do.
        if reference.trace.rules == "continue" {
            statuses.push(128 + 9);
        }
        Expected {
            statuses,
            expect: self.settings.expect.clone(),
            tolerance: self.settings.tolerance,
            only: self.settings.only.clone(),
            output: reference.stdout.clone(),
            leftovers: self.settings.checks_leaks.then(|| leaks(&reference.stderr)),
        }
    }

    /// Takes the first run as the measure of all others, if it is well.
    pub(super) fn refer_to(&self, reference: &Seen) -> Option<Arc<Expected>> {
        let is_well = reference.status.is_some_and(|status| self.is_well(status))
            && reference.complaint.is_none();
        let expected = is_well.then(|| Arc::new(self.expects(reference)));
        let mut all = self.expected.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(reference.trace.ranks, expected.clone());
        expected
    }
}

fn put(from: &Path, to: &Path) -> io::Result<()> {
    if to.exists() {
        return Ok(());
    }
    if let Some(above) = to.parent() {
        fs::create_dir_all(above)?;
    }
    let is_small = from.metadata().is_ok_and(|file| file.is_file() && file.len() <= LARGE);
    match is_small && !is_elf(from)? {
        true => fs::copy(from, to).map(drop),
        false => std::os::unix::fs::symlink(from, to),
    }
}

fn is_elf(file: &Path) -> io::Result<bool> {
    let mut start = [0; 4];
    let read = io::Read::read(&mut File::open(file)?, &mut start)?;
    Ok(start[..read] == *b"\x7fELF")
}

/// Whether the process ends within this time.
fn has_ended(process: &OwnedFd, within: Duration) -> io::Result<bool> {
    let within = Timespec { tv_sec: 0, tv_nsec: within.subsec_nanos().into() };
    let mut ended = [PollFd::new(process, PollFlags::IN)];
    match poll(&mut ended, Some(&within)) {
        Ok(count) => Ok(count > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// As a shell tells it.
fn shell_status(status: ExitStatus) -> Option<i32> {
    use std::os::unix::process::ExitStatusExt;
    status.code().or(status.signal().map(|signal| 128 + signal))
}

fn text(file: &Path) -> io::Result<String> {
    use io::Read;
    let mut bytes = Vec::new();
    File::open(file)?.take(MOST_OUTPUT as u64).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// How much memory a process holds, in bytes.
fn resident(process: u32) -> usize {
    const PAGE: usize = 4096;
    let text = fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|word| word.parse::<usize>().ok());
    pages.unwrap_or(0) * PAGE
}

/// What the user's command says against a run.
fn complaint(judge: &str, inside: &Path, stdout: &Path) -> io::Result<Option<String>> {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(judge).current_dir(inside).stdin(File::open(stdout)?);
    let said = command.output()?;
    if said.status.success() {
        return Ok(None);
    }
    let words = [said.stdout, said.stderr].concat();
    let words = String::from_utf8_lossy(&words);
    let first = words.lines().find(|line| !line.trim().is_empty());
    Ok(Some(match first {
        Some(line) => format!("what `{judge}` refuses: {}", line.trim()),
        None => format!("what `{judge}` refuses"),
    }))
}
