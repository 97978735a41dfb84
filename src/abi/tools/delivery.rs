//! Calls the callbacks of tools, where a rank leaves a call and nothing is held.

use crate::mpi::callback::Callback;
use crate::mpi::process::Process;
use crate::mpi::tools::events::{self, Call, What};
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// MPI_T_CB_REQUIRE_NONE: a callback may do anything here.
const REQUIRE_NONE: c_int = 0;

/// Lets tools hear of what has happened.
#[cold]
pub(in crate::abi) fn deliver(process: &'static Process) {
    // A panic of the library ends here; the callbacks themselves do not unwind.
    let _ = catch_unwind(AssertUnwindSafe(|| events::deliver(process, make)));
}

fn make(call: Call) {
    let (registration, user_data) = (pointer(call.registration), pointer(call.user_data));
    match call.what {
        What::Event(instance) => {
            type Hear = unsafe extern "C-unwind" fn(*mut c_void, *mut c_void, c_int, *mut c_void);
            // SAFETY: the tool gave this function to MPI_T_event_register_callback.
            let hear = unsafe { std::mem::transmute::<*const c_void, Hear>(code(call.function)) };
            // SAFETY: called as the standard says.
            unsafe { hear(pointer(instance), registration, REQUIRE_NONE, user_data) }
        }
        What::Dropped { count, source } => {
            type Hear = unsafe extern "C-unwind" fn(i64, *mut c_void, c_int, c_int, *mut c_void);
            // SAFETY: the tool gave this function to MPI_T_event_set_dropped_handler.
            let hear = unsafe { std::mem::transmute::<*const c_void, Hear>(code(call.function)) };
            // SAFETY: called as the standard says.
            unsafe { hear(count, registration, source, REQUIRE_NONE, user_data) }
        }
    }
}

/// Tells a tool that the callbacks of a registration are called no more.
pub(super) fn tell_freed(function: Callback, registration: usize, user_data: usize) {
    if function.code == 0 {
        return;
    }
    type Hear = unsafe extern "C-unwind" fn(*mut c_void, c_int, *mut c_void);
    // SAFETY: the tool gave this function to MPI_T_event_handle_free.
    let hear = unsafe { std::mem::transmute::<*const c_void, Hear>(code(function)) };
    // SAFETY: called as the standard says.
    unsafe { hear(pointer(registration), REQUIRE_NONE, pointer(user_data)) }
}

fn code(function: Callback) -> *const c_void {
    std::ptr::with_exposed_provenance(function.code)
}

fn pointer(value: usize) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(value)
}
