//! Arrivals: takes messages from the inbox and the rings to the receives that wait for them.

use super::matching::accepts;
use crate::base::Member;
use crate::base::sync::biased::Guard;
use crate::engine::rank::operation::{Died, Outcome, Stage};
use crate::engine::rank::tally::path_by;
use crate::engine::{Engine, Path, State};
use crate::host::memory::{self, Fault, Region, Span};
use crate::transport::{Arrival, Delivery, Envelope, Load, Packet, Processes, Short, Taken};
use std::sync::atomic::Ordering;

/// How many messages are taken from one ring before the others are looked at.
const BURST: usize = 128;

/// A message that the caller waits for itself: one that no posted receive takes.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Wanted<'a> {
    pub(in crate::engine) pattern: Envelope,
    pub(in crate::engine) into: &'a Region,
}

/// What has come for such a caller.
pub(in crate::engine) enum Found {
    /// Claimed, and still to be copied.
    Packet(Packet),
    /// All is done.
    Received(Outcome),
}

impl Engine {
    /// Does all short work that there is right now. Long copies are made one by one.
    #[inline]
    pub(in crate::engine) fn progress(&self, state: &mut Guard<'_, State>) -> Result<(), Died> {
        self.progress_for(state, None).map(drop)
    }

    /// Does all short work, and returns the first message to arrive that is `wanted`.
    #[inline]
    pub(in crate::engine) fn progress_for(
        &self, state: &mut Guard<'_, State>, wanted: Option<Wanted<'_>>,
    ) -> Result<Option<Found>, Died> {
        if self.pulse.is_stopping() {
            return Err(Died);
        }
        state.start_preposted();
        // Before the arrivals: a rank that is dead by now sends nothing more.
        let stir = self.world.stir();
        // And this before the inbox (see `adopt`).
        let made = self.port.made();
        let mut found = None;
        if let Some(outside) = self.outside {
            let is_disturbed = stir != state.stir;
            self.hear_outside(state, (outside, is_disturbed), wanted, &mut found)?;
        }
        if self.port.has_arrivals() {
            self.empty_inbox(state, wanted, &mut found)?;
        }
        if made != state.rings.made {
            self.adopt(state, made);
        }
        for _ in 0..state.rings.incoming.len() {
            if found.is_some() {
                break;
            }
            let place = state.rings.next_place();
            self.hear(state, place, wanted, &mut found)?;
        }
        if self.awaited.load(Ordering::Relaxed) != 0 {
            self.reclaim(state)?;
        }
        // A thread that found what it wanted may have left the last messages of dead ranks unread.
        if stir != state.stir && found.is_none() {
            self.notice(state, stir);
        }
        self.look_at_waiting_runs(state, false);
        self.share_news(state);
        Ok(found)
    }

    /// Takes what has come from other processes. Short messages go straight to the receives that
    /// ask for them, unless others wait in the inbox, which come before. `is_disturbed`: something
    /// is about to be noticed that may end what waits for what has come.
    #[inline(never)]
    fn hear_outside(
        &self, state: &mut State, (outside, is_disturbed): (&Processes, bool),
        wanted: Option<Wanted<'_>>, found: &mut Option<Found>,
    ) -> Result<(), Died> {
        let mut heard = Ok(());
        outside.poll_for(is_disturbed, |Short { envelope, from, to, data }| {
            if to != self.me || self.port.has_arrivals() {
                return Taken::No;
            }
            state.tally.count_arrived(Path::Packet, data.bytes());
            heard = match self.take_short(state, envelope, data, wanted, found) {
                Ok(true) => Ok(()),
                Ok(false) => {
                    let stowed = self.stow(state, from, envelope, data);
                    stowed.and_then(|packet| self.take_in(state, packet, wanted, found))
                }
                Err(Died) => Err(Died),
            };
            if found.is_some() || heard.is_err() { Taken::Enough } else { Taken::Yes }
        });
        heard
    }

    #[inline]
    fn empty_inbox(
        &self, state: &mut State, wanted: Option<Wanted<'_>>, found: &mut Option<Found>,
    ) -> Result<(), Died> {
        for packet in self.port.arrivals() {
            state.tally.count_arrived(path_by(&packet), packet.bytes());
            if packet.is_on_a_detour() {
                self.catch_up(state, &packet, wanted, found)?;
            }
            self.take_in(state, packet, wanted, found)?;
        }
        Ok(())
    }

    /// Takes what was sent before a packet that has gone round a ring.
    #[cold]
    fn catch_up(
        &self, state: &mut State, packet: &Packet, wanted: Option<Wanted<'_>>,
        found: &mut Option<Found>,
    ) -> Result<(), Died> {
        let Some(place) = self.bypassed(state, packet) else { return Ok(()) };
        while let Some(arrival) = state.rings.incoming[place].arrival() {
            self.hear_one(state, place, arrival, wanted, found)?;
        }
        state.rings.incoming[place].absorb();
        Ok(())
    }

    /// Takes what lies in a ring, until that is empty or what is wanted has come.
    #[inline]
    fn hear(
        &self, state: &mut State, place: usize, wanted: Option<Wanted<'_>>,
        found: &mut Option<Found>,
    ) -> Result<(), Died> {
        for _ in 0..BURST {
            let Some(arrival) = state.rings.incoming[place].arrival() else { break };
            self.hear_one(state, place, arrival, wanted, found)?;
            if found.is_some() {
                break;
            }
        }
        Ok(())
    }

    #[inline]
    fn hear_one(
        &self, state: &mut State, place: usize, arrival: Arrival, wanted: Option<Wanted<'_>>,
        found: &mut Option<Found>,
    ) -> Result<(), Died> {
        let packet = match arrival {
            Arrival::Packet(packet) => {
                state.tally.count_arrived(path_by(&packet), packet.bytes());
                packet
            }
            Arrival::Message { envelope, data } => {
                state.tally.count_arrived(Path::Ring, data.bytes());
                let is_done = self.take_short(state, envelope, data, wanted, found)?;
                let from = state.rings.incoming[place].from();
                let stowed =
                    if is_done { None } else { Some(self.stow(state, from, envelope, data)?) };
                state.rings.incoming[place].pass(data);
                let Some(packet) = stowed else { return Ok(()) };
                packet
            }
        };
        self.take_in(state, packet, wanted, found)
    }

    /// Gives a short message to the receive that asks for it, if there is one.
    #[inline]
    fn take_short(
        &self, state: &mut State, envelope: Envelope, data: Span, wanted: Option<Wanted<'_>>,
        found: &mut Option<Found>,
    ) -> Result<bool, Died> {
        if state.outlook.has_moved() {
            return Ok(false);
        }
        if let Some(key) = state.posted.take(envelope) {
            let (delivery, room) = match state.ops.0.find(key).map(|op| &op.stage) {
                Some(Stage::Receiving { into, .. }) => (copied(data, into), into.bytes()),
                _ => panic!("a posted receive waits for its message"),
            };
            let outcome = self.received(envelope, data.bytes(), room, delivery)?;
            self.finish(state, key, outcome);
            return Ok(true);
        }
        let Some(Wanted { pattern, into }) = wanted else { return Ok(false) };
        if found.is_some() || !accepts(pattern, envelope) {
            return Ok(false);
        }
        let delivery = copied(data, into);
        let outcome = self.received(envelope, data.bytes(), into.bytes(), delivery)?;
        *found = Some(Found::Received(outcome));
        Ok(true)
    }

    /// Puts a message that no receive matches yet into a packet of this rank's own, or beside it.
    #[inline(never)]
    fn stow(
        &self, state: &mut State, from: Member, envelope: Envelope, data: Span,
    ) -> Result<Packet, Died> {
        let is_long = data.bytes() > Packet::ROOM;
        let mut packet = self.blank(state, if is_long { 0 } else { data.bytes() })?;
        packet.address(envelope, from, self.me, 0);
        let loaded = match is_long {
            true => packet.load(Load::Attached(self.copy_of(&data.into())?)),
            false => packet.load(Load::Carried(&data.into())),
        };
        loaded.expect("both places are memory of the library's own");
        Ok(packet)
    }

    /// A packet has arrived.
    #[inline]
    fn take_in(
        &self, state: &mut State, packet: Packet, wanted: Option<Wanted<'_>>,
        found: &mut Option<Found>,
    ) -> Result<(), Died> {
        if let Some(key) = state.fetched(&packet) {
            state.copies.push_back((packet, key));
            state.has_news = true;
            return Ok(());
        }
        let Some(packet) = state.outlook.renewed(packet) else { return Ok(()) };
        if let Some(Wanted { pattern, .. }) = wanted
            && found.is_none()
            && self.suits(state, pattern, &packet)
        {
            *found = Some(Found::Packet(packet));
            return Ok(());
        }
        self.arrive(state, packet)
    }

    /// Claims a message that `pattern` accepts and no posted receive takes.
    #[inline]
    fn suits(&self, state: &State, pattern: Envelope, packet: &Packet) -> bool {
        let envelope = packet.envelope();
        accepts(pattern, envelope)
            && packet.addressee() == self.me.incarnation
            && state.posted.find(envelope).is_none()
            && packet.is_intact()
            && packet.claim()
    }

    #[inline]
    fn arrive(&self, state: &mut State, packet: Packet) -> Result<(), Died> {
        if packet.addressee() != self.me.incarnation {
            return Ok(());
        }
        let envelope = packet.envelope();
        if state.posted.find(envelope).is_none() {
            state.has_news = true;
            if state.unexpected.len() >= state.sweep_at {
                state.sweep();
            }
            let is_wanted = !state.outlook.is_of_old(envelope, &packet, self.me)
                && !self.world.is_revocation_heard(envelope.context / 2, self.me);
            if is_wanted {
                self.instruments.notice_arrival(envelope, packet.bytes());
                state.unexpected.insert(envelope, packet);
                state.tally.unexpected += 1;
                let length = state.unexpected.len();
                state.tally.most_unexpected = state.tally.most_unexpected.max(length);
            }
            return Ok(());
        }
        if packet.is_intact()
            && packet.claim()
            && let Some(key) = state.posted.take(envelope)
        {
            self.hand(state, packet, key)?;
        }
        Ok(())
    }
}

/// Copies as much of a short message as there is room for.
#[inline]
fn copied(data: Span, into: &Region) -> Delivery {
    let data = data.part(0, into.bytes());
    let copied = match into.span() {
        Some(into) => memory::copy(data, into),
        None => memory::transfer(&data.into(), into),
    };
    match copied {
        Ok(()) => Delivery::Done,
        Err(Fault { address, .. }) => Delivery::TargetFault { address },
    }
}
