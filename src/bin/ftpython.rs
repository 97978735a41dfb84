//! `ftpython LIBPYTHON WORDS…`: a Python interpreter that ranks can have copies of, where `python3`
//! itself is linked so that they cannot. `ftrun` starts it in its place.
//!
//! Python is in a library, too; this opens it, so that each rank has its own, and runs its `main`.

#![no_main]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::io::Write;

type Main = extern "C-unwind" fn(c_int, *mut *mut c_char) -> c_int;

/// Takes the first argument away and passes on the others.
#[unsafe(no_mangle)]
extern "C-unwind" fn main(argc: c_int, argv: *mut *mut c_char) -> c_int {
    if argc < 2 {
        return fail(c"ftpython: ftrun starts this program in the place of python3");
    }
    // SAFETY: there are `argc` arguments, and a null pointer behind them.
    let (library, rest) = unsafe { (*argv.add(1), argv.add(1)) };
    // SAFETY: the name is terminated. Modules look for Python's functions in what all see.
    let handle = unsafe { libc::dlopen(library, libc::RTLD_NOW | libc::RTLD_GLOBAL) };
    if handle.is_null() {
        // SAFETY: dlopen has just failed, and says why.
        return fail(unsafe { CStr::from_ptr(libc::dlerror()) });
    }
    // SAFETY: the library is open.
    let found: *mut c_void = unsafe { libc::dlsym(handle, c"Py_BytesMain".as_ptr()) };
    if found.is_null() {
        return fail(c"ftpython: the library of Python has no Py_BytesMain");
    }
    // SAFETY: Python's documented function, which takes these arguments.
    let run = unsafe { std::mem::transmute::<*mut c_void, Main>(found) };
    // SAFETY: the second argument's place gets the name of the program.
    unsafe { *rest = *argv };
    run(argc - 1, rest)
}

fn fail(why: &CStr) -> c_int {
    _ = writeln!(std::io::stderr(), "{}", why.to_string_lossy());
    127
}
