//! A message that has stayed in another process: its receiver reads it from there, or asks for it.
//! Or its bytes have come along, but it is the receiver's only when that has claimed it.

use super::cooperative_copy::{Claim, Long};
use super::segment::MappedHead;
use crate::base::Member;
use crate::host::memory::afar::Missing;
use crate::host::memory::{self, Fault, Region, Span};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The state of a hold: the lowest two bits; above them is a stamp that tells messages apart.
pub(super) const OPEN: u32 = 1;
pub(super) const CLAIMED: u32 = 2;
pub(super) const RECALLED: u32 = 3;
pub(super) const STATE: u32 = 3;

/// The processes from which such messages come.
pub(super) trait Origin: Sync {
    /// Makes a message of another host the receiver's for good; false when it was recalled.
    fn claim(&self, foreign: &Foreign, incarnation: u32) -> bool;
    /// Whether the sender, on another host, has said that it has recalled a message.
    fn is_recalled(&self, foreign: &Foreign) -> bool;
    /// Copies from the memory of a process of another host.
    fn fetch(&self, from: Member, address: usize, into: &Region) -> Result<(), Missing>;
    /// The receiver is done with a message. `fault`: where the sender's memory was missing.
    fn give_back(&self, foreign: &Foreign, is_delivered: bool, fault: Option<usize>);
    /// Whether the process with this head has not ended, as far as is known.
    fn is_there(&self, process: usize, head: &Arc<MappedHead>) -> bool;
    /// The number of this process, if ranks have a core each, so that a sender that waits can help.
    fn helped(&self) -> Option<usize>;
    /// Whether this life of the sender's seat goes on.
    fn is_alive(&self, seat: usize, incarnation: u32) -> bool;
}

/// Where a message is, and how its sender is told that it has been read.
pub(in crate::transport) struct Foreign {
    pub(super) origin: &'static dyn Origin,
    pub(super) process: usize,
    pub(super) place: Place,
    pub(super) address: usize,
    pub(super) hold: u32,
    pub(super) stamp: u32,
    /// The bytes, if they have come along.
    pub(super) along: Option<Box<[u8]>>,
}

/// Where the sender is.
pub(super) enum Place {
    /// In a process of this host: the head of its segment, where the hold is.
    Near { head: Arc<MappedHead>, pid: i32 },
    /// On another host.
    Distant { incarnation: u32 },
}

impl Foreign {
    /// Makes the message the receiver's for good; false when the sender has recalled it.
    pub(in crate::transport) fn claim(&self) -> bool {
        let head = match &self.place {
            Place::Near { head, .. } => head,
            Place::Distant { incarnation } => return self.origin.claim(self, *incarnation),
        };
        let hold = &head.get().holds[self.hold as usize];
        let (open, claimed) = (self.stamp | OPEN, self.stamp | CLAIMED);
        let (won, lost) = (Ordering::AcqRel, Ordering::Acquire);
        match hold.compare_exchange(open, claimed, won, lost) {
            Ok(_) => true,
            Err(found) => found == claimed,
        }
    }

    pub(in crate::transport) fn is_recalled(&self) -> bool {
        let Place::Near { head, .. } = &self.place else {
            return self.origin.is_recalled(self);
        };
        let found = head.get().holds[self.hold as usize].load(Ordering::Acquire);
        found != self.stamp | OPEN && found != self.stamp | CLAIMED
    }

    /// Copies this much of it, from the other process if need be.
    pub(in crate::transport) fn read(&self, bytes: usize, into: &Region) -> Result<(), Fault> {
        let into = into.part(0, bytes);
        if let Some(along) = &self.along {
            return memory::transfer(&Span::of(&along[..bytes]).into(), &into);
        }
        let fetched = match &self.place {
            Place::Near { head, pid } => {
                let start = std::ptr::with_exposed_provenance(self.address);
                let message = |process| {
                    let claim = Claim { process, hold: self.hold, stamp: self.stamp };
                    Long { claim, pid: *pid, source: Span::new(start, bytes), into: &into }
                };
                match self.origin.helped() {
                    Some(me) => {
                        let is_there = || self.origin.is_there(self.process, head);
                        head.get().invitation.receive(message(me), is_there)
                    }
                    None => message(0).read(0, bytes),
                }
            }
            Place::Distant { incarnation } => {
                let from = Member { seat: self.process, incarnation: *incarnation };
                self.origin.fetch(from, self.address, &into)
            }
        };
        fetched.map_err(|missing| match missing {
            Missing::Here(address) => Fault { address, in_source: false },
            Missing::There(address) => Fault { address, in_source: true },
            Missing::Process | Missing::Hidden => Fault { address: self.address, in_source: true },
        })
    }

    /// The receiver is done with it. `fault`: where the sender's memory was missing.
    pub(in crate::transport) fn give_back(&self, is_delivered: bool, fault: Option<usize>) {
        self.origin.give_back(self, is_delivered, fault);
    }

    /// Whether this life of the sender's seat goes on.
    pub(in crate::transport) fn is_alive(&self, seat: usize, incarnation: u32) -> bool {
        self.origin.is_alive(seat, incarnation)
    }
}
