//! Where a program starts: the library takes `__libc_start_main` over and hands the program to the
//! job.
//!
//! Without a job in the environment (see [`crate::launch`]) the program runs as it is: a world
//! of one.

use crate::abi::{current, fortran};
use crate::host::loader::Program;
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

/// What a program's `_start` calls: libc would run its constructors and `main`.
///
/// # Safety
/// Called by `_start` only, with what the kernel and ld.so passed.
#[cfg_attr(not(miri), unsafe(no_mangle))]
unsafe extern "C-unwind" fn __libc_start_main(
    main: Main, argc: c_int, argv: *mut *mut c_char, init: *mut c_void, fini: *mut c_void,
    rtld_fini: *mut c_void, stack_end: *mut c_void,
) -> c_int {
    if let Some(text) = std::env::var_os(VARIABLE) {
        let job = Job::decode(&text.to_string_lossy());
        if job.as_ref().is_ok_and(|job| job.seed.is_some()) {
            // SAFETY: as the kernel passed it; this is before all else.
            unsafe { replay::fix_addresses(argv.cast_const().cast()) };
        }
        let program = Program {
            main: main as usize,
            init: (!init.is_null()).then_some(init as usize),
            argc,
            argv: argv.cast_const().cast(),
        };
        fortran::locate();
        job::start(program, job, current::world);
    }
    const NAME: &CStr = c"__libc_start_main";
    // SAFETY: looks up libc's own function of this type, and passes our caller's promise on.
    unsafe {
        let real = libc::dlsym(libc::RTLD_NEXT, NAME.as_ptr());
        assert!(!real.is_null(), "libc comes after this library");
        let real: StartMain = std::mem::transmute(real);
        real(main, argc, argv, init, fini, rtld_fini, stack_end)
    }
}
