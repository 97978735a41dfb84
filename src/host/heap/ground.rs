//! The address space of all rank heaps: one reservation, divided so that an address names a heap.
//!
//! ```text
//! [ strip of plot 0 | strip of plot 1 | … ][ slice of plot 0 | slice of plot 1 | … ]
//! ```
//!
//! Every seat begins on the plot of its number. If a dead rank's thread could not be ended, or
//! other processes may still read in its memory, the next incarnation in its seat moves to a spare
//! plot; when those are used up, it shares libc's heap.
//!
//! A heap begins in its strip and continues in its slice when the strip is full. Small heaps are
//! close together this way and share page tables. The metadata of each heap is elsewhere, out of
//! reach of a program that writes past the end of a block.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The size of a strip; most ranks of most test programs never leave it.
pub(super) const STRIP_BYTES: usize = 128 << 10;
/// The most that all slices together may take of the 128 TiB of a process.
const GENEROUS_BYTES: usize = 16 << 40;
const LARGEST_SLICE: usize = 1 << 40;
/// Spare plots, beside those that the seats begin on.
const RANKS_PER_SPARE: usize = 16;
const LEAST_SPARES: usize = 2;
/// The same where other processes may read in the heaps of ranks that have died.
const SPARES_OF_SHOWN: usize = 1000;
const SMALLEST_SLICE: usize = 1 << 20;

pub(super) struct Ground {
    low: usize,
    slices: usize,
    high: usize,
    slice_bytes: usize,
    books: usize,
    /// The plot of each seat.
    plots: Box<[AtomicUsize]>,
    next_spare: AtomicUsize,
    plot_count: usize,
}

static GROUND: OnceLock<Ground> = OnceLock::new();

#[inline]
pub(super) fn ground() -> Option<&'static Ground> {
    GROUND.get()
}

/// Reserves address space for the heaps of `ranks` ranks, once, and for the books of each. Without
/// it ranks share libc's heap.
pub(super) fn reserve(
    ranks: usize, least_bytes: usize, are_shown: bool, books_bytes: usize,
) -> bool {
    let seats = ranks.max(1);
    let least_spares = if are_shown { SPARES_OF_SHOWN } else { LEAST_SPARES };
    let plot_count = seats + seats / RANKS_PER_SPARE + least_spares;
    let generous = (GENEROUS_BYTES / plot_count).min(LARGEST_SLICE);
    let mut slice = generous.max(least_bytes).max(SMALLEST_SLICE) & !0xfffff;
    let Some(books) = map(plot_count * books_bytes) else { return false };
    // A limit on address space (`ulimit -v`, strict overcommit) makes the slices smaller.
    let low = loop {
        let bytes = slice.checked_add(STRIP_BYTES).and_then(|each| each.checked_mul(plot_count));
        match bytes.and_then(map) {
            Some(low) => break low,
            None if slice / 2 < SMALLEST_SLICE => return false,
            None => slice = (slice / 2) & !0xfffff,
        }
    };
    let slices = low + plot_count * STRIP_BYTES;
    let high = slices + plot_count * slice;
    let plots = (0..seats).map(AtomicUsize::new).collect();
    let next_spare = AtomicUsize::new(seats);
    let slice_bytes = slice;
    let ground = Ground { low, slices, high, slice_bytes, books, plots, next_spare, plot_count };
    GROUND.set(ground).is_ok()
}

fn map(bytes: usize) -> Option<usize> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping, where the kernel finds room.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, flags, -1, 0) };
    (start != libc::MAP_FAILED).then(|| start.expose_provenance())
}

impl Ground {
    /// Whether some strip or slice holds `address`.
    #[inline]
    pub(super) fn holds(&self, address: usize) -> bool {
        address.wrapping_sub(self.low) < self.high - self.low
    }

    /// The plot for the heap of a new life in `seat`.
    pub(super) fn plot_of(&self, seat: usize) -> Option<usize> {
        let plot = self.plots.get(seat)?.load(Ordering::Acquire);
        (plot < self.plot_count).then_some(plot)
    }

    /// Abandons the heap of `seat`: the next life has another plot.
    pub(super) fn move_away(&self, seat: usize) {
        if let Some(plot) = self.plots.get(seat) {
            plot.store(self.next_spare.fetch_add(1, Ordering::Relaxed), Ordering::Release);
        }
    }

    /// The offset of an address of the ground in its plot.
    pub(super) fn offset(&self, address: usize) -> usize {
        match address < self.slices {
            true => (address - self.low) % STRIP_BYTES,
            false => (address - self.slices) % self.slice_bytes,
        }
    }

    /// The plot whose strip or slice holds `address`, which the ground holds.
    pub(super) fn plot(&self, address: usize) -> usize {
        match address < self.slices {
            true => (address - self.low) / STRIP_BYTES,
            false => (address - self.slices) / self.slice_bytes,
        }
    }

    pub(super) fn strip(&self, plot: usize) -> usize {
        self.low + plot * STRIP_BYTES
    }

    pub(super) fn slice(&self, plot: usize) -> usize {
        self.slices + plot * self.slice_bytes
    }

    pub(super) fn slice_bytes(&self) -> usize {
        self.slice_bytes
    }

    /// Where the last slice ends.
    #[inline]
    pub(super) fn end(&self) -> usize {
        self.high
    }

    /// Where the books of the first plot lie.
    pub(super) fn books(&self) -> usize {
        self.books
    }
}
