//! The agreements of a job that are under way: for each, the machines of its members, and how far
//! each member is. What the machines say to each other is delivered at once. Pure.
//!
//! An agreement exists from the first member's contribution until all living members have collected
//! the decision.

use crate::agreement::{Agreement, Decision, Message, Outbox, Value};
use crate::ledger::Ledger;
use crate::recovery::{Recovery, Step};
use crate::view::mode_of;
use ftmpi_base::Member;
use ftmpi_base::roll::Roll;
use ftmpi_launch::Modes;
use serde::{Deserialize, Serialize};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// The name of an agreement, which is equal at all members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    pub purpose: Purpose,
    /// The generation or the communicator that it is about.
    pub of: u64,
    /// Which of those that were about it.
    pub number: u64,
}

/// What is agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Purpose {
    /// The recovery of the world that this context stands for.
    Recovery { home: u32 },
    /// ULFM's agreement on a flag.
    Flag,
    /// ULFM's agreement on the surviving members.
    Shrink,
    /// Whether a collective operation has gone well everywhere.
    Outcome,
    /// What all members have to say, where they share no memory (see
    /// [`Report::Said`](crate::Report)).
    Exchange,
    /// What a rank has asked for (see [`Report::Asked`](crate::Report)).
    Asked,
}

impl Purpose {
    /// Whether members contribute nothing any more once they recover.
    pub fn ends_with_recovery(self) -> bool {
        matches!(self, Purpose::Flag | Purpose::Shrink | Purpose::Outcome)
    }
}

/// The agreements that are under way.
#[derive(Default)]
pub struct Agreements {
    rounds: BTreeMap<Key, Round>,
    /// The members that have left after finalizing; no member waits for them.
    departed: BTreeSet<Member>,
    /// What replacements that have not begun yet are to take part in.
    summons: BTreeMap<Member, Summons>,
}

/// What agreements have to know of the job.
pub struct Surroundings<'a> {
    pub ledger: &'a Ledger,
    /// How old the job is.
    pub now: Duration,
    /// Draws a context that no communicator has had.
    pub fresh_context: &'a dyn Fn() -> u32,
}

/// What agreements have led to, that is to be told and done with nothing locked.
#[derive(Default)]
pub struct News {
    /// Whether another agreement has begun.
    pub has_begun: bool,
    /// Who is to hear of which decision.
    pub decided: Vec<(Key, Member)>,
    /// Decisions that have led to another agreement, of this number, to which these members have
    /// contributed already.
    pub led_on: Vec<(Key, Member, u64)>,
    /// The members whose deaths are known to all that recover.
    pub agreed: Vec<Member>,
    /// The members to be started, and for what.
    pub wanted: Vec<(Vec<Member>, Summons)>,
}

/// Who takes part in an agreement, and what they are about.
pub struct Party<'a> {
    pub roster: &'a [Member],
    /// What follows from the decision, where all will draw the same conclusion.
    pub course: Option<&'a Summons>,
}

impl Agreements {
    /// Brings what `me` contributes to the agreement `key` of this party.
    pub fn contribute(
        &mut self, key: Key, party: &Party<'_>, me: Member, value: Value, around: &Surroundings<'_>,
    ) -> News {
        let mut news = News::default();
        self.round(key, party, around, &mut news).contribute(me, value);
        self.lead_on(key, around, &mut news);
        news
    }

    /// All agreements hear of a death.
    pub fn bury(&mut self, dead: Member, around: &Surroundings<'_>) -> News {
        self.summons.remove(&dead);
        self.miss(dead, Agreement::bury, around)
    }

    /// `member` leaves in peace, and takes part in nothing any more.
    pub fn depart(&mut self, member: Member, around: &Surroundings<'_>) -> News {
        self.departed.insert(member);
        self.miss(member, Agreement::excuse, around)
    }

    /// The members that have left after finalizing.
    pub fn departed(&self) -> impl Iterator<Item = Member> + '_ {
        self.departed.iter().copied()
    }

    /// Whether this member has left after finalizing.
    pub fn has_departed(&self, member: Member) -> bool {
        self.departed.contains(&member)
    }

    /// What was decided, if it was; once asked, `me` knows it.
    pub fn decision(&mut self, key: Key, me: Member) -> Option<Arc<Decision>> {
        // A member that is recorded as dead while it still looks finds nothing any more.
        let round = self.rounds.get_mut(&key)?;
        let place = round.place(me).expect("whoever contributes is a member");
        let decision = round.machines[place].decision()?.clone();
        round.rest(place, Standing::Collected);
        if round.is_over() {
            self.rounds.remove(&key);
        }
        Some(decision)
    }

    /// Whether it is decided, as far as `me` knows.
    pub fn has_decided(&self, key: Key, me: Member) -> bool {
        let Some(round) = self.rounds.get(&key) else { return false };
        let place = round.place(me).expect("whoever contributes is a member");
        round.machines[place].decision().is_some()
    }

    /// Forgets the agreements of which this holds: nobody will ask.
    pub fn forget(&mut self, is_over: impl Fn(&Key, &[Member]) -> bool) {
        self.rounds.retain(|key, round| !is_over(key, round.roster.members()));
    }

    /// What is agreed on at the moment.
    pub fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        self.rounds.keys().copied()
    }

    /// The members that have kept others waiting who recover, and since when, for each of those
    /// recoveries. `called`: the latest generation that a rank of this world is on the way to.
    pub fn awaited(
        &self, called: impl Fn(u32) -> u64,
    ) -> impl Iterator<Item = (Duration, Vec<Member>)> {
        let is_meant = move |(key, round): &(&Key, &Round)| match key.purpose {
            Purpose::Recovery { home } => called(home) > key.of && round.missing().next().is_some(),
            _ => false,
        };
        let rounds = self.rounds.iter().filter(is_meant);
        rounds.map(|(_, round)| (round.since, round.missing().collect()))
    }

    /// `member` is to be started, and takes part in this when it begins.
    pub fn summon(&mut self, member: Member, summons: &Summons) {
        self.summons.insert(member, summons.clone());
    }

    /// What `member`, which has just begun, is to take part in.
    pub fn summons(&mut self, member: Member) -> Option<Summons> {
        self.summons.remove(&member)
    }

    fn round(
        &mut self, key: Key, party: &Party<'_>, around: &Surroundings<'_>, news: &mut News,
    ) -> &mut Round {
        match self.rounds.entry(key) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                news.has_begun = true;
                entry.insert(Round::convene(party, &self.departed, around))
            }
        }
    }

    /// Adds to `news` who is to hear of the decision of `key`, if there is one. Nobody has to where
    /// it leads to another round: all who wait for it would do the same next, and be woken up only
    /// to wait again. So it is done for them; they find it done when they come to it.
    fn lead_on(&mut self, mut key: Key, around: &Surroundings<'_>, news: &mut News) {
        while let Some(round) = self.rounds.get_mut(&key) {
            let decided = round.news();
            if let Purpose::Recovery { .. } = key.purpose {
                news.agreed.extend(round.dead(&decided));
            }
            let Some((respawn, course)) = round.conclusion(&decided) else {
                return news.decided.extend(decided.into_iter().map(|member| (key, member)));
            };
            let next = course.number;
            news.led_on.extend(decided.iter().map(|member| (key, *member, next)));
            key.number = next;
            let party = Party { roster: course.recovery.roster(), course: Some(&course) };
            let round = self.round(key, &party, around, news);
            let value = Value { most: (around.fresh_context)().into(), ..Value::NEUTRAL };
            decided.into_iter().for_each(|member| round.contribute(member, value));
            news.wanted.push((respawn, course));
        }
    }

    fn miss(
        &mut self, member: Member, how: fn(&mut Agreement, usize, &mut Outbox),
        around: &Surroundings<'_>,
    ) -> News {
        let mut news = News::default();
        let concerned = self.rounds.iter().filter(|(_, round)| round.place(member).is_some());
        for key in concerned.map(|(key, _)| *key).collect::<Vec<Key>>() {
            let Some(round) = self.rounds.get_mut(&key) else { continue };
            round.miss(member, how);
            self.lead_on(key, around, &mut news);
        }
        self.rounds.retain(|_, round| !round.is_over());
        news
    }
}

/// What a replacement has to know of the recovery that wants it.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
            && let Some(mode) = mode_of(modes.comm)
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

struct Round {
    roster: Roll,
    /// What its members are about, where all of them will draw the same conclusion.
    course: Option<Summons>,
    machines: Vec<Agreement>,
    standings: Vec<Standing>,
    /// The members that have got a decision since the last look.
    decided: Vec<Member>,
    /// How many do not know the decision yet, and may ask.
    waiting: usize,
    /// How old the world was when it began.
    since: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// Has no decision yet.
    Open,
    Decided,
    /// Has a decision and knows it.
    Collected,
    /// Dead, or gone.
    Out,
}

impl Round {
    /// A round of these members, some of whom may be dead already.
    fn convene(party: &Party<'_>, departed: &BTreeSet<Member>, around: &Surroundings<'_>) -> Round {
        let (roster, size) = (party.roster, party.roster.len());
        let mut round = Round {
            roster: Roll::new(roster.to_vec()),
            course: party.course.cloned(),
            machines: (0..size).map(|place| Agreement::new(place, size)).collect(),
            standings: vec![Standing::Open; size],
            decided: Vec::new(),
            waiting: size,
            since: around.now,
        };
        let is_dead = |member: &Member| around.ledger.is_dead(*member);
        let mut absent: Vec<Member> = roster.iter().copied().filter(is_dead).collect();
        // In the order of the record, so that all members have one order.
        let deaths = around.ledger.since(0);
        absent.sort_by_key(|dead| deaths.iter().rposition(|other| other == dead));
        absent.into_iter().for_each(|dead| round.miss(dead, Agreement::bury));
        let left = roster.iter().filter(|member| departed.contains(member));
        left.for_each(|gone| round.miss(*gone, Agreement::excuse));
        round
    }

    fn place(&self, member: Member) -> Option<usize> {
        self.roster.place(member).map(|place| place as usize)
    }

    /// What `member` brings, unless that was done for it, or it is out.
    fn contribute(&mut self, member: Member, value: Value) {
        let place = self.place(member).expect("only members take part");
        if !self.machines[place].has_contributed() && self.standings[place] != Standing::Out {
            self.act(member, |machine, outbox| machine.contribute(value, outbox));
        }
    }

    /// The members that could contribute and have not.
    fn missing(&self) -> impl Iterator<Item = Member> + '_ {
        let is_missing = move |place: &usize| {
            self.standings[*place] == Standing::Open && !self.machines[*place].has_contributed()
        };
        let member = move |place: usize| self.roster.members()[place];
        (0..self.machines.len()).filter(is_missing).map(member)
    }

    /// The members that are dead by the decision of these.
    fn dead(&self, decided: &[Member]) -> Vec<Member> {
        let place = decided.first().and_then(|member| self.place(*member));
        let decision = place.and_then(|place| self.machines[place].decision());
        let dead = decision.map_or(&[][..], |decision| &decision.dead[..]);
        dead.iter().map(|index| self.roster.members()[*index]).collect()
    }

    /// Who is to be brought to life for another round, where that is what follows from the
    /// decision that these have. It is said once.
    fn conclusion(&mut self, decided: &[Member]) -> Option<(Vec<Member>, Summons)> {
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
    fn rest(&mut self, place: usize, standing: Standing) {
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
    fn miss(&mut self, member: Member, how: fn(&mut Agreement, usize, &mut Outbox)) {
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
    fn news(&mut self) -> Vec<Member> {
        std::mem::take(&mut self.decided)
    }

    /// Whether no member will ask any more.
    fn is_over(&self) -> bool {
        self.waiting == 0
    }
}
