//! Calls the program's callbacks, for `mpi`, which may not call a function by its address.

use crate::mpi::attributes::Attribute;
use crate::mpi::callback::{Callback, Language};
use crate::mpi::error::{Class, Result};
use crate::mpi::p2p::status::Status;
use crate::mpi::program::{Conversion, Notice, Program, Reduction};
use std::ffi::{c_int, c_void};

/// Calls every function that the program passed to the library.
pub(super) struct Caller;

pub(super) static PROGRAM: Caller = Caller;

/// The predefined attribute functions are constants and are never called (MPI-5.0 §7.7.2).
const NULL_FN: usize = 0;
const DUP_FN: usize = 1;

impl Program for Caller {
    fn copy_attribute(&self, function: Callback, notice: Notice) -> Result<Option<Attribute>> {
        let (code, flag, value) = match function.code {
            NULL_FN => return Ok(None),
            DUP_FN => return Ok(Some(notice.value)),
            _ if function.language != Language::C => copy_in_fortran(function, notice),
            _ => copy_in_c(function, notice),
        };
        said(code, "the copy function of an attribute")?;
        Ok((flag != 0).then_some(value))
    }

    fn delete_attribute(&self, function: Callback, notice: Notice) -> Result {
        let code = match function.code {
            NULL_FN => return Ok(()),
            _ if function.language != Language::C => delete_in_fortran(function, notice),
            _ => delete_in_c(function, notice),
        };
        said(code, "the delete function of an attribute")
    }

    fn reduce(&self, function: Callback, reduction: Reduction) {
        let address = std::ptr::with_exposed_provenance::<c_void>(function.code);
        let input = std::ptr::with_exposed_provenance_mut::<c_void>(reduction.input);
        let inout = std::ptr::with_exposed_provenance_mut::<c_void>(reduction.inout);
        if function.language != Language::C {
            type Fortran =
                unsafe extern "C-unwind" fn(*mut c_void, *mut c_void, *mut c_int, *mut c_int);
            let mut datatype = reduction.datatype as c_int;
            // Little-endian: the low four bytes of the 8-byte length are the length as an INTEGER.
            let mut length = reduction.count;
            let length = (&raw mut length).cast::<c_int>();
            // SAFETY: the program gave this function to MPI_OP_CREATE.
            let combine = unsafe { std::mem::transmute::<*const c_void, Fortran>(address) };
            // SAFETY: called as the standard says, with `count` items on both sides.
            return unsafe { combine(input, inout, length, &mut datatype) };
        }
        let mut datatype = std::ptr::without_provenance_mut::<c_void>(reduction.datatype);
        if reduction.is_large {
            type Large =
                unsafe extern "C-unwind" fn(*mut c_void, *mut c_void, *mut i64, *mut *mut c_void);
            let mut length = reduction.count;
            // SAFETY: the program gave this function to MPI_Op_create_c.
            let combine = unsafe { std::mem::transmute::<*const c_void, Large>(address) };
            // SAFETY: called as the standard says, with `count` items on both sides.
            return unsafe { combine(input, inout, &mut length, &mut datatype) };
        }
        type Small =
            unsafe extern "C-unwind" fn(*mut c_void, *mut c_void, *mut c_int, *mut *mut c_void);
        let mut length = reduction.count as c_int;
        // SAFETY: the program gave this function to MPI_Op_create.
        let combine = unsafe { std::mem::transmute::<*const c_void, Small>(address) };
        // SAFETY: called as the standard says, with `count` items on both sides.
        unsafe { combine(input, inout, &mut length, &mut datatype) }
    }

    fn query(&self, function: Callback, extra_state: usize, status: &mut Status) -> Result {
        let mut code = 0;
        if function.language != Language::C {
            type Query = unsafe extern "C-unwind" fn(*mut i64, *mut Status, *mut c_int);
            let mut extra_state = extra_state as i64;
            // SAFETY: the program gave this function to MPI_GREQUEST_START.
            let query = unsafe { std::mem::transmute::<*const c_void, Query>(address(function)) };
            // SAFETY: called as the standard says.
            unsafe { query(&mut extra_state, status, &mut code) };
        } else {
            type Query = unsafe extern "C-unwind" fn(*mut c_void, *mut Status) -> c_int;
            // SAFETY: the program gave this function to MPI_Grequest_start.
            let query = unsafe { std::mem::transmute::<*const c_void, Query>(address(function)) };
            // SAFETY: called as the standard says.
            code = unsafe { query(pointer(extra_state), status) };
        }
        said(code, "the query function of a generalized request")
    }

    fn free(&self, function: Callback, extra_state: usize) -> Result {
        let mut code = 0;
        if function.language != Language::C {
            type Free = unsafe extern "C-unwind" fn(*mut i64, *mut c_int);
            let mut extra_state = extra_state as i64;
            // SAFETY: the program gave this function to MPI_GREQUEST_START.
            let free = unsafe { std::mem::transmute::<*const c_void, Free>(address(function)) };
            // SAFETY: called as the standard says.
            unsafe { free(&mut extra_state, &mut code) };
        } else {
            type Free = unsafe extern "C-unwind" fn(*mut c_void) -> c_int;
            // SAFETY: the program gave this function to MPI_Grequest_start.
            let free = unsafe { std::mem::transmute::<*const c_void, Free>(address(function)) };
            // SAFETY: called as the standard says.
            code = unsafe { free(pointer(extra_state)) };
        }
        said(code, "the free function of a generalized request")
    }

    fn cancel(&self, function: Callback, extra_state: usize, is_complete: bool) -> Result {
        let (mut is_complete, mut code) = (c_int::from(is_complete), 0);
        if function.language != Language::C {
            type Cancel = unsafe extern "C-unwind" fn(*mut i64, *mut c_int, *mut c_int);
            let mut extra_state = extra_state as i64;
            // SAFETY: the program gave this function to MPI_GREQUEST_START.
            let cancel = unsafe { std::mem::transmute::<*const c_void, Cancel>(address(function)) };
            // SAFETY: called as the standard says.
            unsafe { cancel(&mut extra_state, &mut is_complete, &mut code) };
        } else {
            type Cancel = unsafe extern "C-unwind" fn(*mut c_void, c_int) -> c_int;
            // SAFETY: the program gave this function to MPI_Grequest_start.
            let cancel = unsafe { std::mem::transmute::<*const c_void, Cancel>(address(function)) };
            // SAFETY: called as the standard says.
            code = unsafe { cancel(pointer(extra_state), is_complete) };
        }
        said(code, "the cancel function of a generalized request")
    }

    fn convert(&self, function: Callback, conversion: Conversion) -> Result {
        let code = match function.language {
            Language::C => convert_in_c(function, conversion),
            _ => convert_in_fortran(function, conversion),
        };
        match code {
            0 => Ok(()),
            code => Err(Class::CONVERSION.because(format!("the function returned {code}"))),
        }
    }

    fn file_extent(&self, function: Callback, datatype: usize, extra_state: usize) -> Result<i64> {
        let (mut extent, mut code) = (0_i64, 0);
        if function.language != Language::C {
            type Extent = unsafe extern "C-unwind" fn(*mut c_int, *mut i64, *mut i64, *mut c_int);
            let (mut datatype, mut extra_state) = (datatype as c_int, extra_state as i64);
            // SAFETY: the program gave this function to MPI_REGISTER_DATAREP.
            let ask = unsafe { std::mem::transmute::<*const c_void, Extent>(address(function)) };
            // SAFETY: called as the standard says.
            unsafe { ask(&mut datatype, &mut extent, &mut extra_state, &mut code) };
        } else {
            type Extent = unsafe extern "C-unwind" fn(*mut c_void, *mut i64, *mut c_void) -> c_int;
            let datatype = std::ptr::without_provenance_mut::<c_void>(datatype);
            // SAFETY: the program gave this function to MPI_Register_datarep.
            let ask = unsafe { std::mem::transmute::<*const c_void, Extent>(address(function)) };
            // SAFETY: called as the standard says.
            code = unsafe { ask(datatype, &mut extent, pointer(extra_state)) };
        }
        said(code, "the extent function of a data representation")?;
        match extent > 0 {
            true => Ok(extent),
            false => Err(Class::CONVERSION.because(format!("the file extent is {extent}"))),
        }
    }
}

fn convert_in_c(function: Callback, conversion: Conversion) -> c_int {
    let Conversion { userbuf, datatype, count, filebuf, position, extra_state, .. } = conversion;
    let [userbuf, filebuf, extra_state] = [userbuf, filebuf, extra_state].map(pointer);
    let datatype = std::ptr::without_provenance_mut::<c_void>(datatype);
    type Of<N> = unsafe extern "C-unwind" fn(
        *mut c_void,
        *mut c_void,
        N,
        *mut c_void,
        i64,
        *mut c_void,
    ) -> c_int;
    if conversion.is_large {
        // SAFETY: the program gave this function to MPI_Register_datarep_c.
        let convert = unsafe { std::mem::transmute::<*const c_void, Of<i64>>(address(function)) };
        // SAFETY: called as the standard says, with `count` items on both sides.
        return unsafe { convert(userbuf, datatype, count, filebuf, position, extra_state) };
    }
    // SAFETY: the program gave this function to MPI_Register_datarep.
    let convert = unsafe { std::mem::transmute::<*const c_void, Of<c_int>>(address(function)) };
    // SAFETY: called as the standard says, with `count` items on both sides.
    unsafe { convert(userbuf, datatype, count as c_int, filebuf, position, extra_state) }
}

fn convert_in_fortran(function: Callback, conversion: Conversion) -> c_int {
    type Convert = unsafe extern "C-unwind" fn(
        *mut c_void,
        *mut c_int,
        *mut c_int,
        *mut c_void,
        *mut i64,
        *mut i64,
        *mut c_int,
    );
    let (mut datatype, mut count) = (conversion.datatype as c_int, conversion.count);
    let (mut position, mut code) = (conversion.position, 0);
    let mut extra_state = conversion.extra_state as i64;
    let [userbuf, filebuf] = [conversion.userbuf, conversion.filebuf].map(pointer);
    // Little-endian: the low four bytes of the 8-byte count are the count as an INTEGER.
    let count = (&raw mut count).cast::<c_int>();
    // SAFETY: the program gave this function to MPI_REGISTER_DATAREP.
    let convert = unsafe { std::mem::transmute::<*const c_void, Convert>(address(function)) };
    // SAFETY: called as the standard says, with `count` items on both sides.
    unsafe {
        convert(userbuf, &mut datatype, count, filebuf, &mut position, &mut extra_state, &mut code);
    }
    code
}

/// The result of a callback: any code but MPI_SUCCESS is an error of that class.
fn said(code: c_int, who: &str) -> Result {
    match code {
        0 => Ok(()),
        code => Err(Class(code).because(format!("{who} returned {code}"))),
    }
}

fn copy_in_c(function: Callback, notice: Notice) -> (c_int, c_int, Attribute) {
    type Copy = unsafe extern "C-unwind" fn(
        *mut c_void,
        c_int,
        *mut c_void,
        *mut c_void,
        *mut *mut c_void,
        *mut c_int,
    ) -> c_int;
    let mut value = std::ptr::null_mut::<c_void>();
    let mut flag = 0;
    // SAFETY: the program gave this function as the copy function of a key.
    let copy = unsafe { std::mem::transmute::<*const c_void, Copy>(address(function)) };
    // SAFETY: called as the standard says.
    let code = unsafe {
        copy(
            pointer(notice.object),
            notice.keyval,
            pointer(notice.extra_state),
            pointer(in_c(notice.value)),
            &mut value,
            &mut flag,
        )
    };
    (code, flag, Attribute::Pointer(value.expose_provenance()))
}

fn copy_in_fortran(function: Callback, notice: Notice) -> (c_int, c_int, Attribute) {
    type Copy = unsafe extern "C-unwind" fn(
        *mut c_int,
        *mut c_int,
        *mut i64,
        *mut i64,
        *mut i64,
        *mut c_int,
        *mut c_int,
    );
    let (mut object, mut keyval) = (notice.object as c_int, notice.keyval);
    let mut extra_state = notice.extra_state as i64;
    let (mut old, mut new) = (in_fortran(notice.value), 0);
    let (mut flag, mut code) = (0, 0);
    // SAFETY: the program gave this function as the copy function of a key.
    let copy = unsafe { std::mem::transmute::<*const c_void, Copy>(address(function)) };
    // SAFETY: called as the standard says.
    unsafe {
        copy(&mut object, &mut keyval, &mut extra_state, &mut old, &mut new, &mut flag, &mut code);
    }
    if function.language == Language::OldFortran {
        new = i64::from(new as i32);
    }
    // An attribute that C set and Fortran passes on unchanged stays a pointer.
    let value = if new == old { notice.value } else { Attribute::Integer(new) };
    (code, flag, value)
}

fn delete_in_c(function: Callback, notice: Notice) -> c_int {
    type Delete =
        unsafe extern "C-unwind" fn(*mut c_void, c_int, *mut c_void, *mut c_void) -> c_int;
    // SAFETY: the program gave this function as the delete function of a key.
    let delete = unsafe { std::mem::transmute::<*const c_void, Delete>(address(function)) };
    // SAFETY: called as the standard says.
    unsafe {
        delete(
            pointer(notice.object),
            notice.keyval,
            pointer(in_c(notice.value)),
            pointer(notice.extra_state),
        )
    }
}

fn delete_in_fortran(function: Callback, notice: Notice) -> c_int {
    type Delete =
        unsafe extern "C-unwind" fn(*mut c_int, *mut c_int, *mut i64, *mut i64, *mut c_int);
    let (mut object, mut keyval) = (notice.object as c_int, notice.keyval);
    let (mut value, mut extra_state) = (in_fortran(notice.value), notice.extra_state as i64);
    let mut code = 0;
    // SAFETY: the program gave this function as the delete function of a key.
    let delete = unsafe { std::mem::transmute::<*const c_void, Delete>(address(function)) };
    // SAFETY: called as the standard says.
    unsafe { delete(&mut object, &mut keyval, &mut value, &mut extra_state, &mut code) };
    code
}

fn address(function: Callback) -> *const c_void {
    std::ptr::with_exposed_provenance(function.code)
}

fn pointer(value: usize) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(value)
}

/// An attribute in the form that C's callbacks get.
fn in_c(value: Attribute) -> usize {
    match value {
        Attribute::Pointer(pointer) => pointer,
        Attribute::Integer(integer) => integer as usize,
    }
}

/// An attribute in the form that Fortran's callbacks get.
fn in_fortran(value: Attribute) -> i64 {
    match value {
        Attribute::Pointer(pointer) => pointer as i64,
        Attribute::Integer(integer) => integer,
    }
}
