//! Where ranks agree: all [`Agreements`] of a job are in one place, and what follows from a
//! contribution or a death is done at once, by the thread that brings it.
//!
//! Lock order: an engine's state, the agreements, the ledger.

use super::home::Home;
use crate::base::Member;
use crate::engine::rank::operation::{Died, Mishap, Outcome, Stage};
use crate::engine::{Engine, State, World};
use crate::fault::{
    Agreements, Decision, Key, News, Party, Purpose, Report, Summons, Surroundings, Value,
};
use crate::host::life::{self, Newcomer};
use crate::host::sched;
use crate::transport::Envelope;
use std::sync::Arc;
use std::time::Duration;

impl World {
    /// Brings what `me` contributes to the agreement `key` of these members.
    pub fn contribute(&self, key: Key, roster: &[Member], me: Member, value: Value) {
        self.bring(key, &Party { roster, course: None }, me, value);
    }

    fn bring(&self, key: Key, party: &Party<'_>, me: Member, value: Value) {
        if let Some(elsewhere) = &self.elsewhere {
            return elsewhere.contribute(me, key, party, value);
        }
        self.agree(|agreements, around| agreements.contribute(key, party, me, value, around));
    }

    /// Lets something happen to the agreements, and sees to what follows.
    fn agree(&self, act: impl FnOnce(&mut Agreements, &Surroundings<'_>) -> News) {
        let mut agreements = self.agreements.lock();
        let ledger = self.ledger.lock();
        let fresh_context = || self.fresh_context();
        let around =
            Surroundings { ledger: &ledger, now: self.age(), fresh_context: &fresh_context };
        let news = act(&mut agreements, &around);
        drop(ledger);
        drop(agreements);
        self.announce(news);
    }

    /// What was decided, if it was; once asked, `me` knows it.
    fn decision(&self, key: Key, me: Member) -> Option<Arc<Decision>> {
        match &self.elsewhere {
            Some(elsewhere) => elsewhere.decision(me, key),
            None => self.agreements.lock().decision(key, me),
        }
    }

    /// Whether it is decided, as far as `me` knows.
    fn has_decided(&self, key: Key, me: Member) -> bool {
        match &self.elsewhere {
            Some(elsewhere) => elsewhere.has_heard(me, key),
            None => self.agreements.lock().has_decided(key, me),
        }
    }

    /// No member of this world decides any more on communicators with contexts below this one.
    /// What they are about begins with the context of the communicator.
    pub(in crate::engine) fn forget_old_agreements(&self, home: &Home, context: u32) {
        self.agreements.lock().forget(|key, members| {
            key.purpose.ends_with_recovery()
                && key.of >> 32 < u64::from(context)
                && members.iter().all(|member| home.has(member.seat))
        });
    }

    /// Who has kept the others waiting for so long who recover from a death. Those who only look
    /// whether anybody has died wait for as long as it takes.
    pub fn latecomers(&self, patience: Duration) -> Vec<Member> {
        let now = self.age();
        let agreements = self.agreements.lock();
        let awaited = agreements.awaited(|home| self.called(home));
        let overdue = awaited.filter(|(since, _)| now.saturating_sub(*since) >= patience);
        overdue.flat_map(|(_, missing)| missing).collect()
    }

    /// Since when the first of those has been waited for.
    pub fn awaited_since(&self) -> Option<Duration> {
        let agreements = self.agreements.lock();
        agreements.awaited(|home| self.called(home)).map(|(since, _)| since).min()
    }

    /// All agreements hear of a death.
    pub(in crate::engine) fn tell_agreements(&self, dead: Member) {
        self.agree(|agreements, around| agreements.bury(dead, around));
    }

    /// Returns once other hosts have read what this process has sent them, as far as they live.
    pub fn flush_hosts(&self) {
        if let Some(elsewhere) = &self.elsewhere {
            elsewhere.processes.flush_hosts();
        }
    }

    /// `member` leaves in peace, and takes part in nothing any more.
    pub fn depart(&self, member: Member) {
        self.flush_hosts();
        match &self.elsewhere {
            Some(elsewhere) => elsewhere.report(member, &Report::Departed),
            None => self.see_off(member),
        }
    }

    /// `member` has left.
    pub(super) fn see_off(&self, member: Member) {
        self.agree(|agreements, around| agreements.depart(member, around));
        self.part_with(member);
        self.settle(member.seat, usize::MAX);
    }

    /// The members that have left after finalizing.
    pub(in crate::engine) fn departed(&self) -> Vec<Member> {
        self.agreements.lock().departed().collect()
    }

    fn announce(&self, news: News) {
        if news.has_begun {
            life::expect_dues();
        }
        if !news.agreed.is_empty() {
            self.tell(|chronicle, now| chronicle.agreed(&news.agreed, now));
        }
        for (members, summons) in news.wanted {
            self.respawn(&members, &summons);
        }
        if !news.decided.is_empty() {
            self.disturb();
            let bells = news.decided.iter().map(|(_, member)| self.port(member.seat).bell());
            sched::wake_all(bells);
        }
    }

    /// A rank is on the way to this generation of its world: the others notice it wherever they
    /// wait.
    pub(in crate::engine) fn call_to(&self, home: &Home, generation: u64, me: Member) {
        if !home.call_to(generation) {
            return;
        }
        if let Some(elsewhere) = &self.elsewhere {
            elsewhere.report(me, &Report::Called { home: home.context(), generation });
        }
        self.disturb();
        self.wake_all();
        life::expect_dues();
    }

    /// A rank of another process is on the way to this generation.
    pub(super) fn spread_call(&self, home: u32, generation: u64) {
        let homes = self.homes();
        let is_news = |home: &Arc<Home>| home.call_to(generation);
        if homes.iter().filter(|it| it.context() == home).any(is_news) {
            self.disturb();
            self.wake_all();
        }
    }

    /// Starts these members, unless that has been done already, or others see to it.
    pub fn respawn(&self, members: &[Member], summons: &Summons) {
        if self.is_of_several_processes() {
            return;
        }
        let generation = summons.recovery.before().generation + 1;
        for &member in members {
            let Member { seat, incarnation } = member;
            let mut agreements = self.agreements.lock();
            if self.ledger.lock().has_entered(member) {
                continue;
            }
            agreements.summon(member, summons);
            self.enter(seat, incarnation);
            drop(agreements);
            let first = self.home_of(seat).first();
            life::respawn(seat, Newcomer { incarnation, generation, first });
        }
    }

    /// What `member`, which has just begun, is to take part in.
    pub fn summons(&self, member: Member) -> Option<Summons> {
        self.agreements.lock().summons(member)
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

    /// Says something to all members of a communicator in other processes, each of whom says
    /// something under this key. When the operation ends, [`Engine::heard`] tells what they have
    /// said.
    pub fn start_exchange(
        &self, key: Key, roster: Vec<Member>, bytes: Vec<u8>,
    ) -> Result<crate::engine::Key, Died> {
        if let Some(elsewhere) = &self.world.elsewhere {
            elsewhere.say(self.me, key, roster, bytes);
        }
        self.step()?;
        let mut state = self.state.lock();
        let op = state.begin(Stage::Deciding(key), Envelope::default(), None);
        state.deciding.push(op);
        self.hear_decisions(&mut state);
        Ok(op)
    }

    /// What all members have said, in their order; `None`: it has come to nothing for all.
    pub fn heard(&self, key: Key) -> Option<Vec<Vec<u8>>> {
        self.world.elsewhere.as_ref()?.take(self.me, key)
    }

    /// This rank says nothing under this key, and so no member hears anything.
    pub fn say_nothing(&self, key: Key, roster: Vec<Member>) {
        if let Some(elsewhere) = &self.world.elsewhere {
            elsewhere.report(self.me, &Report::GaveUp { key, roster, has_said: false });
        }
    }

    fn give_up_if_hopeless(&self, state: &State, key: Key) {
        let context = (key.of >> 32) as u32;
        let envelope = Envelope { context: 2 * context, ..Envelope::default() };
        let is_hopeless =
            self.home.called() > self.generation() || self.is_revoked(state, envelope);
        if is_hopeless && let Some(elsewhere) = &self.world.elsewhere {
            elsewhere.give_up(self.me, key);
        }
    }

    /// Ends the operations that waited for a decision that is there.
    pub(in crate::engine) fn hear_decisions(&self, state: &mut State) {
        for op in std::mem::take(&mut state.deciding) {
            match state.ops.0.find(op).map(|op| &op.stage) {
                Some(Stage::Deciding(key)) if self.world.has_decided(*key, self.me) => {
                    self.finish(state, op, Outcome::default());
                }
                Some(Stage::Deciding(key)) if key.purpose == Purpose::Exchange => {
                    // The coordinator answers in any case.
                    self.give_up_if_hopeless(state, *key);
                    state.deciding.push(op);
                }
                // Recovering members contribute nothing any more.
                Some(Stage::Deciding(key))
                    if key.purpose.ends_with_recovery()
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
        let party = Party { roster: course.recovery.roster(), course: Some(course) };
        self.world.bring(key, &party, self.me, value);
        self.wait_until(|state| {
            // Not because it is not calm: that may have to do with anything that is new.
            if state.outlook.has_losses {
                self.world.call_to(&self.home, key.of + 1, self.me);
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
    fn agreements_on_communicators_from_before_a_recovery_are_forgotten() {
        let world = roomy_world(3);
        let members = [0, 1].map(|seat| Member { seat, incarnation: 0 });
        let key =
            |context: u64| Key { purpose: Purpose::Outcome, of: context << 32 | 1, number: 7 };
        for context in [4, 5, 6] {
            world.contribute(key(context), &members, members[0], Value::NEUTRAL);
        }
        world.forget_old_agreements(&world.home_of(0), 6);
        let agreements = world.agreements.lock();
        assert_eq!(agreements.keys().collect::<Vec<_>>(), [key(6)]);
    }
}
