//! Says of a run whether it is as expected, and if not, what is wrong and where.

use crate::expect::{Expect, Expected};
use crate::matches;
use crate::output::{Order, difference, without_numbers};
use crate::points::Schedule;
use crate::trace::{Call, Trace};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The sort of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Crash,
    Deadlock,
    Hang,
    Memory,
    Status,
    Output,
    Leak,
}

/// What is wrong with a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub kind: Kind,
    /// One sentence.
    pub words: String,
    /// Equal for failures of one cause, as far as can be told.
    pub key: String,
}

/// What a run has shown.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The exit status; `None`: the run was ended.
    pub status: Option<i32>,
    /// Why it was ended.
    pub ended_for: Option<Kind>,
    pub stdout: String,
    pub stderr: String,
    pub trace: Trace,
    /// What the command of `--expect command` says against it.
    pub complaint: Option<String>,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Crash => "crash",
            Kind::Deadlock => "deadlock",
            Kind::Hang => "hang",
            Kind::Memory => "memory",
            Kind::Status => "exit status",
            Kind::Output => "wrong output",
            Kind::Leak => "leak",
        })
    }
}

/// The exit statuses of the launcher for a job that is stuck, and for one that takes too long.
const STUCK: i32 = 123;
const LATE: i32 = 124;
/// That of a job whose rank was killed.
const KILLED: i32 = 137;
/// What the launcher says when all ranks were killed: that is no fault of the program.
const NOBODY: &str = "no rank is left";

/// What is wrong with a run of this schedule; `None` if nothing is.
pub fn judge(expected: &Expected, schedule: &Schedule, seen: &Seen) -> Option<Failure> {
    match (seen.ended_for, seen.status) {
        (Some(Kind::Hang), _) | (None, Some(STUCK | LATE))
            if matches::is_in_vain(&seen.trace, &schedule.matches) =>
        {
            return None;
        }
        (Some(kind), _) => return Some(stuck(kind, &seen.trace)),
        (None, Some(STUCK)) if !expected.statuses.contains(&STUCK) => {
            return Some(stuck(Kind::Deadlock, &seen.trace));
        }
        (None, Some(LATE)) if !expected.statuses.contains(&LATE) => {
            return Some(stuck(Kind::Hang, &seen.trace));
        }
        _ => {}
    }
    let status = seen.status.unwrap_or(-1);
    // A rank that crashes is a mistake even where a replacement makes up for it.
    if seen.trace.deaths.iter().any(|death| death.is_crash()) {
        return Some(unexpected(schedule, seen, status));
    }
    if status == KILLED && seen.stderr.lines().any(|line| line.ends_with(NOBODY)) {
        return None;
    }
    let is_late = status == KILLED && comes_too_late(&seen.trace);
    if !expected.statuses.contains(&status) && !is_late {
        return Some(unexpected(schedule, seen, status));
    }
    let counted = |text: &str| -> String {
        let lines = text.lines().filter(|line| line.contains(&expected.only));
        lines.map(|line| format!("{line}\n")).collect()
    };
    let differs = |text: &str, order| {
        difference(&counted(text), &counted(&seen.stdout), order, expected.tolerance)
    };
    let wrong = match &expected.expect {
        Expect::Status => None,
        Expect::Same => differs(&expected.output, Order::Exact),
        Expect::Sorted => differs(&expected.output, Order::Any),
        Expect::Set => differs(&expected.output, Order::Set),
        Expect::Text(text) => differs(text, Order::Exact),
        Expect::Command(_) => seen.complaint.clone(),
    };
    if let Some(words) = wrong {
        let key = format!("output {}", without_numbers(&words));
        return Some(Failure { kind: Kind::Output, words: format!("the output has {words}"), key });
    }
    leak(expected, seen)
}

/// Whether a rank died when others had left MPI, or while it left: then nobody is there to make up
/// for the failure.
fn comes_too_late(trace: &Trace) -> bool {
    let is_leaving = |call: Option<(usize, bool)>| {
        call.is_some_and(|(call, _)| trace.calls[call].name == "MPI_Finalize")
    };
    trace.has_leavers && trace.deaths.iter().any(|death| death.is_late || is_leaving(death.call))
}

/// A run that did not end: what the ranks are in that wait.
fn stuck(kind: Kind, trace: &Trace) -> Failure {
    let calls = trace.stuck();
    let names: BTreeSet<&str> = calls.iter().map(|call| call.name.as_str()).collect();
    let names = names.into_iter().collect::<Vec<_>>().join(", ");
    let computing: Vec<String> =
        trace.computing.iter().map(|(who, _)| format!("rank {}", who.rank)).collect();
    let words = match (kind, names.is_empty()) {
        (Kind::Hang, _) if !computing.is_empty() => {
            format!("the run does not end: {} computes without an end", computing.join(", "))
        }
        (Kind::Deadlock, _) => format!("all ranks wait for each other: in {names}"),
        (Kind::Memory, _) => "the run takes too much memory".to_string(),
        (_, true) => "the run does not end: no rank is in a call".to_string(),
        (_, false) => format!("the run does not end: ranks are in {names}"),
    };
    // A run that goes in circles is cut off anywhere: it is known by all that it does there.
    const CIRCLE: usize = 400;
    let circle = &trace.calls[trace.calls.len().saturating_sub(CIRCLE)..];
    let places: BTreeSet<String> = match kind {
        // The loop is met anywhere: it is known by what was called before.
        Kind::Hang if !computing.is_empty() => {
            let last = |who| trace.of(who).last().map(|(_, call)| spot(trace, call));
            let last = trace.computing.iter().filter_map(|(who, _)| last(*who));
            last.map(|spot| format!("after {spot}")).collect()
        }
        Kind::Hang if circle.len() == CIRCLE => {
            circle.iter().map(|call| spot(trace, call)).collect()
        }
        _ => calls.iter().map(|call| spot(trace, call)).collect(),
    };
    let key = format!("{kind} {}", places.into_iter().collect::<Vec<_>>().join(" "));
    Failure { kind, words, key }
}

/// A call by its name and place: equal in all runs.
fn spot(trace: &Trace, call: &Call) -> String {
    match trace.leaf(call.place) {
        Some((object, offset)) => format!("{}@{object}+{offset:#x}", call.name),
        None => call.name.clone(),
    }
}

/// A run that ended with another status.
fn unexpected(schedule: &Schedule, seen: &Seen, status: i32) -> Failure {
    let trace = &seen.trace;
    let is_ordered = |rank: usize, life: u32| {
        schedule.kills.iter().any(|kill| kill.who.rank == rank && kill.who.life == life)
    };
    let own = trace
        .deaths
        .iter()
        .find(|death| death.cause != "SIGKILL" || !is_ordered(death.who.rank, death.who.life));
    if let Some(death) = own.filter(|death| death.cause != "SIGKILL") {
        let call = death.call.map(|(call, is_inside)| (&trace.calls[call], is_inside));
        let place = match call {
            Some((call, true)) => format!(" in {}", call.name),
            Some((call, false)) => format!(" after {}", call.name),
            None => String::new(),
        };
        let is_crash = death.is_crash();
        let kind = if is_crash { Kind::Crash } else { Kind::Status };
        let verb = if is_crash { "dies of" } else { "ends with" };
        let words = format!("rank {} {verb} {}{place}", death.who.rank, death.cause);
        let spot = call.map(|(call, _)| spot(trace, call)).unwrap_or_default();
        return Failure { kind, words, key: format!("{} {spot}", death.cause) };
    }
    let said = last_words(&seen.stderr);
    let words = match &said {
        Some(line) => format!("the job ends with status {status}: {line}"),
        None => format!("the job ends with status {status}"),
    };
    let key = format!("status {status} {}", without_numbers(said.as_deref().unwrap_or_default()));
    Failure { kind: Kind::Status, words, key }
}

/// What the launcher has said last that is not about orders to die and seeds.
fn last_words(stderr: &str) -> Option<String> {
    let lines = stderr.lines().rev().filter_map(|line| line.strip_prefix("ftrun: "));
    let mut telling = lines.filter(|line| {
        !line.contains("as planned for") && !line.starts_with("--seed") && !line.contains("leaves")
    });
    telling.next().map(str::to_string)
}

/// What ranks leave behind: the most of each kind that one of them does.
pub fn leaks(stderr: &str) -> BTreeMap<String, usize> {
    let mut most: BTreeMap<String, usize> = BTreeMap::new();
    let mut is_within = false;
    for line in stderr.lines() {
        if line.starts_with("ftrun: ") {
            is_within = line.ends_with(" leaves behind:");
            continue;
        }
        let Some(what) = line.strip_prefix("  ").filter(|_| is_within) else { continue };
        let Some((what, _)) = what.split_once(" that w") else { continue };
        if !line.contains("not freed") {
            continue;
        }
        let (first, noun) = what.split_once(' ').unwrap_or(("a", what));
        let count = first.parse().unwrap_or(1);
        let noun = noun.strip_suffix('s').unwrap_or(noun).to_string();
        let known = most.entry(noun).or_default();
        *known = count.max(*known);
    }
    most
}

fn leak(expected: &Expected, seen: &Seen) -> Option<Failure> {
    let known = expected.leftovers.as_ref()?;
    let found = leaks(&seen.stderr);
    let more = found.into_iter().find(|(kind, count)| *count > *known.get(kind).unwrap_or(&0));
    let (kind, count) = more?;
    let before = known.get(&kind).copied().unwrap_or(0);
    let words = format!("a rank leaves {count} {kind}(s) behind that were not freed, not {before}");
    Some(Failure { kind: Kind::Leak, words, key: format!("leak {kind}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(expect: Expect) -> Expected {
        let (output, leftovers) = ("sum 3\n".to_string(), Some(BTreeMap::new()));
        let (statuses, tolerance, only) = (vec![0], 0.0, String::new());
        Expected { statuses, expect, tolerance, only, output, leftovers }
    }

    fn judged(seen: &Seen) -> Option<Failure> {
        let schedule = Schedule::plain(2, 1);
        judge(&expected(Expect::Same), &schedule, seen)
    }

    #[test]
    fn a_run_like_the_reference_is_well() {
        let seen = Seen { status: Some(0), stdout: "sum 3\n".into(), ..Seen::default() };
        assert_eq!(judged(&seen), None);
        let wrong = judged(&Seen { stdout: "sum 4\n".into(), ..seen.clone() }).expect("it differs");
        assert_eq!(
            (wrong.kind, wrong.key.as_str()),
            (Kind::Output, "output `sum #` instead of `sum #`")
        );
        let other = Seen { stdout: "sum 3\ntook 4 s\n".into(), ..seen.clone() };
        assert!(judged(&other).is_some());
        let only = Expected { only: "sum".into(), ..expected(Expect::Same) };
        let schedule = Schedule::plain(2, 1);
        assert_eq!(judge(&only, &schedule, &other), None, "only lines with that text count");
        let stderr = "ftrun: rank 0 leaves behind:\n  2 requests that were not freed\n".to_string();
        let leak = judged(&Seen { stderr, ..seen }).expect("it leaks");
        assert_eq!((leak.kind, leak.key.as_str()), (Kind::Leak, "leak request"));
    }

    #[test]
    fn nobody_survives_the_death_of_all() {
        let stderr = "ftrun: all 2 ranks have failed, and no rank is left\n".to_string();
        assert_eq!(judged(&Seen { status: Some(137), stderr, ..Seen::default() }), None);
        assert!(judged(&Seen { status: Some(137), ..Seen::default() }).is_some());
    }

    #[test]
    fn a_deadlock_is_known_by_the_calls_in_it() {
        let text = "job 2 end\nat 0 p+0x10\ncall 0 0 MPI_Recv 0\ncall 1 0 MPI_Recv 0\n";
        let seen = Seen { status: Some(123), trace: Trace::read(text), ..Seen::default() };
        let found = judged(&seen).expect("it is stuck");
        assert_eq!((found.kind, found.key.as_str()), (Kind::Deadlock, "deadlock MPI_Recv@p+0x10"));
    }

    #[test]
    fn a_crash_is_known_by_its_cause_and_the_last_call() {
        let text = "job 2 ulfm\nat 0 p+0x10\ncall 0 0 MPI_Recv 0\ndone 0 0 0\ndeath 0 0 SIGSEGV\n";
        let seen = Seen { status: Some(139), trace: Trace::read(text), ..Seen::default() };
        let found = judged(&seen).expect("it crashed");
        assert_eq!(found.words, "rank 0 dies of SIGSEGV after MPI_Recv");
        assert_eq!(found.kind, Kind::Crash);
    }
}
