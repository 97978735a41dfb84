//! Runs the nodes of a machine, in shards of consecutive numbers, one thread for each shard.

use super::barrier::Barrier;
use crate::base::agenda::Agenda;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// A source behind all nodes: what it sends for a time comes last.
pub const THE_MACHINE: u32 = u32::MAX;

/// Something that reaches a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note<W> {
    pub to: u32,
    pub from: u32,
    pub what: W,
}

/// What is sent, each with its time.
type Mail<W> = Vec<(u64, Note<W>)>;

/// Nodes with consecutive numbers, and what they do when they hear something.
pub trait Shard: Send {
    type What: Copy + Send;

    /// All that reaches node `to` now, in the order of (source, sequence).
    fn hear(
        &mut self, now: u64, to: u32, notes: &[Note<Self::What>], post: &mut Post<'_, Self::What>,
    );
}

/// Takes what a node sends.
pub struct Post<'a, W> {
    now: u64,
    from: u32,
    span: u32,
    way: Way<'a, W>,
}

enum Way<'a, W> {
    /// There is one shard only.
    Straight(&'a mut Agenda<Note<W>>),
    /// By shard: what goes there.
    Sorted(&'a mut [Mail<W>]),
}

impl<W> Post<'_, W> {
    /// Sends something that arrives so many ticks later.
    #[inline]
    pub fn send(&mut self, to: u32, after: u64, what: W) {
        assert!(after > 0, "what is sent arrives later");
        let (time, note) = (self.now + after, Note { to, from: self.from, what });
        match &mut self.way {
            Way::Straight(agenda) => agenda.enter(time, note),
            Way::Sorted(boxes) => boxes[(to / self.span) as usize].push((time, note)),
        }
    }
}

/// A machine under way.
pub struct Simulation<S: Shard> {
    shards: Vec<S>,
    desks: Vec<Desk<S::What>>,
    nodes: u32,
    span: u32,
    heard: u64,
    now: u64,
}

/// What is on the agenda of a shard, and its room to sort.
struct Desk<W> {
    agenda: Agenda<Note<W>>,
    bucket: Vec<Note<W>>,
    sorted: Vec<Note<W>>,
    starts: Vec<u32>,
    boxes: Vec<Mail<W>>,
    heard: u64,
}

/// What threads share while they run.
struct Meeting<W> {
    barrier: Barrier,
    /// By thread: its next time.
    next: Vec<AtomicU64>,
    /// From one shard to another.
    boxes: Vec<Mutex<Mail<W>>>,
}

impl<S: Shard> Simulation<S> {
    /// `make` makes the shard for a range of nodes.
    pub fn new(nodes: u32, threads: usize, make: impl Fn(std::ops::Range<u32>) -> S) -> Self {
        assert!(nodes > 0 && threads > 0, "somebody does something");
        let span = nodes.div_ceil(threads as u32);
        let starts = (0..nodes).step_by(span as usize);
        let ranges: Vec<_> = starts.map(|low| low..nodes.min(low + span)).collect();
        let count = ranges.len();
        let desk = |range: &std::ops::Range<u32>| Desk {
            agenda: Agenda::default(),
            bucket: Vec::new(),
            sorted: Vec::new(),
            starts: vec![0; range.len() + 1],
            boxes: std::iter::repeat_with(Vec::new).take(count).collect(),
            heard: 0,
        };
        let desks = ranges.iter().map(desk).collect();
        Simulation {
            shards: ranges.into_iter().map(make).collect(),
            desks,
            nodes,
            span,
            heard: 0,
            now: 0,
        }
    }

    pub fn shards(&self) -> &[S] {
        &self.shards
    }

    pub fn shards_mut(&mut self) -> &mut [S] {
        &mut self.shards
    }

    pub fn shard_of(&self, node: u32) -> &S {
        &self.shards[(node / self.span) as usize]
    }

    pub fn into_shards(self) -> Vec<S> {
        self.shards
    }

    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// How many notes nodes have heard.
    pub fn heard(&self) -> u64 {
        self.heard
    }

    /// The last tick at which something happened.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// The tick at which something happens next.
    pub fn next_time(&self) -> Option<u64> {
        self.desks.iter().filter_map(|desk| desk.agenda.next_time()).min()
    }

    /// Something that happens to a node from outside.
    pub fn enter(&mut self, time: u64, to: u32, from: u32, what: S::What) {
        let desk = &mut self.desks[(to / self.span) as usize];
        desk.agenda.enter(time, Note { to, from, what });
    }

    /// Lets everything happen up to the tick `end` and with it. Says whether more is to come.
    pub fn run_until(&mut self, end: u64) -> bool {
        let before = self.now;
        let last = match self.shards.len() {
            1 => run_alone(&mut self.shards[0], &mut self.desks[0], end),
            _ => self.run_together(end),
        };
        self.now = last.unwrap_or(before);
        self.heard = self.desks.iter().map(|desk| desk.heard).sum();
        self.next_time().is_some()
    }

    fn run_together(&mut self, end: u64) -> Option<u64> {
        let count = self.shards.len();
        let meeting = Meeting {
            barrier: Barrier::new(count),
            next: (0..count).map(|_| AtomicU64::new(0)).collect(),
            boxes: (0..count * count).map(|_| Mutex::new(Vec::new())).collect(),
        };
        let (meeting, span) = (&meeting, self.span);
        let members = self.shards.iter_mut().zip(&mut self.desks).enumerate();
        std::thread::scope(|scope| {
            let run = |(me, (shard, desk))| {
                scope.spawn(move || run_one(me, shard, desk, span, end, meeting))
            };
            let threads: Vec<_> = members.map(run).collect();
            let ends = threads.into_iter().map(|thread| thread.join().expect("no node panics"));
            ends.max().flatten()
        })
    }
}

fn run_alone<S: Shard>(shard: &mut S, desk: &mut Desk<S::What>, end: u64) -> Option<u64> {
    let mut last = None;
    while let Some(now) = desk.agenda.next_time().filter(|&now| now <= end) {
        desk.agenda.take(now, &mut desk.bucket);
        desk.sort(0);
        let Desk { agenda, sorted, heard, .. } = &mut *desk;
        *heard += sorted.len() as u64;
        for notes in sorted.chunk_by(|one, other| one.to == other.to) {
            let to = notes[0].to;
            let way = Way::Straight(agenda);
            shard.hear(now, to, notes, &mut Post { now, from: to, span: u32::MAX, way });
        }
        last = Some(now);
    }
    last
}

fn run_one<S: Shard>(
    me: usize, shard: &mut S, desk: &mut Desk<S::What>, span: u32, end: u64,
    meeting: &Meeting<S::What>,
) -> Option<u64> {
    let guard = meeting.barrier.guard();
    let count = meeting.next.len();
    let mut last = None;
    loop {
        let mine = desk.agenda.next_time().unwrap_or(u64::MAX);
        meeting.next[me].store(mine, Ordering::Release);
        meeting.barrier.meet();
        let next = meeting.next.iter().map(|next| next.load(Ordering::Acquire)).min();
        let now = next.expect("there is a thread");
        if now > end || now == u64::MAX {
            drop(guard);
            return last;
        }
        last = Some(now);
        if mine == now {
            desk.agenda.take(now, &mut desk.bucket);
            desk.sort(me as u32 * span);
            let Desk { sorted, boxes, heard, .. } = &mut *desk;
            *heard += sorted.len() as u64;
            for notes in sorted.chunk_by(|one, other| one.to == other.to) {
                let to = notes[0].to;
                shard.hear(
                    now,
                    to,
                    notes,
                    &mut Post { now, from: to, span, way: Way::Sorted(boxes) },
                );
            }
        }
        for (to, sent) in desk.boxes.iter_mut().enumerate() {
            let mut there = meeting.boxes[me * count + to].lock().expect("no node panics");
            std::mem::swap(&mut *there, sent);
        }
        meeting.barrier.meet();
        // By sender's shard, so in the order of sources where they sent at the same time.
        for from in 0..count {
            let mut here = meeting.boxes[from * count + me].lock().expect("no node panics");
            here.drain(..).for_each(|(time, note)| desk.agenda.enter(time, note));
        }
    }
}

impl<W: Copy> Desk<W> {
    /// Puts the bucket into the order of (receiver, source, sequence). One source's notes lie in
    /// the order in which they were sent, so that sorting must only not mix what is equal.
    fn sort(&mut self, first: u32) {
        let Desk { bucket, sorted, starts, .. } = self;
        sorted.clear();
        if bucket.len() < starts.len() / 16 {
            bucket.sort_by_key(|note| (note.to, note.from));
            std::mem::swap(bucket, sorted);
            return;
        }
        if !bucket.is_sorted_by_key(|note| note.from) {
            bucket.sort_by_key(|note| note.from);
        }
        starts.fill(0);
        bucket.iter().for_each(|note| starts[(note.to - first) as usize + 1] += 1);
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        sorted.resize(bucket.len(), bucket[0]);
        for note in bucket.drain(..) {
            let at = &mut starts[(note.to - first) as usize];
            sorted[*at as usize] = note;
            *at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    type Story = Vec<(u64, u32, u64)>;

    /// Nodes that pass on what they hear with delays of their own, and remember all of it.
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
