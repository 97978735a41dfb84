//! Environment variables of the process itself, before there are ranks, or as it joins a job.

use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStrExt as _;

/// Goes to libc's own environment, which the ranks get copies of; `None` removes it.
pub fn set(name: &str, value: Option<OsString>) {
    let string = |bytes: &[u8]| CString::new(bytes).expect("came from an environment");
    let name = string(name.as_bytes());
    // SAFETY: both are strings; the process has one thread, or makes its first call of MPI, when
    // no other thread of it changes the environment or keeps addresses in it.
    unsafe {
        match value {
            Some(value) => libc::setenv(name.as_ptr(), string(value.as_bytes()).as_ptr(), 1),
            None => libc::unsetenv(name.as_ptr()),
        }
    };
}
