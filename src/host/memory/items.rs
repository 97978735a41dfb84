//! Copies of many items that consist of the same few runs each: structs, mostly.

use super::strided::{Way, copy_blocks, guarded};
use super::{Fault, Outcome};
use crate::base::layout::{FEW_RUNS, Run};
use std::ffi::c_void;

/// Where the first item of one side is, and how far apart items are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) address: usize,
    pub(super) stride: isize,
}

/// What is copied for each item.
#[derive(Debug)]
pub(super) struct Pattern {
    moves: [Move; FEW_RUNS],
    count: usize,
}

/// A run on its way.
#[derive(Clone, Copy, Debug)]
struct Move {
    from: isize,
    to: isize,
    bytes: usize,
}

impl Default for Pattern {
    fn default() -> Pattern {
        Pattern { moves: [Move { from: 0, to: 0, bytes: 0 }; FEW_RUNS], count: 0 }
    }
}

impl Pattern {
    fn add(&mut self, from: i64, to: i64, bytes: usize) {
        self.moves[self.count] = Move { from: from as isize, to: to as isize, bytes };
        self.count += 1;
    }

    /// From runs to runs of the same lengths.
    pub(super) fn both(from: &[Run], to: &[Run]) -> Pattern {
        let mut pattern = Pattern::default();
        from.iter().zip(to).for_each(|(a, b)| pattern.add(a.offset, b.offset, a.bytes));
        pattern
    }

    /// From runs to where all is in one piece.
    pub(super) fn scattered_source(runs: &[Run]) -> Pattern {
        let mut pattern = Pattern::default();
        runs.iter().for_each(|run| pattern.add(run.offset, run.before as i64, run.bytes));
        pattern
    }

    /// The other way round.
    pub(super) fn scattered_target(runs: &[Run]) -> Pattern {
        let mut pattern = Pattern::default();
        runs.iter().for_each(|run| pattern.add(run.before as i64, run.offset, run.bytes));
        pattern
    }
}

/// Whether runs have the same lengths.
pub(super) fn are_alike(some: &[Run], others: &[Run]) -> bool {
    some.len() == others.len() && some.iter().zip(others).all(|(a, b)| a.bytes == b.bytes)
}

struct Job<'a> {
    moves: &'a [Move],
    from: Side,
    to: Side,
    count: usize,
}

/// Copies `count` items.
pub(super) fn copy_items(
    pattern: &Pattern, from: Side, to: Side, count: usize,
) -> Result<(), Fault> {
    let moves = &pattern.moves[..pattern.count];
    let job = Job { moves, from, to, count };
    let outcome = if cfg!(miri) {
        // SAFETY: in the tests that Miri runs the memory is there.
        unsafe { kernel((&raw const job).cast()) };
        return Ok(());
    } else {
        // SAFETY: the kernel is made for this job and owns nothing.
        unsafe { guarded(&job, kernel) }
    };
    match outcome.is_fault {
        0 => Ok(()),
        _ => Err(fault(&job, &outcome)),
    }
}

/// Which side was it? The runs are gone through again, one by one, up to the one that fails: what was
/// copied before is copied once more.
#[cold]
fn fault(job: &Job<'_>, outcome: &Outcome) -> Fault {
    for index in 0..job.count as isize {
        for Move { from, to, bytes } in job.moves {
            let way = |side: Side, offset: isize| Way::Even {
                address: side
                    .address
                    .wrapping_add_signed(side.stride.wrapping_mul(index).wrapping_add(offset)),
                stride: 0,
            };
            let copied = copy_blocks(way(job.from, *from), way(job.to, *to), *bytes, 1);
            if let Err(fault) = copied {
                return fault;
            }
        }
    }
    Fault { address: outcome.address, in_source: true }
}

/// # Safety
/// `job` points to a [`Job`], whose memory is there, or a signal handler leaves this frame, which
/// has nothing to drop.
unsafe extern "C" fn kernel(job: *const c_void) {
    // SAFETY: the caller passes a job.
    let Job { moves, from, to, count } = unsafe { &*job.cast::<Job<'_>>() };
    let (mut source, mut target) = (from.address, to.address);
    for _ in 0..*count {
        for Move { from, to, bytes } in *moves {
            let (a, b) = (source.wrapping_add_signed(*from), target.wrapping_add_signed(*to));
            // SAFETY: the caller's promise.
            unsafe {
                match *bytes {
                    1 => element::<u8>(a, b),
                    2 => element::<u16>(a, b),
                    4 => element::<u32>(a, b),
                    8 => element::<u64>(a, b),
                    12 => element::<[u32; 3]>(a, b),
                    16 => element::<[u64; 2]>(a, b),
                    24 => element::<[u64; 3]>(a, b),
                    bytes => std::ptr::copy(
                        std::ptr::with_exposed_provenance::<u8>(a),
                        std::ptr::with_exposed_provenance_mut::<u8>(b),
                        bytes,
                    ),
                }
            }
        }
        source = source.wrapping_add_signed(from.stride);
        target = target.wrapping_add_signed(to.stride);
    }
}

/// # Safety
/// An `E` can be read at `from` and written at `to`, or the fault is caught.
#[inline(always)]
unsafe fn element<E: Copy>(from: usize, to: usize) {
    // SAFETY: the caller's promise.
    let element = unsafe { std::ptr::with_exposed_provenance::<E>(from).read_unaligned() };
    // SAFETY: as above.
    unsafe { std::ptr::with_exposed_provenance_mut::<E>(to).write_unaligned(element) }
}
