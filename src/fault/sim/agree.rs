//! One agreement, and what must be true of it.

use super::plan::Plan;
use super::{Act, Actor, Deed, Ending, Facts, Judge, Sim, sight};
use crate::agreement::{Agreement, Decision, Message, Outbox, Value};
use crate::rules::Rules;
use ftmpi_base::random::Random;
use std::sync::Arc;

/// A member: contributes when it wakes, or leaves in peace instead.
struct Party<R> {
    machine: Agreement<R>,
    value: Value,
    /// Whether it leaves without taking part, and whether it does as soon as it has decided.
    leaves: bool,
    hurries: bool,
    /// How many deaths it knows, and the part of them that it acknowledges.
    notices: u32,
    patience: u32,
}

impl<R: Rules> Party<R> {
    fn new(me: usize, size: usize, random: &mut Random, may_leave: bool) -> Party<R> {
        let value = Value {
            flags: random.bits() | random.bits(),
            most: random.below(1000),
            least: me as u64 ^ 5,
            any: 1 << (me % 64),
            acknowledged: 0,
        };
        Party {
            machine: Agreement::ruled(me, size),
            value,
            leaves: may_leave && random.chance(20),
            hurries: may_leave && random.chance(30),
            notices: 0,
            patience: random.below(3) as u32,
        }
    }

    fn act(&mut self, deed: &mut Deed<Self>, step: impl FnOnce(&mut Agreement<R>, &mut Outbox)) {
        let mut outbox = Outbox::new();
        step(&mut self.machine, &mut outbox);
        deed.acts.extend(outbox.into_iter().map(|(to, message)| Act::Post(to, message)));
        deed.has_left |= self.hurries && self.machine.decision().is_some();
    }
}

impl<R: Rules> Actor for Party<R> {
    type Note = Message;

    fn wake(&mut self, deed: &mut Deed<Self>) {
        if self.leaves {
            deed.has_left = true;
            return;
        }
        self.value.acknowledged = self.notices.saturating_sub(self.patience);
        let value = self.value;
        self.act(deed, |machine, outbox| machine.contribute(value, outbox));
    }

    fn hear(&mut self, from: usize, note: Message, deed: &mut Deed<Self>) {
        self.act(deed, |machine, outbox| machine.hear(from, note, outbox));
    }

    fn miss(&mut self, who: usize, has_left: bool, deed: &mut Deed<Self>) {
        self.notices += u32::from(!has_left);
        self.act(deed, |machine, outbox| match has_left {
            true => machine.excuse(who, outbox),
            false => machine.bury(who, outbox),
        });
    }
}

/// Knows what everybody contributed, and what the first of all decided.
struct Notary {
    values: Vec<Option<Value>>,
    agreed: Option<Arc<Decision>>,
    is_ordered: bool,
    seen: u32,
}

impl Notary {
    /// Whether `decision` is what it should be, now that it is the first.
    fn examine(&mut self, decision: &Decision, facts: &Facts) -> Result<(), String> {
        let present = decision.present(self.values.len());
        let mut value = Value::NEUTRAL;
        for (who, contributed) in self.values.iter().enumerate() {
            match (present[who], contributed) {
                (true, Some(mine)) => value = value.and(*mine),
                (true, None) => return Err(format!("{who} took part, but never contributed")),
                (false, _) => {}
            }
        }
        if value != decision.value {
            return Err(format!("{:?} is not {value:?}, which they contributed", decision.value));
        }
        let is_dead = |who: &usize| facts.dead[*who];
        if !decision.dead.iter().all(is_dead) || !decision.left.iter().all(|&who| facts.left[who]) {
            return Err(format!("not everybody is missing: {decision:?}"));
        }
        self.seen |= u32::from(!decision.dead.is_empty()) * sight("a decision lists the dead");
        self.seen |= u32::from(!decision.left.is_empty()) * sight("a decision excuses somebody");
        if !self.is_ordered {
            return Ok(());
        }
        if !facts.deaths.starts_with(&decision.dead) {
            return Err(format!("{:?} is not the order {:?}", decision.dead, facts.deaths));
        }
        let has_acknowledged = |who: &usize| {
            let place = facts.deaths.iter().position(|dead| dead == who);
            let contributors = (0..self.values.len()).filter(|&who| present[who]);
            place.is_some_and(|place| {
                contributors
                    .filter_map(|who| self.values[who])
                    .all(|value| (value.acknowledged as usize) > place)
            })
        };
        let expected = decision.dead.iter().all(has_acknowledged);
        if !decision.dead.is_empty() {
            self.seen |= match expected {
                true => sight("all have acknowledged a death"),
                false => sight("not all have acknowledged a death"),
            };
        }
        match decision.is_acknowledged(&facts.deaths) == expected {
            true => Ok(()),
            false => Err(format!("acknowledged by all: {expected}, but not {decision:?}")),
        }
    }
}

impl<R: Rules> Judge<Party<R>> for Notary {
    fn watch(&mut self, who: usize, actor: &Party<R>, facts: &Facts) -> Result<(), String> {
        if actor.machine.has_contributed() {
            self.values[who] = Some(actor.value);
        }
        match (&self.agreed, actor.machine.decision()) {
            (_, None) => Ok(()),
            (Some(agreed), Some(mine)) if Arc::ptr_eq(agreed, mine) || agreed == mine => Ok(()),
            (Some(agreed), Some(mine)) => Err(format!("{who} decides {mine:?}, not {agreed:?}")),
            (None, Some(first)) => {
                self.agreed = Some(first.clone());
                self.examine(first, facts)
            }
        }
    }

    fn close(&mut self, living: &[(usize, &Party<R>)], _: &Facts) -> Result<(), String> {
        match living.iter().find(|(_, actor)| actor.machine.decision().is_none()) {
            Some((who, _)) => Err(format!("{who} waits for ever")),
            None => Ok(()),
        }
    }
}

/// Runs an agreement as planned; the plan comes back with what became of its crashes.
pub(super) fn run<R: Rules>(plan: Plan, story: bool) -> Ending {
    let random = &mut Random::new(plan.seed ^ 0xa9ee);
    let may_leave = plan.crashes.is_empty() && random.chance(15);
    let size = plan.size;
    let parties = (0..size).map(|me| Party::<R>::new(me, size, random, may_leave)).collect();
    let is_ordered = plan.is_ordered;
    let mut notary = Notary { values: vec![None; size], agreed: None, is_ordered, seen: 0 };
    let mut sim = Sim::new(plan, story);
    let verdict = sim.run(parties, &mut notary);
    Ending::of(sim, verdict, notary.seen)
}
