//! The call trace (`ftrun --trace FILE`): what each rank calls, from which place in the program,
//! and with which outcome. One line for each thing that happens, in the order in which it happens:
//!
//! | line                         | meaning                                                     |
//! |------------------------------|-------------------------------------------------------------|
//! | `job RANKS RULES`            | the head                                                    |
//! | `at NUMBER OBJECT+OFFSET …`  | a place: the frames of the program, innermost first; in     |
//! |                              | Python `python:SCRIPT+LINE`                                 |
//! | `call RANK LIFE NAME PLACE`  | the rank enters a call                                      |
//! | `step RANK LIFE`             | it has made a step of it, or begun to recover               |
//! | `done RANK LIFE CLASS`       | the call ends with this error class; 0 is success           |
//! | `handler RANK LIFE`          | an error handler of the program is about to run             |
//! | `send RANK LIFE CONTEXT SOURCE TO TAG` | a message to the rank TO of the job starts        |
//! | `wild RANK LIFE N CONTEXT TAG` | the rank's Nth receive from any source begins             |
//! | `match RANK LIFE SOURCE TAG CONTEXT N` | it has matched this message; 0: a named source    |
//! | `seen RANK LIFE SOURCE TAG CONTEXT N` | it was a probe, and has found this message        |
//! | `awaits RANK LIFE N`         | the rank's Nth choice waits for what `--match` orders       |
//! | `chosen RANK LIFE N INDEX OTHERS` | this request was complete; -1: none. OTHERS: what else |
//! |                              | could be                                                    |
//! | `looks RANK LIFE N CONTEXT SOURCE TAG FOUND` | the choice of a probe: the source of    |
//! |                              | the message that it has found; -1: none                     |
//! | `death RANK LIFE CAUSE`      | the rank has died                                           |
//! | `computes RANK LIFE PLACE`   | the job ends because the rank computes for too long here    |
//! | `recovered RANK LIFE NUMBER` | the rank has come to this generation                        |
//! | `end MICROSECONDS PROCESSOR` | the job is over; PROCESSOR: its processor time, as well     |
//!
//! A file whose name ends in `.json` or `.csv` gets a [timeline](crate::fault::timeline) instead.
//!
//! Lives are counted from 0. A job without a trace pays nothing: calls are noted where planned
//! deaths count them.

use crate::base::Member;
use crate::engine::Steps;
use crate::fault::timeline::{Form, Timeline};
use crate::host::{callers, clock, computing, output, script};
use crate::machine::forced_match::{Decision, ForcedMatch, NOTHING};
use crate::machine::units::NANO;
use crate::mpi::failure::planned_death::PlannedDeath;
use crate::transport::Envelope;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write as _};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

static TRACE: OnceLock<Mutex<Trace>> = OnceLock::new();

/// Frames of a place.
const FRAMES: usize = 6;
/// How much is kept before it is written.
const ROOM: usize = 1 << 20;

/// Where a trace goes.
pub type Sink = Box<dyn io::Write + Send>;

struct Trace {
    sink: Sink,
    text: String,
    timeline: Option<Timeline>,
    begun: Instant,
    /// Other processes write into the file, too, so each row is written at once.
    is_shared: bool,
    /// The places so far, by the return addresses (with the lines of a script) and by what these
    /// mean: each rank has its own copy of the program.
    seen: FxHashMap<(Vec<usize>, Vec<callers::Caller>), usize>,
    places: FxHashMap<Vec<callers::Caller>, usize>,
    /// How many receives from any source a life has begun, and how many choices; and what is
    /// ordered for them.
    counts: FxHashMap<(Member, Decision), u64>,
    forced: Vec<ForcedMatch>,
    /// The receives from any source, by what [`posts`] has returned.
    wild: Vec<(Member, u64, u32)>,
}

/// From now on everything is written into the file at `path`.
pub fn begin(path: &str, ranks: usize, rules: &str, forced: &[ForcedMatch]) -> io::Result<()> {
    let sink = Box::new(File::create(path)?);
    let timeline = Form::of(path).map(Timeline::new);
    let text = match timeline {
        None => format!("job {ranks} {rules}\n"),
        Some(_) => String::new(),
    };
    let begun = clock::now();
    TRACE.get_or_init(|| Mutex::new(Trace::new(sink, text, (timeline, begun, false), forced)));
    Ok(())
}

/// From now on this process, one of several, adds to the timeline at `path`, which has begun so
/// long after the epoch of the system's clock; by `sink`, if somebody else writes it there.
pub fn join(
    path: &str, since: Duration, sink: Option<Sink>, forced: &[ForcedMatch],
) -> io::Result<()> {
    let sink = match sink {
        Some(sink) => sink,
        None => Box::new(File::options().append(true).open(path)?),
    };
    let timeline = Form::of(path).map(Timeline::shared);
    let age = SystemTime::now().duration_since(UNIX_EPOCH + since).unwrap_or_default();
    let begun = clock::now().checked_sub(age).unwrap_or_else(clock::now);
    let text = String::new();
    TRACE.get_or_init(|| Mutex::new(Trace::new(sink, text, (timeline, begun, true), forced)));
    Ok(())
}

pub fn is_on() -> bool {
    TRACE.get().is_some()
}

/// Writes what is left: the job is over after this time.
pub fn end(after: Duration) {
    let Some(trace) = TRACE.get() else { return };
    let mut trace = trace.lock();
    let last = match &mut trace.timeline {
        None => {
            let computed = computing::processor_time();
            format!("end {} {}\n", after.as_micros(), computed.as_micros())
        }
        Some(timeline) => timeline.end(),
    };
    trace.text += &last;
    trace.flush();
}

pub fn enters(who: Member, call: &str) {
    let Some(trace) = TRACE.get() else { return };
    if trace.lock().on_timeline(|timeline, at| {
        timeline.enters(who, call, at);
        String::new()
    }) {
        return;
    }
    let found = (callers::addresses(FRAMES, call.as_ptr().addr()), script::lines(FRAMES));
    let mut trace = trace.lock();
    let place = trace.place(found);
    trace.note(who, "call", format_args!(" {call} {place}"));
}

/// The call ends with this error class.
pub fn leaves(who: Member, class: i32) {
    if !is_on_timeline(|timeline, at| timeline.leaves(who, class, at)) {
        note(who, "done", format_args!(" {class}"));
    }
}

pub fn steps(who: Member) {
    note(who, "step", format_args!(""));
}

pub fn runs_handler(who: Member) {
    note(who, "handler", format_args!(""));
}

pub fn has_recovered(who: Member, generation: u64) {
    let what = || format!("generation {generation}");
    if !is_on_timeline(|timeline, at| timeline.happens(who, &what(), at)) {
        note(who, "recovered", format_args!(" {generation}"));
    }
}

/// A message starts.
pub fn sends(who: Member, envelope: Envelope, to: Member) {
    let Envelope { context, source, tag } = envelope;
    note(who, "send", format_args!(" {context} {source} {} {tag}", to.seat));
}

/// A receive from any source begins: its number among all, and the source that is ordered for it.
pub fn posts(who: Member, context: u32, tag: i32) -> (u32, Option<i32>) {
    let Some(trace) = TRACE.get() else { return (u32::MAX, None) };
    let mut trace = trace.lock();
    let (nth, forced) = trace.decides(who, Decision::Receive);
    trace.note(who, "wild", format_args!(" {nth} {context} {tag}"));
    trace.wild.push((who, nth, context));
    (trace.wild.len() as u32 - 1, forced)
}

/// A choice begins: its number, and what is ordered for it.
pub fn chooses(who: Member) -> Option<(u64, Option<i32>)> {
    let mut trace = TRACE.get()?.lock();
    let (nth, forced) = trace.decides(who, Decision::Choice);
    if forced.is_some_and(|what| what != NOTHING) {
        trace.note(who, "awaits", format_args!(" {nth}"));
    }
    Some((nth, forced))
}

/// A choice among requests is made.
pub fn has_chosen(who: Member, nth: u64, what: i32, others: impl Iterator<Item = i32>) {
    let others: String = others.map(|other| format!(" {other}")).collect();
    note(who, "chosen", format_args!(" {nth} {what}{others}"));
}

/// A probe that does not wait has found a message of this source, or nothing.
pub fn has_looked(who: Member, nth: u64, sought: Envelope, found: i32) {
    let Envelope { context, source, tag } = sought;
    note(who, "looks", format_args!(" {nth} {context} {source} {tag} {found}"));
}

/// The receive from any source that has this number among all has matched a message.
pub fn fulfils(number: u32, source: i32, tag: i32) {
    finds("match", number, source, tag);
}

/// The probe that has this number has found a message.
pub fn sees(number: u32, source: i32, tag: i32) {
    finds("seen", number, source, tag);
}

fn finds(what: &str, number: u32, source: i32, tag: i32) {
    let Some(trace) = TRACE.get() else { return };
    let mut trace = trace.lock();
    let Some((who, nth, context)) = trace.wild.get(number as usize).copied() else { return };
    trace.note(who, what, format_args!(" {source} {tag} {context} {nth}"));
}

/// A receive from a named source has matched a message.
pub fn has_matched(who: Member, context: u32, source: i32, tag: i32) {
    note(who, "match", format_args!(" {source} {tag} {context} 0"));
}

pub fn has_died(who: Member, cause: &str) {
    if !is_on_timeline(|timeline, at| timeline.dies(who, &format!("death: {cause}"), at)) {
        note(who, "death", format_args!(" {cause}"));
    }
}

/// The job ends, because this rank computes for too long.
pub fn computes(who: Member, frames: Vec<callers::Caller>) {
    let Some(trace) = TRACE.get() else { return };
    let mut trace = trace.lock();
    if trace.timeline.is_none() {
        let place = trace.number(frames.into_iter().take_while(is_own).collect());
        trace.note(who, "computes", format_args!(" {place}"));
    }
}

/// Whether a frame is not an interpreter's: those tell nothing of the script.
fn is_own(caller: &callers::Caller) -> bool {
    let file = caller.object.rsplit('/').next().unwrap_or_default();
    !file.starts_with("libpython") && !file.starts_with("python")
}

/// Notes something on the timeline, if there is one.
fn is_on_timeline(row: impl FnOnce(&mut Timeline, Duration) -> String) -> bool {
    TRACE.get().is_some_and(|trace| trace.lock().on_timeline(row))
}

fn note(who: Member, what: &str, rest: std::fmt::Arguments<'_>) {
    if let Some(trace) = TRACE.get() {
        trace.lock().note(who, what, rest);
    }
}

impl Trace {
    fn new(
        sink: Sink, text: String, (timeline, begun, is_shared): (Option<Timeline>, Instant, bool),
        forced: &[ForcedMatch],
    ) -> Trace {
        let (seen, places) = (FxHashMap::default(), FxHashMap::default());
        let (counts, wild, forced) = (FxHashMap::default(), Vec::new(), forced.to_vec());
        Trace { sink, text, timeline, begun, is_shared, seen, places, counts, forced, wild }
    }

    /// The number of a decision that begins, and what is ordered for it.
    fn decides(&mut self, who: Member, of: Decision) -> (u64, Option<i32>) {
        let count = self.counts.entry((who, of)).or_default();
        *count += 1;
        let nth = *count;
        let is_meant = |it: &&ForcedMatch| {
            (it.rank, it.of, it.nth) == (who.seat, of, nth) && who.incarnation == 0
        };
        (nth, self.forced.iter().find(is_meant).map(|forced| forced.source))
    }

    /// Notes something on the timeline; false if there is none.
    fn on_timeline(&mut self, row: impl FnOnce(&mut Timeline, Duration) -> String) -> bool {
        let Some(timeline) = &mut self.timeline else { return false };
        let at = match clock::is_of_each_rank() {
            true => Duration::from_nanos(clock::picos() / NANO),
            false => clock::now().saturating_duration_since(self.begun),
        };
        self.text += &row(timeline, at);
        if self.text.len() >= ROOM || self.is_shared && !self.text.is_empty() {
            self.flush();
        }
        true
    }

    fn note(&mut self, who: Member, what: &str, rest: std::fmt::Arguments<'_>) {
        if self.timeline.is_some() {
            return;
        }
        let _ = writeln!(self.text, "{what} {} {}{rest}", who.seat, who.incarnation);
        if self.text.len() >= ROOM {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if let Err(error) = self.sink.write_all(self.text.as_bytes()) {
            output::note_unwritten(error.raw_os_error().unwrap_or(libc::EIO));
        }
        self.text.clear();
    }

    /// The number of the place from which the calling thread came.
    fn place(&mut self, found: (Vec<usize>, Vec<callers::Caller>)) -> usize {
        if let Some(number) = self.seen.get(&found) {
            return *number;
        }
        let (addresses, script) = &found;
        let frames = addresses.iter().map_while(|address| callers::caller(*address));
        let place: Vec<callers::Caller> = match script.is_empty() {
            true => frames.take_while(is_own).collect(),
            false => script.clone(),
        };
        let number = self.number(place);
        self.seen.insert(found, number);
        number
    }

    /// The number of a place; writes it down if it is new.
    fn number(&mut self, place: Vec<callers::Caller>) -> usize {
        if let Some(number) = self.places.get(&place) {
            return *number;
        }
        let number = self.places.len();
        let _ = write!(self.text, "at {number}");
        for callers::Caller { object, offset } in &place {
            let _ = write!(self.text, " {object}+{offset:#x}");
        }
        self.text.push('\n');
        self.places.insert(place, number);
        number
    }
}

/// Notes the steps of a life before they are counted.
pub struct TracedSteps {
    pub who: Member,
    pub fate: Arc<PlannedDeath>,
}

impl Steps for TracedSteps {
    fn step(&self) -> bool {
        steps(self.who);
        self.fate.step()
    }
}
