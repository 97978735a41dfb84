//! The library's functions, as C declares them in `ftck.h` and `mpi.h`.

use std::ffi::{CStr, c_char, c_int, c_void};

/// An `FTCK`.
pub(crate) type Handle = *mut c_void;

/// FTCK_NONE, FTCK_ERR_LOST, MPI_ERR_ARG.
pub(crate) const NONE: c_int = -1;
pub(crate) const LOST: c_int = 2002;
pub(crate) const BAD_ARGUMENT: c_int = 13;
/// MPI_REQUEST_NULL.
pub(crate) const NO_REQUEST: *mut c_void = std::ptr::without_provenance_mut(0x180);
/// MPI_MAX_ERROR_STRING.
const MOST_WORDS: usize = 512;

#[link(name = "ftmpi_rs")]
unsafe extern "C" {
    pub(crate) fn FTCK_Create(comm: *mut c_void, scheme: *const c_char, ck: *mut Handle) -> c_int;
    pub(crate) fn FTCK_Register_c(
        ck: Handle, id: c_int, buf: *mut c_void, count: i64, datatype: *mut c_void,
    ) -> c_int;
    pub(crate) fn FTCK_Unregister(ck: Handle, id: c_int) -> c_int;
    pub(crate) fn FTCK_Checkpoint(ck: Handle, version: c_int) -> c_int;
    pub(crate) fn FTCK_Icheckpoint(ck: Handle, version: c_int, request: *mut Handle) -> c_int;
    pub(crate) fn FTCK_Restore(ck: Handle, version: *mut c_int) -> c_int;
    pub(crate) fn FTCK_Status(
        ck: Handle, version: *mut c_int, failures: *mut c_int, digits: *mut c_int,
    ) -> c_int;
    pub(crate) fn FTCK_Tolerances(ck: Handle, maxranks: c_int, failures: *mut c_int) -> c_int;
    pub(crate) fn FTCK_Orphans(
        ck: Handle, maxranks: c_int, ranks: *mut c_int, count: *mut c_int,
    ) -> c_int;
    pub(crate) fn FTCK_Adopt_c(
        ck: Handle, rank: c_int, id: c_int, buf: *mut c_void, count: i64, datatype: *mut c_void,
    ) -> c_int;
    pub(crate) fn FTCK_Set_comm(ck: Handle, comm: *mut c_void) -> c_int;
    pub(crate) fn FTCK_Set_disk(ck: Handle, directory: *const c_char, every: c_int) -> c_int;
    pub(crate) fn FTCK_Set_node(ck: Handle, node: c_int) -> c_int;
    pub(crate) fn FTCK_Set_mttf(ck: Handle, mttf: *const c_char) -> c_int;
    pub(crate) fn FTCK_Due(ck: Handle, flag: *mut c_int) -> c_int;
    pub(crate) fn FTCK_Free(ck: *mut Handle) -> c_int;
    pub(crate) fn MPI_Test(
        request: *mut *mut c_void, flag: *mut c_int, status: *mut c_void,
    ) -> c_int;
    pub(crate) fn MPI_Wait(request: *mut *mut c_void, status: *mut c_void) -> c_int;
    fn MPI_Error_class(code: c_int, class: *mut c_int) -> c_int;
    fn MPI_Error_string(code: c_int, words: *mut c_char, length: *mut c_int) -> c_int;
    fn MPI_Finalized(flag: *mut c_int) -> c_int;
}

/// The library's text for an error code.
pub(crate) fn words_of(code: c_int) -> String {
    let (mut words, mut length) = ([0; MOST_WORDS + 1], 0);
    // SAFETY: there is room for the longest text, and for its end.
    unsafe { MPI_Error_string(code, words.as_mut_ptr(), &mut length) };
    // SAFETY: the last byte is zero, whatever was written before it.
    let words = unsafe { CStr::from_ptr(words.as_ptr()) };
    words.to_string_lossy().into_owned()
}

pub(crate) fn class_of(code: c_int) -> c_int {
    let mut class = code;
    // SAFETY: the number is ours.
    unsafe { MPI_Error_class(code, &mut class) };
    class
}

pub(crate) fn is_finalized() -> bool {
    let mut flag = 0;
    // SAFETY: the flag is ours.
    unsafe { MPI_Finalized(&mut flag) };
    flag != 0
}
