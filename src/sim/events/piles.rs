//! Messages for the next tick, piled up by blocks of receivers.
//!
//! Notes of a tick go everywhere. Sorted all at once, each would be written to a different page of
//! memory than the one before. Thrown on a pile for each block of nodes first, they can be sorted
//! block by block in a cache, and whole piles change hands between threads. Piles consist of chunks
//! that are reused: memory holds what is under way, and hardly more.

use super::note::Note;

/// Notes for one block, in the order in which they were sent.
pub(super) struct Pile<W> {
    full: Vec<Chunk<W>>,
    open: Chunk<W>,
}

type Chunk<W> = Vec<Note<W>>;

/// A pile for each block.
pub(super) struct Piles<W> {
    piles: Vec<Pile<W>>,
    /// Those that are not empty, in no order.
    touched: Vec<u32>,
}

/// Empty chunks.
pub(super) struct Spare<W> {
    chunks: Vec<Chunk<W>>,
    /// How many were handed out since the last clean-up.
    used: usize,
}

/// Notes in a chunk: a few kilobytes.
const CHUNK: usize = 128;

impl<W> Default for Pile<W> {
    fn default() -> Pile<W> {
        Pile { full: Vec::new(), open: Vec::new() }
    }
}

impl<W> Pile<W> {
    pub(super) fn chunks(&self) -> impl Iterator<Item = &[Note<W>]> {
        self.full.iter().chain([&self.open]).map(Vec::as_slice)
    }

    pub(super) fn len(&self) -> usize {
        self.full.len() * CHUNK + self.open.len()
    }

    fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Empties it; its chunks become spare.
    pub(super) fn clear(&mut self, spare: &mut Spare<W>) {
        let open = std::mem::take(&mut self.open);
        if open.capacity() > 0 {
            spare.take_back(open);
        }
        self.full.drain(..).for_each(|chunk| spare.take_back(chunk));
    }
}

impl<W> Piles<W> {
    pub(super) fn new(blocks: usize) -> Piles<W> {
        let piles = std::iter::repeat_with(Pile::default).take(blocks).collect();
        Piles { piles, touched: Vec::new() }
    }

    #[inline]
    pub(super) fn put(&mut self, block: usize, note: Note<W>, spare: &mut Spare<W>) {
        let pile = &mut self.piles[block];
        if pile.open.len() == pile.open.capacity() {
            match pile.is_empty() {
                true => self.touched.push(block as u32),
                false => pile.full.push(std::mem::take(&mut pile.open)),
            }
            pile.open = spare.chunk();
        }
        pile.open.push(note);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.touched.is_empty()
    }

    /// How many notes are on all piles.
    pub(super) fn notes(&self) -> usize {
        self.touched.iter().map(|&block| self.piles[block as usize].len()).sum()
    }

    /// How many blocks there are.
    pub(super) fn blocks(&self) -> usize {
        self.piles.len()
    }

    /// The blocks whose piles are not empty, in no order.
    pub(super) fn touched(&self) -> &[u32] {
        &self.touched
    }

    pub(super) fn of(&self, block: usize) -> &Pile<W> {
        &self.piles[block]
    }

    pub(super) fn of_mut(&mut self, block: usize) -> &mut Pile<W> {
        &mut self.piles[block]
    }

    /// All piles have been cleared.
    pub(super) fn forget_touched(&mut self) {
        self.touched.clear();
    }

    /// Takes all piles, each with its block.
    pub(super) fn take_all(&mut self) -> impl Iterator<Item = (u32, Pile<W>)> {
        let piles = &mut self.piles;
        self.touched.drain(..).map(|block| (block, std::mem::take(&mut piles[block as usize])))
    }

    /// Adds a pile for a block that has none yet.
    pub(super) fn take_over(&mut self, block: u32, pile: Pile<W>) {
        assert!(self.piles[block as usize].is_empty(), "the last tick's piles were cleared");
        self.piles[block as usize] = pile;
        self.touched.push(block);
    }
}

impl<W> Default for Spare<W> {
    fn default() -> Spare<W> {
        Spare { chunks: Vec::new(), used: 0 }
    }
}

impl<W> Spare<W> {
    fn chunk(&mut self) -> Chunk<W> {
        self.used += 1;
        self.chunks.pop().unwrap_or_else(|| Vec::with_capacity(CHUNK))
    }

    fn take_back(&mut self, mut chunk: Chunk<W>) {
        chunk.clear();
        self.chunks.push(chunk);
    }

    /// Keeps what a tick like the last one needs. If more arrives than leaves, as between two
    /// threads of which one tells the other, the rest would accumulate for ever.
    pub(super) fn clear_up(&mut self) {
        self.chunks.truncate(2 * self.used + 64);
        self.used = 0;
    }
}
