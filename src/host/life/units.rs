//! Flushes Fortran units when the job ends. Their buffers belong to gfortran's library, in the copy
//! that each rank has, and libc knows nothing of them: so each copy is asked, in the name of its
//! rank, to write them out.

use crate::host::Rank;
use crate::host::memory::guard;
use crate::host::rank::adopt;
use std::ffi::c_int;
use std::ops::RangeInclusive;

/// Units opened with NEWUNIT= have numbers from -10 downwards, and the library leaves them out when
/// it flushes all. Few programs have more of them open.
const NEW_UNITS: RangeInclusive<c_int> = -41..=-10;

type Flush = unsafe extern "C" fn(*const c_int);

/// The address of the function that flushes units in gfortran's library, as ld.so has loaded it, if
/// the program uses that library.
pub(super) fn flusher() -> Option<usize> {
    // SAFETY: the name is terminated.
    let shared = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_gfortran_flush_i4".as_ptr()) };
    (!shared.is_null()).then(|| shared.expose_provenance())
}

/// Flushes the units of `rank`, or of the process if there are no ranks. For a thread that belongs
/// to no rank: it may have to wait for a thread that is in the middle of a statement.
pub(super) fn flush(shared: usize, rank: Option<&'static Rank>) {
    let own = rank.and_then(|rank| rank.images.translate(shared)).unwrap_or(shared);
    // SAFETY: gfortran's library has had this function since its first ABI: no unit means all.
    let flush = unsafe {
        std::mem::transmute::<*const (), Flush>(std::ptr::with_exposed_provenance::<()>(own))
    };
    adopt(rank);
    // SAFETY: the closure owns nothing. Locks that a fault leaves held belong to a process that
    // ends.
    let _is_spoilt = unsafe {
        guard(&|| {
            flush(std::ptr::null());
            NEW_UNITS.for_each(|unit| flush(&raw const unit));
        })
    };
    adopt(None);
}
