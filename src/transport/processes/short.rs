//! Short messages, without packets: from the sender's memory into the ring, and from there to the
//! receive that waits.

use super::peer::Peer;
use super::stream::{Frame, MESSAGE, Reader, longest};
use super::{Incoming, Processes};
use crate::base::Member;
use crate::base::sync::cache::comes_soon;
use crate::base::sync::fence;
use crate::host::memory::{Fault, Span};
use crate::transport::Envelope;
use crate::transport::packet::Packet;
use std::sync::atomic::Ordering;

/// Up to how many bytes two copies, one after the other, take less time than one that both sides
/// make together.
const LONGEST_TWICE: usize = 48 << 10;

/// What lies there for a receive that asks for the next message of one sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Nothing,
    /// Its message, which it has taken.
    Taken,
    /// Something else, or nobody knows.
    Other,
}

impl Processes {
    /// Sends a message that nobody takes back through the ring, if nothing is in its way; false:
    /// nothing has happened. `fill` puts it into the ring; a fault is that of `fill`. Messages of
    /// one sender are sent one by one.
    #[inline]
    pub fn send_short(
        &self, envelope: Envelope, from: Member, to: Member, bytes: usize,
        fill: impl FnOnce(Span) -> Result<(), Fault>,
    ) -> Result<bool, Fault> {
        let is_possible = bytes <= self.longest_in_ring();
        let Some(process) = self.other_of(to.seat).filter(|_| is_possible) else {
            return Ok(false);
        };
        let Some(mut peer) = self.peers[process].try_lock() else { return Ok(false) };
        let Peer { head: Some(head), writer: Some(writer), queue, .. } = &mut *peer else {
            return Ok(false);
        };
        // Where ranks share processes, one may have died alone.
        if !queue.is_empty() || self.are_shared() && self.is_over(to) {
            return Ok(false);
        }
        let frame = Frame::of_message(envelope, from, to, bytes);
        let is_sent = writer.send(&frame, bytes, fill)?;
        if is_sent {
            self.bell_of(process, head.get()).ring();
        }
        Ok(is_sent)
    }

    /// Lets `take` have the next message of `from`, if that comes within so many looks; it may
    /// leave it there by returning false. Whatever that rank has sent before is in the inbox when
    /// `take` is called, or has been taken.
    #[inline]
    pub fn take_next(
        &self, from: Member, to: Member, looks: u32,
        take: impl FnOnce(Envelope, Span) -> Result<bool, Fault>,
    ) -> Result<Next, Fault> {
        let Some(process) = self.other_of(from.seat) else { return Ok(Next::Other) };
        if self.queued.load(Ordering::Relaxed) != 0 {
            return Ok(Next::Other);
        }
        let Some(mut incoming) = self.incoming.try_lock() else { return Ok(Next::Other) };
        if incoming.contacts != self.head().contacts() || !incoming.letters.is_empty() {
            return Ok(Next::Other);
        }
        let Some(reader) = incoming.reader_of(process) else { return Ok(Next::Other) };
        if !comes_soon(looks, || reader.has_frame()) && !reader.has_frame() {
            return Ok(Next::Nothing);
        }
        // What cannot be read is for others to judge.
        let Ok(Some((frame, bytes))) = reader.next() else { return Ok(Next::Other) };
        if frame.kind != MESSAGE || !frame.is_between(from, to) {
            return Ok(Next::Other);
        }
        match take(frame.envelope, Span::of(bytes))? {
            true => reader.pass(),
            false => return Ok(Next::Other),
        }
        Ok(Next::Taken)
    }

    /// Whether messages of this rank come through a ring.
    #[inline]
    pub fn hears(&self, seat: usize) -> bool {
        let Some(process) = self.other_of(seat) else { return false };
        self.incoming.try_lock().is_some_and(|mut it| it.reader_of(process).is_some())
    }

    /// The process of a seat, if there is such a seat, and it is in another process.
    #[inline]
    fn other_of(&self, seat: usize) -> Option<usize> {
        let process = (seat < self.division.seats()).then(|| self.process_of(seat))?;
        (process != self.me).then_some(process)
    }

    /// Whether a message of so many bytes goes into a ring in any case, if need be in a packet that
    /// waits for room there.
    #[inline]
    pub(super) fn is_short(&self, bytes: usize) -> bool {
        bytes <= self.longest_short()
    }

    #[inline]
    pub(super) fn longest_short(&self) -> usize {
        self.longest_in_ring().min(Packet::ROOM)
    }

    /// The longest message that goes into a ring if there is room. Where ranks have a core each,
    /// both sides copy longer ones at the same time, once.
    #[inline]
    pub fn longest_in_ring(&self) -> usize {
        let longest = longest(self.geometry.ring);
        if fence::is_armed_among_processes() { longest.min(LONGEST_TWICE) } else { longest }
    }
}

impl Incoming {
    /// What has come from a process; `None`: nothing ever has.
    #[inline]
    fn reader_of(&mut self, process: usize) -> Option<&mut Reader> {
        let is_its = |(of, _): &(usize, Reader)| *of == process;
        if !self.readers.get(self.asked).is_some_and(is_its) {
            self.asked = self.readers.iter().position(is_its)?;
        }
        Some(&mut self.readers[self.asked].1)
    }
}
