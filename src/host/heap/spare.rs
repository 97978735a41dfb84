//! Large blocks of the library's that nobody uses, kept for whoever needs one next. New memory
//! costs a fault of the processor for each of its pages, which takes longer than to fill it.

/// From so many bytes on a block would be a mapping of its own, gone as soon as it is free.
const LARGE: usize = 256 << 10;
/// How much is kept at most.
const MOST: usize = 32 << 20;
const PLACES: usize = 64;

/// How long a large block for so many bytes is: one of few lengths, so that it fits others, too.
/// `None`: it is not large.
pub(super) fn length(bytes: usize) -> Option<usize> {
    let step = || 1 << (bytes.ilog2() - 3);
    (bytes >= LARGE).then(|| bytes.next_multiple_of(step()))
}

#[derive(Clone, Copy)]
struct Block {
    start: usize,
    length: usize,
}

/// The oldest first. It needs no memory of its own.
pub(super) struct Spare {
    blocks: [Block; PLACES],
    count: usize,
    bytes: usize,
}

impl Spare {
    pub(super) const fn new() -> Spare {
        Spare { blocks: [Block { start: 0, length: 0 }; PLACES], count: 0, bytes: 0 }
    }

    /// A block of this length: the one that was kept last, of which most may be in the caches.
    pub(super) fn take(&mut self, length: usize) -> Option<*mut u8> {
        let all = &self.blocks[..self.count];
        let place = all.iter().rposition(|block| block.length == length)?;
        Some(self.remove(place))
    }

    /// Keeps a block, unless it is too long. What has to go for that is for `free`, the oldest
    /// first.
    pub(super) fn keep(&mut self, block: *mut u8, length: usize, free: impl Fn(*mut u8, usize)) {
        if length > MOST {
            return free(block, length);
        }
        while self.count == PLACES || self.bytes + length > MOST {
            let oldest = self.blocks[0].length;
            free(self.remove(0), oldest);
        }
        self.blocks[self.count] = Block { start: block.expose_provenance(), length };
        self.count += 1;
        self.bytes += length;
    }

    fn remove(&mut self, place: usize) -> *mut u8 {
        let Block { start, length } = self.blocks[place];
        self.blocks.copy_within(place + 1..self.count, place);
        self.count -= 1;
        self.bytes -= length;
        std::ptr::with_exposed_provenance_mut(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::ptr::without_provenance_mut;

    #[test]
    fn large_blocks_have_few_lengths_and_are_at_most_an_eighth_too_long() {
        assert_eq!(length(LARGE - 1), None);
        for bytes in [LARGE, LARGE + 1, 300_000, (1 << 20) - 1, 1 << 20, 5_000_001, 1 << 40] {
            let length = length(bytes).expect("it is large");
            assert!(length >= bytes && length <= bytes + bytes / 8, "{bytes}: {length}");
            assert_eq!(super::length(length), Some(length));
        }
        let all = (LARGE..2 * LARGE).step_by(100).filter_map(length);
        assert_eq!(all.collect::<std::collections::BTreeSet<usize>>().len(), 9);
    }

    #[test]
    fn what_is_kept_is_taken_again_and_the_oldest_goes_when_there_is_too_much() {
        let (mut spare, gone) = (Spare::new(), RefCell::new(Vec::new()));
        let block = |number: usize| without_provenance_mut(number);
        let free = |block: *mut u8, length| gone.borrow_mut().push((block.addr(), length));
        spare.keep(block(1), LARGE, free);
        spare.keep(block(2), 2 * LARGE, free);
        spare.keep(block(3), LARGE, free);
        assert_eq!(spare.take(LARGE).map(<*mut u8>::addr), Some(3));
        assert_eq!(spare.take(2 * LARGE).map(<*mut u8>::addr), Some(2));
        assert_eq!(spare.take(2 * LARGE), None);
        assert!(gone.borrow().is_empty());
        spare.keep(block(4), MOST + 1, free);
        spare.keep(block(5), MOST - LARGE, free);
        assert_eq!(gone.take(), [(4, MOST + 1)]);
        spare.keep(block(6), MOST / 2, free);
        assert_eq!(gone.take(), [(1, LARGE), (5, MOST - LARGE)]);
        (10..11 + PLACES).for_each(|number| spare.keep(block(number), LARGE, free));
        assert_eq!(gone.take(), [(6, MOST / 2), (10, LARGE)]);
        assert_eq!((spare.count, spare.bytes), (PLACES, PLACES * LARGE));
    }
}
