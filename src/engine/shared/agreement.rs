//! Where ranks of one process agree: each has a machine of [`crate::fault::Agreement`], and what
//! the machines say to each other is delivered at once, by the thread that makes them say it.
//!
//! An agreement exists from the first member's contribution until all living members have collected
//! the decision. Lock order: an engine's state, the agreements, the ledger.

use super::agreements::{Key, Outbox, Purpose, Round, Standing, Summons};
use super::home::Home;
use crate::base::Member;
use crate::base::roll::Roll;
use crate::engine::rank::operation::{Died, Mishap, Outcome, Stage};
use crate::engine::{Engine, State, World};
use crate::fault::{Agreement, Decision, Value};
use crate::host::life::{self, Newcomer};
use crate::host::sched;
use crate::transport::Envelope;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::time::Duration;

/// What agreements have led to, that is to be told and done with nothing locked.
#[derive(Default)]
struct News {
    decided: Vec<Member>,
    /// The members whose deaths are known to all that recover.
    agreed: Vec<Member>,
    /// The members to be started, and for what.
    wanted: Vec<(Vec<Member>, Summons)>,
}

impl World {
    /// Brings what `me` contributes to the agreement `key` of these members.
    pub fn contribute(&self, key: Key, roster: &[Member], me: Member, value: Value) {
        self.bring(key, || self.convene(roster, None), me, value);
    }

    fn bring(&self, key: Key, convene: impl FnOnce() -> Round, me: Member, value: Value) {
        let mut rounds = self.agreements.rounds.lock();
        let round = match rounds.entry(key) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                life::expect_dues();
                entry.insert(convene())
            }
        };
        round.contribute(me, value);
        let mut news = News::default();
        self.lead_on(&mut rounds, key, &mut news);
        drop(rounds);
        self.announce(news);
    }

    /// Adds to `news` who is to hear of the decision of `key`, if there is one. Nobody has to where
    /// it leads to another round: all who wait for it would do the same next, and be woken up only
    /// to wait again. So it is done for them; they find it done when they come to it.
    fn lead_on(&self, rounds: &mut BTreeMap<Key, Round>, mut key: Key, news: &mut News) {
        while let Some(round) = rounds.get_mut(&key) {
            let decided = round.news();
            if let Purpose::Recovery { .. } = key.purpose {
                news.agreed.extend(round.dead(&decided));
            }
            let next = round.conclusion(&decided);
            let Some((respawn, course)) = next else { return news.decided.extend(decided) };
            key.number = course.number;
            let convene = || self.convene(course.recovery.roster(), Some(course.clone()));
            let round = rounds.entry(key).or_insert_with(convene);
            let value = Value { most: u64::from(self.fresh_context()), ..Value::NEUTRAL };
            decided.into_iter().for_each(|member| round.contribute(member, value));
            news.wanted.push((respawn, course));
        }
    }

    /// A round of these members, some of whom may be dead already.
    fn convene(&self, roster: &[Member], course: Option<Summons>) -> Round {
        let size = roster.len();
        let mut round = Round {
            roster: Roll::new(roster.to_vec()),
            course,
            machines: (0..size).map(|place| Agreement::new(place, size)).collect(),
            standings: vec![Standing::Open; size],
            decided: Vec::new(),
            waiting: size,
            since: self.age(),
        };
        let ledger = self.ledger.lock();
        let is_dead = |member: &Member| ledger.is_dead(*member);
        let mut absent: Vec<Member> = roster.iter().copied().filter(is_dead).collect();
        // In the order of the record, so that all members have one order.
        let deaths = ledger.since(0);
        absent.sort_by_key(|dead| deaths.iter().rposition(|other| other == dead));
        drop(ledger);
        absent.into_iter().for_each(|dead| round.miss(dead, Agreement::bury));
        let departed = self.agreements.departed.lock();
        let left: Vec<Member> =
            roster.iter().copied().filter(|member| departed.contains(member)).collect();
        drop(departed);
        left.into_iter().for_each(|gone| round.miss(gone, Agreement::excuse));
        round
    }

    /// What was decided, if it was; once asked, `me` knows it.
    fn decision(&self, key: Key, me: Member) -> Option<Arc<Decision>> {
        let mut rounds = self.agreements.rounds.lock();
        // A member that is recorded as dead while it still looks finds nothing any more.
        let round = rounds.get_mut(&key)?;
        let place = round.place(me).expect("whoever contributes is a member");
        let decision = round.machines[place].decision()?.clone();
        round.rest(place, Standing::Collected);
        if round.is_over() {
            rounds.remove(&key);
        }
        Some(decision)
    }

    /// Whether it is decided, as far as `me` knows.
    fn has_decided(&self, key: Key, me: Member) -> bool {
        let rounds = self.agreements.rounds.lock();
        let Some(round) = rounds.get(&key) else { return false };
        let place = round.place(me).expect("whoever contributes is a member");
        round.machines[place].decision().is_some()
    }

    /// No member of this world decides any more on communicators with contexts below this one.
    /// What an outcome is about begins with the context of the communicator.
    pub(in crate::engine) fn forget_outcomes(&self, home: &Home, context: u32) {
        let is_old = |key: &Key, round: &Round| {
            key.purpose == Purpose::Outcome
                && key.of >> 32 < u64::from(context)
                && round.roster.members().iter().all(|member| home.has(member.seat))
        };
        self.agreements.rounds.lock().retain(|key, round| !is_old(key, round));
    }

    /// Who has kept the others waiting for so long who recover from a death. Those who only look
    /// whether anybody has died wait for as long as it takes.
    pub fn latecomers(&self, patience: Duration) -> Vec<Member> {
        let now = self.age();
        let rounds = self.agreements.rounds.lock();
        let awaiting = self.awaiting(&rounds);
        let overdue = awaiting.filter(|round| now.saturating_sub(round.since) >= patience);
        overdue.flat_map(Round::missing).collect()
    }

    /// Since when the first of those has been waited for.
    pub fn awaited_since(&self) -> Option<Duration> {
        self.awaiting(&self.agreements.rounds.lock()).map(|round| round.since).min()
    }

    /// The call in which recovering members wait for another.
    fn awaiting<'a>(&'a self, rounds: &'a BTreeMap<Key, Round>) -> impl Iterator<Item = &'a Round> {
        let is_meant = |(key, round): &(&Key, &Round)| match key.purpose {
            Purpose::Recovery { home } => {
                self.called(home) > key.of && round.missing().next().is_some()
            }
            _ => false,
        };
        rounds.iter().filter(is_meant).map(|(_, round)| round)
    }

    /// All agreements hear of a death.
    pub(in crate::engine) fn tell_agreements(&self, dead: Member) {
        self.agreements.summons.lock().remove(&dead);
        self.miss(dead, Agreement::bury);
    }

    /// `member` leaves in peace, and takes part in nothing any more.
    pub fn depart(&self, member: Member) {
        self.agreements.departed.lock().insert(member);
        self.part_with(member);
        self.settle(member.seat, usize::MAX);
        self.miss(member, Agreement::excuse);
    }

    /// The members that have left after finalizing.
    pub(in crate::engine) fn departed(&self) -> Vec<Member> {
        self.agreements.departed.lock().iter().copied().collect()
    }

    fn miss(&self, member: Member, how: fn(&mut Agreement, usize, &mut Outbox)) {
        let mut news = News::default();
        let mut rounds = self.agreements.rounds.lock();
        let concerned = rounds.iter().filter(|(_, round)| round.place(member).is_some());
        for key in concerned.map(|(key, _)| *key).collect::<Vec<Key>>() {
            let Some(round) = rounds.get_mut(&key) else { continue };
            round.miss(member, how);
            self.lead_on(&mut rounds, key, &mut news);
        }
        rounds.retain(|_, round| !round.is_over());
        drop(rounds);
        self.announce(news);
    }

    fn announce(&self, news: News) {
        if !news.agreed.is_empty() {
            self.tell(|chronicle, now| chronicle.agreed(&news.agreed, now));
        }
        for (members, summons) in news.wanted {
            self.respawn(&members, &summons);
        }
        if !news.decided.is_empty() {
            self.disturb();
            sched::wake_all(news.decided.iter().map(|member| self.port(member.seat).bell()));
        }
    }

    /// A rank is on the way to this generation of its world: the others notice it wherever they
    /// wait.
    fn call_to(&self, home: &Home, generation: u64) {
        if home.call_to(generation) {
            self.disturb();
            self.wake_all();
            life::expect_dues();
        }
    }

    /// Starts these members, unless that has been done already.
    pub fn respawn(&self, members: &[Member], summons: &Summons) {
        let generation = summons.recovery.before().generation + 1;
        for &member in members {
            let Member { seat, incarnation } = member;
            let mut waiting = self.agreements.summons.lock();
            if self.ledger.lock().has_entered(member) {
                continue;
            }
            waiting.insert(member, summons.clone());
            self.enter(seat, incarnation);
            drop(waiting);
            life::respawn(seat, Newcomer { incarnation, generation });
        }
    }

    /// What `member`, which has just begun, is to take part in.
    pub fn summons(&self, member: Member) -> Option<Summons> {
        self.agreements.summons.lock().remove(&member)
    }
}

impl Engine {
    /// Takes part in an agreement. The operation ends when it is decided; then [`Engine::decision`]
    /// says on what.
    pub fn start_agreement(
        &self, key: Key, roster: &[Member], value: Value,
    ) -> Result<crate::engine::Key, Died> {
        self.world.contribute(key, roster, self.me, value);
        self.step()?;
        let mut state = self.state.lock();
        let op = state.begin(Stage::Deciding(key), Envelope::default(), None);
        state.deciding.push(op);
        // Members that decide later make a stir, and then this rank looks again.
        self.hear_decisions(&mut state);
        Ok(op)
    }

    /// What was decided in an agreement that is over for this rank. It is asked once.
    pub fn decision(&self, key: Key) -> Result<Arc<Decision>, Died> {
        // Only a member that is recorded as dead finds none.
        self.world.decision(key, self.me).ok_or(Died)
    }

    /// Ends the operations that waited for a decision that is there.
    pub(in crate::engine) fn hear_decisions(&self, state: &mut State) {
        for op in std::mem::take(&mut state.deciding) {
            match state.ops.0.find(op).map(|op| &op.stage) {
                Some(Stage::Deciding(key)) if self.world.has_decided(*key, self.me) => {
                    self.finish(state, op, Outcome::default());
                }
                // Recovering members contribute nothing any more.
                Some(Stage::Deciding(key))
                    if key.purpose == Purpose::Outcome
                        && self.home.called() > self.generation() =>
                {
                    let mishap = Some(Mishap::Interrupted);
                    self.finish(state, op, Outcome { mishap, ..Outcome::default() });
                }
                Some(_) => state.deciding.push(op),
                None => {}
            }
        }
    }

    /// Takes part in the next agreement of a recovery, and waits for its decision. As soon as
    /// anybody is dead, all others are called.
    pub fn recover(&self, course: &Summons, value: Value) -> Result<Arc<Decision>, Died> {
        let of = course.recovery.before().generation;
        let purpose = Purpose::Recovery { home: self.home.context() };
        let key = Key { purpose, of, number: course.number };
        let convene = || self.world.convene(course.recovery.roster(), Some(course.clone()));
        self.world.bring(key, convene, self.me, value);
        self.wait_until(|state| {
            // Not because it is not calm: that may have to do with anything that is new.
            if state.outlook.has_losses {
                self.world.call_to(&self.home, key.of + 1);
            }
            self.world.decision(key, self.me)
        })
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::engine::rank::tests::roomy_world;

    #[test]
    fn outcomes_of_communicators_from_before_a_recovery_are_forgotten() {
        let world = roomy_world(3);
        let members = [0, 1].map(|seat| Member { seat, incarnation: 0 });
        let key =
            |context: u64| Key { purpose: Purpose::Outcome, of: context << 32 | 1, number: 7 };
        for context in [4, 5, 6] {
            world.contribute(key(context), &members, members[0], Value::NEUTRAL);
        }
        world.forget_outcomes(&world.home_of(0), 6);
        let rounds = world.agreements.rounds.lock();
        assert_eq!(rounds.keys().copied().collect::<Vec<_>>(), [key(6)]);
    }
}
