//! Blocks too large for a slice, or large enough that unmapping them at once is worth a system
//! call.
//!
//! Each is a mapping of its own and is remembered here, so that a dead rank's blocks can be
//! unmapped and `free` can tell them from blocks of libc's.

use super::latch::{Held, Latch};
use std::cell::UnsafeCell;
use std::collections::BTreeMap;

const PAGE: usize = 4096;
/// Distance from the start of a mapping to its block. libc's own mapped blocks never begin there,
/// so the low bits tell nearly all foreign pointers apart.
const LEAD: usize = 64;

#[derive(Clone, Copy)]
struct Large {
    /// The heap to which it belongs.
    plot: usize,
    start: usize,
    mapped: usize,
}

struct Register {
    latch: Latch,
    blocks: UnsafeCell<BTreeMap<usize, Large>>,
}

// SAFETY: `blocks` is reached only in `with`, which holds the latch.
unsafe impl Sync for Register {}

static REGISTER: Register =
    Register { latch: Latch::new(), blocks: UnsafeCell::new(BTreeMap::new()) };

/// `None` in a handler that has interrupted its own thread in here.
fn with<T>(act: impl FnOnce(&mut BTreeMap<usize, Large>) -> T) -> Option<T> {
    let _held = REGISTER.latch.hold()?;
    // SAFETY: the latch is held, and `act` does not call this function.
    Some(act(unsafe { &mut *REGISTER.blocks.get() }))
}

fn find(address: usize) -> Option<Large> {
    with(|blocks| blocks.get(&address).copied())?
}

/// True for pointers that may be large blocks of ranks: all of those, and few of libc's.
#[inline]
pub(super) fn may_be(address: usize) -> bool {
    let low = address & (PAGE - 1);
    low == LEAD || low == 0
}

/// A zeroed block of `bytes`, aligned to `align` (a power of two); null when there is no memory.
pub(super) fn allocate(plot: usize, align: usize, bytes: usize) -> *mut u8 {
    let lead = if align <= LEAD { LEAD } else { align.max(PAGE) };
    let Some(wanted) = bytes.checked_add(lead + PAGE - 1) else { return std::ptr::null_mut() };
    let mapped = wanted & !(PAGE - 1);
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping, where the kernel finds room.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), mapped, access, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return std::ptr::null_mut();
    }
    let block = match align <= LEAD {
        true => start.wrapping_byte_add(LEAD),
        false => start.wrapping_byte_add(start.align_offset(lead)),
    };
    let large = Large { plot, start: start.expose_provenance(), mapped };
    with(|blocks| blocks.insert(block.expose_provenance(), large));
    block.cast()
}

/// How many bytes the block at `address` has; `None` when it is no large block of a rank.
pub(super) fn usable(address: usize) -> Option<usize> {
    let large = find(address)?;
    Some(large.start + large.mapped - address)
}

/// Frees the block at `address`; false when it is no large block of a rank.
pub(super) fn free(address: usize) -> bool {
    let Some(Some(large)) = with(|blocks| blocks.remove(&address)) else { return false };
    unmap(large);
    true
}

/// Resizes the block at `address` to `bytes`; null when there is no memory.
pub(super) fn resize(address: usize, bytes: usize) -> *mut u8 {
    let Some(large) = find(address) else { return std::ptr::null_mut() };
    let lead = address - large.start;
    let Some(wanted) = bytes.checked_add(lead + PAGE - 1) else { return std::ptr::null_mut() };
    let mapped = wanted & !(PAGE - 1);
    if mapped == large.mapped {
        return std::ptr::with_exposed_provenance_mut(address);
    }
    let old = std::ptr::with_exposed_provenance_mut(large.start);
    // The entry goes first: the kernel may give the old place to another thread at once.
    with(|blocks| blocks.remove(&address));
    // SAFETY: the mapping is this block's alone, and the caller gives the old address up.
    let start = unsafe { libc::mremap(old, large.mapped, mapped, libc::MREMAP_MAYMOVE) };
    if start == libc::MAP_FAILED {
        with(|blocks| blocks.insert(address, large));
        return std::ptr::null_mut();
    }
    let block = start.wrapping_byte_add(lead);
    let large = Large { plot: large.plot, start: start.expose_provenance(), mapped };
    with(|blocks| blocks.insert(block.expose_provenance(), large));
    block.cast()
}

/// Frees everything that the rank with the heap on `plot` left behind.
pub(super) fn give_back(plot: usize) {
    let mut left = Vec::new();
    with(|blocks| {
        blocks.retain(|_, large| {
            let keep = large.plot != plot;
            if !keep {
                left.push(*large);
            }
            keep
        });
    });
    left.into_iter().for_each(unmap);
}

/// Keeps the register unchanged, so that a forked child finds it consistent.
pub(super) fn hold_still() -> Option<Held<'static>> {
    REGISTER.latch.hold()
}

fn unmap(large: Large) {
    // SAFETY: the mapping belonged to one block, and that has left the register.
    unsafe { libc::munmap(std::ptr::with_exposed_provenance_mut(large.start), large.mapped) };
}
