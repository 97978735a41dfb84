//! The record of each failure, for reports: the time of each step until the job has recovered.
//! Pure: times come in as arguments, counted from the start of the job.

use ftmpi_base::Member;
use ftmpi_launch::{CommMode, OnFailure, Rules};
use ftmpi_machine::berths::Relocation;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::time::Duration;

/// The open records, and the finished ones that have not been taken.
#[derive(Clone, Debug, Default)]
pub struct Chronicle {
    open: Vec<Incident>,
    over: Vec<Incident>,
}

/// The record of one failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    pub member: Member,
    /// In one word: `SIGSEGV`, `exit 3`.
    pub cause: String,
    /// In a sentence.
    pub words: String,
    /// The node of the simulated machine, if there is one.
    pub node: Option<usize>,
    /// The number of its process, where ranks share processes.
    pub process: Option<usize>,
    /// The order for this death, if it was ordered.
    pub order: Option<String>,
    /// What reported it first.
    pub source: &'static str,
    /// How the job responds.
    pub cure: Cure,
    /// The mode of the job, as the user writes it.
    pub mode: &'static str,
    pub died: Duration,
    /// When the ledger recorded the death.
    pub recorded: Option<Duration>,
    /// When the first survivor noticed it, and the last so far.
    pub noticed: Option<(Duration, Duration)>,
    /// When the survivors agreed on the dead.
    pub agreed: Option<Duration>,
    /// When the replacement started.
    pub respawned: Option<Duration>,
    /// The replacement's node.
    pub relocation: Option<Relocation>,
    /// When the recovery was complete, and the generation that it led to.
    pub committed: Option<(Duration, u64)>,
}

/// How a job responds to a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cure {
    /// The job ends.
    End,
    /// The others continue without the rank.
    Continue,
    /// The others recover.
    Recover,
}

/// What ranks have come to know of failures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fact {
    /// A survivor has noticed the deaths of these.
    Noticed(Vec<Member>),
    /// A recovery of the world in these seats is complete, with these members.
    Committed { seats: Range<usize>, members: Vec<Member>, generation: u64 },
}

/// An input of a chronicle, as coordinators hand it on to their successors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    Died(Death),
    /// This death is on record for all.
    Recorded(Member),
    /// The survivors have agreed that these are dead.
    Agreed(Vec<Member>),
    /// This replacement has started; what moved on a simulated machine, of which there is never a
    /// successor to be told.
    Respawned(Member, #[serde(skip)] Option<Relocation>),
    /// A node of a simulated machine has failed that had no rank.
    LostSpare(usize),
    /// A rank has come to know this.
    Learnt(Fact),
    /// The coordinator is lost, and this host goes on with the job.
    TakenOver(String),
}

impl Event {
    /// Whether timelines show it beside the calls of ranks.
    pub fn is_on_timelines(&self) -> bool {
        matches!(self, Event::Died(_) | Event::TakenOver(_))
    }
}

/// How a rank has died.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Death {
    pub member: Member,
    /// The node of a simulated machine.
    pub node: Option<usize>,
    pub at: Duration,
    pub cause: String,
    pub words: String,
    pub order: Option<String>,
    /// The rules under which that happened, as [`Rules::encode`] writes them.
    pub rules: String,
}

impl Cure {
    /// How a job responds under these rules, and what the user calls that.
    pub fn of(rules: Rules, on_failure: OnFailure) -> (Cure, &'static str) {
        match rules {
            Rules::End => (Cure::End, "end"),
            Rules::Standard if on_failure == OnFailure::Restart => (Cure::Continue, "restart"),
            Rules::Standard => (Cure::Continue, "continue"),
            Rules::Ulfm => (Cure::Continue, "ulfm"),
            Rules::Ft(modes) => match modes.comm {
                CommMode::Abort => (Cure::End, "abort"),
                CommMode::Blank => (Cure::Recover, "blank"),
                CommMode::Shrink => (Cure::Recover, "shrink"),
                CommMode::Rebuild => (Cure::Recover, "rebuild"),
            },
        }
    }
}

impl Incident {
    /// The record of a failure at its beginning.
    pub fn new(member: Member, died: Duration, cure: Cure, mode: &'static str) -> Incident {
        Incident {
            member,
            cause: String::new(),
            words: String::new(),
            node: None,
            process: None,
            order: None,
            source: "host",
            cure,
            mode,
            died,
            recorded: None,
            noticed: None,
            agreed: None,
            respawned: None,
            relocation: None,
            committed: None,
        }
    }

    /// Whether a recovery of the world in these seats that leads to these members repairs it.
    fn is_repaired(&self, seats: &Range<usize>, members: &[Member]) -> bool {
        seats.contains(&self.member.seat) && !members.contains(&self.member)
    }
}

impl Chronicle {
    /// Opens the record of a death, unless it is open.
    pub fn begin(&mut self, incident: Incident) {
        if self.of(incident.member).is_none() {
            self.open.push(incident);
        }
    }

    /// The ledger has recorded the death of `member`.
    pub fn recorded(&mut self, member: Member, now: Duration) {
        if let Some(incident) = self.of(member) {
            incident.recorded.get_or_insert(now);
        }
    }

    /// A rank has come to know this.
    pub fn learn(&mut self, fact: &Fact, now: Duration) {
        match fact {
            Fact::Noticed(members) => self.noticed(members, now),
            Fact::Committed { seats, members, generation } => {
                self.committed(seats.clone(), members, *generation, now);
            }
        }
    }

    /// Whether this adds more to the open records than a later notice of a death.
    pub fn is_news(&self, fact: &Fact) -> bool {
        let mut open = self.open.iter();
        match fact {
            Fact::Noticed(members) => open
                .any(|incident| incident.noticed.is_none() && members.contains(&incident.member)),
            Fact::Committed { seats, members, .. } => {
                open.any(|incident| incident.is_repaired(seats, members))
            }
        }
    }

    /// A survivor has noticed the deaths of `members`.
    fn noticed(&mut self, members: &[Member], now: Duration) {
        for member in members {
            if let Some(incident) = self.of(*member) {
                let first = incident.noticed.map_or(now, |(first, _)| first);
                incident.noticed = Some((first, now));
            }
        }
    }

    /// The survivors have agreed that `members` are dead; the first agreement counts.
    pub fn agreed(&mut self, members: &[Member], now: Duration) {
        for member in members {
            if let Some(incident) = self.of(*member) {
                incident.agreed.get_or_insert(now);
            }
        }
    }

    /// `member` has started: the last one to die in its seat has a replacement, perhaps on another
    /// node.
    pub fn respawned(&mut self, member: Member, relocation: Option<&Relocation>, now: Duration) {
        let is_it = |incident: &&mut Incident| {
            incident.member.seat == member.seat && incident.member.incarnation < member.incarnation
        };
        for incident in self.open.iter_mut().filter(is_it) {
            incident.respawned = Some(now);
            incident.relocation = relocation.cloned().or(incident.relocation.take());
        }
    }

    /// A recovery of the world in `seats` is complete, with these members: finishes the records of
    /// all others there. Only the first report counts.
    fn committed(
        &mut self, seats: Range<usize>, members: &[Member], generation: u64, now: Duration,
    ) {
        let is_over = |incident: &mut Incident| incident.is_repaired(&seats, members);
        let over = self.open.extract_if(.., is_over);
        self.over.extend(
            over.map(|incident| Incident { committed: Some((now, generation)), ..incident }),
        );
    }

    /// The job ends: finishes all records, however far they are.
    pub fn end(&mut self) {
        self.over.append(&mut self.open);
    }

    /// The latest open records, at most `most`.
    pub fn open(&self, most: usize) -> &[Incident] {
        &self.open[self.open.len().saturating_sub(most)..]
    }

    /// The finished records, each once.
    pub fn tell(&mut self) -> Vec<Incident> {
        std::mem::take(&mut self.over)
    }

    fn of(&mut self, member: Member) -> Option<&mut Incident> {
        self.open.iter_mut().find(|incident| incident.member == member)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_story_has_its_times_and_is_told_once() {
        let [one, two] = [1, 2].map(|seat| Member { seat, incarnation: 0 });
        let next = Member { seat: 1, incarnation: 1 };
        let mut chronicle = Chronicle::default();
        chronicle.begin(Incident::new(one, at(10), Cure::Recover, "rebuild"));
        chronicle.begin(Incident::new(one, at(30), Cure::Recover, "rebuild"));
        chronicle.begin(Incident::new(two, at(11), Cure::Recover, "rebuild"));
        chronicle.recorded(one, at(12));
        chronicle.recorded(one, at(13));
        assert!(chronicle.is_news(&Fact::Noticed(vec![two])));
        chronicle.noticed(&[one, two], at(14));
        assert!(!chronicle.is_news(&Fact::Noticed(vec![one, two])), "both are noticed");
        chronicle.noticed(&[one], at(15));
        chronicle.agreed(&[one], at(16));
        chronicle.agreed(&[one], at(17));
        chronicle.respawned(next, None, at(18));
        chronicle.respawned(one, None, at(19));
        let committed = Fact::Committed { seats: 0..3, members: vec![next, two], generation: 1 };
        assert!(chronicle.is_news(&committed));
        chronicle.learn(&committed, at(20));
        assert!(!chronicle.is_news(&committed), "only the first report counts");
        chronicle.learn(&committed, at(21));
        let told = chronicle.tell();
        let [incident] = told.as_slice() else { panic!("one is over: {told:?}") };
        assert_eq!(incident.recorded, Some(at(12)), "the first record counts");
        assert_eq!(incident.noticed, Some((at(14), at(15))));
        assert_eq!((incident.agreed, incident.respawned), (Some(at(16)), Some(at(18))));
        assert_eq!(incident.committed, Some((at(20), 1)));
        assert!(chronicle.tell().is_empty(), "told once");
        chronicle.end();
        let rest = chronicle.tell();
        assert_eq!((rest.len(), rest[0].member, rest[0].committed), (1, two, None));
    }
}
