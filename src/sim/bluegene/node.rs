//! What a handler sees of its node, and what it can do there.

use super::emulator::Setup;
use std::collections::VecDeque;

/// As long as a payload may be: a packet of 128 bytes has a header of 8.
pub const PAYLOAD_MOST: usize = 120;
pub(super) const HEADER: usize = 8;

/// Who runs a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// The communication thread that has the packet.
    Small,
    /// A worker thread.
    Large,
}

/// What nodes run. One value serves all nodes; each has data of its own.
pub trait Program: Sync + Send {
    type Data: Send;
    /// The longest payload that it sends.
    const PAYLOAD_BYTES: usize;

    /// A node comes to life, which takes no time. What it adds are its first packets.
    fn start(&self, node: &mut Node<'_>) -> Self::Data;
    /// A packet for the handler with this number.
    fn handle(&self, handler: u16, data: &mut Self::Data, payload: &[u8], node: &mut Node<'_>);
}

/// A packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    pub(super) handler: u16,
    pub(super) size: Size,
    bytes: u8,
    payload: [u8; PAYLOAD_MOST],
}

/// A node while one of its handlers runs.
pub struct Node<'a> {
    pub(super) number: u32,
    /// In ticks.
    pub(super) now: u64,
    pub(super) setup: &'a Setup,
    pub(super) out: &'a mut Out,
    /// To whom, when it arrives there, and what.
    pub(super) sent: &'a mut Vec<(u32, u64, Packet)>,
    pub(super) stalled: &'a mut u64,
    pub(super) finished: &'a mut Option<u64>,
}

/// The output buffer: when those that are in it leave.
#[derive(Debug, Default)]
pub(super) struct Out {
    leaving: VecDeque<u64>,
}

impl Packet {
    pub(super) fn payload(&self) -> &[u8] {
        &self.payload[..usize::from(self.bytes)]
    }
}

impl Node<'_> {
    pub fn number(&self) -> u32 {
        self.number
    }

    pub fn xyz(&self) -> [u32; 3] {
        let mut rest = self.number;
        self.setup.dims.map(|extent| {
            let at = rest % extent;
            rest /= extent;
            at
        })
    }

    pub fn dims(&self) -> [u32; 3] {
        self.setup.dims
    }

    /// The time at this point of the handler, in nanoseconds.
    pub fn time(&self) -> f64 {
        self.setup.nanos(self.now)
    }

    /// The handler has worked for so many cycles.
    pub fn work(&mut self, cycles: u64) {
        let picos = cycles * self.setup.cost.cycle;
        self.now += picos.div_ceil(self.setup.tick);
    }

    /// So many operations on floating-point numbers: six cycles each.
    pub fn flops(&mut self, count: u64) {
        self.work(6 * count);
    }

    /// Sends a packet to a node; a payload that does not fit is a mistake of the program.
    pub fn send(&mut self, xyz: [u32; 3], handler: u16, size: Size, payload: &[u8]) {
        let dims = self.setup.dims;
        assert!((0..3).all(|dim| xyz[dim] < dims[dim]), "there is no node {xyz:?} in {dims:?}");
        let to = xyz[0] + dims[0] * (xyz[1] + dims[1] * xyz[2]);
        self.send_to(to, handler, size, payload);
    }

    /// Sends a packet to the node with this number.
    pub fn send_to(&mut self, to: u32, handler: u16, size: Size, payload: &[u8]) {
        let most = self.setup.payload_most();
        let count = payload.len();
        assert!(count <= most, "a payload of {count} bytes: {most} fit into a packet here");
        let leaves = self.leave();
        let arrives = self.setup.arrival(self.number, to, leaves);
        self.sent.push((to, arrives, Packet::new(handler, size, payload)));
    }

    /// Gives a packet to oneself, past the network.
    pub fn add(&mut self, handler: u16, size: Size, payload: &[u8]) {
        self.sent.push((self.number, self.now, Packet::new(handler, size, payload)));
    }

    /// The program has its result; the last time counts.
    pub fn finish(&mut self) {
        *self.finished = Some(self.now.max(self.finished.unwrap_or(0)));
    }

    /// When the next packet leaves; waits while the output buffer is full.
    fn leave(&mut self) -> u64 {
        if self.setup.cost.byte == 0 {
            return self.now;
        }
        let leaving = &mut self.out.leaving;
        while leaving.front().is_some_and(|&at| at <= self.now) {
            leaving.pop_front();
        }
        if leaving.len() >= self.setup.node.outbuf as usize {
            let free = leaving.pop_front().expect("it is full");
            *self.stalled += free - self.now;
            self.now = free;
        }
        let picos = self.setup.cost.byte * u64::from(self.setup.node.packet);
        let begins = leaving.back().map_or(self.now, |&last| last.max(self.now));
        let leaves = begins + picos.div_ceil(self.setup.tick);
        leaving.push_back(leaves);
        leaves
    }
}

impl Packet {
    fn new(handler: u16, size: Size, bytes: &[u8]) -> Packet {
        let mut payload = [0; PAYLOAD_MOST];
        payload[..bytes.len()].copy_from_slice(bytes);
        Packet { handler, size, bytes: bytes.len() as u8, payload }
    }
}
