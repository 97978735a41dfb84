//! One node: its data, its busy threads, and its waiting packets.
//!
//! Most nodes run one handler after the other and never have a queue: so none is allocated for
//! them.

use super::node::Waiting;
use super::packet::{Packet, Partial, Payload, Size, gathered};
use std::collections::VecDeque;

pub(super) struct Site<D, R> {
    pub(super) data: D,
    /// The end of the last handler, as long as there was never a crowd.
    pub(super) until: u64,
    pub(super) crowd: Option<Box<Crowd<R>>>,
}

/// The state for more than one handler at a time.
pub(super) struct Crowd<R> {
    /// Communication and worker threads that are busy.
    pub(super) communicating: Busy,
    pub(super) working: Busy,
    /// The input buffer and, behind its end, packets waiting in the network; and small micro-tasks.
    pub(super) inbuf: VecDeque<Packet<R>>,
    /// How many of these are packets.
    pub(super) packets: usize,
    /// The queue for workers: micro-tasks, and packets, each with the communication thread that
    /// waits with it.
    pub(super) large: VecDeque<(Work<R>, Option<u32>)>,
    partials: Vec<Partial>,
    /// When a thread will be free for the queues, if one is not empty.
    pub(super) free_at: Option<u64>,
}

/// The work of a thread.
pub(super) struct Work<R> {
    packet: Packet<R>,
    /// The payload, if it arrived in fragments, of which `packet` is the last one.
    whole: Option<Vec<u8>>,
}

/// Busy threads of one kind, in the order of their numbers, and until when.
#[derive(Debug, Default)]
pub(super) struct Busy(Vec<(u32, u64)>);

/// Until a thread is reported free again.
const WAITING: u64 = u64::MAX;

impl Busy {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Forgets threads whose handlers have ended.
    pub(super) fn end_by(&mut self, now: u64) {
        self.0.retain(|&(_, end)| end > now);
    }

    /// The first thread that is not busy.
    pub(super) fn first_free(&self) -> u32 {
        let busy = self.0.iter().zip(0..).take_while(|((thread, _), at)| thread == at);
        busy.count() as u32
    }

    /// Makes a free thread busy until then.
    pub(super) fn hold(&mut self, thread: u32, until: u64) {
        self.0.insert(self.0.partition_point(|&(other, _)| other < thread), (thread, until));
    }

    /// Ends the wait of a thread.
    fn release(&mut self, thread: u32) {
        self.0.retain(|&(other, _)| other != thread);
    }

    fn next_end(&self) -> Option<u64> {
        self.0.iter().map(|&(_, end)| end).filter(|&end| end != WAITING).min()
    }
}

impl<R: Payload> Work<R> {
    pub(super) fn payload(&self) -> &[u8] {
        self.whole.as_deref().unwrap_or_else(|| self.packet.payload())
    }

    pub(super) fn packet(&self) -> &Packet<R> {
        &self.packet
    }
}

impl<D, R: Payload> Site<D, R> {
    pub(super) fn new(data: D) -> Site<D, R> {
        Site { data, until: 0, crowd: None }
    }

    /// Whether a packet that arrives now need not wait for anything.
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
                communicating: Busy(vec![(0, until)]),
                working: Busy::default(),
                inbuf: VecDeque::new(),
                packets: 0,
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

impl<R: Payload> Crowd<R> {
    fn has_thread(&mut self, now: u64, communication: usize) -> bool {
        self.communicating.end_by(now);
        self.communicating.len() < communication
    }

    /// A packet waits for a thread. Returns whether it waits in the network, since the input buffer
    /// has room for `inbuf` packets only.
    pub(super) fn wait(&mut self, packet: Packet<R>, inbuf: u32) -> bool {
        match (packet.is_task, packet.size) {
            (true, Size::Large) => self.large.push_back((Work { packet, whole: None }, None)),
            (is_task, _) => {
                self.packets += usize::from(!is_task);
                self.inbuf.push_back(packet);
                return !is_task && self.packets > inbuf as usize;
            }
        }
        false
    }

    /// The next work for a free thread, and the thread's number among its kind. `most` are the
    /// numbers of communication threads and of workers.
    pub(super) fn next(&mut self, most: [u32; 2]) -> Option<(Work<R>, u32)> {
        let [communication, workers] = most.map(|most| most as usize);
        loop {
            if self.working.len() < workers
                && let Some((work, waiting)) = self.large.pop_front()
            {
                waiting.into_iter().for_each(|thread| self.communicating.release(thread));
                return Some((work, self.working.first_free()));
            }
            if self.communicating.len() >= communication {
                return None;
            }
            let packet = self.inbuf.pop_front()?;
            self.packets -= usize::from(!packet.is_task);
            let mut work = Work { packet, whole: None };
            if packet.is_part {
                // Gathering fragments takes no time.
                work.whole = gathered(&mut self.partials, packet.payload());
                if work.whole.is_none() {
                    continue;
                }
            }
            let thread = self.communicating.first_free();
            if packet.size == Size::Small {
                return Some((work, thread));
            }
            // Passing it on takes no time; if no worker is free, this thread waits for one.
            self.communicating.hold(thread, WAITING);
            self.large.push_back((work, Some(thread)));
        }
    }

    /// The time at which the first awaited thread ends.
    pub(super) fn next_free(&self) -> Option<u64> {
        let takes = self.communicating.next_end().filter(|_| !self.inbuf.is_empty());
        let works = self.working.next_end().filter(|_| !self.large.is_empty());
        takes.into_iter().chain(works).min()
    }
}

impl<R: Payload> Waiting for Crowd<R> {
    fn is_ready(&self) -> bool {
        self.first_packet().is_some()
    }

    fn take(&mut self, room: &mut Vec<u8>) -> Option<(u16, Size)> {
        let packet = self.inbuf.remove(self.first_packet()?)?;
        self.packets -= 1;
        room.clear();
        room.extend_from_slice(packet.payload());
        Some((packet.handler, packet.size))
    }
}

impl<R: Payload> Crowd<R> {
    /// The index of the first packet in the input buffer, if it can be taken whole.
    fn first_packet(&self) -> Option<usize> {
        let first = self.inbuf.iter().position(|packet| !packet.is_task)?;
        (!self.inbuf[first].is_part).then_some(first)
    }
}
