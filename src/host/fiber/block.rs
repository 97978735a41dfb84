//! A glibc thread control block without a thread: it holds errno, the state of malloc and stdio,
//! `pthread_self` and all thread-local variables of a fiber.
//!
//! glibc allocates the block (`_dl_allocate_tls`, as for its own threads); this file fills in what
//! glibc would fill in when it starts a thread. The block is in none of glibc's lists.

use super::switch::thread_pointer;
use crate::host::memory::{Span, copy};
use std::ffi::{CStr, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

type Allocate = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void, bool);
type Begin = unsafe extern "C" fn();

/// The functions of this glibc that are needed.
struct Ways {
    allocate: Allocate,
    free: Free,
    /// Gives the calling thread the tables of `isdigit` and the like.
    begin: Begin,
    /// The offset of a thread's number in its block.
    number_at: usize,
    /// Whether the list of robust mutexes follows it, as it has since 2005.
    has_list: bool,
    /// Where the kernel writes the core on which the thread runs.
    core_at: Option<usize>,
}

static WAYS: OnceLock<Result<Ways, &'static str>> = OnceLock::new();

/// The head of a block, which the ABI of x86-64 and the compilers' stack protector fix.
const SELF: usize = 0x10;
const COPIED: std::ops::Range<usize> = 0x18..0x38;
/// Before the number of a thread: its links in glibc's list of stacks.
const LINKS: usize = 16;
/// From the number of a thread to what follows it.
const LIST_BEFORE: usize = 8;
const LIST: usize = 16;
const LIST_OFFSET: usize = 24;

/// glibc's restartable sequences: for a thread that is not registered.
const NOT_REGISTERED: i32 = -2;

fn symbol(name: &CStr) -> *mut c_void {
    // SAFETY: looks a name up.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}

/// The word at `offset` of the block at `block`.
fn word<T>(block: usize, offset: usize) -> *mut T {
    std::ptr::with_exposed_provenance_mut(block + offset)
}

/// Checks whether this glibc can do it; `number_at` is where threads keep their number. In a thread
/// that glibc has started.
pub(super) fn find_ways(number_at: Option<usize>) -> Result<(), &'static str> {
    let found =
        WAYS.get_or_init(|| find(number_at.ok_or("this glibc hides the numbers of threads")?));
    found.as_ref().map(drop).map_err(|why| *why)
}

fn find(number_at: usize) -> Result<Ways, &'static str> {
    let [allocate, free, begin] =
        [c"_dl_allocate_tls", c"_dl_deallocate_tls", c"__ctype_init"].map(symbol);
    if [allocate, free, begin].iter().any(|function| function.is_null()) {
        return Err("this glibc does not export the functions that allocate thread-local storage");
    }
    let own = thread_pointer();
    let places = [SELF, number_at + LIST, number_at.saturating_sub(LINKS)];
    // SAFETY: all of them are in the block of the calling thread.
    let [itself, list, next] = places.map(|at| unsafe { word::<usize>(own, at).read() });
    if itself != own || number_at < LINKS || !is_linked(own + number_at - LINKS, next) {
        return Err("the layout of threads in this glibc is unknown");
    }
    let offset = symbol(c"__rseq_offset").cast::<isize>();
    Ok(Ways {
        // SAFETY: glibc's functions of these names are of these types.
        allocate: unsafe { std::mem::transmute::<*mut c_void, Allocate>(allocate) },
        // SAFETY: as above.
        free: unsafe { std::mem::transmute::<*mut c_void, Free>(free) },
        // SAFETY: as above.
        begin: unsafe { std::mem::transmute::<*mut c_void, Begin>(begin) },
        number_at,
        has_list: list == own + number_at + LIST,
        core_at: (!offset.is_null()).then(|| {
            const CORE: usize = 4;
            // SAFETY: glibc's variable.
            unsafe { offset.read() }.cast_unsigned().wrapping_add(CORE)
        }),
    })
}

/// Whether `next` is the next element of a list after the one at `links`. It may be anything.
fn is_linked(links: usize, next: usize) -> bool {
    const BEFORE: usize = 8;
    if next == 0 || !next.is_multiple_of(BEFORE) {
        return false;
    }
    let mut back = 0_usize;
    let place = Span::new(std::ptr::without_provenance(next + BEFORE), size_of::<usize>());
    let copied = copy(place, Span::new((&raw mut back).cast(), size_of::<usize>()));
    copied.is_ok() && back == links
}

fn ways() -> &'static Ways {
    let found = WAYS.get().and_then(|ways| ways.as_ref().ok());
    found.expect("fibers are made where glibc can do it")
}

/// A new block, which no context uses; `None` without memory. In a thread of glibc's.
pub(super) fn make() -> Option<usize> {
    static NUMBERS: AtomicU32 = AtomicU32::new(0);
    /// No thread in the kernel has such a number.
    const FIRST: u32 = 1 << 30;
    let (ways, own) = (ways(), thread_pointer());
    // SAFETY: glibc allocates the block itself.
    let block = unsafe { (ways.allocate)(std::ptr::null_mut()) }.expose_provenance();
    if block == 0 {
        return None;
    }
    let number = FIRST + NUMBERS.fetch_add(1, Ordering::Relaxed) % FIRST;
    // SAFETY: a block is as large as that of the calling thread, and only ours so far.
    unsafe {
        word::<usize>(block, 0).write(block);
        word::<usize>(block, SELF).write(block);
        let head = word::<u8>(own, COPIED.start);
        head.copy_to_nonoverlapping(word(block, COPIED.start), COPIED.len());
        word::<u32>(block, ways.number_at).write(number);
        // Alone in its own list: a forked child removes it from there.
        let links = block + ways.number_at - LINKS;
        word::<[usize; 2]>(links, 0).write([links; 2]);
        if ways.has_list {
            let list = block + ways.number_at + LIST;
            word::<usize>(block, ways.number_at + LIST_BEFORE).write(list);
            word::<usize>(list, 0).write(list);
            let offset = word::<usize>(own, ways.number_at + LIST_OFFSET).read();
            word::<usize>(block, ways.number_at + LIST_OFFSET).write(offset);
        }
        if let Some(core_at) = ways.core_at {
            word::<i32>(block.wrapping_add(core_at), 0).write(NOT_REGISTERED);
        }
    }
    Some(block)
}

/// What a glibc thread does first, done for the calling fiber.
pub(super) fn begin() {
    // SAFETY: has no preconditions.
    unsafe { (ways().begin)() };
}

/// Frees a block.
///
/// # Safety
/// It came from [`make`], no context uses it, and none will.
pub(super) unsafe fn free(block: usize) {
    // SAFETY: as our caller promises.
    unsafe { (ways().free)(std::ptr::with_exposed_provenance_mut(block), true) };
}
