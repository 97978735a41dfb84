//! Copies of many equal blocks at even distances, with the same way out of a fault as [`copy`].

use super::{Fault, Outcome, Span, TRAP, copy};
use std::ffi::c_void;

/// Where the first block lies, and how far the next ones are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) address: usize,
    pub(super) stride: isize,
}

/// What a kernel copies.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Job {
    from: Way,
    to: Way,
    bytes: usize,
    count: usize,
}

/// From this length on a block is worth a copy of its own.
const LONG: usize = 512;
/// Up to so many blocks a kernel is not worth its entry.
const FEW: usize = 2;

/// Copies `count` blocks of `bytes` each.
pub(super) fn copy_blocks(from: Way, to: Way, bytes: usize, count: usize) -> Result<(), Fault> {
    let is_run = |way: Way| way.stride == bytes as isize;
    if is_run(from) && is_run(to) {
        return copy_block(from.address, to.address, bytes * count);
    }
    let job = Job { from, to, bytes, count };
    if bytes >= LONG || count <= FEW || cfg!(miri) {
        return one_by_one(&job);
    }
    let kernel = match bytes {
        1 => elements::<u8>,
        2 => elements::<u16>,
        4 => elements::<u32>,
        8 => elements::<u64>,
        12 => elements::<[u32; 3]>,
        16 => elements::<[u64; 2]>,
        24 => elements::<[u64; 3]>,
        32 => elements::<[u64; 4]>,
        48 => elements::<[u64; 6]>,
        64 => elements::<[u64; 8]>,
        _ => pieces,
    };
    let trap = TRAP.with(std::cell::Cell::as_ptr);
    // SAFETY: the caller of MPI vouches for both sides (§2.3), and where that is wrong the signal
    // handler leaves the kernel, which owns nothing, by the way out (see `recover`).
    let outcome = unsafe { ftmpi_copy_guarded((&raw const job).cast(), kernel, trap) };
    match outcome.is_fault {
        0 => Ok(()),
        _ => Err(fault(&job, outcome.address)),
    }
}

fn copy_block(from: usize, to: usize, bytes: usize) -> Result<(), Fault> {
    copy(Span { address: from, bytes }, Span { address: to, bytes })
}

fn one_by_one(job: &Job) -> Result<(), Fault> {
    let at = |way: Way, index: usize| {
        way.address.wrapping_add_signed(way.stride.wrapping_mul(index as isize))
    };
    for index in 0..job.count {
        copy_block(at(job.from, index), at(job.to, index), job.bytes)?;
    }
    Ok(())
}

/// Which side `address` belongs to: that one of whose blocks it lies in. The processor does not say
/// which address it was that has the shape of none; then the source is as good as the target.
#[cold]
fn fault(job: &Job, address: usize) -> Fault {
    let holds = |way: Way| {
        let distance = address.wrapping_sub(way.address) as isize;
        let index = if way.stride == 0 { 0 } else { distance.div_euclid(way.stride) };
        (index - 1..=index + 1).any(|index| {
            (0..job.count as isize).contains(&index)
                && distance.wrapping_sub(index.wrapping_mul(way.stride)).cast_unsigned() < job.bytes
        })
    };
    Fault { address, in_source: holds(job.from) || !holds(job.to) }
}

unsafe extern "C" {
    /// Calls `kernel` with `job`, with a way out of it.
    fn ftmpi_copy_guarded(
        job: *const c_void, kernel: unsafe extern "C" fn(*const c_void), trap: *mut usize,
    ) -> Outcome;
}

/// Copies blocks that are as long as a `T`.
///
/// # Safety
/// `job` points to a [`Job`], whose memory is there, or a signal handler leaves this frame, which
/// has nothing to drop.
unsafe extern "C" fn elements<T: Copy>(job: *const c_void) {
    // SAFETY: the caller passes a job.
    let Job { from, to, count, .. } = unsafe { *job.cast::<Job>() };
    let mut source = std::ptr::with_exposed_provenance::<u8>(from.address);
    let mut target = std::ptr::with_exposed_provenance_mut::<u8>(to.address);
    for _ in 0..count {
        // SAFETY: the caller's promise.
        let block = unsafe { source.cast::<T>().read_unaligned() };
        // SAFETY: as above.
        unsafe { target.cast::<T>().write_unaligned(block) };
        source = source.wrapping_offset(from.stride);
        target = target.wrapping_offset(to.stride);
    }
}

/// Copies blocks of any length.
///
/// # Safety
/// As for [`elements`].
unsafe extern "C" fn pieces(job: *const c_void) {
    // SAFETY: the caller passes a job.
    let Job { from, to, bytes, count } = unsafe { *job.cast::<Job>() };
    let mut source = std::ptr::with_exposed_provenance::<u8>(from.address);
    let mut target = std::ptr::with_exposed_provenance_mut::<u8>(to.address);
    for _ in 0..count {
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy(source, target, bytes) };
        source = source.wrapping_offset(from.stride);
        target = target.wrapping_offset(to.stride);
    }
}
