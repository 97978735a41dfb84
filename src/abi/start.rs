//! Where a program starts: the library takes `__libc_start_main` over and brings ranks to life.
//!
//! Without a job in the environment (see [`crate::host::job`]) the program runs as it is: a world
//! of one.

use std::ffi::c_int;

/// Ends the job from any thread, with `status` and last words on stderr.
pub(super) fn end_job(status: c_int, last_words: &str) -> ! {
    eprintln!("{last_words}");
    // SAFETY: ends the process; no handler of the program runs.
    unsafe { libc::_exit(status) }
}
