//! What a rank is to call when it ends.

use std::ffi::{c_int, c_void};

/// In the order of registration; run from the end.
#[derive(Default)]
pub(super) struct Exits {
    pub(super) entries: Vec<AtExit>,
    pub(super) quick: Vec<AtExit>,
    /// Destructors of thread-local objects of the rank's first thread.
    pub(super) thread: Vec<AtExit>,
    pub(super) is_destructed: bool,
}

#[derive(Clone, Copy)]
pub(super) enum Call {
    With(extern "C-unwind" fn(*mut c_void)),
    OnExit(extern "C-unwind" fn(c_int, *mut c_void)),
}

pub(super) struct AtExit {
    pub(super) call: Call,
    pub(super) argument: *mut c_void,
    /// The object that it belongs to.
    pub(super) home: *mut c_void,
}

// SAFETY: the pointers are the program's, and are only handed back to it.
unsafe impl Send for AtExit {}
