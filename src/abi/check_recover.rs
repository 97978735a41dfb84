//! FT_MPI_CHECK_RECOVER: a program stores it in the output handle of MPI_Comm_dup to ask for a
//! recovery. In C it is the address of an object: no other value equals it by chance, and a
//! reference to the symbol shows that the program handles failures.

use std::ffi::c_int;

/// Fortran's constant, which is not a valid communicator handle.
const IN_FORTRAN: c_int = 0x4654_4352;

/// Only its address is used; no code reads it.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "the name is C's")]
static ftmpi_check_recover: u8 = 0;

/// Whether the value in an output handle asks for a recovery.
pub(super) fn is_asked(handle: usize) -> bool {
    handle == (&raw const ftmpi_check_recover).addr() || handle as c_int == IN_FORTRAN
}
