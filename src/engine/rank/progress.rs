//! Progress: completes operations, notices failures, waits.

use crate::base::Member;
use crate::base::slab::Key;
use crate::base::sync::{biased::Guard, fence};
use crate::engine::rank::awaited::{Sought, Watched};
use crate::engine::rank::operation::{Died, Mishap, Op, Outcome, Stage, Watch};
use crate::engine::shared::rules::Rules;
use crate::engine::shared::world::epoch_of;
use crate::engine::{Engine, FEWEST_TO_SWEEP, State};
use crate::host::memory::Region;
use crate::host::sched;
use crate::transport::{Delivery, Envelope, Fate, Packet, Processes};
use std::mem;
use std::sync::atomic::Ordering;

/// How often a waiting rank that has a core looks for news before it lets others run for a moment:
/// about a microsecond, since the one it waits for may need this very core; and how often it does
/// that before it announces that it may sleep.
const LOOKS: u32 = 24;
const TURNS: u32 = 16;
/// The same where messages may come from other hosts, which takes longer: each look at the network
/// takes 0.8 µs, so there is little time between two for anything else.
const LOOKS_ABROAD: u32 = 1;
const TURNS_ABROAD: u32 = 512;
/// After so many looks at the network, others run for a moment; after each, if there are others.
const ABROAD_IN_A_ROW: u32 = 4;
/// How often to look at the inbox before looking at everything else, unless others that wait want
/// this core.
const LOOKS_AT_INBOX: u32 = 16;

impl Engine {
    /// Makes one long copy, or some of one sender's, if there are any to be made; the other threads
    /// of this rank go on meanwhile.
    #[inline]
    pub(in crate::engine) fn copy_next(&self, state: &mut Guard<'_, State>) -> Result<bool, Died> {
        if let Some(((first, _), (second, _))) = state.copies.front().zip(state.copies.get(1))
            && first.goes_with(second)
        {
            return self.copy_some(state);
        }
        let Some((packet, key)) = state.copies.pop_front() else { return Ok(false) };
        let into = state.target(key);
        let message = (packet.envelope(), packet.bytes());
        state.copying += 1;
        let delivery = Guard::unlocked(state, || packet.deliver(&into));
        state.copying -= 1;
        self.delivered(state, key, message, delivery)?;
        self.share_news(state);
        Ok(true)
    }

    #[inline(never)]
    fn copy_some(&self, state: &mut Guard<'_, State>) -> Result<bool, Died> {
        let mut batches = mem::take(&mut state.batches);
        while let Some((packet, key)) = state.copies.pop_front() {
            if !batches.have_room_for(&packet) && !batches.is_empty() {
                state.copies.push_front((packet, key));
                break;
            }
            let into = state.target(key);
            batches.add(packet, key, into);
        }
        state.copying += 1;
        Guard::unlocked(state, || batches.copy());
        state.copying -= 1;
        for (key, message, delivery) in batches.deliveries() {
            self.delivered(state, key, message, delivery)?;
        }
        state.batches = batches;
        self.share_news(state);
        Ok(true)
    }

    /// Whoever leaves with an answer leaves the copies to other threads that are there to make
    /// them, if any.
    #[inline]
    pub(in crate::engine) fn leave(&self, state: &mut Guard<'_, State>) -> Result<(), Died> {
        while !state.copies.is_empty() && state.waiting + state.copying == 0 {
            self.copy_next(state)?;
        }
        Ok(())
    }

    /// Gives a receive its message.
    #[inline]
    pub(in crate::engine) fn hand(
        &self, state: &mut State, packet: Packet, key: Key,
    ) -> Result<(), Died> {
        let into = state.target(key);
        if self.must_fetch(&packet) {
            state.set(key, Stage::Copying { into });
            self.fetch(state, packet, key);
            return Ok(());
        }
        if !packet.is_carried() {
            state.set(key, Stage::Copying { into });
            state.copies.push_back((packet, key));
            state.has_news = true;
            return Ok(());
        }
        let message = (packet.envelope(), packet.bytes());
        let delivery = packet.deliver(&into);
        self.delivered(state, key, message, delivery)
    }

    #[inline]
    pub(in crate::engine) fn delivered(
        &self, state: &mut State, key: Key, message: (Envelope, usize), delivery: Delivery,
    ) -> Result<(), Died> {
        self.take_time_to_receive(&message.0);
        let room = state.target(key).bytes();
        let outcome = self.received(message.0, message.1, room, delivery)?;
        self.finish(state, key, outcome);
        Ok(())
    }

    /// How a receive ends that got this message.
    #[inline]
    pub(in crate::engine) fn received(
        &self, envelope: Envelope, sent: usize, room: usize, delivery: Delivery,
    ) -> Result<Outcome, Died> {
        let mishap = match delivery {
            Delivery::Done if sent > room => Some(Mishap::Truncated { sent }),
            Delivery::Done => None,
            Delivery::SenderGone => Some(Mishap::Lost { rank: envelope.source }),
            Delivery::TargetFault { address } => return Err(self.suffer(address)),
        };
        let Envelope { source, tag, .. } = envelope;
        Ok(Outcome { source, tag, bytes: sent.min(room), is_cancelled: false, mishap })
    }

    /// This rank named memory that is not there: it ends, as any program would.
    #[cold]
    pub fn suffer(&self, address: usize) -> Died {
        self.fault.get_or_init(|| address);
        Died
    }

    /// Takes own packets back, and completes the sends that waited for them.
    pub(in crate::engine) fn reclaim(&self, state: &mut State) -> Result<(), Died> {
        for packet in self.port.returned() {
            if packet.token() != 0 {
                self.come_home(state, &packet)?;
            }
            state.pool.keep(packet);
        }
        // A thread that needs an empty packet may find what another thread waits for.
        self.share_news(state);
        Ok(())
    }

    fn come_home(&self, state: &mut State, packet: &Packet) -> Result<(), Died> {
        let Some(key) = Key::from_number(packet.token()) else { return Ok(()) };
        let Some(op) = state.ops.0.find_mut(key) else { return Ok(()) };
        let Stage::Sending { ticket, .. } = &mut op.stage else { return Ok(()) };
        if *ticket != Some(packet.ticket()) {
            return Ok(());
        }
        match packet.fate() {
            Fate::Delivered => self.finish(state, key, Outcome::default()),
            Fate::Faulty { address } => return Err(self.suffer(address)),
            // The receiver is gone, or has dropped it amid a revocation: that ends the operation
            // when it is noticed, unless it has been already.
            Fate::Refused => {
                *ticket = None;
                self.awaited.fetch_sub(1, Ordering::Relaxed);
                self.review(state, key);
            }
        }
        Ok(())
    }

    /// Ends an operation.
    #[inline]
    pub(in crate::engine) fn finish(&self, state: &mut State, key: Key, outcome: Outcome) {
        let op = state.ops.0.find_mut(key).expect("an operation ends once");
        let is_send = matches!(op.stage, Stage::Sending { .. });
        if !is_send && op.run.is_none() && op.partner.is_none() && !op.is_orphan {
            op.stage = Stage::Done(outcome);
            op.watch = None;
            state.has_news = true;
            return;
        }
        self.finish_with_care(state, key, outcome);
    }

    /// Ends an operation that another thread waits for, or none.
    #[inline(never)]
    fn finish_with_care(&self, state: &mut State, key: Key, outcome: Outcome) {
        let op = state.ops.0.find_mut(key).expect("an operation ends once");
        let stage = std::mem::replace(&mut op.stage, Stage::Done(outcome));
        op.watch = None;
        let run = op.run.take();
        let partner = op.partner.filter(|_| outcome.is_lost());
        state.has_news = true;
        if op.is_orphan {
            state.ops.0.remove(key);
        }
        if let Some(run) = run {
            state.wake_run(run);
        }
        if let Stage::Sending { ticket, charge } = stage {
            if ticket.is_some() {
                self.awaited.fetch_sub(1, Ordering::Relaxed);
            }
            if let Some(charge) = charge {
                self.settle(state, &charge);
            }
        }
        if let Some(partner) = partner {
            self.withdraw(state, partner);
        }
    }

    /// Something has happened, perhaps a death: ends what can come to nothing now.
    #[cold]
    pub(in crate::engine) fn notice(&self, state: &mut State, stir: u64) {
        state.has_news = true;
        state.stir = stir;
        let known = std::mem::replace(&mut state.epoch, epoch_of(stir));
        if state.epoch != known {
            self.world.tell_noticed(self.me, known);
            self.instruments.notice_deaths(|| self.world.deaths_since(known));
            self.forget_channels(state);
        }
        self.hear_decisions(state);
        self.look_at_waiting_runs(state, true);
        if self.look_out(state) {
            return;
        }
        state.unexpected.retain_by(|envelope, packet| {
            packet.is_intact() && !self.world.is_revocation_heard(envelope.context / 2, self.me)
        });
        let keys: Vec<Key> = state.ops.0.keys().collect();
        keys.into_iter().for_each(|key| self.review(state, key));
    }

    /// Ends this operation if a death has made it hopeless.
    #[cold]
    pub(in crate::engine) fn review(&self, state: &mut State, key: Key) {
        if state.ops.0.find(key).is_some_and(|op| matches!(op.stage, Stage::Flushing)) {
            return self.review_flush(state, key);
        }
        let Some(Op { stage, envelope, watch: Some(watch), heard, .. }) = state.ops.0.find(key)
        else {
            return;
        };
        if matches!(stage, Stage::Copying { .. } | Stage::Done(_)) {
            return;
        }
        let (envelope, watch, heard) = (*envelope, watch.clone(), *heard as usize);
        let mishap = self.judge(state, envelope, &watch, heard);
        let doubt = if let Some(Mishap::Doubted { rank }) = mishap { Some(rank) } else { None };
        state.ops.0.find_mut(key).expect("it was found above").doubt = doubt;
        let Some(mishap) = mishap.filter(|_| doubt.is_none()) else { return };
        let is_peer_dead = watch.member().is_some_and(|member| self.world.is_dead(member));
        // A living receiver that has begun to copy is let finish: the data must stay until then.
        if state.take_back(key) || is_peer_dead {
            let mut outcome = Outcome { mishap: Some(mishap), ..state.blank_outcome(key) };
            if let Mishap::Lost { rank } = mishap {
                outcome.source = rank;
            }
            self.finish(state, key, outcome);
        }
    }

    /// Whether somebody's death stands against an operation that had heard of so many reported
    /// deaths when it began.
    #[inline]
    pub(in crate::engine) fn judge(
        &self, state: &mut State, envelope: Envelope, watch: &Watch, heard: usize,
    ) -> Option<Mishap> {
        if self.is_calm() {
            return None;
        }
        // Only deaths before the latest arrivals: what the dead have sent is received first. So is
        // what was sent before a revocation.
        let mishap = self.judge_by_deaths(state, envelope, watch, heard, state.epoch)?;
        let is_of_now = mishap == Mishap::Revoked && self.world.stir() != state.stir;
        (!is_of_now).then_some(mishap)
    }

    /// What stands against a send that is about to start: judged by the newest record of deaths,
    /// since a send receives nothing.
    #[inline]
    pub(in crate::engine) fn judge_send(
        &self, state: &mut State, envelope: Envelope, watch: &Watch,
    ) -> Option<Mishap> {
        if self.is_calm() {
            return None;
        }
        let epoch = self.world.epoch();
        self.judge_by_deaths(state, envelope, watch, epoch, epoch)
    }

    /// What the deaths since `heard` mean for an operation: a peer that is dead, a member of a
    /// collective, or a wildcard receive whose sender may be one of the dead.
    #[cold]
    fn judge_by_deaths(
        &self, state: &mut State, envelope: Envelope, watch: &Watch, heard: usize, epoch: usize,
    ) -> Option<Mishap> {
        if let Some(mishap) = self.judge_by_rules(state, envelope, watch) {
            return Some(mishap);
        }
        if let Some(rank) = self.out_of_reach(watch) {
            return Some(Mishap::Lost { rank });
        }
        let base = state.outlook.base;
        let deaths = || {
            let mut deaths = self.world.deaths_since(base.min(epoch));
            deaths.truncate(epoch.saturating_sub(base));
            deaths
        };
        let rank = match watch {
            Watch::Peer { rank, member } => {
                let is_dead = self.world.ledger.lock().is_dead_by(*member, epoch);
                is_dead.then_some(*rank)?
            }
            Watch::Everyone { roster, .. } => {
                deaths().into_iter().find_map(|member| roster.rank_of(member))?
            }
            Watch::Anyone(roster) => {
                let deaths = deaths();
                let rank_of = |member: &Member| roster.rank_of(*member);
                let is_ulfm = self.world.rules() == Rules::Ulfm;
                let heard = match self.world.rules() {
                    // Each death is told to one receive only.
                    Rules::Ft(_) => {
                        heard.max(state.reported.get(&envelope.context).copied().unwrap_or(0))
                    }
                    // Those that are acknowledged.
                    Rules::Ulfm => state.heard(envelope),
                    Rules::End | Rules::Standard => heard,
                };
                let mut fresh = deaths.iter().zip(base + 1..).skip(heard.saturating_sub(base));
                let first = fresh.find_map(|(member, number)| Some((rank_of(member)?, number)));
                if let (true, Some((rank, _))) = (is_ulfm, first) {
                    return Some(Mishap::Doubted { rank });
                }
                let known = state.reported.entry(envelope.context).or_default();
                *known = first.map_or(epoch, |(_, number)| number).max(*known);
                if let Some((rank, _)) = first {
                    return Some(Mishap::Lost { rank });
                }
                let mine = usize::from(roster.rank_of(self.me).is_some());
                let dead = deaths.iter().filter_map(rank_of).count();
                let is_alone = dead > 0 && dead + mine >= roster.size();
                is_alone.then(|| deaths.iter().find_map(rank_of))??
            }
        };
        Some(Mishap::Lost { rank })
    }

    /// Whom this rank cannot reach because it is not the first life of its seat: the others'
    /// communicators have its predecessor. It reaches itself.
    fn out_of_reach(&self, watch: &Watch) -> Option<i32> {
        let Member { seat, incarnation } = self.me;
        // A replacement's communicators are of its own generation.
        if incarnation == self.home.first() || self.generation() > 0 {
            return None;
        }
        match watch {
            Watch::Peer { rank, member } => (member.seat != seat).then_some(*rank),
            Watch::Everyone { rank, roster, .. } => (roster.size() > 1).then_some(*rank),
            Watch::Anyone(roster) => {
                let own = roster.rank_of(self.me);
                (0..roster.size() as i32).find(|rank| Some(*rank) != own)
            }
        }
    }

    /// Lets other threads of the rank know that something has happened.
    #[inline]
    pub(in crate::engine) fn share_news(&self, state: &mut State) {
        if std::mem::take(&mut state.has_news) && state.waiting != 0 {
            self.turns.fetch_add(1, Ordering::SeqCst);
            self.port.bell().unpark();
        }
    }

    /// Makes progress until `ready` has an answer.
    #[inline]
    pub(in crate::engine) fn wait_until<T>(
        &self, ready: impl FnMut(&mut State) -> Option<T>,
    ) -> Result<T, Died> {
        self.wait_for_message(None, ready)
    }

    /// Waits until `ready`; `sought`: the message that the caller itself waits for.
    #[inline]
    pub(in crate::engine) fn wait_for_message<T>(
        &self, sought: Option<Sought>, mut ready: impl FnMut(&mut State) -> Option<T>,
    ) -> Result<T, Died> {
        self.step()?;
        let mut state = self.state.lock();
        loop {
            self.progress_lightly(&mut state, None)?;
            self.drive(&mut state)?;
            if let Some(answer) = ready(&mut state) {
                self.leave(&mut state)?;
                return Ok(answer);
            }
            if !self.copy_next(&mut state)? {
                self.wait_for_news(&mut state, sought);
            }
        }
    }

    /// Lets go of the state until there may be something to do.
    #[inline]
    pub(in crate::engine) fn wait_for_news(
        &self, state: &mut Guard<'_, State>, sought: Option<Sought>,
    ) {
        self.wait_for_news_or(state, sought, None, || false, || ());
    }

    /// Waits for news, or until `is_so`. Only a caller that may sleep says what it waits for.
    /// `call` asks those who make it so to wake this rank.
    #[inline]
    pub(in crate::engine) fn wait_for_news_or(
        &self, state: &mut Guard<'_, State>, sought: Option<Sought>, watched: Option<Watched>,
        is_so: impl Fn() -> bool, call: impl Fn(),
    ) {
        let turn = self.turns.load(Ordering::Relaxed);
        let seen = Seen { turn, stir: state.stir, made: state.rings.made };
        state.waiting += 1;
        if !Guard::unlocked(state, || self.looks_about(seen, &is_so)) {
            let name = self.world.call();
            let note = state.note(name, sought, watched);
            self.asleep_in.set(Some(name));
            Guard::unlocked(state, || self.sleep(seen, &is_so, &call));
            self.asleep_in.set(None);
            state.waiters.remove(note);
        }
        state.waiting -= 1;
    }

    /// Looks for a while whether there is something to do.
    fn looks_about(&self, seen: Seen, is_so: &impl Fn() -> bool) -> bool {
        let abroad = self.outside.filter(|outside| outside.may_look_abroad());
        let (turns, looks, in_a_row) = match abroad {
            _ if self.world.crowding.is_crowded() => (0, 0, 1),
            None => (TURNS, LOOKS, 1),
            Some(_) => (TURNS_ABROAD, LOOKS_ABROAD, ABROAD_IN_A_ROW),
        };
        for turn in (0..turns).take_while(|_| !sched::is_yielding_dear()) {
            if let Some(outside) = abroad {
                outside.look_abroad();
            }
            for _ in 0..looks {
                // Messages are what most wait for, and where every nanosecond counts.
                let has_arrivals = || self.has_arrivals(seen.made) || is_so();
                let is_called = || has_arrivals() || self.is_invited();
                let looks = if sched::is_core_shared() { 1 } else { LOOKS_AT_INBOX };
                let is_called = (0..looks).any(|_| is_called());
                if is_called && self.helps() {
                    continue;
                }
                if is_called && has_arrivals() || self.has_news(seen) {
                    return true;
                }
                std::hint::spin_loop();
            }
            if turn % in_a_row == 0 || sched::is_core_shared() {
                sched::yield_now();
            }
        }
        false
    }

    /// Whether a receiver asks for help with a long message.
    #[inline]
    fn is_invited(&self) -> bool {
        self.port.is_invited() || self.outside.is_some_and(Processes::is_invited)
    }

    #[inline]
    fn helps(&self) -> bool {
        self.port.helps() || self.outside.is_some_and(Processes::helps)
    }

    /// Sleeps until there may be something to do.
    fn sleep(&self, seen: Seen, is_so: &impl Fn() -> bool, call: &impl Fn()) {
        let bell = self.port.bell();
        let heard = bell.listen();
        if self.world.wire().has_rings(self.me.seat) {
            // A sender with a ring makes the light one.
            fence::heavy();
        }
        if self.has_news(seen) || is_so() {
            return;
        }
        match self.outside {
            Some(outside) => outside.park(bell, heard, || {
                call();
                self.has_news(seen) || is_so()
            }),
            None => bell.park(heard),
        }
    }

    /// Whether something has come, by the inbox or by rings, those included that are new.
    #[inline]
    pub(in crate::engine) fn has_arrivals(&self, made: u32) -> bool {
        self.watched.have_messages()
            || self.port.has_arrivals()
            || self.port.made() != made
            || self.outside.is_some_and(Processes::has_news)
    }

    #[inline]
    fn has_news(&self, seen: Seen) -> bool {
        self.has_arrivals(seen.made)
            || self.awaited.load(Ordering::Relaxed) != 0 && self.port.has_returned()
            || self.world.stir() != seen.stir
            || self.turns.load(Ordering::SeqCst) != seen.turn
            || self.has_wait_to_end()
            || self.pulse.is_stopping()
    }
}

/// What there was when a thread began to wait.
#[derive(Clone, Copy)]
struct Seen {
    turn: u32,
    stir: u64,
    made: u32,
}

impl State {
    /// How many deaths have been reported in the context of `envelope`.
    #[inline]
    pub(in crate::engine) fn heard(&self, envelope: Envelope) -> usize {
        match self.epoch {
            0 => 0,
            _ => self.reported.get(&envelope.context).copied().unwrap_or(0),
        }
    }

    /// Sends messages home that their senders have taken back, as often as their number has
    /// doubled: nobody will ask for them.
    #[cold]
    pub(in crate::engine) fn sweep(&mut self) {
        self.unexpected.retain(|packet| !packet.is_recalled());
        self.sweep_at = FEWEST_TO_SWEEP.max(2 * self.unexpected.len());
    }

    /// Where a receive wants its message.
    #[inline]
    pub(in crate::engine) fn target(&self, key: Key) -> Region {
        match self.ops.0.find(key).map(|op| &op.stage) {
            Some(Stage::Receiving { into } | Stage::Copying { into }) => into.clone(),
            _ => panic!("only a receive is given a message"),
        }
    }
}

impl Watch {
    fn member(&self) -> Option<Member> {
        match self {
            Watch::Peer { member, .. } | Watch::Everyone { member, .. } => Some(*member),
            Watch::Anyone(_) => None,
        }
    }
}
