//! Short messages, without packets: from the sender's memory into the ring, and from there to the
//! receive that waits.

use super::Processes;
use super::peer::Peer;
use super::stream::{Frame, longest};
use crate::base::Member;
use crate::host::memory::{self, Fault, Region};
use crate::transport::Envelope;
use crate::transport::packet::Packet;

impl Processes {
    /// Sends a short message that nobody takes back, if nothing is in its way; false: nothing has
    /// happened. A fault is the caller's memory. Messages of one sender are sent one by one.
    #[inline]
    pub fn send_short(
        &self, envelope: Envelope, from: Member, to: Member, data: &Region,
    ) -> Result<bool, Fault> {
        let bytes = data.bytes();
        let process = self.process_of(to.seat);
        if process == self.me || !self.is_short(bytes) {
            return Ok(false);
        }
        let Some(mut peer) = self.peers[process].try_lock() else { return Ok(false) };
        let Peer { head: Some(head), writer: Some(writer), queue, .. } = &mut *peer else {
            return Ok(false);
        };
        // Where ranks share processes, one may have died alone.
        if !queue.is_empty() || self.are_shared() && self.is_over(to) {
            return Ok(false);
        }
        let frame = Frame::of_message(envelope, from, to, bytes);
        let is_sent = writer.send(&frame, bytes, |room| match data.span() {
            Some(data) => memory::copy(data, room),
            None => memory::transfer(data, &room.into()),
        })?;
        if is_sent {
            self.bell_of(process, head.get()).ring();
        }
        Ok(is_sent)
    }

    /// Whether a message of so many bytes goes into a ring.
    #[inline]
    pub(super) fn is_short(&self, bytes: usize) -> bool {
        bytes <= self.longest_short()
    }

    /// The longest message that goes into a ring.
    #[inline]
    pub(super) fn longest_short(&self) -> usize {
        longest(self.geometry.ring).min(Packet::ROOM)
    }
}
