//! The allocator: one heap per rank, so that a rank that corrupts its heap harms no other rank.
//!
//! Rules: only threads of the owner walk a heap. Any other thread that frees a block hands it to
//! the owner through a list, and the owner takes it back at its next `malloc`. Every block ends in
//! a seal; a block without its seal was freed before or was overrun, and that ends the rank that
//! notices.

mod ground;
mod large;
mod latch;
mod library;
mod seal;
mod shelf;
mod spare;
mod thread_cache;

use dlmalloc::{Allocator, Dlmalloc};
use ground::{STRIP_BYTES, ground};
use latch::{Held, Latch};
pub(super) use seal::Broken;
use seal::{SEAL, break_seal, check_seal, seal};
use shelf::Shelf;
use std::cell::{Cell, UnsafeCell};
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// The smallest request that gets its own mapping, initially and at most: a program that frees such
/// a block is assumed to need more of that size, as in libc.
const FIRST_LARGE: usize = 4 << 20;
const LAST_LARGE: usize = 32 << 20;
/// A heap that has freed this much in big pieces returns the free memory at its end.
const TRIM_AFTER: usize = 64 << 20;
const TRIM_PIECE: usize = 64 << 10;
const TRIM_PAD: usize = 16 << 20;
const PAGE: usize = 4096;
/// A rank's heap: a strip and a slice of one reservation, named by their plot.
#[derive(Debug)]
pub(super) struct Heap {
    plot: usize,
    books: *mut Books,
    strip: usize,
    slice: usize,
    slice_bytes: usize,
}

// SAFETY: the books are guarded by their latch and their atomics.
unsafe impl Send for Heap {}
// SAFETY: as above.
unsafe impl Sync for Heap {}

/// The metadata of a heap. Starts as zeroes.
struct Books {
    latch: Latch,
    /// The key of all seals of this life; 0 while no rank lives here.
    key: AtomicUsize,
    /// Blocks that others freed, linked through their first word.
    returned: AtomicPtr<u8>,
    large: AtomicUsize,
    freed: Cell<usize>,
    shelf: Shelf,
    blocks: UnsafeCell<MaybeUninit<Dlmalloc<Extent>>>,
}

/// The owner of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The heap on this plot.
    Plot(usize),
    /// A block with its own mapping, of any rank.
    Large,
    /// Not a rank's: libc's.
    Libc,
}

/// Reserves address space for the heaps of `ranks` ranks, once, before the first of them starts.
/// `least_bytes` is how far each must be able to grow; `are_shown`: other processes may read in
/// heaps of the dead, which stay. False when there is no room at all.
pub(super) fn reserve(ranks: usize, least_bytes: usize, are_shown: bool) -> bool {
    library::survive_fork();
    ground::reserve(ranks, least_bytes, are_shown, size_of::<Books>())
}

/// The owner of `block`.
#[inline]
pub(super) fn owner(block: *const u8) -> Owner {
    let address = block.addr();
    match ground() {
        None => Owner::Libc,
        Some(ground) if ground.holds(address) => Owner::Plot(ground.plot(address)),
        Some(_) if large::may_be(address) && large::usable(address).is_some() => Owner::Large,
        Some(_) => Owner::Libc,
    }
}

/// The offset of a block in its heap: equal in runs that do the same allocations.
pub(super) fn offset(block: *const u8) -> Option<usize> {
    ground().filter(|ground| ground.holds(block.addr())).map(|ground| ground.offset(block.addr()))
}

/// While this exists, the heap of the calling rank and the register of large blocks stay
/// consistent, for a child that is forked meanwhile.
#[expect(dead_code, reason = "both are there to be dropped")]
pub(super) struct Still(Option<Held<'static>>, Option<Held<'static>>);

impl Heap {
    /// The heap of a new life in `seat`. What an earlier life left was freed before.
    pub(super) fn new(seat: usize) -> Heap {
        let plot = ground().and_then(|ground| ground.plot_of(seat));
        plot.map_or(Heap::without_ground(), Heap::on)
    }

    fn without_ground() -> Heap {
        Heap { plot: usize::MAX, books: null_mut(), strip: 0, slice: 0, slice_bytes: 0 }
    }

    /// The heap on `plot`.
    fn on(plot: usize) -> Heap {
        let Some(ground) = ground() else { return Heap::without_ground() };
        Heap {
            plot,
            books: std::ptr::with_exposed_provenance_mut::<Books>(ground.books())
                .wrapping_add(plot),
            strip: ground.strip(plot),
            slice: ground.slice(plot),
            slice_bytes: ground.slice_bytes(),
        }
    }

    /// Abandons the heap as it is, for a thread that could not be ended: the next life in `seat`
    /// has another heap.
    pub(super) fn desert(&self, seat: usize) {
        if let Some(ground) = ground().filter(|_| self.is_private()) {
            ground.move_away(seat);
        }
    }

    /// Whether `block` is in this heap, apart from blocks with a mapping of their own.
    #[inline]
    pub(super) fn holds(&self, block: *const u8) -> bool {
        let address = block.addr();
        address.wrapping_sub(self.strip) < STRIP_BYTES && !self.books.is_null()
            || address.wrapping_sub(self.slice) < self.slice_bytes
    }

    /// Whether there is ground for this heap; otherwise its rank shares libc's.
    #[inline]
    pub(super) fn is_private(&self) -> bool {
        !self.books.is_null()
    }

    #[inline]
    fn books(&self) -> Option<&'static Books> {
        // SAFETY: the reservation is never unmapped, and zeroes are valid books.
        unsafe { self.books.as_ref() }
    }

    /// How many bytes strip and slice take up.
    pub(super) fn footprint(&self) -> usize {
        let Some(books) = self.books() else { return 0 };
        let held = books.latch.hold();
        match held.is_some() && books.key.load(Ordering::Relaxed) != 0 {
            true => self.blocks(books).allocator().used(),
            false => 0,
        }
    }

    pub(super) fn hold_still(&self) -> Still {
        Still(self.books().and_then(|books| books.latch.hold()), large::hold_still())
    }

    /// A block of `bytes`; null when there is no memory.
    #[inline]
    pub(super) fn allocate(&self, bytes: usize) -> Result<*mut u8, Broken> {
        let Some(books) = self.books() else { return Ok(null_mut()) };
        if bytes <= Shelf::LARGEST_BLOCK
            && let Some(held) = books.latch.hold()
        {
            let key = books.key.load(Ordering::Relaxed);
            let block = books.shelf.take(bytes, key)?;
            if !block.is_null() {
                drop(held);
                seal(block, key)?;
                return Ok(block);
            }
            if key != 0 {
                return self.carve(books, held, 0, bytes);
            }
        }
        self.allocate_aligned(0, bytes)
    }

    /// A block of `bytes` zeroes; null when there is no memory.
    pub(super) fn allocate_zeroed(&self, bytes: usize) -> Result<*mut u8, Broken> {
        let (block, known) = match self.hold_to_grow(bytes) {
            Some((books, held)) => {
                let known = self.blocks(books).allocator().peak.get();
                (self.carve(books, held, 0, bytes)?, known)
            }
            None => (self.allocate(bytes)?, usize::MAX),
        };
        // A mapping of its own is zeroed by the kernel, and so is what the heap has grown by.
        if !block.is_null() && ground().is_some_and(|ground| ground.holds(block.addr())) {
            let is_in_slice = block.addr().wrapping_sub(self.slice) < self.slice_bytes;
            let used = if is_in_slice { known.saturating_sub(block.addr()) } else { bytes };
            // SAFETY: the block was just made and has `bytes` bytes.
            unsafe { block.write_bytes(0, used.min(bytes)) };
        }
        Ok(block)
    }

    /// The latch, for a block for which the heap may have to grow by much.
    fn hold_to_grow(&self, bytes: usize) -> Option<(&'static Books, Held<'static>)> {
        /// Fewer bytes are zeroed in a moment.
        const MUCH: usize = 64 << 10;
        let books = self.books().filter(|_| bytes >= MUCH)?;
        let held = self.hold_open(books)?;
        (bytes < books.large.load(Ordering::Relaxed)).then_some((books, held))
    }

    /// A block of `bytes` aligned to `align`, a power of two; null when there is no memory.
    pub(super) fn allocate_aligned(&self, align: usize, bytes: usize) -> Result<*mut u8, Broken> {
        let Some(books) = self.books() else { return Ok(null_mut()) };
        if bytes >= books.large.load(Ordering::Relaxed) {
            return self.allocate_rarely(books, align, bytes);
        }
        match books.latch.hold() {
            Some(held) => self.carve(books, held, align, bytes),
            None => Ok(large::allocate(self.plot, align, bytes)),
        }
    }

    /// Allocates from strip and slice. The heap is open, and `bytes` is not large.
    fn carve(
        &self, books: &Books, held: Held<'_>, align: usize, bytes: usize,
    ) -> Result<*mut u8, Broken> {
        let heap = self.blocks(books);
        if !books.returned.load(Ordering::Relaxed).is_null() {
            take_back(books, heap);
        }
        // SAFETY: `align` is a power of two; the size cannot overflow below the large threshold.
        let block = unsafe {
            match align {
                0..=16 => heap.c_malloc(bytes + SEAL),
                _ => heap.c_memalign(align, bytes + SEAL),
            }
        };
        drop(held);
        if block.is_null() {
            return Ok(large::allocate(self.plot, align, bytes));
        }
        seal(block, books.key.load(Ordering::Relaxed))?;
        Ok(block)
    }

    /// Frees a block of this rank's own heap.
    #[inline]
    pub(super) fn free(&self, block: *mut u8) -> Result<(), Broken> {
        let books = self.books().expect("only a heap with ground has blocks");
        let bytes = break_seal(block, books.key.load(Ordering::Relaxed))?;
        // Without the latch this is a handler, and the block stays allocated.
        let Some(_held) = books.latch.hold() else { return Ok(()) };
        if books.shelf.put(block, bytes) {
            return Ok(());
        }
        let heap = self.blocks(books);
        // SAFETY: the seal says that it is a living block of this heap.
        unsafe { heap.c_free(block) };
        if bytes >= TRIM_PIECE {
            self.trim(books, heap, bytes);
        }
        Ok(())
    }

    /// Resizes a block of this rank's own heap to `bytes`; null when there is no memory.
    pub(super) fn resize(&self, block: *mut u8, bytes: usize) -> Result<*mut u8, Broken> {
        let books = self.books().expect("only a heap with ground has blocks");
        let key = books.key.load(Ordering::Relaxed);
        let old_bytes = check_seal(block, key)?;
        let large = books.large.load(Ordering::Relaxed);
        if bytes < large
            && let Some(held) = books.latch.hold()
        {
            // SAFETY: the seal says that it is a living block of this heap.
            let moved = unsafe { self.blocks(books).c_realloc(block, bytes + SEAL) };
            drop(held);
            if !moved.is_null() {
                seal(moved, key)?;
                return Ok(moved);
            }
        }
        let moved = large::allocate(self.plot, 0, bytes);
        if !moved.is_null() {
            // SAFETY: both blocks have that many bytes and are different.
            unsafe { moved.copy_from_nonoverlapping(block, old_bytes.min(bytes)) };
            self.free(block)?;
        }
        Ok(moved)
    }

    /// Frees all memory. The rank is dead, and none of its threads runs any more.
    pub(super) fn give_back(&self) {
        let (Some(books), Some(ground)) = (self.books(), ground()) else { return };
        if books.key.swap(0, Ordering::AcqRel) == 0 {
            return;
        }
        books.large.store(0, Ordering::Relaxed);
        // The next life looks there before its heap is open.
        books.shelf.clear();
        large::give_back(self.plot);
        let extent = self.blocks_as_left(books).allocator();
        let slice = ground.slice(self.plot);
        discard(ground.strip(self.plot), STRIP_BYTES);
        discard(slice, extent.peak.get().saturating_sub(slice));
        books.returned.store(null_mut(), Ordering::Relaxed);
        // A rank that died inside its heap left the latch held.
        books.latch.release();
    }

    /// The first block of a life, and large ones.
    #[cold]
    fn allocate_rarely(
        &self, books: &'static Books, align: usize, bytes: usize,
    ) -> Result<*mut u8, Broken> {
        let Some(held) = self.hold_open(books) else {
            return Ok(large::allocate(self.plot, align, bytes));
        };
        if bytes < books.large.load(Ordering::Relaxed) {
            return self.carve(books, held, align, bytes);
        }
        drop(held);
        Ok(large::allocate(self.plot, align, bytes))
    }

    /// The latch of the heap, which is open.
    fn hold_open(&self, books: &'static Books) -> Option<Held<'static>> {
        let held = books.latch.hold()?;
        // Another thread may have opened it meanwhile.
        if books.key.load(Ordering::Relaxed) == 0 {
            self.open(books);
        }
        Some(held)
    }

    /// The blocks in strip and slice. The latch is held, and the heap is open.
    #[inline]
    #[expect(clippy::mut_from_ref, reason = "the latch is held")]
    fn blocks<'a>(&self, books: &'a Books) -> &'a mut Dlmalloc<Extent> {
        // SAFETY: `open` made them before any block existed, and the latch keeps others out.
        unsafe { (*books.blocks.get()).assume_init_mut() }
    }

    fn blocks_as_left<'a>(&self, books: &'a Books) -> &'a Dlmalloc<Extent> {
        // SAFETY: a key was set, so they were made; no thread is left to touch them.
        unsafe { (*books.blocks.get()).assume_init_ref() }
    }

    #[cold]
    fn open(&self, books: &Books) {
        let ground = ground().expect("books lie on the ground");
        let mut blocks = Dlmalloc::new_with_allocator(Extent::new(ground, self.plot));
        // An idle rank touches one page, and growing costs no system call.
        assert!(blocks.set_granularity(PAGE), "a page is a power of two");
        blocks.set_max_release_check_rate(0);
        // SAFETY: the latch is held.
        unsafe { (*books.blocks.get()).write(blocks) };
        books.freed.set(0);
        books.shelf.clear();
        books.key.store(fresh_key(), Ordering::Relaxed);
        books.large.store(FIRST_LARGE.min(ground.slice_bytes() / 4), Ordering::Release);
    }

    #[cold]
    fn trim(&self, books: &Books, heap: &mut Dlmalloc<Extent>, bytes: usize) {
        let freed = books.freed.get() + bytes;
        books.freed.set(freed % TRIM_AFTER);
        if freed >= TRIM_AFTER {
            heap.allocator().may_trim.set(true);
            // SAFETY: trimming touches only what is free.
            unsafe { heap.trim(TRIM_PAD) };
            heap.allocator().may_trim.set(false);
        }
    }
}

/// Hands a block of the heap on `plot` to its owner. Ignores a block without seal: the owner may
/// have died since, and the block with it.
pub(super) fn free_from_outside(plot: usize, block: *mut u8) {
    let Some(books) = Heap::on(plot).books() else { return };
    let key = books.key.load(Ordering::Acquire);
    if key == 0 || break_seal(block, key).is_err() {
        return;
    }
    let mut first = books.returned.load(Ordering::Relaxed);
    loop {
        // SAFETY: the seal said that the block was alive; it is ours now, and has 16 bytes.
        unsafe { block.cast::<*mut u8>().write(first) };
        let swap = books.returned.compare_exchange_weak(
            first,
            block,
            Ordering::Release,
            Ordering::Relaxed,
        );
        match swap {
            Ok(_) => return,
            Err(now) => first = now,
        }
    }
}

/// The size of a block of the heap on `plot`.
pub(super) fn usable(plot: usize, block: *mut u8) -> Result<usize, Broken> {
    let address = block.addr();
    let books = Heap::on(plot).books().ok_or(Broken { address })?;
    check_seal(block, books.key.load(Ordering::Acquire))
}

/// Frees a block with its own mapping, and lets the heap of the calling rank adapt its threshold.
pub(super) fn free_large(heap: Option<&Heap>, block: *mut u8) {
    let bytes = large::usable(block.addr()).unwrap_or(0);
    large::free(block.expose_provenance());
    if let Some(books) = heap.and_then(Heap::books)
        && books.key.load(Ordering::Relaxed) != 0
        && (FIRST_LARGE..LAST_LARGE).contains(&bytes)
    {
        books.large.fetch_max(bytes + PAGE, Ordering::Relaxed);
    }
}

/// The size of a block with its own mapping.
pub(super) fn usable_large(block: *mut u8) -> Option<usize> {
    large::usable(block.addr())
}

/// Resizes a block with its own mapping; null when there is no memory.
pub(super) fn resize_large(block: *mut u8, bytes: usize) -> *mut u8 {
    large::resize(block.expose_provenance(), bytes)
}

/// Frees the blocks that other threads have handed back. The latch is held.
#[cold]
fn take_back(books: &Books, heap: &mut Dlmalloc<Extent>) {
    let mut block = books.returned.swap(null_mut(), Ordering::Acquire);
    while !block.is_null() {
        // SAFETY: the thread that handed it back wrote the next one's address into it.
        let next = unsafe { block.cast::<*mut u8>().read() };
        // SAFETY: its seal was intact when it was handed back.
        unsafe { heap.c_free(block) };
        block = next;
    }
}

/// A number that no program writes at the end of a block by accident, different for every life.
fn fresh_key() -> usize {
    static LIVES: AtomicUsize = AtomicUsize::new(1);
    // SAFETY: the kernel gives every process 16 random bytes, at this address or not at all.
    let random = match unsafe { libc::getauxval(libc::AT_RANDOM) } as usize {
        0 => 0x9e37_79b9_7f4a_7c15,
        // SAFETY: as above.
        address => unsafe { std::ptr::with_exposed_provenance::<usize>(address).read_unaligned() },
    };
    let life = LIVES.fetch_add(1, Ordering::Relaxed);
    (random ^ life.wrapping_mul(0x9e37_79b9_7f4a_7c15)) | 1
}

fn discard(start: usize, bytes: usize) {
    if bytes == 0 {
        return;
    }
    // SAFETY: the pages are a dead rank's, or free ones at the end of a heap.
    unsafe {
        let start = std::ptr::with_exposed_provenance_mut(start);
        libc::madvise(start, bytes.next_multiple_of(PAGE), libc::MADV_DONTNEED)
    };
}

/// The growing edge of a heap: first in the strip, then in the slice.
struct Extent {
    next: Cell<usize>,
    end: Cell<usize>,
    slice: usize,
    slice_end: usize,
    /// The highest address in the slice that was ever handed out.
    peak: Cell<usize>,
    may_trim: Cell<bool>,
}

impl Extent {
    fn new(ground: &ground::Ground, plot: usize) -> Extent {
        let strip = ground.strip(plot);
        let slice = ground.slice(plot);
        Extent {
            next: Cell::new(strip),
            end: Cell::new(strip + STRIP_BYTES),
            slice,
            slice_end: slice + ground.slice_bytes(),
            peak: Cell::new(slice),
            may_trim: Cell::new(false),
        }
    }

    /// How many bytes have been handed out.
    fn used(&self) -> usize {
        match self.end.get() == self.slice_end {
            true => STRIP_BYTES + self.next.get() - self.slice,
            false => self.next.get() + STRIP_BYTES - self.end.get(),
        }
    }
}

// SAFETY: hands out each address of its own strip and slice once.
unsafe impl Allocator for Extent {
    fn alloc(&self, bytes: usize) -> (*mut u8, usize, u32) {
        let in_strip = self.end.get() != self.slice_end;
        if in_strip && self.end.get() - self.next.get() < bytes {
            self.next.set(self.slice);
            self.end.set(self.slice_end);
        }
        let start = self.next.get();
        if self.end.get() - start < bytes {
            return (null_mut(), 0, 0);
        }
        self.next.set(start + bytes);
        if self.end.get() == self.slice_end {
            self.peak.set(self.peak.get().max(start + bytes));
        }
        (std::ptr::with_exposed_provenance_mut(start), bytes, 0)
    }

    fn remap(&self, _: *mut u8, _: usize, _: usize, _: bool) -> *mut u8 {
        null_mut()
    }

    fn free_part(&self, start: *mut u8, bytes: usize, left: usize) -> bool {
        let edge = start.addr() + bytes;
        let at_edge = edge == self.next.get();
        if at_edge {
            self.next.set(start.addr() + left);
            discard(start.addr() + left, bytes - left);
        }
        at_edge
    }

    fn free(&self, _: *mut u8, _: usize) -> bool {
        false
    }

    fn can_release_part(&self, _: u32) -> bool {
        self.may_trim.get()
    }

    fn allocates_zeros(&self) -> bool {
        true
    }

    fn page_size(&self) -> usize {
        PAGE
    }
}

#[cfg(test)]
mod tests;
