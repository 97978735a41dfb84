//! Where a program starts: the library interposes `__libc_start_main` and hands the program over to
//! the job.
//!
//! Without a job in the environment (see [`crate::launch`]) the program runs unchanged, as a world
//! of one.

use crate::abi::{current, fortran};
use crate::host::life::{Apps, Started};
use crate::host::replay;
use crate::job;
use crate::launch::{Job, VARIABLE};
use std::ffi::{CStr, c_char, c_int, c_void};

type Main = extern "C-unwind" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;
type StartMain = unsafe extern "C-unwind" fn(
    Main,
    c_int,
    *mut *mut c_char,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    *mut c_void,
) -> c_int;

/// Replaces the libc function that a program's `_start` calls to run constructors and `main`.
///
/// # Safety
/// Only `_start` may call it, with what the kernel and ld.so passed.
#[cfg_attr(not(miri), unsafe(no_mangle))]
unsafe extern "C-unwind" fn __libc_start_main(
    main: Main, argc: c_int, argv: *mut *mut c_char, init: *mut c_void, fini: *mut c_void,
    rtld_fini: *mut c_void, stack_end: *mut c_void,
) -> c_int {
    if let Some(text) = std::env::var_os(VARIABLE) {
        let job = Job::decode(&text.to_string_lossy());
        if job.as_ref().is_ok_and(|job| job.seed.is_some()) {
            // SAFETY: `argv` is as the kernel passed it, and nothing else has run yet.
            unsafe { replay::fix_addresses(argv.cast_const().cast()) };
        }
        let started = Started {
            main: main as usize,
            init: (!init.is_null()).then_some(init as usize),
            argc,
            argv: argv.cast_const().cast(),
        };
        let job = job.and_then(|job| Apps::load(&started, &job).map(|apps| (job, apps)));
        fortran::locate();
        job::start(job, &current::WORLDS);
    }
    const NAME: &CStr = c"__libc_start_main";
    // SAFETY: the symbol is libc's function of this type, and our caller makes the promise it
    // needs.
    unsafe {
        let real = libc::dlsym(libc::RTLD_NEXT, NAME.as_ptr());
        assert!(!real.is_null(), "libc comes after this library");
        let real: StartMain = std::mem::transmute(real);
        real(main, argc, argv, init, fini, rtld_fini, stack_end)
    }
}
