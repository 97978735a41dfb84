//! Copies many items that consist of the same few runs each: mostly structs.

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

/// What is copied for each item. It is on the stack, for one copy: an allocation would not pay.
#[allow(clippy::large_enum_variant, reason = "a box would cost an allocation for each copy")]
pub(super) enum Pattern<'a> {
    /// From runs to one contiguous piece.
    Gathered(&'a [Run]),
    /// The opposite direction.
    Scattered(&'a [Run]),
    /// From runs to runs of equal lengths.
    Both(Moves),
}

/// A few runs to copy.
pub(super) struct Moves {
    moves: [Move; FEW_RUNS],
    count: usize,
}

/// A run to copy.
#[derive(Clone, Copy, Debug)]
struct Move {
    from: isize,
    to: isize,
    bytes: usize,
}

impl Moves {
    /// From runs to runs of equal lengths; they are few.
    pub(super) fn new(from: &[Run], to: &[Run]) -> Moves {
        let mut moves = [Move { from: 0, to: 0, bytes: 0 }; FEW_RUNS];
        for (place, (a, b)) in moves.iter_mut().zip(from.iter().zip(to)) {
            *place = Move { from: a.offset as isize, to: b.offset as isize, bytes: a.bytes };
        }
        Moves { moves, count: from.len() }
    }
}

impl Pattern<'_> {
    fn len(&self) -> usize {
        match self {
            Pattern::Gathered(runs) | Pattern::Scattered(runs) => runs.len(),
            Pattern::Both(moves) => moves.count,
        }
    }

    fn step(&self, index: usize) -> Move {
        match self {
            Pattern::Gathered(runs) => gathered(runs[index]),
            Pattern::Scattered(runs) => scattered(runs[index]),
            Pattern::Both(moves) => moves.moves[index],
        }
    }
}

/// Whether the runs have equal lengths, and are few.
pub(super) fn are_alike(some: &[Run], others: &[Run]) -> bool {
    some.len() == others.len()
        && some.len() <= FEW_RUNS
        && some.iter().zip(others).all(|(a, b)| a.bytes == b.bytes)
}

struct Job<'a> {
    pattern: &'a Pattern<'a>,
    from: Side,
    to: Side,
    count: usize,
}

/// Copies `count` items.
pub(super) fn copy_items(
    pattern: &Pattern<'_>, from: Side, to: Side, count: usize,
) -> Result<(), Fault> {
    let job = Job { pattern, from, to, count };
    let outcome = if cfg!(miri) {
        // SAFETY: in the tests that Miri runs the memory is mapped.
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

/// Finds out which side faulted: copies the runs again, one by one, up to the one that fails.
#[cold]
fn fault(job: &Job<'_>, outcome: &Outcome) -> Fault {
    for index in 0..job.count as isize {
        for step in 0..job.pattern.len() {
            let Move { from, to, bytes } = job.pattern.step(step);
            let way = |side: Side, offset: isize| Way::Even {
                address: side
                    .address
                    .wrapping_add_signed(side.stride.wrapping_mul(index).wrapping_add(offset)),
                stride: 0,
            };
            let copied = copy_blocks(way(job.from, from), way(job.to, to), bytes, 1);
            if let Err(fault) = copied {
                return fault;
            }
        }
    }
    Fault { address: outcome.address, in_source: true }
}

/// # Safety
/// `job` points to a [`Job`] whose memory is mapped, or a signal handler leaves this frame, which
/// has nothing to drop.
unsafe extern "C" fn kernel(job: *const c_void) {
    // SAFETY: the caller passes a job.
    let job = unsafe { &*job.cast::<Job<'_>>() };
    // SAFETY: the caller's promise.
    unsafe {
        // One loop for each kind of pattern.
        match job.pattern {
            Pattern::Gathered(runs) => steps(job, runs.len(), |index| gathered(runs[index])),
            Pattern::Scattered(runs) => steps(job, runs.len(), |index| scattered(runs[index])),
            Pattern::Both(moves) => {
                let moves = &moves.moves[..moves.count];
                steps(job, moves.len(), |index| moves[index]);
            }
        }
    }
}

#[inline(always)]
fn gathered(run: Run) -> Move {
    Move { from: run.offset as isize, to: run.before as isize, bytes: run.bytes }
}

#[inline(always)]
fn scattered(run: Run) -> Move {
    Move { from: run.before as isize, to: run.offset as isize, bytes: run.bytes }
}

/// # Safety
/// As for [`kernel`].
#[inline(always)]
unsafe fn steps(job: &Job<'_>, length: usize, step: impl Fn(usize) -> Move) {
    let Job { from, to, count, .. } = job;
    let (mut source, mut target) = (from.address, to.address);
    for _ in 0..*count {
        for index in 0..length {
            let Move { from, to, bytes } = step(index);
            let (a, b) = (source.wrapping_add_signed(from), target.wrapping_add_signed(to));
            // SAFETY: the caller's promise.
            unsafe { piece(a, b, bytes) }
        }
        source = source.wrapping_add_signed(from.stride);
        target = target.wrapping_add_signed(to.stride);
    }
}

/// # Safety
/// `bytes` bytes can be read at `from` and written at `to`, or the fault is caught.
#[inline(always)]
unsafe fn piece(from: usize, to: usize, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match bytes {
            1 => element::<u8>(from, to),
            2 => element::<u16>(from, to),
            4 => element::<u32>(from, to),
            8 => element::<u64>(from, to),
            12 => element::<[u32; 3]>(from, to),
            16 => element::<[u64; 2]>(from, to),
            24 => element::<[u64; 3]>(from, to),
            _ => {
                let source = std::ptr::with_exposed_provenance::<u8>(from);
                std::ptr::copy(source, std::ptr::with_exposed_provenance_mut(to), bytes);
            }
        }
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
