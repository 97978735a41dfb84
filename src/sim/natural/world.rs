//! The nodes of a network: they live, send messages and die.
//!
//! A node that dies at a tick dies after everything else that happens to it in that tick. Each node
//! that has it in a list is told exactly once, a tick later. Messages to dead nodes are dropped,
//! and so are those of dead nodes still under way; both are counted.
//!
//! The network is at rest when no message is under way, the last notices of deaths changed nothing,
//! and nothing that was planned for a tick is left. Deaths that continue for ever, random or
//! periodic, do not keep a network awake.

use super::graph::Graph;
use crate::events::{Note, Post, Shard, Simulation, THE_MACHINE};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// An application for all nodes. One value serves them all; each node has its own state.
pub trait Application: Send + Sync {
    type State: Send;
    type Message: Copy + Send;
    /// Whether handlers share state that two threads must not use at once, such as variables of C.
    const ONE_THREAD: bool = false;

    fn create(&self, node: u32, graph: &Graph) -> Self::State;
    /// The node starts.
    fn begin(&self, state: &mut Self::State, here: &mut Here<'_, '_, Self::Message>);
    fn hear(
        &self, state: &mut Self::State, from: u32, message: &Self::Message,
        here: &mut Here<'_, '_, Self::Message>,
    );
    /// A node in one of this node's lists has died.
    fn miss(&self, state: &mut Self::State, who: u32, here: &mut Here<'_, '_, Self::Message>);
    /// A condition from outside, such as a value at the border, has changed.
    fn border(&self, state: &mut Self::State, value: f64, here: &mut Here<'_, '_, Self::Message>);
    /// All messages of this tick have been delivered.
    fn settle(&self, _: &mut Self::State, _: &mut Here<'_, '_, Self::Message>) {}
    fn colour(&self, state: &Self::State) -> u8;
    fn info(&self, state: &Self::State) -> String;
}

/// A node's view of itself, and what it can do.
pub struct Here<'a, 'p, M> {
    pub node: u32,
    pub now: u64,
    graph: &'a Graph,
    post: &'a mut Post<'p, What<M>>,
    sent: &'a mut u64,
}

/// An event at a node.
#[derive(Clone, Copy, Debug)]
pub enum What<M> {
    Begin,
    Hear(M),
    /// The sender of this has died.
    Miss,
    Border(f64),
    Die,
}

/// Totals of what happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    pub sent: u64,
    pub delivered: u64,
    pub dropped: u64,
    pub notices: u64,
    pub deaths: u64,
}

struct Nodes<A: Application> {
    app: Arc<A>,
    graph: Arc<Graph>,
    first: u32,
    states: Vec<A::State>,
    deaths: Arc<Deaths>,
    counters: Counters,
}

/// The dead nodes.
struct Deaths {
    /// By node: the tick of its death.
    at: Vec<AtomicU64>,
    /// The last even tick and the last odd one with a death.
    latest: [AtomicU64; 2],
    /// A bit for each node that lives.
    lives: Vec<AtomicU8>,
}

const ALIVE: u64 = u64::MAX;

/// A graph of nodes with an application.
pub struct World<A: Application> {
    app: Arc<A>,
    graph: Arc<Graph>,
    deaths: Arc<Deaths>,
    simulation: Simulation<Nodes<A>>,
    /// The last tick for which an event from outside is planned.
    set: u64,
    /// Deaths that do not keep a network awake, the earliest first.
    chances: VecDeque<(u64, u32)>,
}

/// A few consecutive nodes: few enough to stay in the cache.
pub struct Row<'a, A: Application> {
    pub first: u32,
    states: &'a [A::State],
    app: &'a A,
    deaths: &'a Deaths,
}

const ROW: usize = 512;

impl<A: Application> World<A> {
    /// All nodes begin at tick 0.
    pub fn new(graph: Arc<Graph>, app: A, threads: usize) -> World<A> {
        assert!(threads == 1 || !A::ONE_THREAD, "one thread serves all nodes of this application");
        let app = Arc::new(app);
        let count = graph.nodes();
        let deaths = Arc::new(Deaths::none(count as usize));
        let make = |range: std::ops::Range<u32>| Nodes {
            app: app.clone(),
            graph: graph.clone(),
            first: range.start,
            states: range.map(|node| app.create(node, &graph)).collect(),
            deaths: deaths.clone(),
            counters: Counters::default(),
        };
        let mut simulation = Simulation::new(count, threads, make);
        (0..count).for_each(|node| simulation.enter(0, node, THE_MACHINE, What::Begin));
        World { app, graph, deaths, simulation, set: 0, chances: VecDeque::new() }
    }

    pub fn kill(&mut self, at: u64, node: u32) {
        self.set = self.set.max(at);
        self.simulation.enter(at, node, THE_MACHINE, What::Die);
    }

    /// Deaths, the earliest first, that happen only as long as the network is not at rest.
    pub fn kill_by_chance(&mut self, deaths: impl IntoIterator<Item = (u64, u32)>) {
        self.chances.extend(deaths);
        assert!(self.chances.iter().is_sorted_by_key(|(at, _)| at), "they are in order");
    }

    pub fn border(&mut self, at: u64, node: u32, value: f64) {
        self.set = self.set.max(at);
        self.simulation.enter(at, node, THE_MACHINE, What::Border(value));
    }

    /// Runs up to and including the tick `end`, or until the network is at rest; if it is at rest
    /// already, time still passes. Returns whether more will happen.
    pub fn run_until(&mut self, end: u64) -> bool {
        let is_idle = self.simulation.next_time().is_none();
        while let Some(&(due, _)) = self.chances.front().filter(|(due, _)| *due <= end) {
            if due > 0 {
                self.simulation.run_until(due - 1);
            }
            if !is_idle && self.has_notices_only() {
                // If these change nothing, there is nothing more to see. If they do, the nodes that
                // are due die a tick later.
                self.simulation.run_until(due);
            }
            if !is_idle && self.simulation.next_time().is_none() {
                return false;
            }
            self.let_die(due, end);
        }
        self.simulation.run_until(end)
    }

    /// Whether only notices of deaths are left.
    fn has_notices_only(&self) -> bool {
        let Counters { sent, delivered, dropped, .. } = self.counters();
        let is_silent = sent == delivered + dropped;
        is_silent && self.simulation.next_time().is_some_and(|next| self.set < next)
    }

    /// The nodes that are due die, as soon as possible.
    fn let_die(&mut self, due: u64, end: u64) {
        let at = due.max(self.simulation.earliest());
        let count = self.chances.iter().take_while(|(was, _)| *was <= due).count();
        if at > end {
            self.chances.iter_mut().take(count).for_each(|(was, _)| *was = at);
            return;
        }
        for (_, node) in self.chances.drain(..count) {
            self.simulation.enter(at, node, THE_MACHINE, What::Die);
        }
    }

    /// The deaths, in order of time.
    pub fn deaths(&self) -> Vec<(u64, u32)> {
        let dead = (0..self.graph.nodes()).filter(|&node| !self.is_alive(node));
        let mut deaths: Vec<_> = dead.map(|node| (self.deaths.at(node), node)).collect();
        deaths.sort_unstable();
        deaths
    }

    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// How many nodes live.
    pub fn living(&self) -> u32 {
        self.deaths.lives.iter().map(|eight| eight.load(Ordering::Relaxed).count_ones()).sum()
    }

    /// The last tick at which something happened.
    pub fn now(&self) -> u64 {
        self.simulation.now()
    }

    /// How many events there were.
    pub fn events(&self) -> u64 {
        self.simulation.heard()
    }

    pub fn is_alive(&self, node: u32) -> bool {
        self.deaths.is_alive(node)
    }

    /// A bit for each node that lives, the lowest first.
    pub fn lives(&self) -> impl Iterator<Item = u8> {
        self.deaths.lives.iter().map(|eight| eight.load(Ordering::Relaxed))
    }

    /// All nodes, in order.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_, A>> {
        let (app, deaths) = (&*self.app, &*self.deaths);
        self.simulation.shards().iter().flat_map(move |nodes| {
            let rows = nodes.states.chunks(ROW).zip((nodes.first..).step_by(ROW));
            rows.map(move |(states, first)| Row { first, states, app, deaths })
        })
    }

    pub fn alive(&self) -> Vec<bool> {
        (0..self.graph.nodes()).map(|node| self.is_alive(node)).collect()
    }

    pub fn state(&self, node: u32) -> &A::State {
        let nodes = self.simulation.shard_of(node);
        &nodes.states[(node - nodes.first) as usize]
    }

    pub fn counters(&self) -> Counters {
        let all = self.simulation.shards().iter().map(|nodes| nodes.counters);
        all.fold(Counters::default(), |sum, one| Counters {
            sent: sum.sent + one.sent,
            delivered: sum.delivered + one.delivered,
            dropped: sum.dropped + one.dropped,
            notices: sum.notices + one.notices,
            deaths: sum.deaths + one.deaths,
        })
    }

    /// By node: its colour, `None` for the dead.
    pub fn colours(&self) -> Vec<Option<u8>> {
        let app = &self.app;
        self.rows().flat_map(|row| row.nodes().map(|it| it.map(|it| app.colour(it)))).collect()
    }

    pub fn info(&self, node: u32) -> String {
        self.app.info(self.state(node))
    }
}

impl Deaths {
    fn none(count: usize) -> Deaths {
        // Bits without a node are not alive.
        let eight = |at: usize| AtomicU8::new(0xff >> (8 * (at + 1)).saturating_sub(count));
        Deaths {
            at: (0..count).map(|_| AtomicU64::new(ALIVE)).collect(),
            latest: [const { AtomicU64::new(ALIVE) }; 2],
            lives: (0..count.div_ceil(8)).map(eight).collect(),
        }
    }

    #[inline]
    fn is_alive(&self, node: u32) -> bool {
        self.lives[node as usize / 8].load(Ordering::Relaxed) >> (node % 8) & 1 == 1
    }

    /// The tick of its death.
    fn at(&self, node: u32) -> u64 {
        self.at[node as usize].load(Ordering::Relaxed)
    }

    /// Whether a node died in the tick before this one.
    fn were_before(&self, now: u64) -> bool {
        now > 0 && self.latest[(now - 1) as usize % 2].load(Ordering::Relaxed) == now - 1
    }

    fn add(&self, node: u32, now: u64) {
        self.at[node as usize].store(now, Ordering::Relaxed);
        self.latest[now as usize % 2].store(now, Ordering::Relaxed);
        self.lives[node as usize / 8].fetch_and(!(1 << (node % 8)), Ordering::Relaxed);
    }
}

impl<'a, A: Application> Row<'a, A> {
    /// The states of living nodes, `None` for the dead.
    pub fn nodes(&self) -> impl Iterator<Item = Option<&'a A::State>> + use<'a, A> {
        let deaths = self.deaths;
        let nodes = self.states.iter().zip(self.first..);
        nodes.map(|(state, node)| deaths.is_alive(node).then_some(state))
    }

    /// The colours of all of them, 0 for the dead.
    pub fn paint(&self, colours: &mut Vec<u8>) {
        let colour = |state: Option<&A::State>| state.map_or(0, |state| self.app.colour(state));
        colours.extend(self.nodes().map(colour));
    }
}

impl<M: Copy> Here<'_, '_, M> {
    /// The nodes to which the node sends.
    pub fn sends(&self) -> &[u32] {
        self.graph.sends.of(self.node)
    }

    /// The nodes from which it receives.
    pub fn receives(&self) -> &[u32] {
        self.graph.receives.of(self.node)
    }

    pub fn graph(&self) -> &Graph {
        self.graph
    }

    /// Sends to one node, which need not be in a list.
    pub fn send(&mut self, to: u32, message: M) {
        *self.sent += 1;
        self.post.send(to, 1, What::Hear(message));
    }

    /// Sends to all in the list.
    pub fn send_all(&mut self, message: M) {
        let list = self.graph.sends.of(self.node);
        *self.sent += list.len() as u64;
        list.iter().for_each(|&to| self.post.send(to, 1, What::Hear(message)));
    }
}

impl<A: Application> Shard for Nodes<A> {
    type What = What<A::Message>;

    fn hear(
        &mut self, now: u64, node: u32, notes: &[Note<Self::What>], post: &mut Post<'_, Self::What>,
    ) {
        let Nodes { app, graph, first, states, deaths, counters } = self;
        // Messages take one tick: nodes that died earlier have none under way.
        let may_be_late = deaths.were_before(now);
        if !deaths.is_alive(node) {
            let messages = notes.iter().filter(|note| matches!(note.what, What::Hear(_)));
            counters.dropped += messages.count() as u64;
            return;
        }
        let state = &mut states[(node - *first) as usize];
        let here = &mut Here { node, now, graph, post, sent: &mut counters.sent };
        for note in notes {
            match &note.what {
                What::Begin => app.begin(state, here),
                What::Hear(message) => {
                    // A node that dies in this tick is alive in it, whichever thread is faster.
                    if may_be_late && deaths.at(note.from) < now {
                        counters.dropped += 1;
                    } else {
                        counters.delivered += 1;
                        app.hear(state, note.from, message, here);
                    }
                }
                What::Miss => {
                    counters.notices += 1;
                    app.miss(state, note.from, here);
                }
                What::Border(value) => app.border(state, *value, here),
                What::Die => {
                    counters.deaths += 1;
                    deaths.add(node, now);
                    for other in graph.beside(node) {
                        here.post.send(other, 1, What::Miss);
                    }
                    return;
                }
            }
        }
        app.settle(state, here);
    }
}
