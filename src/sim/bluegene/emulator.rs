//! A machine under its virtual clock.

use super::node::{HEADER, Node, Out, PAYLOAD_MOST, Packet, Program, Size};
use crate::events::{Note, Post, Shard, Simulation, THE_MACHINE};
use crate::machine::Model;
use crate::machine::cost::Cost;
use crate::machine::model;
use crate::machine::topology::Topology;
use std::collections::VecDeque;
use std::sync::Arc;

/// What does not change while a machine runs.
#[derive(Clone, Debug)]
pub struct Setup {
    pub topology: Topology,
    pub dims: [u32; 3],
    pub node: model::Node,
    pub cost: Cost,
    /// Of a node's threads, how many take packets in; the others are workers.
    pub communication: u32,
    /// Picoseconds in a tick of the virtual clock.
    pub tick: u64,
}

/// More nodes than this are for machines with more memory.
const MOST_NODES: usize = 10_000_000;

/// What happened, all told.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// When the program had its result, or else when its last handler ended, in nanoseconds.
    pub time_ns: f64,
    pub packets: u64,
    pub handlers: u64,
    /// How long all handlers took together, in nanoseconds.
    pub busy_ns: f64,
    /// Packets that found an input buffer full.
    pub waited: u64,
    /// How long handlers waited for room in an output buffer, in nanoseconds.
    pub stalled_ns: f64,
}

pub struct Emulator<P: Program> {
    setup: Arc<Setup>,
    simulation: Simulation<Nodes<P>>,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Arrive(Packet),
    /// A thread ends its handler, and something waits for that.
    Free,
}

struct Nodes<P: Program> {
    program: Arc<P>,
    setup: Arc<Setup>,
    first: u32,
    nodes: Vec<Site<P::Data>>,
    sent: Vec<(u32, u64, Packet)>,
    finished: Option<u64>,
    last: u64,
    packets: u64,
    handlers: u64,
    busy: u64,
    waited: u64,
    stalled: u64,
}

/// One node.
struct Site<D> {
    data: D,
    /// When the handlers end that run now: of communication and of worker threads.
    communicating: Vec<u64>,
    working: Vec<u64>,
    /// The input buffer and, behind its end, those who wait in the network.
    inbuf: VecDeque<Packet>,
    large: VecDeque<Packet>,
    out: Out,
    /// When a thread will be free for what waits, if anything does.
    free_at: Option<u64>,
}

impl Setup {
    /// Of a machine with up to three dimensions.
    pub fn new(model: &Model, communication: u32) -> Result<Setup, String> {
        let grid = model.topology.grid().ok_or("the emulator wants a mesh or torus")?;
        let dims: Vec<u32> = grid.dims().iter().copied().chain([1, 1, 1]).collect();
        if grid.dims().len() > 3 {
            let dims = grid.dims();
            return Err(format!(
                "the emulator has three dimensions, not {dims:?}: say --dims 8,8,8"
            ));
        }
        if grid.nodes() > MOST_NODES {
            let dims = grid.dims();
            return Err(format!("dims {dims:?}: the emulator has at most {MOST_NODES} nodes"));
        }
        let threads = model.node.all_threads()?;
        if communication == 0 || communication > threads {
            return Err(format!("{communication} communication threads: say 1 to {threads}"));
        }
        let cost = model.cost.clone();
        if cost.handler == 0 {
            return Err("handler_ns = 0: a handler takes some time".into());
        }
        if cost.byte > 0 && model.node.outbuf == 0 {
            return Err("outbuf = 0: a packet needs room until it has left: say 1 or more".into());
        }
        let parts = [cost.cycle, cost.hop, cost.corner, cost.handler, cost.byte];
        let tick = parts.into_iter().fold(0, divisor);
        let (topology, node) = (model.topology.clone(), model.node.clone());
        Ok(Setup { topology, dims: [dims[0], dims[1], dims[2]], node, cost, communication, tick })
    }

    pub fn nodes(&self) -> u32 {
        self.dims.iter().product()
    }

    pub(super) fn nanos(&self, ticks: u64) -> f64 {
        (ticks * self.tick) as f64 / 1e3
    }

    /// Whether a program's packets are large enough for what it sends.
    pub fn check<P: Program>(&self) -> Result<(), String> {
        match P::PAYLOAD_BYTES <= self.payload_most() {
            true => Ok(()),
            false => Err(format!(
                "packet = {}: this program sends {} bytes behind a header of {HEADER}: say {} or \
                 more",
                self.node.packet,
                P::PAYLOAD_BYTES,
                P::PAYLOAD_BYTES + HEADER
            )),
        }
    }

    pub(super) fn payload_most(&self) -> usize {
        (self.node.packet as usize).saturating_sub(HEADER).min(PAYLOAD_MOST)
    }

    pub(super) fn arrival(&self, from: u32, to: u32, leaves: u64) -> u64 {
        let path = self.topology.path(from as usize, to as usize);
        // What a byte costs has been paid on leaving.
        leaves + self.cost.arrival(path, 0, 0).div_ceil(self.tick)
    }
}

fn divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { divisor(other, one % other) }
}

impl<P: Program> Emulator<P> {
    pub fn new(setup: Setup, program: P, threads: usize) -> Emulator<P> {
        let (setup, program) = (Arc::new(setup), Arc::new(program));
        let make = |range: std::ops::Range<u32>| Nodes {
            program: program.clone(),
            setup: setup.clone(),
            first: range.start,
            nodes: range.map(|number| Site::started(number, &*program, &setup)).collect(),
            sent: Vec::new(),
            finished: None,
            last: 0,
            packets: 0,
            handlers: 0,
            busy: 0,
            waited: 0,
            stalled: 0,
        };
        let mut simulation = Simulation::new(setup.nodes(), threads, make);
        let added = simulation.shards().iter().flat_map(|nodes| {
            let sites = nodes.nodes.iter().zip(nodes.first..);
            sites.filter(|(site, _)| !site.inbuf.is_empty()).map(|(_, number)| number)
        });
        for number in added.collect::<Vec<_>>() {
            simulation.enter(0, number, THE_MACHINE, What::Free);
        }
        Emulator { setup, simulation }
    }

    /// Runs until nothing is left to do.
    pub fn run(&mut self) -> Totals {
        self.simulation.run_until(u64::MAX - 1);
        let shards = self.simulation.shards();
        let sum = |of: fn(&Nodes<P>) -> u64| shards.iter().map(of).sum::<u64>();
        let finished = shards.iter().filter_map(|nodes| nodes.finished).max();
        let last = shards.iter().map(|nodes| nodes.last).max().unwrap_or(0);
        Totals {
            time_ns: self.setup.nanos(finished.unwrap_or(last)),
            packets: sum(|nodes| nodes.packets),
            handlers: sum(|nodes| nodes.handlers),
            busy_ns: self.setup.nanos(sum(|nodes| nodes.busy)),
            waited: sum(|nodes| nodes.waited),
            stalled_ns: self.setup.nanos(sum(|nodes| nodes.stalled)),
        }
    }

    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// A node's data.
    pub fn data(&self, node: u32) -> &P::Data {
        let nodes = self.simulation.shard_of(node);
        let site = &nodes.nodes[(node - nodes.first) as usize];
        &site.data
    }
}

impl<D: Send> Site<D> {
    /// A node that comes to life, with what it adds for itself.
    fn started<P: Program<Data = D>>(number: u32, program: &P, setup: &Setup) -> Site<D> {
        let (mut out, mut sent) = (Out::default(), Vec::new());
        let mut node = Node {
            number,
            now: 0,
            setup,
            out: &mut out,
            sent: &mut sent,
            stalled: &mut 0,
            finished: &mut None,
        };
        let data = program.start(&mut node);
        assert!(sent.iter().all(|sent| sent.0 == number), "who starts adds for himself only");
        Site {
            data,
            communicating: Vec::new(),
            working: Vec::new(),
            inbuf: sent.into_iter().map(|(_, _, packet)| packet).collect(),
            large: VecDeque::new(),
            out,
            free_at: None,
        }
    }

    /// When the first thread ends that something waits for.
    fn next_free(&self) -> Option<u64> {
        let first = |ends: &[u64], waiting: &VecDeque<Packet>| {
            ends.iter().copied().min().filter(|_| !waiting.is_empty())
        };
        let (takes, works) =
            (first(&self.communicating, &self.inbuf), first(&self.working, &self.large));
        takes.into_iter().chain(works).min()
    }
}

impl<P: Program> Nodes<P> {
    /// Whether a small packet that comes now need not wait for anything: the usual case, for which
    /// a node without a queue needs no room for one.
    fn is_idle(&mut self, now: u64, at: usize, size: Size) -> bool {
        let site = &mut self.nodes[at];
        site.communicating.retain(|&end| end > now);
        let is_free = site.communicating.len() < self.setup.communication as usize;
        size == Size::Small && is_free && site.inbuf.is_empty()
    }

    /// Lets free threads take what waits, in the order of arrival.
    fn serve(&mut self, now: u64, number: u32, post: &mut Post<'_, What>) {
        let at = (number - self.first) as usize;
        let communication = self.setup.communication as usize;
        let threads = self.setup.node.all_threads().expect("a setup checks it") as usize;
        let site = &mut self.nodes[at];
        site.communicating.retain(|&end| end > now);
        site.working.retain(|&end| end > now);
        loop {
            let site = &mut self.nodes[at];
            let next = site.inbuf.front().map(|packet| packet.size);
            let packet = if next == Some(Size::Large) && site.communicating.len() < communication {
                // To pass it on takes no time.
                let packet = site.inbuf.pop_front().expect("it is the next one");
                site.large.push_back(packet);
                continue;
            } else if next.is_some() && site.communicating.len() < communication {
                site.inbuf.pop_front()
            } else if site.working.len() < threads - communication {
                site.large.pop_front()
            } else {
                None
            };
            let Some(packet) = packet else { break };
            self.handle(now, number, &packet, post);
        }
        let site = &mut self.nodes[at];
        let next = site.next_free();
        if let Some(free_at) = next.filter(|_| site.free_at != next) {
            post.send(number, free_at - now, What::Free);
        }
        site.free_at = next;
    }

    fn handle(&mut self, now: u64, number: u32, packet: &Packet, post: &mut Post<'_, What>) {
        let site = &mut self.nodes[(number - self.first) as usize];
        let begins = now + self.setup.cost.handler.div_ceil(self.setup.tick);
        let mut node = Node {
            number,
            now: begins,
            setup: &self.setup,
            out: &mut site.out,
            sent: &mut self.sent,
            stalled: &mut self.stalled,
            finished: &mut self.finished,
        };
        self.program.handle(packet.handler, &mut site.data, packet.payload(), &mut node);
        let end = node.now;
        self.handlers += 1;
        self.busy += end - now;
        self.last = self.last.max(end);
        let threads = match packet.size {
            Size::Small => &mut site.communicating,
            Size::Large => &mut site.working,
        };
        threads.push(end);
        for (to, arrives, packet) in self.sent.drain(..) {
            self.packets += u64::from(to != number);
            post.send(to, arrives - now, What::Arrive(packet));
        }
    }
}

impl<P: Program> Shard for Nodes<P> {
    type What = What;

    fn hear(&mut self, now: u64, number: u32, notes: &[Note<What>], post: &mut Post<'_, What>) {
        let at = (number - self.first) as usize;
        for note in notes {
            let What::Arrive(packet) = &note.what else { continue };
            if self.is_idle(now, at, packet.size) {
                self.handle(now, number, packet, post);
                continue;
            }
            let site = &mut self.nodes[at];
            self.waited += u64::from(site.inbuf.len() >= self.setup.node.inbuf as usize);
            site.inbuf.push_back(*packet);
        }
        if !self.nodes[at].inbuf.is_empty() || !self.nodes[at].large.is_empty() {
            self.serve(now, number, post);
        }
    }
}
