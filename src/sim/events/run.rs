//! Runs the nodes of a machine, in shards of consecutive numbers, one thread for each shard.
//!
//! Messages for the next tick, nearly all where nodes talk in steps, are piled up by blocks of
//! receivers (see `piles`); later ones wait in an agenda for their time.
//!
//! Where nodes hear of each other only after a delay, the lookahead, threads need not meet at every
//! tick: what a node does now reaches other nodes after a window of that many ticks, so each thread
//! runs through a window by itself.

use super::barrier::Barrier;
use super::desk::{Desk, Mail};
use super::note::Note;
use super::post::{Plan, Shard};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// A source after all nodes: what it sends for a time comes last.
pub const THE_MACHINE: u32 = u32::MAX;

/// A running machine.
pub struct Simulation<S: Shard> {
    shards: Vec<S>,
    desks: Vec<Desk<S::What>>,
    nodes: u32,
    plan: Plan,
    heard: u64,
    now: u64,
}

/// What threads share while they run. They meet once for each tick; what is written between two
/// meetings is read after the second one, and alternate ticks use different places.
struct Meeting<W> {
    barrier: Barrier,
    turns: [Turn<W>; 2],
}

struct Turn<W> {
    /// By thread: the next time at which it has an event.
    next: Vec<AtomicU64>,
    /// From one shard to another.
    mail: Vec<Mutex<Mail<W>>>,
}

impl<S: Shard> Simulation<S> {
    /// `make` makes the shard for a range of nodes.
    pub fn new(nodes: u32, threads: usize, make: impl Fn(std::ops::Range<u32>) -> S) -> Self {
        assert!(nodes > 0 && threads > 0, "somebody does something");
        let plan = Plan::new(nodes, threads);
        let span = plan.size() * plan.blocks();
        let starts = (0..nodes).step_by(span);
        let ends = |low: u32| nodes.min(low.saturating_add(span as u32));
        let ranges: Vec<_> = starts.map(|low| low..ends(low)).collect();
        let desk = |number| Desk::new(number, ranges.len(), plan.blocks());
        Simulation {
            desks: (0..ranges.len()).map(desk).collect(),
            shards: ranges.into_iter().map(make).collect(),
            nodes,
            plan,
            heard: 0,
            now: 0,
        }
    }

    /// Declares that messages between nodes take at least `ticks` ticks.
    pub fn with_lookahead(mut self, ticks: u64) -> Self {
        assert!(ticks > 0, "what is sent arrives later");
        // A single thread need not meet others.
        self.plan.lookahead = if self.shards.len() == 1 { 1 } else { ticks };
        self
    }

    pub fn shards(&self) -> &[S] {
        &self.shards
    }

    pub fn shards_mut(&mut self) -> &mut [S] {
        &mut self.shards
    }

    pub fn shard_of(&self, node: u32) -> &S {
        &self.shards[self.plan.shard_of(node)]
    }

    pub fn into_shards(self) -> Vec<S> {
        self.shards
    }

    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// How many notes nodes have received.
    pub fn heard(&self) -> u64 {
        self.heard
    }

    /// The last tick at which something happened.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// The tick at which something happens next.
    pub fn next_time(&self) -> Option<u64> {
        self.desks.iter().filter_map(Desk::next_time).min()
    }

    /// The first tick for which something can still be entered.
    pub fn earliest(&self) -> u64 {
        self.desks[0].earliest()
    }

    /// Enters an event from outside, later than everything that has happened so far.
    pub fn enter(&mut self, time: u64, to: u32, from: u32, what: S::What) {
        let desk = &mut self.desks[self.plan.shard_of(to)];
        desk.enter(time, Note { to, from, what }, self.plan);
    }

    /// Runs up to and including the tick `end`. Returns whether more will happen.
    pub fn run_until(&mut self, end: u64) -> bool {
        let before = self.now;
        let last = match self.shards.len() {
            1 => run_alone(&mut self.shards[0], &mut self.desks[0], self.plan, end),
            _ => self.run_together(end),
        };
        self.now = last.unwrap_or(before);
        self.heard = self.desks.iter().map(|desk| desk.heard).sum();
        self.next_time().is_some()
    }

    fn run_together(&mut self, end: u64) -> Option<u64> {
        // Threads would find the same answer at a higher cost.
        self.next_time().filter(|&next| next <= end)?;
        let count = self.shards.len();
        let turn = || Turn {
            next: (0..count).map(|_| AtomicU64::new(0)).collect(),
            mail: (0..count * count).map(|_| Mutex::default()).collect(),
        };
        let meeting = Meeting { barrier: Barrier::new(count), turns: [turn(), turn()] };
        let (meeting, plan) = (&meeting, self.plan);
        let mut members = self.shards.iter_mut().zip(&mut self.desks);
        std::thread::scope(|scope| {
            let (shard, desk) = members.next().expect("there are some");
            let run = |(shard, desk)| scope.spawn(move || run_one(shard, desk, plan, end, meeting));
            let threads: Vec<_> = members.map(run).collect();
            // This thread has no other work.
            let own = run_one(shard, desk, plan, end, meeting);
            let ends = threads.into_iter().map(|thread| thread.join().expect("no node panics"));
            ends.max().flatten().max(own)
        })
    }
}

fn run_alone<S: Shard>(
    shard: &mut S, desk: &mut Desk<S::What>, plan: Plan, end: u64,
) -> Option<u64> {
    let mut last = None;
    while let Some(now) = desk.next_time().filter(|&now| now <= end) {
        desk.serve(shard, now, plan);
        desk.turn_page();
        last = Some(now);
    }
    last
}

fn run_one<S: Shard>(
    shard: &mut S, desk: &mut Desk<S::What>, plan: Plan, end: u64, meeting: &Meeting<S::What>,
) -> Option<u64> {
    let _guard = meeting.barrier.guard();
    let (me, count) = (desk.number, meeting.turns[0].next.len());
    let mut last = None;
    for turn in meeting.turns.iter().cycle() {
        let mine = desk.next_known().unwrap_or(u64::MAX);
        turn.next[me].store(mine, Ordering::Release);
        let letters = turn.mail[me * count..][..count].iter();
        let mut letters: Vec<_> =
            letters.map(|letter| letter.lock().expect("no node panics")).collect();
        desk.send(&mut letters);
        drop(letters);
        meeting.barrier.meet();
        let next = turn.next.iter().map(|next| next.load(Ordering::Acquire)).min();
        let now = next.expect("there is a thread");
        for from in 0..count {
            desk.read(from, &mut turn.mail[from * count + me].lock().expect("no node panics"));
        }
        if now > end || now == u64::MAX {
            return last;
        }
        let window = end.min(now.saturating_add(plan.lookahead - 1));
        let mut next = Some(now);
        while let Some(now) = next {
            desk.serve(shard, now, plan);
            last = Some(now);
            let has_more = |&next: &u64| plan.lookahead > 1 && next <= window;
            next = desk.next_time().filter(has_more);
        }
    }
    unreachable!("turns go on for ever")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Post;
    use ftmpi_base::random::Random;

    type Story = Vec<(u64, u32, u64)>;

    /// Nodes that pass messages on with delays of their own, and remember all of them.
    struct Gossip {
        first: u32,
        nodes: u32,
        randoms: Vec<Random>,
        story: Vec<Story>,
    }

    impl Shard for Gossip {
        type What = u64;

        fn hear(&mut self, now: u64, to: u32, notes: &[Note<u64>], post: &mut Post<'_, u64>) {
            let at = (to - self.first) as usize;
            for note in notes {
                self.story[at].push((now, note.from, note.what));
                for _ in 0..2 {
                    let random = &mut self.randoms[at];
                    let other = random.below(u64::from(self.nodes)) as u32;
                    let after = 1 + random.below(3) * random.below(3000);
                    if random.chance(55) {
                        post.send(other, after, random.bits());
                    }
                }
            }
        }
    }

    fn told(nodes: u32, threads: usize, slice: u64) -> (Vec<Story>, u64) {
        let make = |range: std::ops::Range<u32>| Gossip {
            first: range.start,
            nodes,
            story: vec![Vec::new(); range.len()],
            randoms: range.map(|node| Random::new(u64::from(node))).collect(),
        };
        let mut simulation = Simulation::new(nodes, threads, make);
        for node in 0..nodes {
            simulation.enter(0, node, THE_MACHINE, u64::from(node));
        }
        let mut end = slice;
        while simulation.run_until(end) && end < 20_000 {
            end += slice;
        }
        let heard = simulation.heard();
        (simulation.into_shards().into_iter().flat_map(|shard| shard.story).collect(), heard)
    }

    /// Nodes that send later to others than to themselves.
    struct Slow {
        gossip: Gossip,
        lookahead: u64,
    }

    impl Shard for Slow {
        type What = u64;

        fn hear(&mut self, now: u64, to: u32, notes: &[Note<u64>], post: &mut Post<'_, u64>) {
            let at = (to - self.gossip.first) as usize;
            for note in notes {
                self.gossip.story[at].push((now, note.from, note.what));
                let random = &mut self.gossip.randoms[at];
                for _ in 0..2 {
                    let other = random.below(u64::from(self.gossip.nodes)) as u32;
                    let delay = if other == to { 1 } else { self.lookahead };
                    if random.chance(44) {
                        post.send(other, delay + random.below(3) * random.below(300), 7);
                    }
                    if random.chance(4) {
                        post.send(to, 1, random.bits());
                    }
                }
            }
        }
    }

    #[test]
    fn threads_that_run_ahead_change_nothing() {
        let told = |nodes: u32, threads, lookahead, slice| {
            let make = |range: std::ops::Range<u32>| Slow {
                gossip: Gossip {
                    first: range.start,
                    nodes,
                    story: vec![Vec::new(); range.len()],
                    randoms: range.map(|node| Random::new(u64::from(node))).collect(),
                },
                lookahead,
            };
            let mut simulation = Simulation::new(nodes, threads, make).with_lookahead(lookahead);
            (0..nodes).for_each(|node| simulation.enter(0, node, THE_MACHINE, 1));
            let mut end = slice;
            while simulation.run_until(end) && end < 30_000 {
                end += slice;
            }
            let shards = simulation.into_shards().into_iter();
            shards.flat_map(|shard| shard.gossip.story).collect::<Vec<_>>()
        };
        for (nodes, lookahead) in [(3, 2), (40, 100), (100, 1000)] {
            let alone = told(nodes, 1, lookahead, 30_000);
            assert!(alone.iter().map(Vec::len).sum::<usize>() > 2 * nodes as usize);
            for (threads, slice) in [(2, 30_000), (3, 30_000), (2, 100)] {
                assert_eq!(told(nodes, threads, lookahead, slice), alone, "{nodes} on {threads}");
            }
        }
    }

    #[test]
    fn nodes_hear_the_same_in_the_same_order_on_any_number_of_threads() {
        for nodes in [1, 7, 100] {
            let alone = told(nodes, 1, 30_000);
            assert!(alone.1 >= u64::from(nodes));
            for threads in [2, 3] {
                assert_eq!(told(nodes, threads, 30_000), alone, "{nodes} on {threads}");
            }
            assert_eq!(told(nodes, 2, 20_000 / 7 + 1).0.len(), nodes as usize);
        }
    }

    #[test]
    fn stories_are_in_order_of_time_then_source() {
        let (stories, _) = told(50, 2, 20_000);
        let is_sorted = |story: &Story| story.is_sorted_by_key(|(at, from, _)| (*at, *from));
        assert!(stories.iter().all(is_sorted));
    }

    #[test]
    fn running_in_slices_changes_nothing() {
        assert_eq!(told(60, 2, 10), told(60, 1, 20_000));
    }
}
