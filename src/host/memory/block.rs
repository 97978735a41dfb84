//! Memory of the library that programs use like their own: windows that MPI allocates. It outlives
//! the rank that it was made for, as long as others hold it.

use super::Span;
use std::alloc::{Layout, alloc_zeroed, dealloc};

/// Blocks begin at cache lines.
const ALIGNMENT: usize = 64;

/// Zeroed memory, which only its address leads to.
#[derive(Debug)]
pub struct Block {
    address: usize,
    layout: Layout,
    bytes: usize,
}

impl Block {
    /// A block of `bytes`; `None` if there is no memory for it.
    pub fn zeroed(bytes: usize) -> Option<Block> {
        let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT).ok()?;
        // SAFETY: the size is not zero.
        let start = unsafe { alloc_zeroed(layout) };
        let block = Block { address: start.expose_provenance(), layout, bytes };
        if start.is_null() {
            std::mem::forget(block);
            return None;
        }
        Some(block)
    }

    pub fn span(&self) -> Span {
        Span { address: self.address, bytes: self.bytes }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout, and whoever holds the address has given the
        // window back that it was of.
        unsafe { dealloc(std::ptr::with_exposed_provenance_mut(self.address), self.layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_zeroed_and_begin_at_cache_lines() {
        for bytes in [0, 1, 100, 1 << 20] {
            let block = Block::zeroed(bytes).expect("there is memory");
            let span = block.span();
            assert_eq!((span.address() % ALIGNMENT, span.bytes()), (0, bytes));
            let mut read = vec![1; bytes];
            assert_eq!(super::super::copy(span, Span::of_mut(&mut read)), Ok(()));
            assert!(read.iter().all(|byte| *byte == 0));
        }
        assert!(Block::zeroed(usize::MAX / 2).is_none());
    }
}
