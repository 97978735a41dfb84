//! What a process keeps for what it sends: the way to each other one, and the long messages that
//! their receivers have not read yet.

use super::segment::{Address, HOLDS, MappedHead};
use super::stream::{Frame, Writer};
use crate::base::Member;
use crate::host::life::Pin;
use crate::transport::packet::Packet;
use std::collections::VecDeque;
use std::sync::Arc;

/// The way to another process.
#[derive(Default)]
pub(super) struct Peer {
    /// Whether it is known where it is: here at [`Peer::at`], or on another host.
    pub(super) is_met: bool,
    pub(super) at: Option<Address>,
    pub(super) head: Option<Arc<MappedHead>>,
    pub(super) writer: Option<Writer>,
    /// What waits for room in the ring, or for the first that can be reached there.
    pub(super) queue: VecDeque<Parcel>,
}

impl Peer {
    /// Whether this is the head of its segment, in its present life.
    pub(super) fn has(&self, head: &Arc<MappedHead>) -> bool {
        self.head.as_ref().is_some_and(|own| Arc::ptr_eq(own, head))
    }
}

/// What is to be written.
pub(super) enum Parcel {
    /// A message for this seat.
    Message(usize, Packet),
    Return(Frame),
    Note(Frame, Box<[u8]>),
}

impl Parcel {
    /// Whether it is meant for this life of a seat, or one before.
    pub(super) fn is_for(&self, member: Member) -> bool {
        let (seat, life) = match self {
            Parcel::Message(seat, packet) => (*seat, packet.addressee()),
            Parcel::Note(frame, _) => (frame.to as usize, frame.addressee),
            Parcel::Return(_) => return false,
        };
        seat == member.seat && life <= member.incarnation
    }
}

/// The messages of this process that wait for receivers elsewhere.
pub(super) struct Away {
    pub(super) packets: Vec<Option<Waiting>>,
    pub(super) free: Vec<u32>,
    /// Grows with each of them.
    pub(super) stamp: u32,
}

pub(super) struct Waiting {
    pub(super) packet: Packet,
    pub(super) process: usize,
    pub(super) stamp: u32,
    /// Keeps the sender's memory where it is, if that may go before this process does.
    pub(super) _pin: Option<Pin>,
}

impl Default for Away {
    fn default() -> Away {
        let packets = (0..HOLDS).map(|_| None).collect();
        Away { packets, free: (0..HOLDS as u32).rev().collect(), stamp: 0 }
    }
}

impl Away {
    pub(super) fn take(&mut self, place: usize) -> Option<Waiting> {
        let waiting = self.packets[place].take()?;
        self.free.push(place as u32);
        Some(waiting)
    }
}
