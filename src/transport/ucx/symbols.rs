//! What `libucp.so.0` offers: its functions, found at run time, and the layouts that they take.
//! Structures say by masks which of their fields are set, so those of version 1.13 suit any later
//! one.

use crate::host::symbols::functions;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;

/// `ucs_status_t`, a packed enumeration.
pub(super) type Status = i8;
pub(super) const OK: Status = 0;
/// An address above this is an error, as the kernel's are.
pub(super) const LAST_ERROR: isize = -100;

/// Declares a structure of UCX with the fields that are used here: each with its offset, and the
/// size of the whole.
macro_rules! layout {
    ($(#[$about:meta])* $name:ident: $size:literal {
        $($field:ident: $type:ty = $offset:literal,)*
    }) => {
        $(#[$about])*
        #[repr(C, align(8))]
        pub(super) struct $name([u8; $size]);

        impl $name {
            /// With no field set.
            pub(super) fn new() -> $name {
                $name([0; $size])
            }

            $(
                pub(super) fn $field(mut self, value: $type) -> $name {
                    const { assert!($offset + size_of::<$type>() <= $size) };
                    let place = self.0.as_mut_ptr().wrapping_add($offset).cast::<$type>();
                    // SAFETY: the field lies within the structure.
                    unsafe { place.write_unaligned(value) };
                    self
                }
            )*

            /// The size and the offsets, by the names of the C headers.
            #[cfg(test)]
            pub(super) const LAYOUT: &[(&str, usize)] =
                &[("", $size), $((stringify!($field), $offset),)*];
        }
    };
}

layout!(
    /// `ucp_params_t`
    Params: 80 {
        field_mask: u64 = 0,
        features: u64 = 8,
    }
);
layout!(
    /// `ucp_worker_params_t`
    WorkerParams: 200 {
        field_mask: u64 = 0,
        thread_mode: c_int = 8,
    }
);
layout!(
    /// `ucp_ep_params_t`; the handler of errors is a function and its argument.
    EndpointParams: 104 {
        field_mask: u64 = 0,
        address: *const c_void = 8,
        err_mode: c_int = 16,
        err_handler: (OnError, *const c_void) = 24,
    }
);
layout!(
    /// `ucp_am_handler_param_t`
    HandlerParams: 32 {
        field_mask: u64 = 0,
        id: c_uint = 8,
        flags: u32 = 12,
        cb: OnMessage = 16,
        arg: *const c_void = 24,
    }
);
layout!(
    /// `ucp_request_param_t`
    RequestParams: 72 {
        op_attr_mask: u32 = 0,
        flags: u32 = 4,
        cb: OnSent = 16,
        user_data: *const c_void = 32,
    }
);

/// Bits of the masks, and values of the fields.
pub(super) const PARAMS_FEATURES: u64 = 1;
pub(super) const FEATURE_AM: u64 = 1 << 6;
pub(super) const FEATURE_WAKEUP: u64 = 1 << 4;
pub(super) const WORKER_THREAD_MODE: u64 = 1;
pub(super) const THREAD_MODE_SERIALIZED: c_int = 1;
pub(super) const ENDPOINT_ADDRESS: u64 = 1;
pub(super) const ENDPOINT_ERROR_MODE: u64 = 2;
pub(super) const ENDPOINT_ERROR_HANDLER: u64 = 4;
pub(super) const ERROR_MODE_PEER: c_int = 1;
pub(super) const HANDLER_ALL: u64 = 1 | 2 | 4 | 8;
pub(super) const WHOLE_MESSAGES: u32 = 1;
pub(super) const REQUEST_CALLBACK: u32 = 2;
pub(super) const REQUEST_USER_DATA: u32 = 4;
pub(super) const REQUEST_FLAGS: u32 = 16;
pub(super) const SEND_EAGERLY: u32 = 2;
pub(super) const CLOSE_BY_FORCE: u32 = 1;

pub(super) type OnError = unsafe extern "C" fn(*mut c_void, *mut c_void, Status);
pub(super) type OnSent = unsafe extern "C" fn(*mut c_void, Status, *mut c_void);
/// Its argument, the header and its length, the data and their length, and what else is known.
pub(super) type OnMessage = unsafe extern "C" fn(
    *mut c_void,
    *const c_void,
    usize,
    *mut c_void,
    usize,
    *const c_void,
) -> Status;

functions! {
    ucp_init_version: fn(c_uint, c_uint, *const Params, *const c_void, *mut *mut c_void) -> Status;
    ucp_worker_create: fn(*mut c_void, *const WorkerParams, *mut *mut c_void) -> Status;
    ucp_worker_get_address: fn(*mut c_void, *mut *mut c_void, *mut usize) -> Status;
    ucp_worker_release_address: fn(*mut c_void, *mut c_void);
    ucp_worker_get_efd: fn(*mut c_void, *mut c_int) -> Status;
    ucp_worker_arm: fn(*mut c_void) -> Status;
    ucp_worker_progress: fn(*mut c_void) -> c_uint;
    ucp_worker_set_am_recv_handler: fn(*mut c_void, *const HandlerParams) -> Status;
    ucp_ep_create: fn(*mut c_void, *const EndpointParams, *mut *mut c_void) -> Status;
    ucp_ep_close_nbx: fn(*mut c_void, *const RequestParams) -> *mut c_void;
    ucp_am_send_nbx: fn(
        *mut c_void, c_uint, *const c_void, usize, *const c_void, usize, *const RequestParams
    ) -> *mut c_void;
    ucp_request_free: fn(*mut c_void);
    ucs_status_string: fn(Status) -> *const c_char;
}

impl Symbols {
    /// Opens the library; or says why that is impossible, and what to do.
    pub(super) fn open() -> Result<Symbols, String> {
        // SAFETY: a name that ends with a zero; the library's constructors are harmless.
        let handle = unsafe { libc::dlopen(c"libucp.so.0".as_ptr(), libc::RTLD_NOW) };
        if handle.is_null() {
            return Err(
                "libucp.so.0 is not found; ranks on several hosts reach each other by UCX: \
                        install it on each host (Debian, Ubuntu: apt-get install libucx0)"
                    .to_string(),
            );
        }
        // SAFETY: it has the name of that library.
        unsafe { Symbols::find(handle) }
            .map_err(|name| format!("libucp.so.0 has no {name}: version 1.13 or newer is needed"))
    }

    /// What a status means.
    pub(super) fn words(&self, status: Status) -> String {
        // SAFETY: takes any number, and returns a constant or nothing.
        let text = unsafe { (self.ucs_status_string)(status) };
        if ptr::eq(text, ptr::null()) {
            return format!("status {status}");
        }
        // SAFETY: a constant that ends with a zero.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }
}
