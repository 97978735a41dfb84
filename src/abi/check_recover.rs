//! FT_MPI_CHECK_RECOVER: a program stores it in the output handle of MPI_Comm_dup to ask for a
//! recovery. In C it is the address of an object: no other value equals it by chance, and a
//! reference to the symbol shows that the program handles failures.

use std::ffi::c_int;
use std::sync::atomic::AtomicU8;

/// Fortran's constant, which is not a valid communicator handle.
const IN_FORTRAN: c_int = 0x4654_4352;

/// Only its address is used; no code reads it. It is no constant, because the compiler refers to
/// one when it needs the address of any equal constant: that was then on the stack of every rank.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "the name is C's")]
static ftmpi_check_recover: AtomicU8 = AtomicU8::new(0);

/// Whether the value in an output handle asks for a recovery. A function of its own, so that the
/// address stays in its registers: left on the stack, it would be the value of a variable that a
/// program hands in without having given it any.
#[inline(never)]
pub(super) fn is_asked(handle: usize) -> bool {
    handle == (&raw const ftmpi_check_recover).addr() || handle as c_int == IN_FORTRAN
}
