//! Free lists of small blocks by size: most allocations are served from here.
//!
//! The blocks are linked through their first word. A program that writes into a freed block may
//! corrupt that link; so a block is handed out only if it still looks like a free one.

use super::seal::{Broken, SEAL, is_freed};
use std::cell::Cell;
use std::ptr::null_mut;

/// Chunks are multiples of this.
const GRAIN: usize = 16;
const BOARDS: usize = 34;
/// How many blocks lie on one board at most.
const MOST: usize = 24;

/// One board for each size of chunk. The latch of the heap guards it. Starts as zeroes.
pub(super) struct Shelf([Board; BOARDS]);

struct Board {
    first: Cell<*mut u8>,
    count: Cell<usize>,
}

impl Shelf {
    pub(super) const LARGEST_BLOCK: usize = (BOARDS - 1) * GRAIN - 2 * SEAL;

    /// A block that was freed, has room for `bytes` and is not sealed; null when there is none.
    #[inline]
    pub(super) fn take(&self, bytes: usize, key: usize) -> Result<*mut u8, Broken> {
        let chunk = (bytes + 2 * SEAL).next_multiple_of(GRAIN).max(2 * GRAIN);
        let board = &self.0[chunk / GRAIN];
        let block = board.first.get();
        if block.is_null() {
            return Ok(block);
        }
        if !is_freed(block, chunk, key) {
            return Err(Broken { address: block.addr() });
        }
        // SAFETY: a block of this heap that nobody uses; its first word was written by `put`.
        board.first.set(unsafe { block.cast::<*mut u8>().read() });
        board.count.set(board.count.get() - 1);
        Ok(block)
    }

    /// Puts away a block of `bytes` whose seal is broken; false when there is no room for it.
    #[inline]
    pub(super) fn put(&self, block: *mut u8, bytes: usize) -> bool {
        let chunk = bytes + 2 * SEAL;
        let Some(board) = self.0.get(chunk / GRAIN).filter(|board| board.count.get() < MOST) else {
            return false;
        };
        // SAFETY: the block was freed, and has at least 16 bytes.
        unsafe { block.cast::<*mut u8>().write(board.first.get()) };
        board.first.set(block);
        board.count.set(board.count.get() + 1);
        true
    }

    pub(super) fn clear(&self) {
        for board in &self.0 {
            board.first.set(null_mut());
            board.count.set(0);
        }
    }
}
