//! What tables of shims are made of, and what shims say when they fail.

/// One line of the table of shims.
pub(in crate::host) type Entry = (&'static str, *const ());

/// Sets `errno` of the calling thread.
pub(in crate::host) fn set_errno(number: i32) {
    // SAFETY: libc gives every thread its own, for as long as the thread lives.
    unsafe { libc::__errno_location().write(number) };
}
