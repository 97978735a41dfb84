//! What passes between the simulator and an application in C: see `include/ftsim.h`.

use std::ffi::{c_int, c_void};

/// As long as a message may be; `FTSIM_MESSAGE_BYTES`.
pub(super) const MESSAGE_BYTES: usize = 48;

/// `ftsim_here`.
#[repr(C)]
pub(super) struct Seen {
    pub(super) now: i64,
    pub(super) node: i32,
    pub(super) nodes: i32,
    pub(super) sends: i32,
    pub(super) receives: i32,
    pub(super) send_to: *const u32,
    pub(super) receive_from: *const u32,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) send: extern "C" fn(*mut Seen, i32, *const c_void, usize) -> c_int,
    pub(super) simulator: *mut c_void,
    pub(super) receive: extern "C" fn(*mut Seen, *mut Event) -> c_int,
}

/// `ftsim_event`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Event {
    pub(super) kind: i32,
    pub(super) from: i32,
    pub(super) bytes: u64,
    pub(super) value: f64,
    pub(super) data: [u8; MESSAGE_BYTES],
}

impl Event {
    pub(super) const EMPTY: Event =
        Event { kind: 0, from: -1, bytes: 0, value: 0.0, data: [0; MESSAGE_BYTES] };
}
