//! How nodes send: which block and which shard a note goes to, and where it waits until then.

use super::note::Note;
use super::piles::{Piles, Spare};
use ftmpi_base::agenda::Agenda;

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
    pub(super) now: u64,
    pub(super) from: u32,
    pub(super) plan: Plan,
    /// For the next tick, and chunks for more.
    pub(super) soon: &'a mut Piles<W>,
    pub(super) spare: &'a mut Spare<W>,
    pub(super) later: Later<'a, W>,
}

/// For times after the next tick.
pub(super) enum Later<'a, W> {
    /// There is one shard only.
    Alone(&'a mut Agenda<Note<W>>),
    /// By shard: what goes there.
    Sorted(&'a mut [Vec<(u64, Note<W>)>]),
    /// By shard; shard number `own`, which runs ahead, has an agenda instead.
    Ahead { agenda: &'a mut Agenda<Note<W>>, shards: &'a mut [Vec<(u64, Note<W>)>], own: usize },
}

/// How nodes are divided: into blocks, and these into shards.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    /// A block has this many nodes, as a power of two.
    shift: u32,
    /// So many blocks are a shard.
    blocks: u32,
    /// What goes to another node arrives at least so many ticks later.
    pub(super) lookahead: u64,
}

impl<W> Post<'_, W> {
    /// Sends something that arrives so many ticks later.
    #[inline]
    pub fn send(&mut self, to: u32, after: u64, what: W) {
        assert!(after > 0, "what is sent arrives later");
        let note = Note { to, from: self.from, what };
        if after == 1 && self.plan.lookahead == 1 {
            return self.soon.put(self.plan.block_of(to), note, self.spare);
        }
        let time = self.now + after;
        match &mut self.later {
            Later::Alone(agenda) => agenda.enter(time, note),
            Later::Sorted(shards) => shards[self.plan.shard_of(to)].push((time, note)),
            Later::Ahead { agenda, shards, own } => {
                let shard = self.plan.shard_of(to);
                if shard == *own {
                    return agenda.enter(time, note);
                }
                assert!(after >= self.plan.lookahead, "others hear of it later");
                shards[shard].push((time, note));
            }
        }
    }
}

impl Plan {
    /// Blocks are small enough to be sorted in a cache, large enough for their piles to be few, and
    /// every thread gets some.
    pub(super) fn new(nodes: u32, threads: usize) -> Plan {
        let fair = nodes / (16 * threads as u32);
        let few = nodes / 2048;
        let size = fair.clamp(4, 8192).max(few).next_power_of_two();
        let shift = size.ilog2();
        let blocks = nodes.div_ceil(size).div_ceil(threads as u32);
        Plan { shift, blocks, lookahead: 1 }
    }

    #[inline]
    pub(super) fn block_of(self, node: u32) -> usize {
        (node >> self.shift) as usize
    }

    pub(super) fn shard_of(self, node: u32) -> usize {
        self.block_of(node) / self.blocks as usize
    }

    /// How many blocks a shard has.
    pub(super) fn blocks(self) -> usize {
        self.blocks as usize
    }

    /// How many nodes a block has.
    pub(super) fn size(self) -> usize {
        1 << self.shift
    }

    pub(super) fn first_node(self, block: usize) -> u32 {
        (block << self.shift) as u32
    }
}
