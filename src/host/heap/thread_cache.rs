//! Thread caches: small blocks that the library has freed, by size. A thread that needs one again
//! takes it without touching memory that other cores write.
//!
//! There are as many caches as threads may run at a time; each thread has one, shared with others
//! if there are more threads. A cache takes blocks from the allocator behind it, and returns them,
//! several at a time.

use super::latch::{Held, Latch};
use std::alloc::Layout;
use std::cell::{Cell, UnsafeCell};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Sizes are multiples of this, which is also how blocks are aligned.
const GRAIN: usize = 16;
/// The largest block that is kept.
const LARGEST: usize = 2048;
/// The most blocks of one size in a cache, and the most bytes.
const MOST: usize = 32;
const MOST_BYTES: usize = 16 << 10;

/// The free blocks of one size, linked through their first word.
struct Size {
    first: Cell<*mut u8>,
    count: Cell<usize>,
}

const SIZES: usize = LARGEST / GRAIN + 1;
type Sizes = [Size; SIZES];

#[repr(align(64))]
struct Cache {
    latch: Latch,
    sizes: UnsafeCell<Sizes>,
}

// SAFETY: the sizes are touched only while the latch is held.
unsafe impl Sync for Cache {}

/// A cache that the calling thread has for itself until this is dropped.
pub(super) struct Opened {
    sizes: &'static Sizes,
    _held: Held<'static>,
}

const CACHES: usize = 16;
static ALL: [Cache; CACHES] = [const { Cache::new() }; CACHES];

thread_local! {
    /// The number of this thread's cache; [`CACHES`]: none yet.
    static NUMBER: Cell<usize> = const { Cell::new(CACHES) };
}

/// The cache of the calling thread; `None` if a signal handler has interrupted a thread in it.
#[inline(always)]
pub(super) fn open() -> Option<Opened> {
    let number = NUMBER.get();
    let cache = if number < CACHES { &ALL[number] } else { choose() };
    let held = cache.latch.hold()?;
    // SAFETY: the latch is held.
    Some(Opened { sizes: unsafe { &*cache.sizes.get() }, _held: held })
}

#[cold]
fn choose() -> &'static Cache {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed) % CACHES;
    NUMBER.set(number);
    &ALL[number]
}

/// What guards the caches, in the order in which they may be held together.
pub(super) fn latches() -> impl Iterator<Item = &'static Latch> {
    ALL.iter().map(|cache| &cache.latch)
}

/// How many bytes a block for this layout has; `None`: such a block is not kept in caches.
#[inline(always)]
pub(super) fn bytes_of(layout: Layout) -> Option<usize> {
    let bytes = layout.size().next_multiple_of(GRAIN);
    (layout.align() <= GRAIN && (GRAIN..=LARGEST).contains(&bytes)).then_some(bytes)
}

/// How many blocks of this size a cache has at most.
#[inline]
fn most(bytes: usize) -> usize {
    MOST.min(MOST_BYTES / bytes)
}

impl Cache {
    const fn new() -> Cache {
        let sizes = [const { Size { first: Cell::new(null_mut()), count: Cell::new(0) } }; SIZES];
        Cache { latch: Latch::new(), sizes: UnsafeCell::new(sizes) }
    }
}

impl Opened {
    /// A free block of this size; null when there is none.
    #[inline(always)]
    pub(super) fn take(&self, bytes: usize) -> *mut u8 {
        let size = &self.sizes[bytes / GRAIN];
        let block = size.first.get();
        if !block.is_null() {
            // SAFETY: nobody uses the block, and `put` wrote its first word.
            size.first.set(unsafe { block.cast::<*mut u8>().read() });
            size.count.set(size.count.get() - 1);
        }
        block
    }

    /// Puts a block of this size away; false when there are as many as the cache may have.
    #[inline(always)]
    pub(super) fn put(&self, block: *mut u8, bytes: usize) -> bool {
        let size = &self.sizes[bytes / GRAIN];
        let has_room = size.count.get() < most(bytes);
        if has_room {
            // SAFETY: the caller has given the block up, and it has room for a pointer.
            unsafe { block.cast::<*mut u8>().write(size.first.get()) };
            size.first.set(block);
            size.count.set(size.count.get() + 1);
        }
        has_room
    }

    /// A block of this size, of which the cache has none: made by `make`, like some for later.
    #[cold]
    pub(super) fn refill(&self, bytes: usize, mut make: impl FnMut() -> *mut u8) -> *mut u8 {
        for _ in 0..most(bytes) / 4 {
            let block = make();
            if block.is_null() || !self.put(block, bytes) {
                break;
            }
        }
        make()
    }

    /// Gives half of the blocks of this size, of which the cache is full, to `free`.
    #[cold]
    pub(super) fn drain(&self, bytes: usize, mut free: impl FnMut(*mut u8)) {
        (0..most(bytes).div_ceil(2)).for_each(|_| free(self.take(bytes)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_were_freed_are_found_again_by_their_size() {
        let layout = |bytes, align| Layout::from_size_align(bytes, align).expect("it is valid");
        assert_eq!(bytes_of(layout(1, 1)), Some(16));
        assert_eq!(bytes_of(layout(33, 16)), Some(48));
        assert_eq!(bytes_of(layout(LARGEST, 8)), Some(LARGEST));
        assert_eq!(bytes_of(layout(LARGEST + 1, 8)), None);
        assert_eq!(bytes_of(layout(64, 64)), None);
        let mut memory = vec![[0_u128; 2]; MOST + 1];
        let blocks: Vec<*mut u8> =
            memory.iter_mut().map(|block| block.as_mut_ptr().cast()).collect();
        let cache = Box::leak(Box::new(Cache::new()));
        let held = cache.latch.hold().expect("nobody holds it");
        // SAFETY: the latch is held.
        let opened = Opened { sizes: unsafe { &*cache.sizes.get() }, _held: held };
        assert!(opened.take(32).is_null());
        let mut fresh = blocks.iter().copied();
        let first = opened.refill(32, || fresh.next().unwrap_or(null_mut()));
        assert_eq!(first, blocks[MOST / 4]);
        assert_eq!(opened.take(32), blocks[MOST / 4 - 1]);
        assert!(opened.take(48).is_null());
        for block in [first, blocks[MOST / 4 - 1]].into_iter().chain(fresh) {
            if !opened.put(block, 32) {
                let mut given = 0;
                opened.drain(32, |_| given += 1);
                assert!(given == MOST / 2 && opened.put(block, 32));
            }
        }
        let left = std::iter::from_fn(|| Some(opened.take(32)).filter(|block| !block.is_null()));
        assert_eq!(left.count(), MOST + 1 - MOST / 2);
    }
}
