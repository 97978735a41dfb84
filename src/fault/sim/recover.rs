//! Recoveries of one communicator, generation after generation, and what must be true of them.

use super::plan::Plan;
use super::{Act, Actor, Deed, Ending, Facts, Judge, Sim, sight};
use crate::agreement::{Agreement, Message, Outbox, Value};
use crate::record::{Loss, Record};
use crate::recovery::{RESPAWNS, Recovery, Step};
use crate::rules::Rules;
use crate::view::{Mode, Slot, View};
use ftmpi_base::Member;
use ftmpi_base::random::Random;
use std::collections::HashMap;

/// Which agreement: that of a recovery, and of a round in it.
type Key = (u32, u32);

/// What a communicator is told to be.
#[derive(Clone, Copy)]
struct Manner {
    size: usize,
    mode: Mode,
    fallback: Option<Mode>,
}

impl Manner {
    /// Members are numbered by their lives: the first ones of all seats, then the second ones.
    fn id(self, member: Member) -> usize {
        member.incarnation as usize * self.size + member.seat
    }

    fn member(self, id: usize) -> Member {
        Member { seat: id % self.size, incarnation: (id / self.size) as u32 }
    }
}

/// A member: recovers when it has noticed a death, or when its program asks whether all is well.
struct Survivor<R> {
    me: Member,
    manner: Manner,
    view: View,
    record: Record,
    asks: bool,
    /// At which wake it leaves in peace, if it is in no recovery then.
    departs: Option<u32>,
    /// Which recovery is or will be the next.
    number: u32,
    recovery: Option<Recovery<R>>,
    parts: Vec<Part<R>>,
    /// For agreements that it has not come to.
    early: Vec<(Key, usize, Message)>,
    deaths: Vec<Member>,
    gone: Vec<Member>,
    /// The step that it has just taken.
    took: Option<(Key, Step)>,
    has_joined: bool,
}

/// In one agreement.
struct Part<R> {
    key: Key,
    roster: Vec<Member>,
    machine: Agreement<R>,
}

impl<R: Rules> Part<R> {
    fn miss(
        &mut self, member: Member, has_left: bool, manner: Manner, deed: &mut Deed<Survivor<R>>,
    ) {
        let Some(who) = place(&self.roster, member) else { return };
        self.act(manner, deed, |machine, _, outbox| match has_left {
            true => machine.excuse(who, outbox),
            false => machine.bury(who, outbox),
        });
    }

    fn act(
        &mut self, manner: Manner, deed: &mut Deed<Survivor<R>>,
        step: impl FnOnce(&mut Agreement<R>, &[Member], &mut Outbox),
    ) {
        let mut outbox = Outbox::new();
        step(&mut self.machine, &self.roster, &mut outbox);
        let posts = outbox
            .into_iter()
            .map(|(to, message)| Act::Post(manner.id(self.roster[to]), (self.key, message)));
        deed.acts.extend(posts);
    }
}

fn place(roster: &[Member], member: Member) -> Option<usize> {
    roster.iter().position(|&other| other == member)
}

impl<R: Rules> Survivor<R> {
    fn new(me: Member, manner: Manner, asks: bool) -> Survivor<R> {
        let seats = (0..manner.size).map(|seat| Member { seat, incarnation: 0 });
        Survivor {
            me,
            manner,
            view: View::new(seats),
            record: Record::new(),
            asks,
            number: 0,
            recovery: None,
            parts: Vec::new(),
            early: Vec::new(),
            deaths: Vec::new(),
            gone: Vec::new(),
            departs: None,
            took: None,
            has_joined: true,
        }
    }

    /// One who is to join the recovery that this one is in.
    fn heir(&self, me: Member, recovery: &Recovery<R>) -> Survivor<R> {
        Survivor {
            number: self.number,
            recovery: Some(recovery.clone()),
            has_joined: false,
            ..Survivor::new(me, self.manner, false)
        }
    }

    /// Sees to it that replacements come to life.
    fn order(&self, deed: &mut Deed<Self>) {
        let Some(recovery) = &self.recovery else { return };
        for member in recovery.fresh() {
            let heir = self.heir(member, recovery);
            deed.acts.push(Act::Birth(self.manner.id(member), heir));
        }
    }

    fn is_affected(&self) -> bool {
        self.view.members().any(|member| self.deaths.contains(&member))
    }

    /// Begins the next round: its agreement hears all that is known of it.
    fn open(&mut self, deed: &mut Deed<Self>) {
        let Some(recovery) = &self.recovery else { return };
        let key = (self.number, recovery.round());
        let roster = recovery.roster().to_vec();
        let me = place(&roster, self.me).expect("nobody is asked to take part who is not in it");
        let machine = Agreement::ruled(me, roster.len());
        let mut part = Part { key, roster, machine };
        for &dead in &self.deaths {
            part.miss(dead, false, self.manner, deed);
        }
        for &gone in &self.gone {
            part.miss(gone, true, self.manner, deed);
        }
        let manner = self.manner;
        self.early.retain(|(early, from, message)| {
            if *early == key {
                let from = manner.member(*from);
                part.act(manner, deed, |machine, roster, outbox| {
                    let from = place(roster, from).expect("only members write to members");
                    machine.hear(from, message.clone(), outbox);
                });
            }
            *early != key
        });
        self.parts.push(part);
        deed.wakes += 1;
    }

    /// Takes the step that the decision allows, once it is there.
    fn proceed(&mut self, deed: &mut Deed<Self>) {
        self.took = None;
        let Some(recovery) = &self.recovery else { return };
        let key = (self.number, recovery.round());
        let part = self.parts.iter().rev().find(|part| part.key == key);
        let Some(decision) = part.and_then(|part| part.machine.decision()) else { return };
        let mut recovery = recovery.clone();
        let step = recovery.advance(decision);
        self.took = Some((key, step.clone()));
        self.record = recovery.record().clone();
        self.recovery = None;
        match step {
            Step::Well => self.number += 1,
            Step::Commit(view) => {
                self.view = view;
                self.has_joined = true;
                self.number += 1;
                for dead in self.deaths.clone() {
                    self.note(dead);
                }
            }
            Step::Next { .. } => {
                self.recovery = Some(recovery);
                self.order(deed);
                self.open(deed);
            }
            Step::GiveUp { .. } => {
                recovery.again(self.manner.mode, self.manner.fallback);
                self.recovery = Some(recovery);
                self.open(deed);
            }
        }
        deed.wakes += u32::from(self.recovery.is_none() && self.is_affected());
    }

    /// A member of the view has died.
    fn note(&mut self, member: Member) {
        if let Some(rank) = self.view.rank_of(member) {
            self.record.note(Loss { member, rank });
        }
    }
}

impl<R: Rules> Actor for Survivor<R> {
    type Note = (Key, Message);

    fn wake(&mut self, deed: &mut Deed<Self>) {
        self.took = None;
        self.departs = self.departs.map(|wakes| wakes.saturating_sub(1));
        if self.recovery.is_none() {
            if self.departs == Some(0) {
                deed.has_left = true;
                return;
            }
            let asks = std::mem::take(&mut self.asks);
            if !self.is_affected() && !asks {
                return;
            }
            let Manner { mode, fallback, .. } = self.manner;
            let recovery = Recovery::ruled(self.view.clone(), self.record.clone(), mode, fallback);
            self.recovery = Some(recovery);
            self.open(deed);
        } else if self.parts.is_empty() {
            self.order(deed);
            self.open(deed);
        }
        let Some(part) = self.parts.last_mut() else { return };
        if !part.machine.has_contributed() {
            part.act(self.manner, deed, |machine, _, outbox| {
                machine.contribute(Value::NEUTRAL, outbox);
            });
            self.proceed(deed);
        }
    }

    fn hear(&mut self, from: usize, (key, message): Self::Note, deed: &mut Deed<Self>) {
        let Some(part) = self.parts.iter_mut().find(|part| part.key == key) else {
            self.took = None;
            self.early.push((key, from, message));
            return;
        };
        let from = self.manner.member(from);
        part.act(self.manner, deed, |machine, roster, outbox| {
            let from = place(roster, from).expect("only members write to members");
            machine.hear(from, message, outbox);
        });
        self.proceed(deed);
    }

    fn miss(&mut self, who: usize, has_left: bool, deed: &mut Deed<Self>) {
        let member = self.manner.member(who);
        if has_left {
            self.gone.push(member);
        } else {
            self.deaths.push(member);
            match &mut self.recovery {
                Some(recovery) => recovery.note(member),
                None => self.note(member),
            }
        }
        for part in &mut self.parts {
            part.miss(member, has_left, self.manner, deed);
        }
        if self.has_joined && self.recovery.is_none() && self.is_affected() {
            deed.wakes += 1;
        }
        self.proceed(deed);
    }
}

/// Keeps the minutes of all recoveries.
struct Clerk {
    manner: Manner,
    /// After each round: the step, and the failures agreed on.
    minutes: HashMap<Key, (Step, Vec<Loss>)>,
    is_ordered: bool,
    seen: u32,
}

impl Clerk {
    /// Whether this step, the first of its round that anybody takes, may be.
    fn examine(&self, key: Key, step: &Step, agreed: &[Loss], facts: &Facts) -> Result<(), String> {
        let is_dead = |member: &Member| facts.dead.get(self.manner.id(*member)) == Some(&true);
        if !agreed.iter().all(|loss| is_dead(&loss.member)) {
            return Err(format!("not all of them are dead: {agreed:?}"));
        }
        let failed = self.failed_respawns(key, agreed);
        let most = failed.iter().copied().max().unwrap_or(0);
        match step {
            Step::Next { respawn } => match respawn.iter().find(|member| is_dead(member)) {
                Some(member) => Err(format!("{member:?} has lived before")),
                None if most >= RESPAWNS => Err(format!("goes on after {failed:?} respawns")),
                None => Ok(()),
            },
            Step::GiveUp { rank } if failed[*rank] < RESPAWNS => {
                Err(format!("gives up rank {rank} after {failed:?} failed respawns"))
            }
            Step::Commit(view) if self.manner.mode == Mode::Rebuild && most < RESPAWNS => {
                let is_lost = |member: Member| agreed.iter().any(|loss| loss.member == member);
                let is_gap = |slot: &Slot| match *slot {
                    Slot::Taken(member) => is_lost(member),
                    Slot::Left(member) => !facts.left[self.manner.id(member)],
                    Slot::Gap(_) => true,
                };
                match view.slots.iter().any(is_gap) {
                    true => Err(format!("not everybody of the new view has joined: {view:?}")),
                    false => Ok(()),
                }
            }
            Step::GiveUp { .. } | Step::Commit(_) | Step::Well => Ok(()),
        }
    }

    fn look(&mut self, key: Key, step: &Step, agreed: &[Loss]) {
        let failed = self.failed_respawns(key, agreed).iter().any(|&count| count > 0);
        let gave_up = (0..key.1).any(|round| {
            matches!(self.minutes.get(&(key.0, round)), Some((Step::GiveUp { .. }, _)))
        });
        let is_fallback = |view: &View| {
            let is_gap = |slot: &Slot| matches!(slot, Slot::Gap(_));
            self.manner.mode == Mode::Rebuild && view.slots.iter().any(is_gap)
        };
        let sights = [
            (matches!(step, Step::Well), "nobody has died"),
            (failed, "a replacement dies before it has joined"),
            (matches!(step, Step::GiveUp { .. }), "a recovery gives up"),
            (matches!(step, Step::Commit(view) if is_fallback(view)), "a recovery falls back"),
            (matches!(step, Step::Commit(_)) && gave_up, "a recovery succeeds after it gave up"),
            (matches!(step, Step::Commit(view) if view.generation == 5), "a fifth generation"),
        ];
        self.seen |= sights.iter().map(|&(seen, name)| u32::from(seen) * sight(name)).sum::<u32>();
    }

    /// How many respawns have failed, by rank, in this recovery since it last gave up.
    fn failed_respawns(&self, (number, round): Key, agreed: &[Loss]) -> Vec<u32> {
        let mut failed = vec![0; self.manner.size];
        let (mut ordered, mut done) = (Vec::new(), 0);
        for earlier in 0..round {
            match self.minutes.get(&(number, earlier)) {
                Some((Step::Next { respawn }, _)) => ordered.extend(respawn),
                Some((Step::GiveUp { .. }, losses)) => done = losses.len(),
                _ => {}
            }
        }
        for loss in agreed.iter().skip(done).filter(|loss| ordered.contains(&loss.member)) {
            failed[loss.rank] += 1;
        }
        failed
    }

    /// The record at the end: every death once, and nobody lost of those who live or have left.
    fn audit(&self, present: usize, record: &Record, facts: &Facts) -> Result<(), String> {
        let losses: Vec<usize> = record.events().map(|loss| self.manner.id(loss.member)).collect();
        let mut sorted = (losses.clone(), facts.deaths.clone());
        sorted.0.sort_unstable();
        sorted.1.sort_unstable();
        if sorted.0 != sorted.1 || self.is_ordered && losses != facts.deaths {
            return Err(format!("record {losses:?}, but died have {:?}", facts.deaths));
        }
        let lives = present + losses.len();
        match lives == self.manner.size + facts.births {
            true => Ok(()),
            false => Err(format!("{lives} lives, but {} births besides", facts.births)),
        }
    }
}

impl<R: Rules> Judge<Survivor<R>> for Clerk {
    fn watch(&mut self, who: usize, actor: &Survivor<R>, facts: &Facts) -> Result<(), String> {
        let Some((key, step)) = &actor.took else { return Ok(()) };
        let agreed = actor.record.agreed();
        if let Some((known, losses)) = self.minutes.get(key) {
            return match known == step && losses == agreed {
                true => Ok(()),
                false => Err(format!(
                    "{who} in {key:?}: {step:?} with {agreed:?}, not {known:?} with {losses:?}"
                )),
            };
        }
        self.look(*key, step, agreed);
        let verdict = self.examine(*key, step, agreed, facts);
        self.minutes.insert(*key, (step.clone(), agreed.to_vec()));
        verdict
    }

    fn close(&mut self, living: &[(usize, &Survivor<R>)], facts: &Facts) -> Result<(), String> {
        let Some((_, first)) = living.first() else { return Ok(()) };
        for (who, actor) in living {
            if actor.recovery.is_some() || !actor.has_joined {
                return Err(format!("{who} waits for ever"));
            }
            if actor.view != first.view || actor.record != first.record {
                let (mine, other) = ((&actor.view, &actor.record), (&first.view, &first.record));
                return Err(format!("{who} has {mine:?}, another {other:?}"));
            }
            if actor.number != first.number {
                return Err(format!("{who} has been in {} recoveries", actor.number));
            }
        }
        let members = first.view.members().map(|member| self.manner.id(member));
        let mut members: Vec<usize> = members.filter(|&id| !facts.left[id]).collect();
        members.sort_unstable();
        if !living.iter().map(|(who, _)| who).eq(&members) {
            return Err(format!("members are {members:?}, but others live"));
        }
        let left = facts.left.iter().filter(|left| **left).count();
        let slots = first.view.slots.iter().filter(|slot| matches!(slot, Slot::Left(_)));
        self.seen |= u32::from(slots.count() > 0) * sight("somebody leaves while others recover");
        self.audit(living.len() + left, &first.record, facts)
    }
}

/// Runs recoveries as planned.
pub(super) fn run<R: Rules>(plan: Plan, mode: Mode, story: bool) -> Ending {
    let random = &mut Random::new(plan.seed ^ 0x4ec0);
    let fallbacks = [None, None, Some(Mode::Blank), Some(Mode::Shrink)];
    let fallback = fallbacks[random.below(4) as usize].filter(|_| mode == Mode::Rebuild);
    let manner = Manner { size: plan.size, mode, fallback };
    let asks = random.chance(30);
    let departs = if plan.crashes.is_empty() && random.chance(15) { 30 } else { 0 };
    let survivor = |id| Survivor {
        departs: random.chance(departs).then(|| 1 + random.below(4) as u32),
        ..Survivor::<R>::new(manner.member(id), manner, asks)
    };
    let survivors = (0..plan.size).map(survivor).collect();
    let mut clerk = Clerk { manner, minutes: HashMap::new(), seen: 0, is_ordered: plan.is_ordered };
    let mut sim = Sim::new(plan, story);
    let verdict = sim.run(survivors, &mut clerk);
    Ending::of(sim, verdict, clerk.seen)
}
