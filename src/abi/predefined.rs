//! The predefined callbacks of Fortran. In C they are constants to compare with; in Fortran they
//! are procedures that a program passes, or even calls, like its own (MPI-5.0 §7.7.2, §14.5.3).

use crate::abi::kinds::Ierror;
use crate::mpi::callback::Callback;
use crate::mpi::error::Class;
use std::ffi::{c_int, c_void};

/// A copy function that copies nothing.
macro_rules! null_copies {
    ($($name:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(
            _object: *const c_int, _keyval: *const c_int, _extra_state: *const c_void,
            _old: *const c_void, _new: *mut c_void, flag: *mut c_int, ierror: Ierror,
        ) {
            // SAFETY: the caller passes a LOGICAL by reference.
            unsafe { flag.write(0) }
            ierror.set(0);
        }
    )*};
}

/// A copy function that copies the attribute as it is.
macro_rules! copies {
    ($($name:ident: $integer:ty;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(
            _object: *const c_int, _keyval: *const c_int, _extra_state: *const $integer,
            old: *const $integer, new: *mut $integer, flag: *mut c_int, ierror: Ierror,
        ) {
            // SAFETY: the caller passes both attributes by reference.
            unsafe { new.write(old.read()) }
            // SAFETY: the caller passes a LOGICAL by reference.
            unsafe { flag.write(1) }
            ierror.set(0);
        }
    )*};
}

/// A delete function that does nothing.
macro_rules! null_deletes {
    ($($name:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(
            _object: *const c_int, _keyval: *const c_int, _value: *const c_void,
            _extra_state: *const c_void, ierror: Ierror,
        ) {
            ierror.set(0);
        }
    )*};
}

null_copies! {
    mpi_null_copy_fn_;
    mpi_comm_null_copy_fn_;
    mpi_type_null_copy_fn_;
    mpi_win_null_copy_fn_;
}

copies! {
    // MPI-1 stores attributes in INTEGERs.
    mpi_dup_fn_: c_int;
    mpi_comm_dup_fn_: i64;
    mpi_type_dup_fn_: i64;
    mpi_win_dup_fn_: i64;
}

null_deletes! {
    mpi_null_delete_fn_;
    mpi_comm_null_delete_fn_;
    mpi_type_null_delete_fn_;
    mpi_win_null_delete_fn_;
}

/// Large-count form of [`mpi_conversion_fn_null_`].
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn mpi_conversion_fn_null_c_(
    _userbuf: *mut c_void, _datatype: *const c_int, _count: *const i64, _filebuf: *mut c_void,
    _position: *const i64, _extra_state: *const i64, ierror: Ierror,
) {
    ierror.set(Class::CONVERSION.0);
}

/// Means "no conversion of data representations"; it must not be called.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn mpi_conversion_fn_null_(
    _userbuf: *mut c_void, _datatype: *const c_int, _count: *const c_int, _filebuf: *mut c_void,
    _position: *const i64, _extra_state: *const i64, ierror: Ierror,
) {
    ierror.set(Class::CONVERSION.0);
}

/// The conversion that the program has passed; that of no data is a null pointer, as in C.
pub(super) fn conversion(function: Callback) -> Callback {
    let none = [
        mpi_conversion_fn_null_ as *const () as usize,
        mpi_conversion_fn_null_c_ as *const () as usize,
    ];
    Callback { code: if none.contains(&function.code) { 0 } else { function.code }, ..function }
}

/// Tells the compiler that a call may access a buffer (MPI-5.0 §19.1.8); passing it is enough.
#[unsafe(no_mangle)]
extern "C-unwind" fn mpi_f_sync_reg_(_buf: *mut c_void) {}

/// The profiling twin of [`mpi_f_sync_reg_`].
#[unsafe(no_mangle)]
extern "C-unwind" fn pmpi_f_sync_reg_(_buf: *mut c_void) {}
