//! Tells a failed run as a story: who died where, what each rank then did, where the ranks stand
//! now. Ranks that did the same are told together.

use crate::judge::Failure;
use crate::points::Schedule;
use crate::trace::{Among, Call, Place, Trace, Who};
use ftmpi_machine::forced_match::{Decision, ForcedMatch, NOTHING};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

/// The source lines of frames: file, line and function.
pub type Lines = HashMap<(String, u64), (String, u32, String)>;

/// The story of a run of `schedule` that ended in `failure`.
pub fn story(failure: &Failure, schedule: &Schedule, trace: &Trace, lines: &Lines) -> String {
    let mut told = String::new();
    let teller = Teller { trace, lines };
    for death in &trace.deaths {
        let whose = named(death.who);
        let how = if death.cause == "SIGKILL" { "dies" } else { death.cause.as_str() };
        let _ = match death.call {
            Some((call, is_inside)) => {
                let call = &trace.calls[call];
                let moment = match (is_inside, call.steps) {
                    (true, 0) => "on entering",
                    (true, _) => "inside",
                    (false, _) => "after",
                };
                writeln!(told, "  {whose}: {how} {moment} {}", teller.call(call))
            }
            None => writeln!(told, "  {whose}: {how} before its first call"),
        };
    }
    if trace.deaths.is_empty() && !schedule.kills.is_empty() {
        told.push_str("  no rank dies: the order to kill is not met\n");
    }
    told.push_str(&teller.order(schedule));
    told.push_str(&teller.afterwards());
    told.push_str(&teller.standing());
    let _ = writeln!(told, "  so: {}", failure.words);
    told
}

fn named(who: Who) -> String {
    match who.life {
        0 => format!("rank {}", who.rank),
        life => format!("rank {} (life {})", who.rank, life + 1),
    }
}

struct Teller<'a> {
    trace: &'a Trace,
    lines: &'a Lines,
}

/// More calls than this after a death are summed up.
const MOST_CALLS: usize = 8;

impl Teller<'_> {
    fn call(&self, call: &Call) -> String {
        format!("{} ({})", call.name, self.place(call.place))
    }

    fn place(&self, place: usize) -> String {
        let frame = self.trace.leaf(place);
        frame.map_or("unknown place".to_string(), |frame| self.frame(frame))
    }

    fn frame(&self, frame: &(String, u64)) -> String {
        match self.lines.get(frame) {
            Some((file, line, _)) => format!("{}:{line}", short(file)),
            None => format!("{}+{:#x}", short(&frame.0), frame.1),
        }
    }

    /// What receives from any source and choices were made to take.
    fn order(&self, schedule: &Schedule) -> String {
        let mut told = String::new();
        for ForcedMatch { rank, of, nth, source } in &schedule.matches {
            if *of == Decision::Choice {
                told.push_str(&self.choice(*rank, *nth));
                continue;
            }
            let is_it =
                |(its_rank, its_nth, _): &&(usize, u64, usize)| (its_rank, its_nth) == (rank, nth);
            if let Some((.., call)) = self.trace.wild.iter().find(is_it) {
                let call = self.call(&self.trace.calls[*call]);
                let _ = writeln!(
                    told,
                    "  rank {rank}: {call}, its receive {nth} from any source, takes a message of \
                     rank {source}"
                );
            }
        }
        told
    }

    /// What came of a choice.
    fn choice(&self, rank: usize, nth: u64) -> String {
        let mut all = self.trace.choices.iter();
        let made = all.find(|choice| (choice.rank, choice.nth) == (rank, nth));
        let Some(choice) = made else { return String::new() };
        let call = &self.trace.calls[choice.call];
        let what = match (&choice.among, choice.what) {
            (_, NOTHING) => "finds nothing complete yet".to_string(),
            (Among::Messages { .. }, source) => format!("finds a message of rank {source}"),
            _ if !call.name.contains("any") && !call.name.contains("some") => {
                "finds it complete".to_string()
            }
            (Among::Requests(_), index) => format!("finds request {index} complete first"),
        };
        format!("  rank {rank}: {}, its choice {nth}, {what}\n", self.call(call))
    }

    /// What each rank did from the first death on, ranks with equal deeds together.
    fn afterwards(&self) -> String {
        let Some(first) = self.trace.deaths.first() else { return String::new() };
        let mut deeds: BTreeMap<Vec<String>, Vec<Who>> = BTreeMap::new();
        for who in self.trace.lives() {
            let own: Vec<&Call> = self.trace.of(who).map(|(_, call)| call).collect();
            let is_late = |call: &&&Call| {
                call.deaths_after > 0 && (call.deaths_before > 0 || call.class != Some(0))
                    || call.class.is_none()
            };
            let late: Vec<&Call> = own.iter().filter(is_late).copied().collect();
            if late.is_empty() || who == first.who {
                continue;
            }
            let mut words: Vec<String> = Vec::new();
            let mut runs = late.chunk_by(|one, next| self.deed(one) == self.deed(next));
            for calls in runs.by_ref().take(MOST_CALLS) {
                let times = match calls.len() {
                    1 => String::new(),
                    count => format!(" ({count} times)"),
                };
                words.push(format!("{}{times}", self.deed(calls[0])));
            }
            let more: usize = runs.map(<[&Call]>::len).sum();
            if more > 0 {
                words.push(format!("{more} more calls"));
            }
            deeds.entry(words).or_default().push(who);
        }
        let mut groups: Vec<(Vec<Who>, Vec<String>)> =
            deeds.into_iter().map(|(words, who)| (who, words)).collect();
        groups.sort();
        let mut told = String::new();
        for (who, words) in groups {
            let _ = writeln!(told, "  {}: then {}", all(&who), words.join(", "));
        }
        told
    }

    fn deed(&self, call: &Call) -> String {
        let how = match call.class {
            None => " does not return".to_string(),
            Some(0) => String::new(),
            Some(class) if call.name.starts_with("MPI_Init") => {
                format!(" returns {}", class_name(class))
            }
            Some(class) if call.has_handler => {
                format!(" fails with {}, its error handler runs", class_name(class))
            }
            Some(class) => format!(" fails with {}", class_name(class)),
        };
        format!("{}{how}", self.call(call))
    }

    /// Where the ranks are that did not come to an end, with all frames of the program.
    fn standing(&self) -> String {
        let mut groups: BTreeMap<String, Vec<Who>> = BTreeMap::new();
        for call in self.trace.stuck() {
            if let Some(frames) = self.frames(call.place) {
                let stack = format!("in the end: in {} < {frames}", call.name);
                groups.entry(stack).or_default().push(call.who);
            }
        }
        for (who, place) in &self.trace.computing {
            let frames = self.frames(*place).filter(|frames| !frames.is_empty());
            let frames = frames.unwrap_or("an unknown place".to_string());
            groups.entry(format!("in the end: computes in {frames}")).or_default().push(*who);
        }
        let mut told = String::new();
        for (stack, who) in groups {
            let _ = writeln!(told, "  {} {stack}", all(&who));
        }
        told
    }

    /// All frames of a place, innermost first.
    fn frames(&self, place: usize) -> Option<String> {
        let Place(frames) = self.trace.places.get(place)?;
        let frame = |frame: &(String, u64)| match self.lines.get(frame) {
            Some((.., function)) if function != "??" => {
                format!("{function} ({})", self.frame(frame))
            }
            _ => self.frame(frame),
        };
        Some(frames.iter().map(frame).collect::<Vec<_>>().join(" < "))
    }
}

fn all(who: &[Who]) -> String {
    match who {
        [one] => named(*one),
        many if many.iter().all(|who| who.life == 0) => {
            let ranks: Vec<String> = many.iter().map(|who| who.rank.to_string()).collect();
            format!("ranks {}", ranks.join(", "))
        }
        many => many.iter().map(|who| named(*who)).collect::<Vec<_>>().join(", "),
    }
}

/// The last part of a path.
pub(crate) fn short(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The headers, by which classes of errors are named.
const HEADERS: [&str; 3] = [
    include_str!("../../include/mpi.h"),
    include_str!("../../include/mpi-ext.h"),
    include_str!("../../include/ft-mpi-modes.h"),
];

/// An error class by its name in the header.
fn class_name(class: i32) -> String {
    let named = |line: &'static str| {
        let mut words = line.strip_prefix("#define ")?.split_whitespace();
        let name = words.next().filter(|name| name.contains("_ERR_") || name.contains("_INIT_"))?;
        let value = words.next()?.trim_matches(['(', ')']).parse().ok()?;
        (class == value).then_some(name)
    };
    let found = HEADERS.into_iter().flat_map(str::lines).find_map(named);
    found.map_or_else(|| format!("error class {class}"), str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Kind;

    #[test]
    fn the_story_tells_which_message_a_receive_took() {
        let text = "job 3 end\nat 0 /x/prog+0x10\ncall 0 0 MPI_Recv 0\nwild 0 0 1 0 5\n\
            match 0 0 2 5 0 1\ndone 0 0 0\n";
        let matches = vec![ForcedMatch { rank: 0, of: Decision::Receive, nth: 1, source: 2 }];
        let schedule = Schedule { matches, ..Schedule::plain(3, 1) };
        let words = "the output is wrong".into();
        let failure = Failure { kind: Kind::Output, words, key: String::new() };
        let told = story(&failure, &schedule, &Trace::read(text), &Lines::new());
        assert!(told.starts_with(
            "  rank 0: MPI_Recv (prog+0x10), its receive 1 from any source, takes a message of \
             rank 2\n"
        ));
    }

    #[test]
    fn the_story_tells_who_died_and_what_the_others_did() {
        let text = "job 3 ulfm\nat 0 /x/prog+0x10\nat 1 /x/prog+0x20 /x/prog+0x30\n\
            call 1 0 MPI_Send 0\nstep 1 0\ndeath 1 0 SIGKILL\n\
            call 0 0 MPI_Recv 1\nhandler 0 0\ndone 0 0 77\ncall 0 0 MPI_Barrier 1\n\
            call 2 0 MPI_Barrier 1\n";
        let line = |offset, line| {
            (("/x/prog".to_string(), offset), ("/src/prog.c".to_string(), line, "main".to_string()))
        };
        let lines = Lines::from([line(0x10, 7), line(0x20, 9), line(0x30, 12)]);
        let schedule = Schedule::plain(3, 1);
        let failure =
            Failure { kind: Kind::Deadlock, words: "all wait".into(), key: String::new() };
        let told = story(&failure, &schedule, &Trace::read(text), &lines);
        let expected = "  rank 1: dies inside MPI_Send (prog.c:7)\n  \
            rank 0: then MPI_Recv (prog.c:9) fails with MPIX_ERR_REVOKED, its error handler runs, \
            MPI_Barrier (prog.c:9) does not return\n  \
            rank 2: then MPI_Barrier (prog.c:9) does not return\n  \
            ranks 0, 2 in the end: in MPI_Barrier < main (prog.c:9) < main (prog.c:12)\n  \
            so: all wait\n";
        assert_eq!(told, expected);
    }
}
