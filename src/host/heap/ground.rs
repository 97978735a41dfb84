//! The address space of all rank heaps: one reservation, cut so that an address names a seat.
//!
//! ```text
//! [ strip of seat 0 | strip of seat 1 | … ][ slice of seat 0 | slice of seat 1 | … ]
//! ```
//!
//! A heap begins in its strip and moves on to its slice when that is full. Small heaps lie close
//! together this way and share page tables. The books of each heap lie elsewhere, out of reach of
//! a program that runs over the end of a block.

use super::Books;
use std::sync::OnceLock;

/// Where a heap begins; most ranks of most test programs never leave it.
pub(super) const STRIP_BYTES: usize = 128 << 10;
/// What all slices together may take of the 128 TiB that a process has.
const GENEROUS_BYTES: usize = 16 << 40;
const LARGEST_SLICE: usize = 1 << 40;
const SMALLEST_SLICE: usize = 1 << 20;

pub(super) struct Ground {
    low: usize,
    slices: usize,
    high: usize,
    slice_bytes: usize,
    books: usize,
}

static GROUND: OnceLock<Ground> = OnceLock::new();

#[inline]
pub(super) fn ground() -> Option<&'static Ground> {
    GROUND.get()
}

/// Reserves address space for the heaps of `ranks` ranks, once. Without it ranks share libc's heap.
pub(super) fn reserve(ranks: usize, least_bytes: usize) -> bool {
    let ranks = ranks.max(1);
    let generous = (GENEROUS_BYTES / ranks).min(LARGEST_SLICE);
    let mut slice = generous.max(least_bytes).max(SMALLEST_SLICE) & !0xfffff;
    let Some(books) = map(ranks * size_of::<Books>()) else { return false };
    // A limit on address space (`ulimit -v`, strict overcommit) makes the slices smaller.
    let low = loop {
        let bytes = slice.checked_add(STRIP_BYTES).and_then(|each| each.checked_mul(ranks));
        match bytes.and_then(map) {
            Some(low) => break low,
            None if slice / 2 < SMALLEST_SLICE => return false,
            None => slice = (slice / 2) & !0xfffff,
        }
    };
    let slices = low + ranks * STRIP_BYTES;
    let high = slices + ranks * slice;
    GROUND.set(Ground { low, slices, high, slice_bytes: slice, books }).is_ok()
}

fn map(bytes: usize) -> Option<usize> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a fresh mapping, wherever the kernel finds room.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, flags, -1, 0) };
    (start != libc::MAP_FAILED).then(|| start.expose_provenance())
}

impl Ground {
    /// Whether some rank's strip or slice holds `address`.
    #[inline]
    pub(super) fn holds(&self, address: usize) -> bool {
        address.wrapping_sub(self.low) < self.high - self.low
    }

    /// The seat whose strip or slice holds `address`, which the ground holds.
    pub(super) fn seat(&self, address: usize) -> usize {
        match address < self.slices {
            true => (address - self.low) / STRIP_BYTES,
            false => (address - self.slices) / self.slice_bytes,
        }
    }

    pub(super) fn strip(&self, seat: usize) -> usize {
        self.low + seat * STRIP_BYTES
    }

    pub(super) fn slice(&self, seat: usize) -> usize {
        self.slices + seat * self.slice_bytes
    }

    pub(super) fn slice_bytes(&self) -> usize {
        self.slice_bytes
    }

    /// Where the last slice ends.
    #[inline]
    pub(super) fn end(&self) -> usize {
        self.high
    }

    pub(super) fn books(&self, seat: usize) -> *mut Books {
        std::ptr::with_exposed_provenance_mut::<Books>(self.books).wrapping_add(seat)
    }
}
