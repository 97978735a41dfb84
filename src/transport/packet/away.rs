//! A message on its way between processes: how it leaves its sender's, and arrives in its
//! receiver's.

use super::{AWAY, CLAIMED, ELSEWHERE, Fate, Load, OPEN, PLAIN, Packet, Shape, Ticket};
use crate::host::memory::{self, Span};
use crate::transport::processes::foreign::Foreign;
use std::ptr;
use std::sync::atomic::Ordering;

impl Packet {
    /// Describes a message of so many bytes that has stayed in another process.
    pub(in crate::transport) fn load_foreign(&mut self, bytes: usize, foreign: Foreign) {
        // SAFETY: no block is smaller than a node and a description, and the packet owns it.
        unsafe { self.foreign_place().write(foreign) };
        field!(self, shape = Shape::Foreign);
        field!(self, bytes = bytes);
        self.hold().store(ELSEWHERE, Ordering::Relaxed);
    }

    /// The bytes, if they are in memory of the library.
    pub(in crate::transport) fn held(&self) -> Option<&[u8]> {
        let (start, bytes) = (self.whereabouts(), self.bytes());
        let is_held = matches!(self.shape(), Shape::Carried | Shape::Attached);
        // SAFETY: the packet owns them, in its node or in its block, as the shape says.
        is_held.then(|| unsafe {
            std::slice::from_raw_parts(ptr::with_exposed_provenance(start), bytes)
        })
    }

    /// Where the bytes of a message in one piece are.
    pub(in crate::transport) fn whereabouts(&self) -> usize {
        match self.shape() {
            Shape::Carried => self.span(self.bytes()).address(),
            _ => self.word(),
        }
    }

    /// This message in one piece. `None`: the sender's memory is not there, and it has gone home.
    pub(in crate::transport) fn gathered(mut self) -> Option<Packet> {
        if self.shape() != Shape::Scattered {
            return Some(self);
        }
        let mut block = vec![0; self.bytes()].into_boxed_slice();
        let gathered = memory::transfer(&self.source(), &Span::of_mut(&mut block).into());
        if gathered.is_err() {
            self.concluded(gathered);
            return None;
        }
        self.detach();
        self.load(Load::Attached(block)).expect("a block is taken along as it is");
        Some(self)
    }

    /// From now on it waits for a receiver in another process; false if it has been recalled.
    pub(in crate::transport) fn go_away(&self) -> bool {
        let (won, lost) = (Ordering::AcqRel, Ordering::Acquire);
        let plain = self.hold().compare_exchange(PLAIN, AWAY, won, lost);
        plain.or_else(|_| self.hold().compare_exchange(OPEN, AWAY, won, lost)).is_ok()
    }

    /// It is as before [`Packet::go_away`].
    pub(in crate::transport) fn come_back(self) -> Packet {
        self.hold().store(if self.token() == 0 { PLAIN } else { OPEN }, Ordering::Release);
        self
    }

    /// It has met this fate in another process.
    pub(in crate::transport) fn come_home(self, fate: Fate) {
        self.hold().store(CLAIMED, Ordering::Release);
        match fate {
            Fate::Refused => {}
            Fate::Delivered => field!(self, fate = 1),
            Fate::Faulty { address } => {
                field!(self, fate = 2);
                // The block goes first: its address is where that of the fault will be.
                if self.shape() == Shape::Attached {
                    let mut attached = self;
                    attached.detach();
                    return attached.come_home(Fate::Faulty { address });
                }
                field!(self, payload = [address as u64]);
            }
        }
    }

    /// Whether this is the message of that ticket.
    pub(in crate::transport) fn is_of(&self, ticket: Ticket) -> bool {
        self.0 == ticket.0
    }
}
