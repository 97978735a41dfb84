//! libc as each rank sees it: the functions and variables that private images get instead of libc's.
//!
//! The loader asks this room first when it resolves a symbol of a private image. Shared libraries
//! keep libc's own; the few functions that they must not call past us are exported (see `exported`).

/// What a rank keeps that libc keeps once per process.
#[derive(Default)]
pub(super) struct LibcState {}

/// The function that private images call under the name of libc's `name`.
pub(super) fn function(_name: &str) -> Option<*const ()> {
    None
}

/// Where the private images of a rank find libc's variable `name` (`stdout`, `environ`, `optind`).
pub(super) fn variable(_state: &LibcState, _name: &str) -> Option<*const ()> {
    None
}
