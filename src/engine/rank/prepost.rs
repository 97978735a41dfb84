//! Preposts receives on the fast path, fills them from the rings, and makes operations of them when
//! anything is unusual (see `preposted`).

use super::matching::ANY_TAG;
use super::preposted::{Preposted, PrepostedReceives, Progress, Receipt};
use crate::base::Member;
use crate::base::slab::Key;
use crate::engine::rank::operation::{Died, Outcome, Stage, Watch};
use crate::engine::{Engine, State};
use crate::host::memory::{self, Span};
use crate::transport::{Envelope, Glance, SHORT};
use std::ops::DerefMut;
use std::sync::atomic::Ordering;

/// How many breaths a receive takes, looking for its message, before it waits in the ordinary way.
pub(in crate::engine) const BREATHS: u32 = 6;

impl Engine {
    /// Starts a receive the short way, if that can be.
    #[inline(always)]
    pub fn book(&self, pattern: Envelope, from: Member, into: Span) -> Option<Key> {
        if into.bytes() > SHORT || pattern.tag == ANY_TAG || !self.is_carefree() {
            return None;
        }
        match self.state.own() {
            Some(state) => book_in(state, pattern, from, into),
            None => self.book_among_many(pattern, from, into),
        }
    }

    /// Preposts a receive for one of several threads.
    #[inline(never)]
    fn book_among_many(&self, pattern: Envelope, from: Member, into: Span) -> Option<Key> {
        book_in(self.state.lock(), pattern, from, into)
    }

    /// Fills bookings until that `is_enough`; false: something is unusual, or it takes longer.
    #[inline(always)]
    pub fn fill_bookings(
        &self, mut is_enough: impl FnMut(&mut PrepostedReceives) -> bool,
    ) -> Result<bool, Died> {
        for _ in 0..BREATHS {
            if self.is_stopping() {
                return Err(Died);
            }
            if !self.is_carefree() {
                return Ok(false);
            }
            let made = {
                let mut state = self.state.lock();
                let made = self.port.made();
                let is_usual = self.hear_for_bookings(&mut state, made)?;
                if is_enough(&mut state.ops.1) {
                    return Ok(true);
                }
                if !is_usual {
                    return Ok(false);
                }
                made
            };
            self.look_for_arrivals(made);
        }
        Ok(false)
    }

    /// Gives what lies in channels to the bookings; false: there is something else to look at.
    #[inline(never)]
    fn hear_for_bookings(&self, state: &mut State, made: u32) -> Result<bool, Died> {
        let awaits = self.awaited.load(Ordering::Relaxed) != 0;
        if self.port.has_arrivals() || made != state.channels.made || state.is_busy() || awaits {
            return Ok(false);
        }
        for channel in &mut state.channels.incoming {
            while state.ops.1.are_waiting() {
                let (envelope, data) = match channel.glance() {
                    Glance::Nothing => break,
                    Glance::Packet => return Ok(false),
                    Glance::Short { envelope, data } => (envelope, data),
                };
                let Some(into) = state.ops.1.fill(envelope, data.bytes()) else {
                    return Ok(false);
                };
                memory::copy_few(data, into).map_err(|fault| self.suffer(fault.address))?;
                channel.pass();
            }
        }
        Ok(true)
    }

    /// Makes an operation of a booking; `None`: there is none with this key.
    pub fn admit(&self, booking: Key) -> Option<Key> {
        let mut state = self.state.lock();
        state.unbook();
        let found = state.ops.1.find(booking)?;
        match found.state {
            Progress::Moved(op) => Some(op),
            Progress::Filled => {
                let Receipt { source, tag, bytes } = found.receipt();
                let op = state.done(Outcome { source, tag, bytes, ..Outcome::default() });
                state.ops.1.set_moved(booking.reserved()?, op);
                Some(op)
            }
            Progress::Waiting | Progress::Free => None,
        }
    }

    /// The key of a booking that has become an operation stands for nothing any more.
    pub fn release(&self, booking: Key) {
        self.state.lock().ops.1.release(booking);
    }

    /// How many bookings have not been settled, those included that have become operations.
    pub fn bookings(&self) -> usize {
        self.state.lock().ops.1.count()
    }
}

#[inline(always)]
fn book_in(
    mut state: impl DerefMut<Target = State>, pattern: Envelope, from: Member, into: Span,
) -> Option<Key> {
    if state.is_busy() || state.channels.from(from).is_none() {
        return None;
    }
    state.ops.1.add(pattern, from, into)
}

impl State {
    /// Makes operations of all bookings that wait.
    #[inline]
    pub(in crate::engine) fn unbook(&mut self) {
        if self.ops.1.are_waiting() {
            self.unbook_all();
        }
    }

    #[inline(never)]
    fn unbook_all(&mut self) {
        while let Some((place, booking)) = self.ops.1.pop() {
            let Preposted { envelope: pattern, from, into, .. } = booking;
            let watch = Watch::Peer { rank: pattern.source, member: from };
            let op = self.begin(Stage::Receiving { into: into.into() }, pattern, Some(watch));
            self.posted.insert(pattern, op);
            self.ops.1.set_moved(place, op);
        }
    }
}
