//! Which failures concern a rank, and how it continues after a recovery, in the next generation.
//!
//! A rank is *calm* when no member of its world is dead and no recovery has begun. Then no
//! operation is judged, however many ranks died in earlier generations: one load and one branch.

use crate::base::Member;
use crate::base::member::Roster;
use crate::base::roll::Roll;
use crate::base::slab::Key;
use crate::engine::rank::operation::{Died, Mishap, Outcome, Stage, Watch};
use crate::engine::rank::outlook::{Fellowship, Moved};
use crate::engine::shared::rules::MsgMode;
use crate::engine::{Engine, State};
use crate::transport::Envelope;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Messages of this many generations ago may still be under way. Whoever sends one has yet to
/// adopt the next generation, which the one after that cannot do without; and every recovery that
/// a rank takes part in takes in, while it waits, all that was sent before it began.
const GENERATIONS_UNDER_WAY: u64 = 2;

impl Engine {
    /// Whether nothing is wrong that concerns this rank.
    #[inline]
    pub fn is_calm(&self) -> bool {
        self.calm.load(Ordering::Relaxed) == self.world.stir()
    }

    /// What is equal at two times if nothing that this rank may have to look at has happened
    /// between them.
    #[inline(always)]
    pub fn mark(&self) -> u64 {
        self.world.stir()
    }

    /// Whether nothing but deaths can stand against calls on a communicator of this generation:
    /// nobody has begun to recover, it is not revoked, and steps are not counted.
    pub fn is_at_peace(&self, context: u32) -> bool {
        let is_called = self.home.called() > self.generation();
        !is_called && !self.world.is_revoked(context, self.me) && !self.world.is_careful()
    }

    /// How many recoveries this rank has behind it.
    #[inline]
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    /// How to find out which communicators there are.
    pub fn introduce(&self, list: impl Fn() -> Vec<Fellowship> + Send + Sync + 'static) {
        self.fellowships.get_or_init(|| Box::new(list));
    }

    /// Finds out what is wrong; true when nothing is.
    pub(in crate::engine) fn look_out(&self, state: &mut State) -> bool {
        let is_instrumented = self.is_instrumented(state);
        let (stir, epoch, outlook) = (state.stir, state.epoch, &mut state.outlook);
        // A call that came after a death is not heard before the death is noticed: what waits for
        // the dead ends because of that. (The call is looked for first.)
        let is_called = self.home.called() > self.generation() && self.world.stir() == stir;
        self.is_called.store(is_called, Ordering::Relaxed);
        let ledger = self.world.ledger.lock();
        let base = outlook.base.max(ledger.forgotten());
        let recent = ledger.since(base).iter().take(epoch.saturating_sub(base)).copied();
        let dead: Vec<Member> =
            recent.filter(|member| outlook.concerns(&self.home, *member)).collect();
        drop(ledger);
        outlook.has_losses = dead.iter().any(|member| self.home.has(member.seat));
        outlook.broken.clear();
        outlook.peculiar.clear();
        let is_disquieted = self.world.disquiets(self.me) || self.world.has_voids();
        let is_calm = dead.is_empty() && !is_called && !is_disquieted;
        let is_here = self.generation() == 0 && !self.is_elsewhere.load(Ordering::Relaxed);
        let is_counted = is_instrumented || self.world.counts_pairs();
        let may_take_fast_path = is_calm && is_here && !self.world.is_careful() && !is_counted;
        let known = |is_well: bool| if is_well { stir } else { u64::MAX };
        self.calm.store(known(is_calm), Ordering::Relaxed);
        self.fast_path.store(known(may_take_fast_path), Ordering::Relaxed);
        if !is_calm
            && let Some(of_job) = self.msg_mode()
            && let Some(list) = self.fellowships.get()
        {
            for Fellowship { context, roster, msg } in list() {
                let msg = msg.unwrap_or(of_job);
                if msg != of_job {
                    outlook.peculiar.insert(context, msg);
                }
                if msg == MsgMode::Noop
                    && let Some(rank) = dead.iter().find_map(|member| roster.rank_of(*member))
                {
                    outlook.broken.insert(context, rank);
                }
            }
        }
        is_calm
    }

    /// How many deaths concern earlier generations only.
    pub fn known_deaths(&self) -> usize {
        self.state.lock().outlook.base
    }

    /// The rank of a member of `roster` that is dead, if one is.
    pub fn first_dead(&self, roster: &dyn Roster) -> Option<i32> {
        let deaths = self.world.deaths_since(self.known_deaths());
        deaths.into_iter().find_map(|member| roster.rank_of(member))
    }

    fn msg_mode(&self) -> Option<MsgMode> {
        self.world.rules().modes().map(|modes| modes.msg)
    }

    /// Whether the rules forbid an operation, with any peer.
    pub(in crate::engine) fn judge_by_rules(
        &self, state: &State, envelope: Envelope, watch: &Watch,
    ) -> Option<Mishap> {
        if self.is_revoked(state, envelope) {
            return Some(Mishap::Revoked);
        }
        if let Some(void) = self.world.void(envelope) {
            return Some(Mishap::Mismatched(void));
        }
        let (of_job, context) = (self.msg_mode()?, envelope.context / 2);
        let msg = state.outlook.peculiar.get(&context).copied().unwrap_or(of_job);
        if msg != MsgMode::Noop && !matches!(watch, Watch::Everyone { .. }) {
            return None;
        }
        if let Some(rank) = state.outlook.broken.get(&context) {
            return Some(Mishap::Lost { rank: *rank });
        }
        let is_interrupted = self.is_called() && !self.is_alone(watch);
        is_interrupted.then_some(Mishap::Interrupted)
    }

    /// Whether a rank is on the way to the next generation, so that waits end.
    pub fn is_called(&self) -> bool {
        self.is_called.load(Ordering::Relaxed)
    }

    /// Waits for the end of an operation that only this rank knows of. When the others recover, or
    /// a possible sender has died, it is taken back if that is still
    /// possible.
    pub fn wait_in_peace(&self, op: Key) -> Result<Outcome, Died> {
        self.wait_until(|state| {
            if !self.is_calm()
                && let Some(mishap) = self.unrest(state, op)
                && state.take_back(op)
            {
                let mut outcome = Outcome { mishap: Some(mishap), ..state.blank_outcome(op) };
                if let Mishap::Doubted { rank } = mishap {
                    outcome.source = rank;
                }
                self.finish(state, op, outcome);
            }
            state.ops.collect(op)
        })
    }

    /// Why this operation is not waited for any more, although it can still succeed.
    fn unrest(&self, state: &State, op: Key) -> Option<Mishap> {
        let watch = state.ops.0.find(op)?.watch.as_ref()?;
        let doubted = |rank| Mishap::Doubted { rank };
        self.interruption(watch).or_else(|| state.ops.doubt(op).map(doubted))
    }

    /// What stands against waiting for a peer, outside of messages.
    pub fn objection_to(&self, envelope: Envelope, watch: &Watch) -> Option<Mishap> {
        if self.is_calm() && self.generation() == 0 {
            return None;
        }
        let mut state = self.state.lock();
        let is_old = envelope.context < state.outlook.floor && !self.is_alone(watch);
        let judged = self.judge(&mut state, envelope, watch, 0);
        let mishap = judged.or(is_old.then_some(Mishap::Interrupted))?;
        Some(self.tell(&state, envelope, mishap))
    }

    /// How a wait ends that holds on to nothing, when the others recover.
    #[inline]
    pub(in crate::engine) fn interruption(&self, watch: &Watch) -> Option<Mishap> {
        let is_interrupted = self.is_left() && !self.is_alone(watch);
        is_interrupted.then_some(Mishap::Interrupted)
    }

    /// Whether the others recover, so that it is of no use to wait for them elsewhere.
    #[inline]
    pub(in crate::engine) fn is_left(&self) -> bool {
        self.is_called() && self.msg_mode().is_some()
    }

    fn is_alone(&self, watch: &Watch) -> bool {
        match watch {
            Watch::Peer { member, .. } => *member == self.me,
            Watch::Anyone(roster) | Watch::Everyone { roster, .. } => roster.size() == 1,
        }
    }

    /// A recovery is complete: the world consists of `company` from now on. Under NOOP all that is
    /// left of earlier generations goes; under CONT what waits in the world moves along.
    pub fn turn_over(&self, generation: u64, company: Arc<Roll>, moved: Moved) -> Result<(), Died> {
        let mut state = self.state.lock();
        self.generation.store(generation, Ordering::Relaxed);
        self.fast_path.store(u64::MAX, Ordering::Relaxed);
        let outlook = &mut state.outlook;
        let ledger = self.world.ledger.lock();
        outlook.company = Some(company);
        outlook.base = outlook.base.max(ledger.forgotten());
        let news = ledger.since(outlook.base);
        let first = news.iter().position(|member| outlook.concerns(&self.home, *member));
        outlook.base += first.unwrap_or(news.len());
        drop(ledger);
        self.world.settle(self.me.seat, outlook.base);
        self.world.tidy_up();
        self.world.learn_context(moved.to);
        self.world.forget_old_agreements(&self.home, moved.to);
        if moved.is_cont {
            self.move_on(&mut state, moved)?;
        } else {
            outlook.floor = 2 * moved.to;
            self.drop_old(&mut state);
        }
        state.epoch = state.epoch.max(state.outlook.base);
        self.look_out(&mut state);
        self.look_at_waiting_runs(&mut state, true);
        state.has_news = true;
        self.share_news(&mut state);
        Ok(())
    }

    /// A communicator has been made again after a recovery, and its messages go on.
    pub fn follow(&self, moved: Moved) -> Result<(), Died> {
        let mut state = self.state.lock();
        self.move_on(&mut state, moved)?;
        self.share_news(&mut state);
        Ok(())
    }

    /// Receives that wait and messages that have come in a communicator of before are those of the
    /// one of now: its members may have other ranks.
    fn move_on(&self, state: &mut State, moved: Moved) -> Result<(), Died> {
        state.start_preposted();
        state.reported.retain(|context, _| context / 2 != moved.from);
        let old = state.unexpected.take(|envelope| moved.concerns(envelope));
        // Others may have gone ahead; what they sent before comes first.
        let ahead = state.unexpected.take(|envelope| envelope.context == 2 * moved.to);
        for (envelope, packet) in old {
            if let Some(envelope) = moved.message(envelope, packet.sender()) {
                state.unexpected.insert(envelope, packet.readdressed(envelope));
            }
        }
        for (envelope, packet) in ahead {
            state.unexpected.insert(envelope, packet);
        }
        // In the order in which they began: that is how they match.
        let mut waiting = state.posted.take_all(|pattern| moved.concerns(pattern));
        let mut ended = Vec::new();
        for key in state.ops.0.keys().collect::<Vec<Key>>() {
            let Some(op) = state.ops.0.find_mut(key) else { continue };
            if !moved.concerns(op.envelope) {
                continue;
            }
            let watch = op.watch.take();
            let watch = watch.and_then(|watch| moved.watch(watch));
            match (&mut op.stage, watch) {
                (Stage::Done(_) | Stage::Copying { .. }, _) => {}
                (_, None) => ended.push(key),
                (Stage::Receiving { .. }, Some(watch)) => {
                    op.envelope = moved.pattern(op.envelope, &watch);
                    op.watch = Some(watch);
                }
                (_, Some(watch)) => op.watch = Some(watch),
            }
        }
        waiting.retain(|key| !ended.contains(key));
        for key in waiting {
            let op = state.ops.0.find(key).expect("it was found under the same lock");
            let envelope = op.envelope;
            if let Some(packet) = state.expected(envelope) {
                self.hand(state, packet, key)?;
                continue;
            }
            state.posted.insert(envelope, key);
        }
        for key in ended {
            if state.take_back(key) {
                let mishap = Some(Mishap::Interrupted);
                let outcome = Outcome { mishap, ..state.blank_outcome(key) };
                self.finish(state, key, outcome);
            }
        }
        let generation = self.generation();
        let moves = &mut state.outlook.moved;
        moves.retain(|(since, _)| since + GENERATIONS_UNDER_WAY > generation);
        moves.push((generation, moved));
        Ok(())
    }

    /// Ends what is under way on communicators of earlier generations, and forgets messages there.
    fn drop_old(&self, state: &mut State) {
        state.start_preposted();
        let list = self.fellowships.get().map(|list| list()).unwrap_or_default();
        let alone = list.into_iter().filter(|fellowship| fellowship.roster.size() == 1);
        let kept: HashSet<u32> = alone.map(|fellowship| fellowship.context).collect();
        let floor = state.outlook.floor;
        let is_old = |context: u32| context < floor && !kept.contains(&(context / 2));
        state.unexpected.retain_by(|envelope, _| !is_old(envelope.context));
        state.reported.retain(|context, _| !is_old(*context));
        let keys: Vec<Key> = state.ops.0.keys().collect();
        for key in keys {
            let op = state.ops.0.find(key).expect("it was listed under the same lock");
            let is_waiting = matches!(
                op.stage,
                Stage::Receiving { .. } | Stage::Sending { .. } | Stage::Outside(_)
            );
            if is_waiting && is_old(op.envelope.context) && state.take_back(key) {
                let mishap = Some(Mishap::Interrupted);
                let outcome = Outcome { mishap, ..state.blank_outcome(key) };
                self.finish(state, key, outcome);
            }
        }
    }
}
