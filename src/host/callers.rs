//! From where in the program a call came: walks up the stack of the calling thread.

use super::{Rank, current};
use std::ffi::{c_int, c_void};

/// A place in an object of the program's, as debuggers count: inside the instruction that calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Caller {
    pub object: String,
    pub offset: usize,
}

/// What the unwinder carries from frame to frame.
struct Walk {
    rank: &'static Rank,
    found: Vec<usize>,
    most: usize,
}

/// The frame is not the last one to look at.
const NEXT: c_int = 0;
/// The unwinder's word for an end that was asked for.
const ENOUGH: c_int = 4;

type Look = unsafe extern "C-unwind" fn(*mut c_void, *mut c_void) -> c_int;

unsafe extern "C-unwind" {
    fn _Unwind_Backtrace(look: Look, data: *mut c_void) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

/// The return addresses of the innermost frames in the images of the calling rank, `most` at most;
/// empty in a thread of no rank.
pub fn addresses(most: usize) -> Vec<usize> {
    let Some(rank) = current() else { return Vec::new() };
    let mut walk = Walk { rank, found: Vec::with_capacity(most), most };
    // SAFETY: `look` is called with the walk, and only during this call.
    unsafe { _Unwind_Backtrace(look, (&raw mut walk).cast()) };
    walk.found
}

unsafe extern "C-unwind" fn look(context: *mut c_void, walk: *mut c_void) -> c_int {
    // SAFETY: `_Unwind_Backtrace` passes on what it was given.
    let walk = unsafe { &mut *walk.cast::<Walk>() };
    // SAFETY: the unwinder shows a frame.
    let address = unsafe { _Unwind_GetIP(context) };
    if walk.rank.images.contains(address) {
        walk.found.push(address);
        if walk.found.len() == walk.most {
            return ENOUGH;
        }
    }
    NEXT
}

/// Where `address` is in the program of the calling rank.
pub fn caller(address: usize) -> Option<Caller> {
    let image = current()?.images.around(address)?;
    let object = image.name.to_string_lossy().into_owned();
    Some(Caller { object, offset: address - image.base - 1 })
}
