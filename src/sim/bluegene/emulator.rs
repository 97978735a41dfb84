//! Runs a machine under its virtual clock.

use super::heat::Observer;
use super::node::{Node, Out, Program, Tally};
use super::packet::{Outgoing, Packet, Payload, Size};
use super::setup::Setup;
use super::site::Site;
use crate::events::{Note, Post, Shard, Simulation};
use std::ops::Range;
use std::sync::Arc;

/// Totals of what happened.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// When the program had its result, otherwise when its last handler ended, in nanoseconds.
    pub time_ns: f64,
    pub packets: u64,
    pub handlers: u64,
    /// The total time of all handlers, in nanoseconds.
    pub busy_ns: f64,
    /// Packets that found an input buffer full.
    pub waited: u64,
    /// The time that handlers waited for room in an output buffer, in nanoseconds.
    pub stalled_ns: f64,
}

/// A machine and its observers: one for each thread.
pub struct Emulator<P: Program, O: Observer = ()> {
    setup: Arc<Setup>,
    program: Arc<P>,
    simulation: Simulation<Nodes<P, O>>,
}

/// The state of a machine after its run.
pub struct Remains<P: Program> {
    setup: Arc<Setup>,
    program: Arc<P>,
    /// The number of nodes in each, except the last.
    span: u32,
    sites: Vec<Vec<Site<P::Data, P::Payload>>>,
}

#[derive(Clone, Copy, Debug)]
enum What<R> {
    Arrive(Packet<R>),
    /// A thread ends its handler, and a packet waits for that.
    Free,
}

/// What a starting node sends: from, to, arrival time.
type First<R> = (u32, u32, u64, Packet<R>);

/// More handlers than this in one instant, which take no time, count as an endless loop.
const MOST_AT_ONCE: u32 = 1 << 20;

struct Nodes<P: Program, O> {
    observer: O,
    program: Arc<P>,
    setup: Arc<Setup>,
    range: Range<u32>,
    sites: Vec<Site<P::Data, P::Payload>>,
    /// By node, if packets need time to leave.
    outs: Vec<Out>,
    sent: Outgoing,
    tally: Tally,
    last: u64,
    packets: u64,
    handlers: u64,
    busy: u64,
    waited: u64,
}

impl<P: Program> Emulator<P> {
    pub fn new(setup: Setup, program: P, threads: usize) -> Emulator<P> {
        Emulator::observed(setup, program, threads, || ())
    }
}

impl<P: Program, O: Observer> Emulator<P, O> {
    /// A machine with observers.
    pub fn observed(
        setup: Setup, program: P, threads: usize, observer: impl Fn() -> O,
    ) -> Emulator<P, O> {
        assert!(threads == 1 || !P::ONE_THREAD, "one thread serves all nodes of this program");
        let (setup, program) = (Arc::new(setup), Arc::new(program));
        let mut simulation = Simulation::new(setup.nodes(), threads, |range| Nodes {
            observer: observer(),
            program: program.clone(),
            setup: setup.clone(),
            range: range.clone(),
            outs: match setup.cost.byte {
                0 => Vec::new(),
                _ => range.clone().map(|_| Out::default()).collect(),
            },
            sites: Vec::with_capacity(range.len()),
            sent: Outgoing::default(),
            tally: Tally::default(),
            last: 0,
            packets: 0,
            handlers: 0,
            busy: 0,
            waited: 0,
        });
        simulation = simulation.with_lookahead(setup.lookahead());
        let mut first = Vec::new();
        for shard in simulation.shards_mut() {
            shard.start(&mut first);
        }
        for (from, to, time, packet) in first {
            simulation.enter(time, to, from, What::Arrive(packet));
        }
        Emulator { setup, program, simulation }
    }

    /// Runs to the end; the error is a mistake of the program.
    pub fn run(&mut self) -> Result<Totals, String> {
        self.simulation.run_until(u64::MAX - 1);
        self.totals()
    }

    /// Runs up to and including a time in nanoseconds; returns whether more will happen.
    pub fn run_until(&mut self, nanos: f64) -> bool {
        let end = (nanos * 1e3 / self.setup.tick as f64) as u64;
        self.simulation.run_until(end) && !self.has_failed()
    }

    /// The time of the next event, in nanoseconds.
    pub fn next_time(&self) -> Option<f64> {
        self.simulation.next_time().map(|ticks| self.setup.nanos(ticks))
    }

    fn has_failed(&self) -> bool {
        self.simulation.shards().iter().any(|nodes| nodes.tally.mistake.is_some())
    }

    /// The totals so far; the error is a mistake of the program.
    pub fn totals(&self) -> Result<Totals, String> {
        let shards = self.simulation.shards();
        let mistakes = shards.iter().filter_map(|nodes| nodes.tally.mistake.as_ref());
        if let Some((_, node, why)) = mistakes.min() {
            let [x, y, z] = self.setup.xyz(*node);
            return Err(format!("node {x},{y},{z}: {why}"));
        }
        let sum = |of: fn(&Nodes<P, O>) -> u64| shards.iter().map(of).sum::<u64>();
        let finished = shards.iter().filter_map(|nodes| nodes.tally.finished).max();
        let last = shards.iter().map(|nodes| nodes.last).max().unwrap_or(0);
        Ok(Totals {
            time_ns: self.setup.nanos(finished.unwrap_or(last)),
            packets: sum(|nodes| nodes.packets),
            handlers: sum(|nodes| nodes.handlers),
            busy_ns: self.setup.nanos(sum(|nodes| nodes.busy)),
            waited: sum(|nodes| nodes.waited),
            stalled_ns: self.setup.nanos(sum(|nodes| nodes.tally.stalled)),
        })
    }

    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    pub fn program(&self) -> &P {
        &self.program
    }

    /// A node's data.
    pub fn data(&self, node: u32) -> &P::Data {
        &self.site(node).data
    }

    /// How many packets wait in a node for a thread.
    pub fn waiting(&self, node: u32) -> usize {
        let crowd = self.site(node).crowd.as_ref();
        crowd.map_or(0, |crowd| crowd.inbuf.len() + crowd.large.len())
    }

    /// The observers.
    pub fn observers(&self) -> impl Iterator<Item = &O> {
        self.simulation.shards().iter().map(|nodes| &nodes.observer)
    }

    fn site(&self, node: u32) -> &Site<P::Data, P::Payload> {
        let nodes = self.simulation.shard_of(node);
        &nodes.sites[(node - nodes.range.start) as usize]
    }

    /// Ends the run, and returns what is left.
    pub fn remains(self) -> Remains<P> {
        let shards = self.simulation.into_shards();
        let span = shards.first().map_or(1, |nodes| nodes.range.len() as u32);
        let sites = shards.into_iter().map(|nodes| nodes.sites).collect();
        Remains { setup: self.setup, program: self.program, span, sites }
    }
}

impl<P: Program> Remains<P> {
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    pub fn program(&self) -> &P {
        &self.program
    }

    /// A node's data.
    pub fn data(&self, node: u32) -> &P::Data {
        &self.sites[(node / self.span) as usize][(node % self.span) as usize].data
    }
}

impl<P: Program, O: Observer> Nodes<P, O> {
    /// Starts this shard's nodes; `first` gets what they send.
    fn start(&mut self, first: &mut Vec<First<P::Payload>>) {
        let room = self.setup.payload_most().min(P::Payload::BYTES);
        for number in self.range.clone() {
            let mut node = Node {
                number,
                thread: 0,
                now: 0,
                setup: &self.setup,
                room,
                out: self.outs.get_mut((number - self.range.start) as usize),
                sent: &mut self.sent,
                inbuf: None,
                tally: &mut self.tally,
            };
            let data = self.program.start(&mut node);
            self.sites.push(Site::new(data));
            let (packets, observer) = (&mut self.packets, &mut self.observer);
            self.sent.drain(|to, arrives, packet: Packet<P::Payload>| {
                *packets += u64::from(to != number);
                observer.sent(number, to, packet.bytes());
                first.push((number, to, arrives, packet));
            });
        }
    }

    /// Lets free threads take waiting packets, in the order of arrival.
    fn serve(&mut self, now: u64, number: u32, post: &mut Post<'_, What<P::Payload>>) {
        let at = (number - self.range.start) as usize;
        let most = [self.setup.communication, self.setup.workers];
        let crowd = self.sites[at].crowd();
        crowd.communicating.end_by(now);
        crowd.working.end_by(now);
        let mut count = 0;
        while let Some((work, thread)) = self.sites[at].crowd().next(most) {
            self.handle(now, number, thread, work.packet(), work.payload(), post);
            count += 1;
            if count > MOST_AT_ONCE {
                self.fail(now, number, "its handlers go on for ever in one instant".into());
            }
            if self.tally.mistake.is_some() {
                return;
            }
        }
        let crowd = self.sites[at].crowd();
        if !crowd.large.is_empty() && self.setup.workers == 0 {
            self.fail(now, number, "a large handler, and no worker threads".into());
            return;
        }
        let next = crowd.next_free();
        if let Some(free_at) = next.filter(|_| crowd.free_at != next) {
            post.send(number, free_at - now, What::Free);
        }
        crowd.free_at = next;
    }

    fn fail(&mut self, now: u64, number: u32, why: String) {
        if self.tally.mistake.is_none() {
            self.tally.mistake = Some((now, number, why));
        }
    }

    /// Runs a handler on a thread, given by its number among those of its kind.
    #[inline]
    fn handle(
        &mut self, now: u64, number: u32, thread: u32, packet: &Packet<P::Payload>, payload: &[u8],
        post: &mut Post<'_, What<P::Payload>>,
    ) {
        if self.tally.mistake.is_some() {
            return;
        }
        let at = (number - self.range.start) as usize;
        let Site { data, until, crowd } = &mut self.sites[at];
        let is_large = packet.size == Size::Large;
        let mut node = Node {
            number,
            thread: thread + if is_large { self.setup.communication } else { 0 },
            now: now + self.setup.cost.handler.div_ceil(self.setup.tick),
            setup: &self.setup,
            room: self.setup.payload_most().min(P::Payload::BYTES),
            out: self.outs.get_mut(at),
            sent: &mut self.sent,
            inbuf: crowd.as_deref_mut().map(|crowd| crowd as _),
            tally: &mut self.tally,
        };
        self.program.handle(packet.handler, data, payload, &mut node);
        let end = node.now;
        match crowd {
            None => *until = end,
            // A handler that takes no time has already left its thread.
            Some(_) if end == now => {}
            Some(crowd) if is_large => crowd.working.hold(thread, end),
            Some(crowd) => crowd.communicating.hold(thread, end),
        }
        self.handlers += 1;
        self.busy += end - now;
        self.last = self.last.max(end);
        let (packets, observer) = (&mut self.packets, &mut self.observer);
        let (site, inbuf, waited) = (&mut self.sites[at], self.setup.node.inbuf, &mut self.waited);
        observer.handled(number);
        self.sent.drain(|to, arrives, packet: Packet<P::Payload>| {
            *packets += u64::from(to != number);
            observer.sent(number, to, packet.bytes());
            match arrives > now {
                true => post.send(to, arrives - now, What::Arrive(packet)),
                // Only packets to the node itself take no time; the caller of this looks at waiting
                // ones.
                false => *waited += u64::from(site.crowd().wait(packet, inbuf)),
            }
        });
    }
}

impl<P: Program, O: Observer> Shard for Nodes<P, O> {
    type What = What<P::Payload>;

    fn hear(
        &mut self, now: u64, number: u32, notes: &[Note<Self::What>],
        post: &mut Post<'_, Self::What>,
    ) {
        let at = (number - self.range.start) as usize;
        let communication = self.setup.communication as usize;
        for note in notes {
            let What::Arrive(packet) = &note.what else { continue };
            self.observer.arrived(note.from, number);
            if self.sites[at].is_idle(now, communication, packet) {
                let site = &self.sites[at];
                let thread =
                    site.crowd.as_ref().map_or(0, |crowd| crowd.communicating.first_free());
                self.handle(now, number, thread, packet, packet.payload(), post);
                continue;
            }
            let inbuf = self.setup.node.inbuf;
            self.waited += u64::from(self.sites[at].crowd().wait(*packet, inbuf));
        }
        if self.sites[at].has_queue() {
            self.serve(now, number, post);
        }
    }
}
