//! Reads what `ftrun --trace` has written: the calls of each rank in the order of the run.

use ftmpi_machine::forced_match::NOTHING;
use std::collections::{BTreeMap, BTreeSet};

/// One life of a rank; lives are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Who {
    pub rank: usize,
    pub life: u32,
}

/// The frames of the program from which a call came, innermost first: an object and an offset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place(pub Vec<(String, u64)>);

/// One call of one rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub who: Who,
    /// As `--kill` names it: the twin with large counts is the same call.
    pub name: String,
    pub place: usize,
    /// Which call of this name it is in this life, from 1.
    pub nth: u64,
    pub steps: u32,
    /// The error class that it ended with; `None`: it did not end.
    pub class: Option<i32>,
    /// Whether an error handler of the program ran.
    pub has_handler: bool,
    /// How many ranks had died before it began, and before it ended.
    pub deaths_before: usize,
    pub deaths_after: usize,
    /// Sources and tags of the messages that its receives from any source have matched, and the
    /// outcomes of choices with the tag [`CHOSEN`].
    pub matches: Vec<(i32, i32)>,
}

/// What orders the messages of the first lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Send {
        context: u32,
        source: i32,
        to: usize,
        tag: i32,
    },
    /// A receive from any source begins.
    Wild {
        nth: u64,
        context: u32,
        tag: i32,
    },
    /// A receive has matched a message; `nth` is 0 if it names its source. A probe leaves the
    /// message where it is.
    Match {
        source: i32,
        tag: i32,
        context: u32,
        nth: u64,
        is_taken: bool,
    },
    /// One of [`Trace::choices`].
    Choice {
        number: usize,
    },
}

/// A call whose outcome depends on what has happened so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub rank: usize,
    pub nth: u64,
    /// The call, and the event.
    pub call: usize,
    pub at: usize,
    /// The request that was complete, or the source of the message that was found.
    pub what: i32,
    pub among: Among,
}

/// Among what a choice is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Among {
    /// Requests: the other outcomes.
    Requests(Vec<i32>),
    /// Messages that match this.
    Messages { context: u32, source: i32, tag: i32 },
}

impl Choice {
    /// The context, source and tag of the message that was found; the tag may be any.
    pub fn found(&self) -> Option<(u32, i32, i32)> {
        match self.among {
            Among::Messages { context, tag, .. } if self.what != NOTHING => {
                Some((context, self.what, tag))
            }
            _ => None,
        }
    }
}

/// In place of a tag: the outcome of a choice.
pub(crate) const CHOSEN: i32 = -3;

/// The death of a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Death {
    pub who: Who,
    pub cause: String,
    /// How many calls had begun before.
    pub calls_before: usize,
    /// The call that the rank was in, or its last one, and whether it was still in it.
    pub call: Option<(usize, bool)>,
    /// Whether another rank had left MPI by then.
    pub is_late: bool,
}

/// One run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    pub ranks: usize,
    /// The rules of failures, as the job has them: `end`, `continue`, `restart`, `ulfm` or `ft:…`.
    pub rules: String,
    pub places: Vec<Place>,
    pub calls: Vec<Call>,
    pub deaths: Vec<Death>,
    /// The ranks that computed for too long when the run was ended, and where.
    pub computing: Vec<(Who, usize)>,
    /// Each with its rank.
    pub events: Vec<(usize, Event)>,
    /// The rank and the number of each receive from any source, and the call that began it.
    pub wild: Vec<(usize, u64, usize)>,
    /// The choices of first lives.
    pub choices: Vec<Choice>,
    /// The rank and number of each choice that still waits for what was ordered.
    pub awaited: BTreeSet<(usize, u64)>,
    /// Whether a rank has come through MPI_Finalize.
    pub has_leavers: bool,
    /// How often ranks have recovered.
    pub recoveries: usize,
    /// The counted time of the whole run; `None`: it was cut off.
    pub micros: Option<u64>,
    /// The processor time that it took, in microseconds.
    pub computed: Option<u64>,
}

impl Death {
    /// Whether a signal ended the rank that nobody ordered.
    pub fn is_crash(&self) -> bool {
        self.cause.starts_with("SIG") && self.cause != "SIGKILL"
    }
}

#[derive(Default)]
struct Life {
    open: Vec<usize>,
    last: Option<usize>,
    counts: BTreeMap<String, u64>,
}

impl Life {
    /// Counts a call, and says the how manyth of its name it is.
    fn count(&mut self, name: &str) -> u64 {
        if let Some(count) = self.counts.get_mut(name) {
            *count += 1;
            return *count;
        }
        self.counts.insert(name.to_string(), 1);
        1
    }

    /// The call inside which the rank dies now, or after which.
    fn call_of_death(&self) -> Option<(usize, bool)> {
        let inside = self.open.first().map(|call| (*call, true));
        inside.or(self.last.map(|call| (call, false)))
    }
}

impl Trace {
    /// Reads a trace; lines that make no sense are passed over, since a run may be cut off.
    pub fn read(text: &str) -> Trace {
        let mut trace = Trace::default();
        let mut lives: BTreeMap<Who, Life> = BTreeMap::new();
        for line in text.lines() {
            trace.take(line, &mut lives);
        }
        trace
    }

    fn take(&mut self, line: &str, lives: &mut BTreeMap<Who, Life>) -> Option<()> {
        let mut words = line.split(' ');
        let what = words.next()?;
        match what {
            "job" => {
                self.ranks = words.next()?.parse().ok()?;
                self.rules = words.next()?.to_string();
                return Some(());
            }
            "at" => {
                words.next();
                self.places.push(Place(words.filter_map(frame).collect()));
                return Some(());
            }
            "end" => {
                self.micros = words.next()?.parse().ok();
                self.computed = words.next().and_then(|word| word.parse().ok());
                return Some(());
            }
            _ => {}
        }
        let who = Who { rank: words.next()?.parse().ok()?, life: words.next()?.parse().ok()? };
        let life = lives.entry(who).or_default();
        match what {
            "call" => Self::begin(&mut self.calls, self.deaths.len(), life, (who, words))?,
            "step" => self.calls[*life.open.last()?].steps += 1,
            "done" => {
                let call = &mut self.calls[life.open.pop()?];
                call.class = words.next()?.parse().ok();
                call.deaths_after = self.deaths.len();
                self.has_leavers |= call.name == "MPI_Finalize" && call.class == Some(0);
            }
            "handler" => self.calls[life.last?].has_handler = true,
            "send" | "wild" | "match" | "seen" => {
                let open = life.open.last().copied();
                self.hear(who, open, event(what, words)?);
            }
            "awaits" if who.life == 0 => {
                _ = self.awaited.insert((who.rank, words.next()?.parse().ok()?))
            }
            "chosen" | "looks" => {
                let open = life.open.last().copied();
                self.choose(who, open?, choice(what, words)?);
            }
            "computes" => self.computing.push((who, words.next()?.parse().ok()?)),
            "recovered" => self.recoveries += 1,
            "death" => {
                let call = life.call_of_death();
                let cause = words.collect::<Vec<_>>().join(" ");
                let calls_before = self.calls.len();
                let is_late = self.has_leavers;
                self.deaths.push(Death { who, cause, calls_before, call, is_late });
            }
            _ => {}
        }
        Some(())
    }

    /// A call begins after so many deaths.
    fn begin<'a>(
        calls: &mut Vec<Call>, deaths: usize, life: &mut Life,
        (who, mut words): (Who, impl Iterator<Item = &'a str>),
    ) -> Option<()> {
        let name = words.next()?;
        let name = name.strip_suffix("_c").unwrap_or(name).to_string();
        let place = words.next()?.parse().ok()?;
        let nth = life.count(&name);
        life.open.push(calls.len());
        life.last = Some(calls.len());
        calls.push(Call {
            who,
            name,
            place,
            nth,
            steps: 0,
            class: None,
            has_handler: false,
            deaths_before: deaths,
            deaths_after: deaths,
            matches: Vec::new(),
        });
        Some(())
    }

    /// Takes in what happens to a message while a rank is in the call `open`.
    fn hear(&mut self, who: Who, open: Option<usize>, event: Event) {
        if let (Event::Match { source, tag, nth: 1.., .. }, Some(call)) = (event, open) {
            self.calls[call].matches.push((source, tag));
        }
        if who.life == 0 {
            if let (Event::Wild { nth, .. }, Some(call)) = (event, open) {
                self.wild.push((who.rank, nth, call));
            }
            self.events.push((who.rank, event));
        }
    }

    /// Takes in the outcome of a choice that a rank makes in the call `open`.
    fn choose(&mut self, who: Who, open: usize, (nth, what, among): (u64, i32, Among)) {
        self.calls[open].matches.push((what, CHOSEN));
        if who.life == 0 {
            let (rank, at, number) = (who.rank, self.events.len(), self.choices.len());
            self.awaited.remove(&(rank, nth));
            self.choices.push(Choice { rank, nth, call: open, at, what, among });
            self.events.push((rank, Event::Choice { number }));
        }
    }

    /// The innermost frame of a place.
    pub fn leaf(&self, place: usize) -> Option<&(String, u64)> {
        self.places.get(place)?.0.first()
    }

    /// The calls of one life, in order.
    pub fn of(&self, who: Who) -> impl Iterator<Item = (usize, &Call)> {
        self.calls.iter().enumerate().filter(move |(_, call)| call.who == who)
    }

    /// All lives, in order.
    pub fn lives(&self) -> Vec<Who> {
        let mut lives: Vec<Who> = self.calls.iter().map(|call| call.who).collect();
        lives.sort_unstable();
        lives.dedup();
        lives
    }

    /// The lives that neither died nor came to the end of their last call, with that call.
    pub fn stuck(&self) -> Vec<&Call> {
        let is_dead = |who: Who| self.deaths.iter().any(|death| death.who == who);
        let last = |who: Who| self.of(who).find(|(_, call)| call.class.is_none());
        let lives = self.lives().into_iter().filter(|who| !is_dead(*who));
        lives.filter_map(last).map(|(_, call)| call).collect()
    }
}

/// The rest of a line that tells of a choice.
fn choice<'a>(what: &str, words: impl Iterator<Item = &'a str>) -> Option<(u64, i32, Among)> {
    let numbers: Vec<i32> = words.map(str::parse).collect::<Result<_, _>>().ok()?;
    Some(match (what, &numbers[..]) {
        ("chosen", [nth, what, others @ ..]) => {
            (u64::try_from(*nth).ok()?, *what, Among::Requests(others.to_vec()))
        }
        (_, [nth, context, source, tag, found]) => {
            let context = u32::try_from(*context).ok()?;
            let among = Among::Messages { context, source: *source, tag: *tag };
            (u64::try_from(*nth).ok()?, *found, among)
        }
        _ => return None,
    })
}

/// The rest of a line that tells of a message.
fn event<'a>(what: &str, words: impl Iterator<Item = &'a str>) -> Option<Event> {
    let numbers: Vec<i64> = words.map(str::parse).collect::<Result<_, _>>().ok()?;
    let small = |at: usize| i32::try_from(*numbers.get(at)?).ok();
    let context = |at: usize| u32::try_from(*numbers.get(at)?).ok();
    let count = |at: usize| u64::try_from(*numbers.get(at)?).ok();
    Some(match what {
        "send" => {
            let to = count(2)? as usize;
            Event::Send { context: context(0)?, source: small(1)?, to, tag: small(3)? }
        }
        "wild" => Event::Wild { nth: count(0)?, context: context(1)?, tag: small(2)? },
        _ => {
            let (source, tag) = (small(0)?, small(1)?);
            let is_taken = what == "match";
            Event::Match { source, tag, context: context(2)?, nth: count(3)?, is_taken }
        }
    })
}

/// `OBJECT+OFFSET`
pub(crate) fn frame(word: &str) -> Option<(String, u64)> {
    let (object, offset) = word.rsplit_once("+0x")?;
    Some((object.to_string(), u64::from_str_radix(offset, 16).ok()?))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    const TEXT: &str = "job 2 ft:rebuild\nat 0 /a/prog+0x10\ncall 0 0 MPI_Init 0\ndone 0 0 0\n\
        call 1 0 MPI_Init 0\ndone 1 0 0\nat 1 /a/prog+0x20 /a/prog+0x90\n\
        call 0 0 MPI_Send 1\nstep 0 0\nstep 0 0\ndone 0 0 0\ncall 1 0 MPI_Recv_c 1\n\
        step 1 0\ndeath 1 0 SIGKILL\ncall 0 0 MPI_Send 1\nhandler 0 0\ndone 0 0 16\n\
        recovered 0 0 1\nend 420 7000\n";

    #[test]
    fn a_trace_is_read_as_it_was_written() {
        let trace = Trace::read(TEXT);
        assert_eq!((trace.ranks, trace.rules.as_str()), (2, "ft:rebuild"));
        assert_eq!((trace.micros, trace.computed), (Some(420), Some(7000)));
        assert_eq!(trace.places[1].0[1], ("/a/prog".to_string(), 0x90));
        let sends: Vec<&Call> = trace.calls.iter().filter(|call| call.name == "MPI_Send").collect();
        assert_eq!((sends[0].nth, sends[0].steps, sends[0].class), (1, 2, Some(0)));
        assert_eq!((sends[1].nth, sends[1].class, sends[1].deaths_before), (2, Some(16), 1));
        assert!(sends[1].has_handler);
        let death = &trace.deaths[0];
        let (call, is_inside) = death.call.expect("it was in a call");
        assert_eq!((trace.calls[call].name.as_str(), is_inside), ("MPI_Recv", true));
        assert_eq!((death.cause.as_str(), trace.recoveries), ("SIGKILL", 1));
        assert!(trace.stuck().is_empty(), "the dead are not stuck");
    }

    #[test]
    fn a_trace_that_was_cut_off_tells_what_is_open() {
        let trace = Trace::read("job 2 end\nat 0 p+0x1\ncall 1 0 MPI_Recv 0\nstep 1 0\ncall 0 ");
        assert_eq!((trace.micros, trace.stuck().len()), (None, 1));
    }
}
