//! Environment variables of the process itself, before there are ranks.

use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStrExt as _;

/// Goes to libc's own environment, which the ranks get copies of; `None` removes it.
pub fn set(name: &str, value: Option<OsString>) {
    let string = |bytes: &[u8]| CString::new(bytes).expect("came from an environment");
    let name = string(name.as_bytes());
    // SAFETY: the process has one thread; both are strings.
    unsafe {
        match value {
            Some(value) => libc::setenv(name.as_ptr(), string(value.as_bytes()).as_ptr(), 1),
            None => libc::unsetenv(name.as_ptr()),
        }
    };
}
