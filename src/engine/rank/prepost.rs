//! Preposts receives on the fast path, fills them from the rings, and makes operations of them when
//! anything is unusual (see `preposted`).

use super::matching::ANY_TAG;
use super::preposted::{Preposted, PrepostedReceives, Progress, Receipt};
use crate::base::Member;
use crate::base::slab::Key;
use crate::engine::rank::operation::{Died, Outcome, Stage, Watch};
use crate::engine::{Engine, State};
use crate::host::memory::{self, Span};
use crate::transport::{Envelope, Glance, LONGEST_IN_RING, Processes, Short, Taken};
use std::ops::DerefMut;
use std::sync::atomic::Ordering;

/// How many breaths a receive takes, looking for its message, before it waits in the ordinary way.
pub(in crate::engine) const ROUNDS_OF_LOOKS: u32 = 6;

/// What lay in the rings of a rank that has preposted receives.
enum Heard {
    Nothing,
    /// Messages for these.
    Messages,
    /// Something else, too.
    Unusual,
}

impl Engine {
    /// Starts a receive the short way, if that can be.
    #[inline(always)]
    pub fn prepost(&self, pattern: Envelope, from: Member, into: Span) -> Option<Key> {
        if into.bytes() > LONGEST_IN_RING || pattern.tag == ANY_TAG || !self.may_take_fast_path() {
            return None;
        }
        match self.state.own() {
            Some(state) => self.prepost_in(state, pattern, from, into),
            None => self.prepost_among_many(pattern, from, into),
        }
    }

    /// Preposts a receive for one of several threads.
    #[inline(never)]
    fn prepost_among_many(&self, pattern: Envelope, from: Member, into: Span) -> Option<Key> {
        self.prepost_in(self.state.lock(), pattern, from, into)
    }

    #[inline(always)]
    fn prepost_in(
        &self, mut state: impl DerefMut<Target = State>, pattern: Envelope, from: Member,
        into: Span,
    ) -> Option<Key> {
        if state.is_busy() || state.rings.from(from).is_none() && !self.hears_outside(from) {
            return None;
        }
        state.ops.1.add(pattern, from, into)
    }

    /// Whether messages of this rank come through a ring of another process.
    #[inline(never)]
    fn hears_outside(&self, from: Member) -> bool {
        self.outside.is_some_and(|outside| outside.hears(from.seat))
    }

    /// Fills preposted receives until that `is_enough`; false: something is unusual, or nothing has
    /// come for a while.
    #[inline(always)]
    pub fn fill_preposted(
        &self, mut is_enough: impl FnMut(&mut PrepostedReceives) -> bool,
    ) -> Result<bool, Died> {
        let mut rounds_left = ROUNDS_OF_LOOKS;
        while rounds_left > 0 {
            if self.is_stopping() {
                return Err(Died);
            }
            if !self.may_take_fast_path() {
                return Ok(false);
            }
            let made = {
                let mut state = self.state.lock();
                let made = self.port.made();
                let heard = self.hear_for_preposted(&mut state, made)?;
                if is_enough(&mut state.ops.1) {
                    return Ok(true);
                }
                match heard {
                    Heard::Nothing => rounds_left -= 1,
                    Heard::Messages => rounds_left = ROUNDS_OF_LOOKS,
                    Heard::Unusual => return Ok(false),
                }
                made
            };
            self.look_for_arrivals(made);
        }
        Ok(false)
    }

    /// Gives what lies in rings to preposted receives.
    #[inline(never)]
    fn hear_for_preposted(&self, state: &mut State, made: u32) -> Result<Heard, Died> {
        let mut heard = Heard::Nothing;
        let awaits = self.awaited.load(Ordering::Relaxed) != 0;
        if self.port.has_arrivals() || made != state.rings.made || state.is_busy() || awaits {
            return Ok(Heard::Unusual);
        }
        for ring in &mut state.rings.incoming {
            while state.ops.1.are_waiting() {
                let (envelope, data) = match ring.glance() {
                    Glance::Nothing => break,
                    Glance::Other => return Ok(Heard::Unusual),
                    Glance::Message { envelope, data } => (envelope, data),
                };
                let filled = state.ops.1.fill(envelope, data.bytes(), |into| ring.take(data, into));
                match filled.map_err(|fault| self.suffer(fault.address))? {
                    true => heard = Heard::Messages,
                    false => return Ok(Heard::Unusual),
                }
            }
        }
        match self.outside.filter(|_| state.ops.1.are_waiting()) {
            Some(outside) => self.hear_outside_for_preposted(state, outside, heard),
            None => Ok(heard),
        }
    }

    /// Gives what comes from other processes to preposted receives.
    fn hear_outside_for_preposted(
        &self, state: &mut State, outside: &Processes, before: Heard,
    ) -> Result<Heard, Died> {
        let (mut heard, mut died) = (before, None);
        outside.poll_for(false, |Short { envelope, to, data, .. }| {
            if to != self.me {
                // It is for another rank of this process.
                return Taken::No;
            }
            if self.port.has_arrivals() {
                heard = Heard::Unusual;
                return Taken::No;
            }
            let copy = |into: Span| memory::copy(data, into.part(0, data.bytes())).map(|()| true);
            match state.ops.1.fill(envelope, data.bytes(), copy) {
                Ok(true) => {
                    heard = Heard::Messages;
                    if state.ops.1.are_waiting() { Taken::Yes } else { Taken::Enough }
                }
                Ok(false) => {
                    heard = Heard::Unusual;
                    Taken::No
                }
                Err(fault) => {
                    died = Some(self.suffer(fault.address));
                    Taken::Enough
                }
            }
        });
        died.map_or(Ok(heard), Err)
    }

    /// Makes an operation of a preposted receive; `None`: there is none with this key.
    pub fn admit(&self, receive: Key) -> Option<Key> {
        let mut state = self.state.lock();
        state.start_preposted();
        let found = state.ops.1.find(receive)?;
        match found.state {
            Progress::Moved(op) => Some(op),
            Progress::Filled => {
                let Receipt { source, tag, bytes } = found.receipt();
                let op = state.done(Outcome { source, tag, bytes, ..Outcome::default() });
                state.ops.1.set_moved(receive.reserved()?, op);
                Some(op)
            }
            Progress::Waiting | Progress::Free => None,
        }
    }

    /// The key of a preposted receive that has become an operation stands for nothing any more.
    pub fn release(&self, receive: Key) {
        self.state.lock().ops.1.release(receive);
    }

    /// How many preposted receives have not been settled, those included that have become
    /// operations.
    pub fn preposted(&self) -> usize {
        self.state.lock().ops.1.count()
    }
}

impl State {
    /// Makes operations of all preposted receives that wait.
    #[inline]
    pub(in crate::engine) fn start_preposted(&mut self) {
        if self.ops.1.are_waiting() {
            self.start_all_preposted();
        }
    }

    #[inline(never)]
    fn start_all_preposted(&mut self) {
        while let Some((place, receive)) = self.ops.1.pop() {
            let Preposted { envelope: pattern, from, into, .. } = receive;
            let watch = Watch::Peer { rank: pattern.source, member: from };
            let op = self.begin(Stage::Receiving { into: into.into() }, pattern, Some(watch));
            self.posted.insert(pattern, op);
            self.ops.1.set_moved(place, op);
        }
    }
}
