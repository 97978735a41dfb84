//! The agreements of a job that are under way: for each, the machines of its members, and how far
//! each member is.

use super::rules::{self, Modes};
use crate::base::Member;
use crate::base::roll::Roll;
use crate::fault::{Agreement, Decision, Message, Recovery, Step, Value};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// The name of an agreement, which is equal at all members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub purpose: Purpose,
    /// The generation or the communicator that it is about.
    pub of: u64,
    /// Which of those that were about it.
    pub number: u64,
}

/// What is agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// The recovery of the world that this context stands for.
    Recovery { home: u32 },
    /// ULFM's agreement on a flag.
    Flag,
    /// ULFM's agreement on the surviving members.
    Shrink,
    /// Whether a collective operation has gone well everywhere.
    Outcome,
}

/// The agreements that are under way.
#[derive(Default)]
pub(in crate::engine) struct Agreements {
    pub(super) rounds: Mutex<BTreeMap<Key, Round>>,
    /// The members that have left after finalizing; no member waits for them.
    pub(super) departed: Mutex<BTreeSet<Member>>,
    /// What replacements that have not begun yet are to take part in.
    pub(super) summons: Mutex<BTreeMap<Member, Summons>>,
}

/// What a replacement has to know of the recovery that wants it.
#[derive(Clone)]
pub struct Summons {
    pub recovery: Arc<Recovery>,
    /// How often its members have agreed on something since the last one was complete.
    pub number: u64,
    /// By which modes it is run, once that is agreed on: those of the lowest rank that lives.
    pub modes: Option<Modes>,
}

impl Summons {
    /// What `rank`, which lives by these modes, brings to the next agreement.
    pub fn value(&self, rank: usize, modes: Modes) -> Value {
        let is_open = self.modes.is_none();
        let least = if is_open { (rank as u64) << 8 | u64::from(modes.code()) } else { u64::MAX };
        Value { least, ..Value::NEUTRAL }
    }

    /// The agreement of this round has decided. All members draw the same conclusion.
    pub fn advance(&mut self, decision: &Decision) -> Step {
        self.number += 1;
        let least = Some(decision.value.least).filter(|least| *least != u64::MAX);
        if let Some(modes) = least.and_then(|least| Modes::of_code(least as u8))
            && let Some(mode) = rules::mode_of(modes.comm)
        {
            self.modes = Some(modes);
            Arc::make_mut(&mut self.recovery).choose(mode);
        }
        let recovery = Arc::make_mut(&mut self.recovery);
        let step = recovery.advance(decision);
        if let Step::GiveUp { .. } = step {
            // The program may choose others before it tries again.
            self.modes = None;
            recovery.again(recovery.mode(), None);
        }
        step
    }
}

pub(super) struct Round {
    pub(super) roster: Roll,
    /// What its members are about, where all of them will draw the same conclusion.
    pub(super) course: Option<Summons>,
    pub(super) machines: Vec<Agreement>,
    pub(super) standings: Vec<Standing>,
    /// The members that have got a decision since the last look.
    pub(super) decided: Vec<Member>,
    /// How many do not know the decision yet, and may ask.
    pub(super) waiting: usize,
    /// How old the world was when it began.
    pub(super) since: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Has no decision yet.
    Open,
    Decided,
    /// Has a decision and knows it.
    Collected,
    /// Dead, or gone.
    Out,
}

pub(super) type Outbox = crate::fault::Outbox;

impl Round {
    pub(super) fn place(&self, member: Member) -> Option<usize> {
        self.roster.place(member).map(|place| place as usize)
    }

    /// What `member` brings, unless that was done for it, or it is out.
    pub(super) fn contribute(&mut self, member: Member, value: Value) {
        let place = self.place(member).expect("only members take part");
        if !self.machines[place].has_contributed() && self.standings[place] != Standing::Out {
            self.act(member, |machine, outbox| machine.contribute(value, outbox));
        }
    }

    /// The members that could contribute and have not.
    pub(super) fn missing(&self) -> impl Iterator<Item = Member> + '_ {
        let is_missing = move |place: &usize| {
            self.standings[*place] == Standing::Open && !self.machines[*place].has_contributed()
        };
        let member = move |place: usize| self.roster.members()[place];
        (0..self.machines.len()).filter(is_missing).map(member)
    }

    /// The members that are dead by the decision of these.
    pub(super) fn dead(&self, decided: &[Member]) -> Vec<Member> {
        let place = decided.first().and_then(|member| self.place(*member));
        let decision = place.and_then(|place| self.machines[place].decision());
        let dead = decision.map_or(&[][..], |decision| &decision.dead[..]);
        dead.iter().map(|index| self.roster.members()[*index]).collect()
    }

    /// Who is to be brought to life for another round, where that is what follows from the
    /// decision that these have. It is said once.
    pub(super) fn conclusion(&mut self, decided: &[Member]) -> Option<(Vec<Member>, Summons)> {
        let place = self.place(*decided.first()?)?;
        let decision = self.machines[place].decision()?;
        let mut course = self.course.take()?;
        match course.advance(decision) {
            Step::Next { respawn } => Some((respawn, course)),
            _ => None,
        }
    }

    /// Lets the machine of `member` do something, and delivers its messages to the others.
    fn act(&mut self, member: Member, act: impl FnOnce(&mut Agreement, &mut Outbox)) {
        let place = self.place(member).expect("only members take part");
        let mut outbox = Outbox::new();
        act(&mut self.machines[place], &mut outbox);
        self.note(place);
        self.deliver(place, outbox);
    }

    /// Takes note of it if the machine at `place` has got a decision.
    fn note(&mut self, place: usize) {
        if self.standings[place] == Standing::Open && self.machines[place].decision().is_some() {
            self.standings[place] = Standing::Decided;
            self.decided.push(self.roster.members()[place]);
        }
    }

    /// The member at `place` waits for nothing any more.
    pub(super) fn rest(&mut self, place: usize, standing: Standing) {
        if matches!(self.standings[place], Standing::Open | Standing::Decided) {
            self.waiting -= 1;
        }
        self.standings[place] = standing;
    }

    fn deliver(&mut self, from: usize, outbox: Outbox) {
        let address = |from: usize| move |(to, message): (usize, Message)| (from, to, message);
        let mut under_way: VecDeque<_> = outbox.into_iter().map(address(from)).collect();
        while let Some((from, to, message)) = under_way.pop_front() {
            if self.standings[to] == Standing::Out {
                continue;
            }
            let mut answers = Outbox::new();
            self.machines[to].hear(from, message, &mut answers);
            self.note(to);
            under_way.extend(answers.into_iter().map(address(to)));
        }
    }

    /// `member` is dead or gone, whichever `how` says; all others hear of it.
    pub(super) fn miss(&mut self, member: Member, how: fn(&mut Agreement, usize, &mut Outbox)) {
        let who = self.place(member).expect("only members are missed");
        self.rest(who, Standing::Out);
        for place in 0..self.machines.len() {
            if self.standings[place] != Standing::Out {
                let mut outbox = Outbox::new();
                how(&mut self.machines[place], who, &mut outbox);
                self.note(place);
                self.deliver(place, outbox);
            }
        }
    }

    /// The members that have got a decision since the last look.
    pub(super) fn news(&mut self) -> Vec<Member> {
        std::mem::take(&mut self.decided)
    }

    /// Whether no member will ask any more.
    pub(super) fn is_over(&self) -> bool {
        self.waiting == 0
    }
}
