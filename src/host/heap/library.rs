//! The allocator for the library's own memory. A dead rank may leave libc's allocator locked, and
//! libc's lock puts a thread to sleep for a wait that takes only a moment. Small blocks come from
//! the calling thread's cache; large ones are kept for a while when they are free.

use super::latch::{Held, Latch};
use super::spare::{self, Spare};
use super::thread_cache::{self, bytes_of};
use dlmalloc::Dlmalloc;
use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::mem::forget;
use std::ptr::null_mut;

pub(super) struct Library {
    latch: Latch,
    blocks: UnsafeCell<Dlmalloc>,
    spare: UnsafeCell<Spare>,
}

// SAFETY: the blocks, and which of them are spare, are touched only while the latch is held.
unsafe impl Sync for Library {}

#[cfg_attr(not(miri), global_allocator)]
static LIBRARY: Library = Library {
    latch: Latch::new(),
    blocks: UnsafeCell::new(Dlmalloc::new()),
    spare: UnsafeCell::new(Spare::new()),
};

/// What every block has.
const ALIGNMENT: usize = 2 * size_of::<usize>();

/// How long the block for a layout that no cache keeps is, and whether it is kept when it is free.
fn length_of(layout: Layout) -> (usize, bool) {
    // Others would have to be found by their alignment, too.
    let is_plain = layout.align() <= ALIGNMENT;
    match spare::length(layout.size()).filter(|_| is_plain) {
        Some(length) => (length, true),
        None => (layout.size(), false),
    }
}

impl Library {
    /// The blocks, for this thread alone while the second part lives; `None` if a signal handler
    /// has interrupted this very thread in here.
    #[allow(clippy::mut_from_ref, reason = "the latch goes with it, and one holds that at a time")]
    #[inline]
    fn open(&self) -> Option<(&mut Dlmalloc, Held<'_>)> {
        let held = self.latch.hold()?;
        // SAFETY: the latch is held.
        Some((unsafe { &mut *self.blocks.get() }, held))
    }

    /// A block that no thread's cache keeps; `is_zero`: it is to be zeroed.
    fn carve(&self, layout: Layout, is_zero: bool) -> *mut u8 {
        let (length, is_kept) = length_of(layout);
        let Some((blocks, held)) = self.open() else { return null_mut() };
        // SAFETY: the latch is held.
        let spare = unsafe { &mut *self.spare.get() };
        let kept = if is_kept { spare.take(length) } else { None };
        let Some(kept) = kept else {
            let make = if is_zero { Dlmalloc::calloc } else { Dlmalloc::malloc };
            // SAFETY: the layout is valid, and its size is not 0.
            return unsafe { make(blocks, length, layout.align()) };
        };
        drop(held);
        if is_zero {
            // SAFETY: nobody else has the block, which is at least so long.
            unsafe { kept.write_bytes(0, layout.size()) };
        }
        kept
    }

    /// Frees a block that [`Library::carve`] has made.
    fn restore(&self, block: *mut u8, layout: Layout) {
        let (length, is_kept) = length_of(layout);
        let Some((blocks, _held)) = self.open() else { return };
        if !is_kept {
            // SAFETY: the caller gives up a block that was made with this layout.
            return unsafe { blocks.free(block, length, layout.align()) };
        }
        let blocks = std::cell::RefCell::new(blocks);
        // SAFETY: the latch is held.
        let spare = unsafe { &mut *self.spare.get() };
        // SAFETY: nobody uses a block that was kept; all have this alignment.
        spare.keep(block, length, |block, length| unsafe {
            blocks.borrow_mut().free(block, length, ALIGNMENT);
        });
    }
}

// SAFETY: blocks come from an allocator that keeps the trait's rules; a caller that finds it closed
// gets null, and a block to be freed then stays allocated.
unsafe impl GlobalAlloc for Library {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(bytes) = bytes_of(layout) else { return self.carve(layout, false) };
        let Some(cache) = thread_cache::open() else { return null_mut() };
        let block = cache.take(bytes);
        if !block.is_null() {
            return block;
        }
        let Some((blocks, _held)) = self.open() else { return null_mut() };
        // SAFETY: as our caller promises; the size is not 0.
        cache.refill(bytes, || unsafe { blocks.malloc(bytes, layout.align()) })
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let Some(bytes) = bytes_of(layout) else { return self.restore(block, layout) };
        let Some(cache) = thread_cache::open() else { return };
        if !cache.put(block, bytes) {
            if let Some((blocks, _held)) = self.open() {
                // SAFETY: the caches have blocks of this allocator that nobody uses.
                cache.drain(bytes, |block| unsafe { blocks.free(block, bytes, layout.align()) });
            }
            cache.put(block, bytes);
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if bytes_of(layout).is_none() {
            return self.carve(layout, true);
        }
        // SAFETY: as our caller promises.
        let block = unsafe { self.alloc(layout) };
        if !block.is_null() {
            // SAFETY: the block was just made, of this size.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller promises that a layout of that size is valid.
        let other = unsafe { Layout::from_size_align_unchecked(bytes, layout.align()) };
        match (bytes_of(layout), bytes_of(other)) {
            (None, None) => {
                let ((before, _), (after, _)) = (length_of(layout), length_of(other));
                if before == after {
                    return block;
                }
                let Some((blocks, _held)) = self.open() else { return null_mut() };
                // SAFETY: as our caller promises; the block is as long as its layout tells.
                unsafe { blocks.realloc(block, before, layout.align(), after) }
            }
            (before, after) if before == after => block,
            _ => {
                // SAFETY: as our caller promises.
                let moved = unsafe { self.alloc(other) };
                if !moved.is_null() {
                    // SAFETY: both blocks have so many bytes, and the old one is given up.
                    unsafe {
                        block.copy_to_nonoverlapping(moved, layout.size().min(bytes));
                        self.dealloc(block, layout);
                    }
                }
                moved
            }
        }
    }
}

/// From now on a forked child finds the blocks consistent.
pub(super) fn survive_fork() {
    extern "C" fn close() {
        thread_cache::latches().for_each(|latch| forget(latch.hold()));
        forget(LIBRARY.latch.hold());
    }
    extern "C" fn open() {
        LIBRARY.latch.release();
        thread_cache::latches().for_each(Latch::release);
    }
    // SAFETY: the functions stay where they are, and allocate nothing.
    let status = unsafe { libc::pthread_atfork(Some(close), Some(open), Some(open)) };
    assert_eq!(status, 0, "there is memory for three addresses");
}
