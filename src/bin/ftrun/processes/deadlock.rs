//! The deadlock detector where ranks are processes: `ftrun` asks one process after the other
//! whether it stands still. Where all do, twice more, and nothing has happened to any of them in
//! between, all stood still at one time, with nothing on the way: then nobody ever goes on.
//!
//! Between hosts, messages may be on their way for long: there, what each has sent to another one
//! has to have been taken in.
//!
//! What a process says or is told travels in order with the question and its answer, so that what
//! `ftrun` itself has on the way counts, too. Pure: it is told the time, and what was answered.

use ftmpi_base::Member;
use ftmpi_fault::{DeadlockDetector, DeadlockReport, Sight};
use ftmpi_wireup::Still;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::time::{Duration, Instant};

/// Three rounds without a change between them end the job.
const BETWEEN_ROUNDS: Duration = Duration::from_millis(500);

pub(super) struct Deadlock {
    detector: DeadlockDetector,
    /// When the next round begins.
    next: Instant,
    /// The number of the latest question.
    look: u64,
    round: Option<Round>,
}

/// Questions to all processes, one after the other, the highest seat first: in a large job, the
/// ranks that started last are usually the ones still busy.
struct Round {
    left: Vec<Member>,
    seen: DefaultHasher,
    report: DeadlockReport,
    traffic: Traffic,
}

/// Between which lives of different hosts something is on its way: one has sent more than the other
/// has taken in.
#[derive(Default)]
struct Traffic {
    asked: BTreeSet<Member>,
    /// By sender and receiver.
    sent: BTreeMap<[Member; 2], u64>,
    taken: BTreeMap<[Member; 2], u64>,
}

impl Traffic {
    fn add(&mut self, from: Member, seen: &[ftmpi_wireup::Traffic]) {
        self.asked.insert(from);
        for one in seen {
            self.sent.insert([from, one.peer], one.sent);
            self.taken.insert([one.peer, from], one.taken);
        }
    }

    /// Whether all has been taken in that those who were asked have sent to each other.
    fn is_settled(&self) -> bool {
        let among_asked = |pair: &[Member; 2]| pair.iter().all(|one| self.asked.contains(one));
        let count = |all: &BTreeMap<_, _>, pair| all.get(pair).copied().unwrap_or(0);
        let pairs = self.sent.keys().chain(self.taken.keys());
        let mut pairs = pairs.filter(|pair| among_asked(pair));
        pairs.all(|pair| count(&self.sent, pair) == count(&self.taken, pair))
    }
}

/// What follows.
pub(super) enum Step {
    Nothing,
    /// This process is to be asked, by this number.
    Ask(Member, u64),
    /// The job is stuck: the words about it.
    Stuck(String),
}

impl Deadlock {
    pub(super) fn new(now: Instant) -> Deadlock {
        let detector = DeadlockDetector::default();
        Deadlock { detector, next: now + BETWEEN_ROUNDS, look: 0, round: None }
    }

    /// When [`Deadlock::begin`] is to be called.
    pub(super) fn due(&self) -> Instant {
        self.next
    }

    /// It is time for another round. `lives`: those that can be asked; `None`: something may happen
    /// without them.
    pub(super) fn begin(&mut self, lives: Option<Vec<Member>>, now: Instant) -> Step {
        self.next = now + BETWEEN_ROUNDS;
        match lives.filter(|lives| !lives.is_empty()) {
            // A process that does not answer stands, but may go on.
            Some(_) if self.round.is_some() => Step::Nothing,
            Some(left) => {
                let mut seen = DefaultHasher::new();
                left.hash(&mut seen);
                let (report, traffic) = (DeadlockReport::default(), Traffic::default());
                self.round = Some(Round { left, seen, report, traffic });
                self.ask()
            }
            None => self.interrupt(),
        }
    }

    fn ask(&mut self) -> Step {
        match self.round.as_ref().and_then(|round| round.left.last()) {
            Some(member) => {
                self.look += 1;
                Step::Ask(*member, self.look)
            }
            None => Step::Nothing,
        }
    }

    /// Something has happened.
    pub(super) fn interrupt(&mut self) -> Step {
        self.round = None;
        self.detector.look(Sight::Moving);
        Step::Nothing
    }

    /// What a process has answered to the question of this number.
    pub(super) fn hear(&mut self, from: Member, look: u64, still: Option<Still>) -> Step {
        let Some(round) = &mut self.round else { return Step::Nothing };
        if look != self.look || round.left.last() != Some(&from) {
            return Step::Nothing;
        }
        let Some(Still { turn, ranks, traffic }) = still else { return self.interrupt() };
        round.left.pop();
        turn.hash(&mut round.seen);
        ranks.into_iter().for_each(|(rank, lines)| round.report.add(rank, lines));
        round.traffic.add(from, &traffic);
        if !round.left.is_empty() {
            return self.ask();
        }
        let Some(round) = self.round.take() else { return Step::Nothing };
        if !round.traffic.is_settled() {
            return self.interrupt();
        }
        match self.detector.look(Sight::Still(round.seen.finish())) {
            true => Step::Stuck(round.report.words()),
            false => Step::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: [Member; 2] =
        [Member { seat: 0, incarnation: 0 }, Member { seat: 1, incarnation: 0 }];

    /// Asks each of two processes, which answer by these numbers; says what has come of it.
    fn round(deadlock: &mut Deadlock, turns: [Option<u64>; 2]) -> Option<String> {
        let mut step = deadlock.begin(Some(TWO.to_vec()), Instant::now());
        loop {
            match step {
                Step::Nothing => return None,
                Step::Stuck(words) => return Some(words),
                Step::Ask(member, look) => {
                    let ranks = vec![(member.seat, vec![format!("in call {}", member.seat)])];
                    let still =
                        turns[member.seat].map(|turn| Still { turn, ranks, traffic: Vec::new() });
                    step = deadlock.hear(member, look, still);
                }
            }
        }
    }

    #[test]
    fn three_rounds_without_a_change_are_a_deadlock_and_nothing_less_is() {
        let mut deadlock = Deadlock::new(Instant::now());
        let still = [Some(1), Some(2)];
        for turns in [still, still, [Some(1), Some(3)], [Some(1), Some(3)], [Some(1), None]] {
            assert_eq!(round(&mut deadlock, turns), None);
        }
        for _ in 0..2 {
            assert_eq!(round(&mut deadlock, still), None);
        }
        let words = round(&mut deadlock, still).expect("they are stuck");
        let said: Vec<&str> = words.lines().skip(1).collect();
        assert_eq!(said, ["  rank 0: in call 0", "  rank 1: in call 1"]);
    }

    #[test]
    fn a_death_a_birth_and_a_change_begin_everything_anew() {
        let still = [Some(1), Some(2)];
        let mut deadlock = Deadlock::new(Instant::now());
        for _ in 0..6 {
            assert_eq!(round(&mut deadlock, still), None);
            assert_eq!(round(&mut deadlock, still), None);
            deadlock.interrupt();
        }
        for _ in 0..6 {
            assert_eq!(round(&mut deadlock, still), None);
            assert!(matches!(deadlock.begin(None, Instant::now()), Step::Nothing));
        }
    }

    #[test]
    fn an_answer_to_a_question_of_another_round_counts_for_nothing() {
        let mut deadlock = Deadlock::new(Instant::now());
        let lives = || Some(TWO.to_vec());
        let still = || Some(Still { turn: 1, ranks: Vec::new(), traffic: Vec::new() });
        for _ in 0..9 {
            let Step::Ask(member, old) = deadlock.begin(lives(), Instant::now()) else {
                panic!("somebody is asked")
            };
            assert_eq!(member, TWO[1]);
            deadlock.interrupt();
            let Step::Ask(member, new) = deadlock.begin(lives(), Instant::now()) else {
                panic!("somebody is asked")
            };
            assert!(matches!(deadlock.hear(member, old, still()), Step::Nothing));
            assert!(matches!(deadlock.hear(TWO[0], new, still()), Step::Nothing));
            let Step::Ask(member, _) = deadlock.hear(member, new, still()) else {
                panic!("the other is asked next")
            };
            assert_eq!(member, TWO[0]);
            // It never answers.
            assert!(matches!(deadlock.begin(lives(), Instant::now()), Step::Nothing));
            deadlock.interrupt();
        }
    }

    #[test]
    fn a_message_between_hosts_is_no_deadlock_however_long_it_takes() {
        let with = |peer, sent, taken| vec![ftmpi_wireup::Traffic { peer, sent, taken }];
        let dead = Member { seat: 1, incarnation: 7 };
        for (mine, theirs, is_stuck) in [
            (with(TWO[1], 3, 5), with(TWO[0], 5, 3), true),
            (with(TWO[1], 4, 5), with(TWO[0], 5, 3), false),
            (with(TWO[1], 3, 5), with(TWO[0], 6, 3), false),
            (with(TWO[1], 0, 5), Vec::new(), false),
            (with(dead, 4, 5), Vec::new(), true),
        ] {
            let mut deadlock = Deadlock::new(Instant::now());
            let mut words = None;
            for _ in 0..5 {
                let mut step = deadlock.begin(Some(TWO.to_vec()), Instant::now());
                while let Step::Ask(member, look) = step {
                    let traffic = if member == TWO[0] { &mine } else { &theirs };
                    let still = Still { turn: 1, ranks: Vec::new(), traffic: traffic.clone() };
                    step = deadlock.hear(member, look, Some(still));
                }
                if let Step::Stuck(said) = step {
                    words.get_or_insert(said);
                }
            }
            assert_eq!(words.is_some(), is_stuck, "{mine:?} {theirs:?}");
        }
    }
}
