//! One node: its data, the threads that are busy, and what waits for them.
//!
//! Most nodes run one handler after the other and never have a queue: they have no room for one.

use super::node::Waiting;
use super::packet::{Packet, Partial, Payload, Size};
use std::collections::VecDeque;

pub(super) struct Site<D, R> {
    pub(super) data: D,
    /// When the last handler ends, as long as there was never a crowd.
    pub(super) until: u64,
    pub(super) crowd: Option<Box<Crowd<R>>>,
}

/// More than one handler at a time.
pub(super) struct Crowd<R> {
    /// When the handlers end that run now: of communication and of worker threads.
    pub(super) communicating: Vec<u64>,
    pub(super) working: Vec<u64>,
    /// The input buffer and, behind its end, those who wait in the network.
    pub(super) inbuf: VecDeque<Packet<R>>,
    pub(super) large: VecDeque<Packet<R>>,
    pub(super) partials: Vec<Partial>,
    /// When a thread will be free for what waits, if anything does.
    pub(super) free_at: Option<u64>,
}

impl<D, R: Payload> Site<D, R> {
    pub(super) fn new(data: D) -> Site<D, R> {
        Site { data, until: 0, crowd: None }
    }

    /// Whether a packet that comes now need not wait for anything.
    #[inline]
    pub(super) fn is_idle(&mut self, now: u64, communication: usize, packet: &Packet<R>) -> bool {
        if packet.size == Size::Large || packet.is_part {
            return false;
        }
        match &mut self.crowd {
            None => {
                self.until <= now
                    || communication > 1 && self.crowd().has_thread(now, communication)
            }
            Some(crowd) => crowd.inbuf.is_empty() && crowd.has_thread(now, communication),
        }
    }

    pub(super) fn crowd(&mut self) -> &mut Crowd<R> {
        let until = self.until;
        self.crowd.get_or_insert_with(|| {
            Box::new(Crowd {
                communicating: vec![until],
                working: Vec::new(),
                inbuf: VecDeque::new(),
                large: VecDeque::new(),
                partials: Vec::new(),
                free_at: None,
            })
        })
    }

    pub(super) fn has_queue(&self) -> bool {
        self.crowd.as_ref().is_some_and(|crowd| !crowd.inbuf.is_empty() || !crowd.large.is_empty())
    }
}

impl<R> Crowd<R> {
    fn has_thread(&mut self, now: u64, communication: usize) -> bool {
        self.communicating.retain(|&end| end > now);
        self.communicating.len() < communication
    }

    /// Forgets handlers that have ended.
    pub(super) fn end_by(&mut self, now: u64) {
        self.communicating.retain(|&end| end > now);
        self.working.retain(|&end| end > now);
    }

    /// When the first thread ends that something waits for.
    pub(super) fn next_free(&self) -> Option<u64> {
        let first = |ends: &[u64], waiting: &VecDeque<Packet<R>>| {
            ends.iter().copied().min().filter(|_| !waiting.is_empty())
        };
        let (takes, works) =
            (first(&self.communicating, &self.inbuf), first(&self.working, &self.large));
        takes.into_iter().chain(works).min()
    }
}

impl<R: Payload> Waiting for VecDeque<Packet<R>> {
    fn is_ready(&self) -> bool {
        self.front().is_some_and(|packet| !packet.is_part)
    }

    fn take(&mut self, room: &mut Vec<u8>) -> Option<(u16, Size)> {
        let packet = if self.is_ready() { self.pop_front() } else { None }?;
        room.clear();
        room.extend_from_slice(packet.payload());
        Some((packet.handler, packet.size))
    }
}
