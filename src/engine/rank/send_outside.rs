//! Sends messages to other processes of this host through the ring there, without packets.

use crate::base::Member;
use crate::engine::rank::operation::Died;
use crate::engine::{Engine, Letter, Path};
use crate::host::memory::{self, Fault, Region, Span};
use crate::transport::{Envelope, Load, Packet, Processes};
use std::sync::atomic::Ordering;

impl Engine {
    /// Sends a short message to another process, if it can go at once.
    #[inline]
    pub(in crate::engine) fn send_outside(
        &self, outside: &Processes, envelope: Envelope, to: Member, data: &Region,
    ) -> Result<bool, Fault> {
        outside.send_short(envelope, self.me, to, data.bytes(), |room| match data.span() {
            Some(data) => memory::copy(data, room),
            None => memory::transfer(data, &room.into()),
        })
    }

    /// Sends what is longer than a packet through the ring to another process, if it can go at
    /// once: two copies take less time than the kernel's one.
    #[inline(never)]
    pub(in crate::engine) fn send_long_outside(
        &self, outside: &Processes, letter: Letter, data: &Region,
    ) -> Result<bool, Died> {
        // Whoever has set a limit wants it to be kept.
        if self.eager_limit() < Packet::ROOM {
            return Ok(false);
        }
        if outside.is_abroad(letter.to.seat) {
            return self.send_long_abroad(letter, data);
        }
        if data.bytes() > outside.longest_in_ring() {
            return Ok(false);
        }
        let mut state = self.state.lock();
        let sent = self.send_outside(outside, letter.envelope, letter.to, data);
        let is_sent = sent.map_err(|fault| self.suffer(fault.address))?;
        if is_sent {
            state.tally.count_sent(Path::Packet, data.bytes());
        }
        Ok(is_sent)
    }

    /// Sends a copy to another host, which takes less time than three questions and their answers.
    fn send_long_abroad(&self, letter: Letter, data: &Region) -> Result<bool, Died> {
        if data.bytes() > Processes::LONGEST_SENT_ABROAD {
            return Ok(false);
        }
        let block = self.copy_of(data)?;
        self.launch(self.state.lock(), letter, Load::Attached(block), None)?;
        Ok(true)
    }

    /// Sends a message to another process.
    #[inline(never)]
    pub(in crate::engine) fn send_outside_at_once(
        &self, envelope: Envelope, to: Member, data: Span,
    ) -> Result<bool, Died> {
        let Some(outside) = self.outside else { return Ok(false) };
        let state = self.state.lock();
        let fill = |room| memory::copy(data, room);
        let sent = outside.send_short(envelope, self.me, to, data.bytes(), fill);
        drop(state);
        let is_sent = sent.map_err(|fault| self.suffer(fault.address))?;
        if is_sent {
            let count = self.sent_shortly.load(Ordering::Relaxed);
            self.sent_shortly.store(count + 1, Ordering::Relaxed);
        }
        Ok(is_sent)
    }
}
