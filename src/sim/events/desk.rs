//! The messages of one shard: sorts the notes of a tick and hands them to its nodes.

use super::note::Note;
use super::piles::{Pile, Piles, Spare};
use super::post::{Later, Plan, Post, Shard};
use ftmpi_base::agenda::Agenda;

/// The queues and buffers of one shard.
pub(super) struct Desk<W> {
    pub(super) number: usize,
    /// Messages for later than the next tick.
    agenda: Agenda<Note<W>>,
    /// Messages for the next tick, and its number: by the shard that sent them, by block.
    soon: Vec<Piles<W>>,
    soon_time: u64,
    /// What this shard has sent in this tick: for the next one by block of the whole machine, and
    /// for later by shard.
    out: Piles<W>,
    later: Vec<Vec<(u64, Note<W>)>>,
    spare: Spare<W>,
    pub(super) heard: u64,
    room: Room<W>,
}

/// Buffers for sorting, which are reused.
struct Room<W> {
    bucket: Vec<Note<W>>,
    mixed: Vec<Note<W>>,
    sorted: Vec<Note<W>>,
    starts: Vec<u32>,
    blocks: Vec<u32>,
}

/// From one shard to another: piles of the next tick, by block, and later messages.
pub(super) struct Mail<W> {
    soon: Vec<(u32, Pile<W>)>,
    later: Vec<(u64, Note<W>)>,
}

impl<W> Default for Mail<W> {
    fn default() -> Mail<W> {
        Mail { soon: Vec::new(), later: Vec::new() }
    }
}

impl<W: Copy> Desk<W> {
    /// The desk with this number of `count`, each for `blocks` blocks.
    pub(super) fn new(number: usize, count: usize, blocks: usize) -> Desk<W> {
        Desk {
            number,
            agenda: Agenda::default(),
            soon: (0..count).map(|_| Piles::new(blocks)).collect(),
            soon_time: 0,
            out: Piles::new(count * blocks),
            later: std::iter::repeat_with(Vec::new).take(count).collect(),
            spare: Spare::default(),
            heard: 0,
            room: Room {
                bucket: Vec::new(),
                mixed: Vec::new(),
                sorted: Vec::new(),
                starts: Vec::new(),
                blocks: Vec::new(),
            },
        }
    }

    /// An event from outside. It comes after what nodes have sent.
    pub(super) fn enter(&mut self, time: u64, note: Note<W>, plan: Plan) {
        assert!(time >= self.soon_time, "nothing happens in the past");
        if time > self.soon_time {
            return self.agenda.enter(time, note);
        }
        let block = plan.block_of(note.to) - self.first_block(plan);
        self.soon.last_mut().expect("there is a shard").put(block, note, &mut self.spare);
    }

    fn first_block(&self, plan: Plan) -> usize {
        self.number * plan.blocks()
    }

    /// The first tick that has not passed.
    pub(super) fn earliest(&self) -> u64 {
        self.soon_time
    }

    /// When its nodes receive the next message.
    pub(super) fn next_time(&self) -> Option<u64> {
        let has_soon = self.soon.iter().any(|piles| !piles.is_empty());
        if has_soon { Some(self.soon_time) } else { self.agenda.next_time() }
    }

    /// When the next message arrives, as far as this shard knows: at its nodes, or at nodes to
    /// which they have sent one.
    pub(super) fn next_known(&self) -> Option<u64> {
        if !self.out.is_empty() {
            return Some(self.soon_time);
        }
        let later = self.later.iter().flatten().map(|&(time, _)| time).min();
        [self.next_time(), later].into_iter().flatten().min()
    }

    /// Delivers the messages of this tick.
    pub(super) fn serve<S: Shard<What = W>>(&mut self, shard: &mut S, now: u64, plan: Plan) {
        if self.agenda.next_time() == Some(now) {
            self.agenda.take(now, &mut self.room.bucket);
        }
        let mut has_soon = self.soon.iter().any(|piles| !piles.is_empty());
        assert!(!has_soon || self.soon_time == now, "nobody forgets what is next");
        if has_soon && self.room.bucket.len() * 8 > self.soon.iter().map(Piles::notes).sum() {
            self.gather();
            has_soon = false;
        }
        if has_soon {
            self.serve_blocks(shard, now, plan);
        } else if !self.room.bucket.is_empty() {
            let first = plan.first_node(self.first_block(plan));
            let total = self.room.sort_all(first, plan.size() * plan.blocks());
            self.hand_over(shard, now, plan, total);
        }
        self.room.bucket.clear();
        self.soon_time = now + 1;
        self.spare.clear_up();
    }

    /// Adds the notes on piles to older ones: if those are many, putting them on piles, too, would
    /// not pay.
    fn gather(&mut self) {
        for piles in &mut self.soon {
            for (_, mut pile) in piles.take_all() {
                pile.chunks().for_each(|chunk| self.room.bucket.extend_from_slice(chunk));
                pile.clear(&mut self.spare);
            }
        }
    }

    /// Block by block: older messages first, then those of the last tick.
    fn serve_blocks<S: Shard<What = W>>(&mut self, shard: &mut S, now: u64, plan: Plan) {
        let first = self.first_block(plan);
        let mut blocks = std::mem::take(&mut self.room.blocks);
        let mut bucket = std::mem::take(&mut self.room.bucket);
        let block_of = |note: &Note<W>| (plan.block_of(note.to) - first) as u32;
        bucket.sort_by_key(block_of);
        blocks.extend(self.soon.iter().flat_map(Piles::touched));
        blocks.extend(bucket.iter().map(block_of));
        blocks.sort_unstable();
        blocks.dedup();
        let mut old = &bucket[..];
        for block in blocks.drain(..) {
            let count = old.iter().take_while(|note| block_of(note) == block).count();
            let (here, rest) = old.split_at(count);
            old = rest;
            let (first, block) = (plan.first_node(first + block as usize), block as usize);
            let total = self.room.sort_block(first, plan.size(), here, &self.soon, block);
            self.soon.iter_mut().for_each(|piles| piles.of_mut(block).clear(&mut self.spare));
            self.hand_over(shard, now, plan, total);
        }
        self.soon.iter_mut().for_each(Piles::forget_touched);
        (self.room.blocks, self.room.bucket) = (blocks, bucket);
    }

    fn hand_over<S: Shard<What = W>>(&mut self, shard: &mut S, now: u64, plan: Plan, total: usize) {
        let Desk { number, agenda, out, later, spare, heard, room, .. } = self;
        *heard += total as u64;
        for notes in room.sorted[..total].chunk_by(|one, other| one.to == other.to) {
            let later = match later.len() {
                1 => Later::Alone(agenda),
                _ if plan.lookahead > 1 => Later::Ahead { agenda, shards: later, own: *number },
                _ => Later::Sorted(later),
            };
            let from = notes[0].to;
            shard.hear(now, from, notes, &mut Post { now, from, plan, soon: out, spare, later });
        }
    }

    /// With only one shard: what was sent for the next tick is what comes next.
    pub(super) fn turn_page(&mut self) {
        std::mem::swap(&mut self.out, &mut self.soon[0]);
    }

    /// Puts what this shard has sent into letters, one for each shard.
    pub(super) fn send(&mut self, letters: &mut [impl std::ops::DerefMut<Target = Mail<W>>]) {
        let blocks = self.out.blocks() / letters.len();
        for (block, pile) in self.out.take_all() {
            let letter = &mut letters[block as usize / blocks];
            letter.soon.push((block % blocks as u32, pile));
        }
        for (letter, sent) in letters.iter_mut().zip(&mut self.later) {
            letter.later.append(sent);
        }
    }

    /// Takes what a shard has sent to this one. Letters are read by the number of the sender, so in
    /// the order of sources if they were sent at one time.
    pub(super) fn read(&mut self, from: usize, letter: &mut Mail<W>) {
        let Desk { agenda, soon, .. } = self;
        letter.soon.drain(..).for_each(|(block, pile)| soon[from].take_over(block, pile));
        letter.later.drain(..).for_each(|(time, note)| agenda.enter(time, note));
    }
}

impl<W: Copy> Room<W> {
    /// Sorts the bucket by (receiver, source, sequence). One source's notes are in the order in
    /// which they were sent, so a stable sort keeps them.
    fn sort_all(&mut self, first: u32, nodes: usize) -> usize {
        let Room { bucket, sorted, starts, .. } = self;
        let total = bucket.len();
        if total < nodes / 16 {
            bucket.sort_by_key(|note| (note.to, note.from));
            std::mem::swap(bucket, sorted);
            return total;
        }
        if !bucket.is_sorted_by_key(|note| note.from) {
            bucket.sort_by_key(|note| note.from);
        }
        begin(starts, nodes);
        bucket.iter().for_each(|note| count(starts, first, note));
        add_up(starts);
        make_room(sorted, total, bucket[0]);
        bucket.iter().for_each(|&note| place(starts, sorted, first, note));
        total
    }

    /// Like [`Room::sort_all`], for one block: its older notes and those on its piles.
    fn sort_block(
        &mut self, first: u32, nodes: usize, old: &[Note<W>], soon: &[Piles<W>], block: usize,
    ) -> usize {
        let Room { mixed, sorted, starts, .. } = self;
        let parts = || {
            let piles = soon.iter().map(|piles| piles.of(block));
            std::iter::once(old).chain(piles.flat_map(Pile::chunks))
        };
        let total = old.len() + soon.iter().map(|piles| piles.of(block).len()).sum::<usize>();
        if total < nodes / 16 {
            sorted.clear();
            parts().for_each(|part| sorted.extend_from_slice(part));
            sorted.sort_by_key(|note| (note.to, note.from));
            return total;
        }
        begin(starts, nodes);
        let (mut is_sorted, mut last) = (true, 0);
        for note in parts().flatten() {
            is_sorted &= last <= note.from;
            last = note.from;
            count(starts, first, note);
        }
        add_up(starts);
        let filler = *parts().flatten().next().expect("somebody hears something");
        make_room(sorted, total, filler);
        if is_sorted {
            parts().flatten().for_each(|&note| place(starts, sorted, first, note));
        } else {
            mixed.clear();
            parts().for_each(|part| mixed.extend_from_slice(part));
            mixed.sort_by_key(|note| note.from);
            mixed.iter().for_each(|&note| place(starts, sorted, first, note));
        }
        total
    }
}

/// Makes room for `total` notes; the content does not matter.
fn make_room<W: Copy>(sorted: &mut Vec<Note<W>>, total: usize, filler: Note<W>) {
    if sorted.len() < total {
        sorted.resize(total, filler);
    }
}

/// Clears the counts of `nodes` nodes, each one place behind its own.
fn begin(starts: &mut Vec<u32>, nodes: usize) {
    starts.clear();
    starts.resize(nodes + 1, 0);
}

fn count<W>(starts: &mut [u32], first: u32, note: &Note<W>) {
    starts[(note.to - first) as usize + 1] += 1;
}

fn add_up(starts: &mut [u32]) {
    let mut sum = 0;
    for start in starts {
        sum += *start;
        *start = sum;
    }
}

fn place<W: Copy>(starts: &mut [u32], sorted: &mut [Note<W>], first: u32, note: Note<W>) {
    let at = &mut starts[(note.to - first) as usize];
    sorted[*at as usize] = note;
    *at += 1;
}
