//! The short way of short messages: through a channel, into the buffer of a call that waits, as
//! long as there is nothing else that this rank has to look at. Whatever is not as usual goes the
//! long way from the start, which judges it.

use super::matching::accepts;
use super::op::Died;
use super::{Engine, State};
use crate::base::Member;
use crate::host::memory::{self, Span};
use crate::transport::{Envelope, Glance};

/// How often a receive looks for its message before it waits in the ordinary way, and how often
/// between two breaths: about a microsecond in all.
const LOOKS: u32 = 64;
pub(super) const BREATHS: u32 = 12;

impl Engine {
    /// Whether messages may go the short way: no failure is known, and nobody counts steps.
    #[inline(always)]
    pub fn is_carefree(&self) -> bool {
        self.is_calm() && !self.world.is_careful()
    }

    /// Whether this rank has been told to die.
    #[inline(always)]
    pub fn is_stopping(&self) -> bool {
        self.pulse.is_stopping()
    }

    /// Sends a message if it can go through a channel right now; the data may be overwritten then.
    #[inline(always)]
    pub fn send_at_once(&self, envelope: Envelope, to: Member, data: Span) -> Result<bool, Died> {
        if !self.is_carefree() {
            return Ok(false);
        }
        let mut state = self.state.lock();
        let Some(way) = state.channels.to(to) else { return Ok(false) };
        let sent = way.send_span(envelope, data);
        drop(state);
        if sent.map_err(|fault| self.suffer(fault.address))? {
            self.world.wire().announce(to.seat);
            return Ok(true);
        }
        Ok(false)
    }

    /// Receives a message if it is the next one in a channel, or comes there within a moment; tells
    /// its envelope and its length.
    #[inline(always)]
    pub fn receive_at_once(
        &self, pattern: Envelope, from: Member, into: Span,
    ) -> Result<Option<(Envelope, usize)>, Died> {
        if !self.is_carefree() {
            return Ok(None);
        }
        for _ in 0..BREATHS {
            let mut state = self.state.lock();
            let made = self.port.made();
            let is_booked = state.ops.1.are_waiting();
            if self.port.has_arrivals()
                || made != state.channels.made
                || state.is_busy()
                || is_booked
            {
                return Ok(None);
            }
            let Some(channel) = state.channels.from(from) else { return Ok(None) };
            match channel.glance() {
                Glance::Nothing => {}
                Glance::Packet => return Ok(None),
                Glance::Short { envelope, data } => {
                    if !accepts(pattern, envelope) || data.bytes() > into.bytes() {
                        return Ok(None);
                    }
                    let copied = memory::copy_few(data, into);
                    copied.map_err(|fault| self.suffer(fault.address))?;
                    channel.pass();
                    return Ok(Some((envelope, data.bytes())));
                }
            }
            drop(state);
            if self.pulse.is_stopping() {
                return Err(Died);
            }
            self.look_for_arrivals(made);
        }
        Ok(None)
    }

    /// Looks for a while whether something arrives.
    #[inline]
    pub(super) fn look_for_arrivals(&self, made: u32) {
        if !(0..LOOKS).any(|_| self.has_arrivals(made)) {
            std::hint::spin_loop();
        }
    }
}

impl State {
    /// Whether there is anything but the next message that a receive would have to look at.
    #[inline(always)]
    pub(super) fn is_busy(&self) -> bool {
        self.posted.len() != 0
            || self.unexpected.len() != 0
            || !self.due.is_empty()
            || !self.vigils.is_empty()
            || self.outlook.has_moved()
    }
}
