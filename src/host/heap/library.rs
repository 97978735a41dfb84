//! The allocator for the library's own memory. A dead rank may leave libc's allocator locked, and
//! libc's lock puts a thread to sleep for a wait that takes only a moment.

use super::latch::{Held, Latch};
use dlmalloc::Dlmalloc;
use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::mem::forget;
use std::ptr::null_mut;

pub(super) struct Library {
    latch: Latch,
    blocks: UnsafeCell<Dlmalloc>,
}

// SAFETY: the blocks are touched only while the latch is held.
unsafe impl Sync for Library {}

#[cfg_attr(not(miri), global_allocator)]
static LIBRARY: Library = Library { latch: Latch::new(), blocks: UnsafeCell::new(Dlmalloc::new()) };

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
}

// SAFETY: blocks come from an allocator that keeps the trait's rules; a caller that finds it closed
// gets null, and a block to be freed then stays allocated.
unsafe impl GlobalAlloc for Library {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some((blocks, _held)) = self.open() else { return null_mut() };
        // SAFETY: as our caller promises.
        unsafe { blocks.malloc(layout.size(), layout.align()) }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let Some((blocks, _held)) = self.open() else { return };
        // SAFETY: as our caller promises.
        unsafe { blocks.free(block, layout.size(), layout.align()) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let Some((blocks, _held)) = self.open() else { return null_mut() };
        // SAFETY: as our caller promises.
        unsafe { blocks.calloc(layout.size(), layout.align()) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        let Some((blocks, _held)) = self.open() else { return null_mut() };
        // SAFETY: as our caller promises.
        unsafe { blocks.realloc(block, layout.size(), layout.align(), bytes) }
    }
}

/// From now on a forked child finds the blocks consistent.
pub(super) fn survive_fork() {
    extern "C" fn close() {
        forget(LIBRARY.latch.hold());
    }
    extern "C" fn open() {
        LIBRARY.latch.release();
    }
    // SAFETY: the functions stay where they are, and allocate nothing.
    let status = unsafe { libc::pthread_atfork(Some(close), Some(open), Some(open)) };
    assert_eq!(status, 0, "there is memory for three addresses");
}
