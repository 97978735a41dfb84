//! What a handler sees of its node, and what it can do there.

use super::packet::{FRAGMENT_HEADER, Fragment, Outgoing, Payload, Sent, Size};
use super::setup::Setup;
use std::collections::VecDeque;

/// A program for all nodes. One value serves them all; each node has its own data.
pub trait Program: Sync + Send {
    type Data: Send;
    /// A type with room for the longest payload that it sends, such as `[u8; 24]`.
    type Payload: Payload;
    /// A packet must have at least this room.
    const PAYLOAD_BYTES: usize = Self::Payload::BYTES;
    /// Whether handlers share state that two threads must not use at once, such as variables of C.
    const ONE_THREAD: bool = false;

    /// A node starts, which takes no time. What it sends are its first packets.
    fn start(&self, node: &mut Node<'_>) -> Self::Data;
    /// A packet for the handler with this number.
    fn handle(&self, handler: u16, data: &mut Self::Data, payload: &[u8], node: &mut Node<'_>);

    /// A description of a node, for people.
    fn info(&self, _: u32, _: &Self::Data) -> String {
        String::new()
    }
}

/// A node while one of its handlers runs.
pub struct Node<'a> {
    pub(super) number: u32,
    /// The thread of its handler: communication threads come first, then workers.
    pub(super) thread: u32,
    /// In ticks.
    pub(super) now: u64,
    pub(super) setup: &'a Setup,
    /// The maximum length of a payload.
    pub(super) room: usize,
    /// `None` if packets leave at once.
    pub(super) out: Option<&'a mut Out>,
    pub(super) sent: &'a mut Outgoing,
    /// `None` if nothing waits.
    pub(super) inbuf: Option<&'a mut dyn Waiting>,
    pub(super) tally: &'a mut Tally,
}

/// The output buffer: the times at which its packets leave.
#[derive(Debug, Default)]
pub(super) struct Out {
    leaving: VecDeque<u64>,
}

/// The input buffer, as a handler sees it: packets that no thread has taken yet.
pub(super) trait Waiting {
    fn is_ready(&self) -> bool;
    /// Takes the first one.
    fn take(&mut self, room: &mut Vec<u8>) -> Option<(u16, Size)>;
}

/// The effects of handlers.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) stalled: u64,
    pub(super) finished: Option<u64>,
    /// The first mistake: time, node and description.
    pub(super) mistake: Option<(u64, u32, String)>,
    /// How many messages were sent in fragments.
    messages: u32,
}

impl Node<'_> {
    pub fn number(&self) -> u32 {
        self.number
    }

    pub fn xyz(&self) -> [u32; 3] {
        self.setup.xyz(self.number)
    }

    pub fn dims(&self) -> [u32; 3] {
        self.setup.dims
    }

    /// The thread that this handler runs on: communication threads come first, then workers.
    pub fn thread(&self) -> u32 {
        self.thread
    }

    /// The processor that has this thread.
    pub fn processor(&self) -> u32 {
        self.thread / self.setup.node.threads.max(1)
    }

    /// The time at this point of the handler, in nanoseconds.
    pub fn time(&self) -> f64 {
        self.setup.nanos(self.now)
    }

    /// The handler has worked for `cycles` cycles.
    pub fn work(&mut self, cycles: u64) {
        let picos = cycles.saturating_mul(self.setup.cost.cycle);
        self.now += picos.div_ceil(self.setup.tick);
    }

    /// `count` floating-point operations: six cycles each.
    pub fn flops(&mut self, count: u64) {
        self.work(6 * count);
    }

    /// Sends a packet to a node. A missing node, and a payload that does not fit, are mistakes,
    /// which end the run.
    pub fn send(&mut self, xyz: [u32; 3], handler: u16, size: Size, payload: &[u8]) {
        let dims = self.setup.dims;
        if (0..3).any(|dim| xyz[dim] >= dims[dim]) {
            return self.fail(format!("there is no node {xyz:?} in {dims:?}"));
        }
        let to = xyz[0] + dims[0] * (xyz[1] + dims[1] * xyz[2]);
        self.send_to(to, handler, size, payload);
    }

    /// Sends a packet to the node with this number.
    pub fn send_to(&mut self, to: u32, handler: u16, size: Size, payload: &[u8]) {
        if payload.len() <= self.room {
            return self.put(to, handler, size, payload, false);
        }
        if let Some(why) = self.unfit(payload.len()) {
            return self.fail(why);
        }
        let parts = payload.chunks(self.room - FRAGMENT_HEADER);
        let (message, count) = (self.tally.messages, parts.len() as u16);
        self.tally.messages = message.wrapping_add(1);
        for (part, number) in parts.zip(0..) {
            let head = Fragment { sender: self.number, message, number, count };
            self.put(to, handler, size, &[&head.packed()[..], part].concat(), true);
        }
    }

    /// Makes a micro-task: work for a thread of this node, past the network and its buffers.
    pub fn add(&mut self, handler: u16, size: Size, payload: &[u8]) {
        if payload.len() > self.room {
            return self.fail(self.too_long(payload.len()));
        }
        let mut what = Sent::new(self.number, self.now, handler, size);
        what.is_task = true;
        self.sent.push(what, payload);
    }

    /// The program has its result; the last call sets the time.
    pub fn finish(&mut self) {
        let last = self.tally.finished.unwrap_or(0);
        self.tally.finished = Some(self.now.max(last));
    }

    /// The program has made a mistake: no handler runs after this one.
    pub fn fail(&mut self, why: String) {
        let at = (self.now, self.number);
        if self.tally.mistake.as_ref().is_none_or(|(time, node, _)| at < (*time, *node)) {
            self.tally.mistake = Some((at.0, at.1, why));
        }
    }

    /// Whether it has made a mistake.
    pub fn has_failed(&self) -> bool {
        self.tally.mistake.is_some()
    }

    /// Whether a packet would leave without waiting for room in the output buffer.
    pub fn has_room(&mut self) -> bool {
        let (now, most) = (self.now, self.setup.node.outbuf as usize);
        self.out.as_deref_mut().is_none_or(|out| out.waiting(now) < most)
    }

    /// Whether a packet waits in the input buffer.
    pub fn is_ready(&self) -> bool {
        self.inbuf.as_ref().is_some_and(|inbuf| inbuf.is_ready())
    }

    /// Takes the packet that has waited longest in the input buffer: its payload goes into `room`,
    /// its handler is not called.
    pub fn take(&mut self, room: &mut Vec<u8>) -> Option<(u16, Size)> {
        self.inbuf.as_mut()?.take(room)
    }

    fn put(&mut self, to: u32, handler: u16, size: Size, payload: &[u8], is_part: bool) {
        let leaves = self.leave();
        let arrives = self.setup.arrival(self.number, to, leaves);
        let mut what = Sent::new(to, arrives, handler, size);
        what.is_part = is_part;
        self.sent.push(what, payload);
    }

    /// Why a payload of this size cannot be sent in fragments, if it cannot.
    fn unfit(&self, bytes: usize) -> Option<String> {
        if !self.setup.has_fragments || self.room <= FRAGMENT_HEADER {
            return Some(self.too_long(bytes));
        }
        let most = (self.room - FRAGMENT_HEADER) * usize::from(u16::MAX);
        (bytes > most).then(|| format!("a payload of {bytes} bytes: fragments carry {most}"))
    }

    fn too_long(&self, bytes: usize) -> String {
        format!("a payload of {bytes} bytes: {} fit into a packet here", self.room)
    }

    /// The time at which the next packet leaves; waits while the output buffer is full.
    fn leave(&mut self) -> u64 {
        let Some(out) = self.out.as_deref_mut() else { return self.now };
        if out.waiting(self.now) >= self.setup.node.outbuf as usize {
            let free = out.leaving.pop_front().expect("it is full");
            self.tally.stalled += free - self.now;
            self.now = free;
        }
        let picos = self.setup.cost.byte * u64::from(self.setup.node.packet);
        let begins = out.leaving.back().map_or(self.now, |&last| last.max(self.now));
        let leaves = begins + picos.div_ceil(self.setup.tick);
        out.leaving.push_back(leaves);
        leaves
    }
}

impl Out {
    /// How many packets are still in it.
    fn waiting(&mut self, now: u64) -> usize {
        while self.leaving.front().is_some_and(|&at| at <= now) {
            self.leaving.pop_front();
        }
        self.leaving.len()
    }
}
