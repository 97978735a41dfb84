//! Copies many equal blocks, and survives a fault as [`copy`] does.

use super::{Fault, Outcome, Span, TRAP, copy};
use std::cell::Cell;
use std::ffi::c_void;

/// Where the blocks of one side are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way<'a> {
    /// The first is at `address`, each next one `stride` further.
    Even { address: usize, stride: isize },
    /// At these offsets from `address`.
    Listed { address: usize, offsets: &'a [i64] },
}

/// The places of one side, as a kernel uses them.
trait Places: Copy {
    /// The address of the block with this number.
    fn at(self, index: usize) -> usize;
}

#[derive(Clone, Copy)]
struct Even {
    address: usize,
    stride: isize,
}

impl Places for Even {
    #[inline(always)]
    fn at(self, index: usize) -> usize {
        self.address.wrapping_add_signed(self.stride.wrapping_mul(index as isize))
    }
}

impl Places for Way<'_> {
    #[inline(always)]
    fn at(self, index: usize) -> usize {
        match self {
            Way::Even { address, stride } => Even { address, stride }.at(index),
            Way::Listed { address, offsets } => {
                address.wrapping_add_signed(offsets[index] as isize)
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Listed<'a> {
    address: usize,
    offsets: &'a [i64],
}

impl Places for Listed<'_> {
    #[inline(always)]
    fn at(self, index: usize) -> usize {
        self.address.wrapping_add_signed(self.offsets[index] as isize)
    }
}

/// What a kernel copies.
struct Job<F, T> {
    from: F,
    to: T,
    bytes: usize,
    count: usize,
}

/// A kernel: it is called with the [`Job`] that it was made for.
pub(super) type Kernel = unsafe extern "C" fn(*const c_void);

/// From this length on, a block is worth a separate copy.
const LONG: usize = 512;
/// Up to this many blocks, a kernel is not worth its entry.
const FEW: usize = 2;

/// Copies `count` blocks of `bytes` each.
pub(super) fn copy_blocks(
    from: Way<'_>, to: Way<'_>, bytes: usize, count: usize,
) -> Result<(), Fault> {
    let is_run = |way: Way<'_>| {
        matches!(way, Way::Even { stride, .. } if stride == bytes as isize) || count == 1
    };
    if is_run(from) && is_run(to) {
        return copy_block(from.at(0), to.at(0), bytes * count);
    }
    if bytes >= LONG || count <= FEW || cfg!(miri) {
        return (0..count).try_for_each(|index| copy_block(from.at(index), to.at(index), bytes));
    }
    let outcome = match (from, to) {
        (Way::Even { address, stride }, Way::Even { address: other, stride: step }) => {
            let (from, to) = (Even { address, stride }, Even { address: other, stride: step });
            Job { from, to, bytes, count }.run()
        }
        (Way::Listed { address, offsets }, Way::Even { address: other, stride }) => {
            let (from, to) = (Listed { address, offsets }, Even { address: other, stride });
            Job { from, to, bytes, count }.run()
        }
        (Way::Even { address, stride }, Way::Listed { address: other, offsets }) => {
            let (from, to) = (Even { address, stride }, Listed { address: other, offsets });
            Job { from, to, bytes, count }.run()
        }
        (Way::Listed { .. }, Way::Listed { .. }) => Job { from, to, bytes, count }.run(),
    };
    match outcome.is_fault {
        0 => Ok(()),
        _ => Err(fault((from, to), bytes, count, outcome.address)),
    }
}

fn copy_block(from: usize, to: usize, bytes: usize) -> Result<(), Fault> {
    copy(Span { address: from, bytes }, Span { address: to, bytes })
}

/// The side to which `address` belongs: the one with a block that contains it. For a non-canonical
/// address the processor does not report which one it was; then the source is as good as the
/// target.
#[cold]
fn fault(ways: (Way<'_>, Way<'_>), bytes: usize, count: usize, address: usize) -> Fault {
    let holds = |way: Way<'_>| {
        let is_in = |index: usize| address.wrapping_sub(way.at(index)) < bytes;
        match way {
            Way::Listed { .. } => (0..count).any(is_in),
            Way::Even { stride: 0, .. } => is_in(0),
            Way::Even { address: first, stride } => {
                let near = (address.wrapping_sub(first) as isize).div_euclid(stride);
                let near = near.saturating_sub(1)..=near.saturating_add(1);
                near.filter_map(|index| usize::try_from(index).ok())
                    .any(|index| index < count && is_in(index))
            }
        }
    };
    Fault { address, in_source: holds(ways.0) || !holds(ways.1) }
}

unsafe extern "C" {
    /// Calls `kernel` with `job`, with an exit after a fault.
    fn ftmpi_copy_guarded(job: *const c_void, kernel: Kernel, trap: *mut usize) -> Outcome;
}

/// Calls a kernel, which a fault ends.
///
/// # Safety
/// The kernel owns nothing that it would have to drop, and is made for this job.
#[inline]
pub(super) unsafe fn guarded<J>(job: &J, kernel: Kernel) -> Outcome {
    let trap = TRAP.with(Cell::as_ptr);
    // SAFETY: the caller of MPI vouches for the memory (§2.3), and if that is wrong the signal
    // handler leaves the kernel by the fault exit (see `recover`).
    unsafe { ftmpi_copy_guarded(std::ptr::from_ref(job).cast(), kernel, trap) }
}

/// Does `work` on memory of the program; after a fault, returns the address that was not mapped.
///
/// # Safety
/// `work` owns nothing, and calls nothing that does: a fault abandons it where it is.
#[inline]
pub unsafe fn guard<W: Fn()>(work: &W) -> Result<(), usize> {
    /// # Safety
    /// `work` points to a `W`.
    unsafe extern "C" fn call<W: Fn()>(work: *const c_void) {
        // SAFETY: the caller passes one.
        unsafe { (*work.cast::<W>())() }
    }
    if cfg!(miri) {
        work();
        return Ok(());
    }
    // SAFETY: the caller's promise.
    let outcome = unsafe { guarded(work, call::<W>) };
    if outcome.is_fault == 0 { Ok(()) } else { Err(outcome.address) }
}

impl<F: Places, T: Places> Job<F, T> {
    fn run(&self) -> Outcome {
        let kernel: Kernel = match self.bytes {
            1 => elements::<u8, F, T>,
            2 => elements::<u16, F, T>,
            4 => elements::<u32, F, T>,
            8 => elements::<u64, F, T>,
            12 => elements::<[u32; 3], F, T>,
            16 => elements::<[u64; 2], F, T>,
            24 => elements::<[u64; 3], F, T>,
            32 => elements::<[u64; 4], F, T>,
            48 => elements::<[u64; 6], F, T>,
            64 => elements::<[u64; 8], F, T>,
            _ => pieces::<F, T>,
        };
        // SAFETY: the kernels are made for this job and own nothing.
        unsafe { guarded(self, kernel) }
    }
}

/// Copies blocks that are as long as an `E`.
///
/// # Safety
/// `job` points to a [`Job`] whose memory is mapped, or a signal handler leaves this frame, which
/// has nothing to drop.
unsafe extern "C" fn elements<E: Copy, F: Places, T: Places>(job: *const c_void) {
    // SAFETY: the caller passes a job.
    let Job { from, to, count, .. } = unsafe { &*job.cast::<Job<F, T>>() };
    let (from, to) = (*from, *to);
    for index in 0..*count {
        let source = std::ptr::with_exposed_provenance::<E>(from.at(index));
        let target = std::ptr::with_exposed_provenance_mut::<E>(to.at(index));
        // SAFETY: the caller's promise.
        let block = unsafe { source.read_unaligned() };
        // SAFETY: as above.
        unsafe { target.write_unaligned(block) };
    }
}

/// Copies blocks of any length.
///
/// # Safety
/// As for [`elements`].
unsafe extern "C" fn pieces<F: Places, T: Places>(job: *const c_void) {
    // SAFETY: the caller passes a job.
    let Job { from, to, bytes, count } = unsafe { &*job.cast::<Job<F, T>>() };
    let (from, to) = (*from, *to);
    for index in 0..*count {
        let source = std::ptr::with_exposed_provenance::<u8>(from.at(index));
        let target = std::ptr::with_exposed_provenance_mut::<u8>(to.at(index));
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy(source, target, *bytes) };
    }
}
