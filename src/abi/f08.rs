//! What only Fortran's modules need: comparison of handles, sizes of variables, and conversion
//! between the two kinds of status.

use crate::abi::kinds::Ierror;
use crate::mpi::p2p::status::Status;
use std::ffi::{c_int, c_void};

/// `==` and `/=` for a handle type.
macro_rules! comparisons {
    ($($equal:ident $differ:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $equal(one: *const c_int, other: *const c_int) -> c_int {
            // SAFETY: Fortran passes both handles by reference.
            c_int::from(unsafe { *one == *other })
        }

        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $differ(one: *const c_int, other: *const c_int) -> c_int {
            // SAFETY: Fortran passes both handles by reference.
            c_int::from(unsafe { *one != *other })
        }
    )*};
}

comparisons! {
    mpi_comm_eq_ mpi_comm_ne_;
    mpi_datatype_eq_ mpi_datatype_ne_;
    mpi_errhandler_eq_ mpi_errhandler_ne_;
    mpi_file_eq_ mpi_file_ne_;
    mpi_group_eq_ mpi_group_ne_;
    mpi_info_eq_ mpi_info_ne_;
    mpi_message_eq_ mpi_message_ne_;
    mpi_op_eq_ mpi_op_ne_;
    mpi_request_eq_ mpi_request_ne_;
    mpi_session_eq_ mpi_session_ne_;
    mpi_win_eq_ mpi_win_ne_;
}

/// MPI_SIZEOF for a numeric type (MPI-5.0 §16.2).
macro_rules! sizes {
    ($($name:ident: $bytes:literal;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(_x: *const c_void, size: *mut c_int, ierror: Ierror) {
            // SAFETY: the caller passes an INTEGER by reference.
            unsafe { size.write($bytes) }
            ierror.set(0);
        }
    )*};
}

sizes! {
    mpi_sizeof_i1_: 1;
    mpi_sizeof_i2_: 2;
    mpi_sizeof_i4_: 4;
    mpi_sizeof_i8_: 8;
    mpi_sizeof_i16_: 16;
    mpi_sizeof_l1_: 1;
    mpi_sizeof_l2_: 2;
    mpi_sizeof_l4_: 4;
    mpi_sizeof_l8_: 8;
    mpi_sizeof_l16_: 16;
    mpi_sizeof_r4_: 4;
    mpi_sizeof_r8_: 8;
    mpi_sizeof_r10_: 16;
    mpi_sizeof_r16_: 16;
    mpi_sizeof_c4_: 8;
    mpi_sizeof_c8_: 16;
    mpi_sizeof_c10_: 32;
    mpi_sizeof_c16_: 32;
}

/// Copies a status: an array of INTEGERs and a TYPE(MPI_Status) have one layout.
macro_rules! copies_of_statuses {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(from: *const Status, to: *mut Status, ierror: Ierror) {
            // SAFETY: the caller passes both statuses by reference.
            unsafe { to.write(from.read()) }
            ierror.set(0);
        }
    )*};
}

copies_of_statuses! {
    mpi_status_f2f08_ mpi_status_f082f_ pmpi_status_f2f08_ pmpi_status_f082f_
}
