//! FT_MPI_CHECK_RECOVER: what a program puts into the handle that MPI_Comm_dup is to set, to say
//! that it wants a recovery. In C the address of an object, so that nothing else is it by chance,
//! and so that a program which knows of failures is known by its references.

use std::ffi::c_int;

/// Fortran's constant, which is no handle of a communicator.
const IN_FORTRAN: c_int = 0x4654_4352;

/// Nobody reads it.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "the name is C's")]
static ftmpi_check_recover: u8 = 0;

/// Whether a handle that a call is to set asks for a recovery.
pub(super) fn is_asked(handle: usize) -> bool {
    handle == (&raw const ftmpi_check_recover).addr() || handle as c_int == IN_FORTRAN
}
