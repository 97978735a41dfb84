//! libc as each rank sees it: the functions and variables that private images get instead of libc's.
//!
//! The loader asks this room first when it resolves a symbol of a private image. Shared libraries
//! keep libc's own; the few functions that they must not call past us are exported (see `exported`).

use crate::host::job::Job;
use std::ffi::c_char;

/// What a rank keeps that libc keeps once per process.
pub(super) struct LibcState {}

/// Reads from the job what this room must know, before the first rank lives.
pub(super) fn prepare(_job: &Job) {}

/// The function that private images call under the name of libc's `name`.
pub(super) fn function(_name: &str) -> Option<*const ()> {
    None
}

/// Where the private images of a rank find libc's variable `name` (`stdout`, `environ`, `optind`).
pub(super) fn variable(_state: &LibcState, _name: &str) -> Option<*const ()> {
    None
}

impl LibcState {
    pub(super) fn new(_seat: usize) -> LibcState {
        LibcState {}
    }

    pub(super) fn set_home(&self, _name: &str, _address: *mut ()) {}

    pub(super) fn envp(&self) -> *mut *mut c_char {
        unsafe extern "C" {
            static environ: *mut *mut c_char;
        }
        // SAFETY: stands in for the shims.
        unsafe { environ }
    }
}
