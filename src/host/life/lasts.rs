//! Clears this library's per-thread state when a rank's thread ends.
//!
//! glibc would do it, but threads of ranks end without telling glibc. Some of the state must not
//! stay: parking_lot counts the threads that have ever waited for a lock, and sizes a table by
//! their number. And glibc allocates memory, in the thread's name, for each function that it is
//! told to call at the end of a thread; that memory would never be freed.

use crate::host::current;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;

type Act = unsafe extern "C" fn(*mut c_void);
type Register = unsafe extern "C" fn(Act, *mut c_void, *mut c_void) -> c_int;

/// The most destructors that a thread of a rank can have; this library has fewer such variables.
const MOST: usize = 8;

#[derive(Clone, Copy)]
struct Lasts {
    acts: [Option<(Act, *mut c_void)>; MOST],
    count: usize,
}

thread_local! {
    static LASTS: Cell<Lasts> = const { Cell::new(Lasts { acts: [None; MOST], count: 0 }) };
}

/// Called by compiled Rust and C++ code to register a thread-local variable for destruction.
/// Libraries of ranks get a different function (see [`super::exits`]).
///
/// # Safety
/// `act` can be called with `object` at the end of the calling thread.
#[cfg_attr(not(miri), unsafe(no_mangle))]
unsafe extern "C" fn __cxa_thread_atexit_impl(
    act: Act, object: *mut c_void, dso: *mut c_void,
) -> c_int {
    let mut lasts = LASTS.get();
    if current().is_some()
        && let Some(place) = lasts.acts.get_mut(lasts.count)
        && is_ours(act as *const c_void)
    {
        *place = Some((act, object));
        lasts.count += 1;
        LASTS.set(lasts);
        return 0;
    }
    let real: Register = crate::host::real!("__cxa_thread_atexit_impl");
    // SAFETY: as our caller promises.
    unsafe { real(act, object, dso) }
}

/// Whether this is code of this library.
fn is_ours(code: *const c_void) -> bool {
    let base = |code: *const c_void| {
        let mut found = MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: any address may be asked about; zeroes are valid.
        unsafe {
            libc::dladdr(code, found.as_mut_ptr());
            found.assume_init().dli_fbase
        }
    };
    base(code) == base(is_ours as *const c_void)
}

/// The calling thread is about to end, and holds no lock: drops the library's state in it.
pub(super) fn take_leave() {
    loop {
        let mut lasts = LASTS.get();
        lasts.count = lasts.count.wrapping_sub(1);
        let Some(last) = lasts.acts.get_mut(lasts.count).and_then(Option::take) else { return };
        // Before the call: an interruption must not repeat it.
        LASTS.set(lasts);
        // SAFETY: it was registered for the end of this thread, and is called once.
        unsafe { last.0(last.1) };
    }
}
