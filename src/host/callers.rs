//! From where in the program a call came: walks up the stack of the calling thread.
//!
//! The unwinder is slow, and a program calls from few places. So the walks of fibers are
//! remembered: where on the stack each return address was found. A later walk from the same depth
//! has the same frames if all of these places hold the same addresses again.

use super::{Rank, current, life};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::ptr::with_exposed_provenance;
use std::sync::LazyLock;

/// A place in an object of the program's, as debuggers count: inside the instruction that calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Caller {
    pub object: String,
    pub offset: usize,
}

/// A return address, and where on the stack it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Frame {
    address: usize,
    place: usize,
}

/// What the unwinder carries from frame to frame.
struct Walk {
    rank: &'static Rank,
    found: Vec<Frame>,
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
    fn _Unwind_GetCFA(context: *mut c_void) -> usize;
}

/// The walks that are remembered, by the depth from which they began and the call of the library
/// that wanted them: those have the same frames of the library.
static KNOWN: LazyLock<Mutex<Walks>> = LazyLock::new(Mutex::default);
type Walks = FxHashMap<(usize, usize), Vec<Vec<Frame>>>;
/// More walks from one depth are not remembered.
const MOST_KNOWN: usize = 8;

/// The return addresses of the innermost frames in the images of the calling rank, `most` at most;
/// empty in a thread of no rank. Equal calls of the library have equal numbers `call`.
#[inline(never)]
pub fn addresses(most: usize, call: usize) -> Vec<usize> {
    let Some(rank) = current() else { return Vec::new() };
    let mut walk = Walk { rank, found: Vec::new(), most };
    let depth = (&raw const walk).addr();
    let stack = life::own_stack().filter(|stack| stack.contains(&depth));
    let addresses = |frames: &[Frame]| frames.iter().map(|frame| frame.address).collect();
    if let Some(stack) = &stack {
        let known = KNOWN.lock();
        let mut walks = known.get(&(depth, call)).into_iter().flatten();
        if let Some(frames) = walks.find(|frames| frames.iter().all(|frame| frame.is_in(stack))) {
            return addresses(frames);
        }
    }
    // SAFETY: `look` is called with the walk, and only during this call.
    unsafe { _Unwind_Backtrace(look, (&raw mut walk).cast()) };
    let found = walk.found;
    if stack.is_some_and(|stack| found.iter().all(|frame| frame.is_in(&(depth..stack.end)))) {
        let mut known = KNOWN.lock();
        let walks = known.entry((depth, call)).or_default();
        if walks.len() < MOST_KNOWN {
            walks.push(found.clone());
        }
    }
    addresses(&found)
}

impl Frame {
    /// Whether this return address is in its place on the calling thread's stack.
    fn is_in(&self, stack: &Range<usize>) -> bool {
        const WORD: usize = size_of::<usize>();
        if !stack.contains(&self.place) || !self.place.is_multiple_of(WORD) {
            return false;
        }
        let place = with_exposed_provenance::<usize>(self.place);
        // SAFETY: an aligned word of the stack above the calling function's frame, which lives as
        // long as the fiber that runs on it.
        self.address == unsafe { place.read_volatile() }
    }
}

unsafe extern "C-unwind" fn look(context: *mut c_void, walk: *mut c_void) -> c_int {
    // SAFETY: `_Unwind_Backtrace` passes on what it was given.
    let walk = unsafe { &mut *walk.cast::<Walk>() };
    // SAFETY: the unwinder shows a frame.
    let (address, top) = unsafe { (_Unwind_GetIP(context), _Unwind_GetCFA(context)) };
    if walk.rank.images.contains(address) {
        // The frame below ends with the address at which this one goes on.
        let place = top.wrapping_sub(size_of::<usize>());
        walk.found.push(Frame { address, place });
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
