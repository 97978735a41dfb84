//! The malloc family: private images allocate from their rank's heap.
//!
//! `free` and `realloc` are exported too, because libc calls them on blocks of ranks (`getline`
//! grows the caller's buffer). They find the owner of a block by its address.

use super::table;
use crate::host::heap::{self, Broken, Heap, Owner};
use crate::host::{Rank, current, errno, life};
use once_cell::sync::Lazy;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};

table!(
    malloc,
    calloc,
    realloc,
    free,
    cfree,
    reallocarray,
    memalign,
    aligned_alloc,
    posix_memalign,
    valloc,
    pvalloc,
    malloc_usable_size,
);

type Free = unsafe extern "C" fn(*mut c_void);
type Realloc = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;

unsafe extern "C" {
    fn __libc_free(block: *mut c_void);
    fn __libc_realloc(block: *mut c_void, bytes: usize) -> *mut c_void;
    #[link_name = "memalign"]
    fn real_memalign(align: usize, bytes: usize) -> *mut c_void;
    #[link_name = "malloc_usable_size"]
    fn real_usable_size(block: *mut c_void) -> usize;
}

const PAGE: usize = 4096;

/// The next definitions in the scope: libc's, or those of another allocator.
struct Next {
    free: Free,
    realloc: Realloc,
}

/// `dlsym` may itself free something; libc's own serves while we look.
static LOOKED: AtomicBool = AtomicBool::new(false);
static NEXT: Lazy<Next> = Lazy::new(|| {
    // SAFETY: names of functions that every libc has; the result is used as what they are.
    let next = unsafe {
        let free = libc::dlsym(libc::RTLD_NEXT, c"free".as_ptr());
        let realloc = libc::dlsym(libc::RTLD_NEXT, c"realloc".as_ptr());
        if free.is_null() || realloc.is_null() {
            Next { free: __libc_free, realloc: __libc_realloc }
        } else {
            Next {
                free: std::mem::transmute::<*mut c_void, Free>(free),
                realloc: std::mem::transmute::<*mut c_void, Realloc>(realloc),
            }
        }
    };
    LOOKED.store(true, Ordering::Release);
    next
});

thread_local! {
    static LOOKING: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

fn next() -> Option<&'static Next> {
    if !LOOKED.load(Ordering::Acquire) {
        if LOOKING.replace(true) {
            return None;
        }
        Lazy::force(&NEXT);
        LOOKING.set(false);
    }
    Some(&NEXT)
}

fn free_of_libc(block: *mut u8) {
    let free = next().map_or(__libc_free as Free, |next| next.free);
    // SAFETY: the caller of `free` vouches for the block, and it is no rank's.
    unsafe { free(block.cast()) }
}

fn realloc_of_libc(block: *mut u8, bytes: usize) -> *mut u8 {
    let realloc = next().map_or(__libc_realloc as Realloc, |next| next.realloc);
    // SAFETY: the caller of `realloc` vouches for the block, and it is no rank's.
    unsafe { realloc(block.cast(), bytes) }.cast()
}

/// `free` for all code of the process: it finds the owner of a block by its address.
#[cfg_attr(not(miri), unsafe(export_name = "free"))]
unsafe extern "C" fn exported_free(block: *mut c_void) {
    give_back(block.cast());
}

/// `realloc` for all code of the process. A block of libc stays with libc, a block of a rank with
/// its rank.
#[cfg_attr(not(miri), unsafe(export_name = "realloc"))]
unsafe extern "C" fn exported_realloc(block: *mut c_void, bytes: usize) -> *mut c_void {
    match block.is_null() || heap::owner(block.cast()) == Owner::Libc {
        true => realloc_of_libc(block.cast(), bytes).cast(),
        false => resize(block.cast(), bytes).cast(),
    }
}

/// The heap from which the calling thread allocates, if it has one of its own.
#[inline]
fn private_heap() -> Option<&'static Heap> {
    current().map(|rank| &rank.heap).filter(|heap| heap.is_private())
}

#[inline]
fn or_out_of_memory(block: *mut u8) -> *mut c_void {
    if block.is_null() {
        errno::set(libc::ENOMEM);
    }
    block.cast()
}

/// What `function` returns for a block that the heap has made.
#[inline]
fn made(function: &str, block: Result<*mut u8, Broken>) -> *mut c_void {
    match block {
        Ok(block) => or_out_of_memory(block),
        Err(Broken { address }) => ruined(function, std::ptr::without_provenance(address)),
    }
}

pub(super) extern "C" fn malloc(bytes: usize) -> *mut c_void {
    match private_heap() {
        Some(heap) => made("malloc", heap.allocate(bytes)),
        // SAFETY: any size may be asked for.
        None => unsafe { libc::malloc(bytes) },
    }
}

extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    match (private_heap(), count.checked_mul(size)) {
        (Some(heap), Some(bytes)) => made("calloc", heap.allocate_zeroed(bytes)),
        (Some(_), None) => or_out_of_memory(null_mut()),
        // SAFETY: any size may be asked for.
        (None, _) => unsafe { libc::calloc(count, size) },
    }
}

pub(super) unsafe extern "C" fn realloc(block: *mut c_void, bytes: usize) -> *mut c_void {
    match block.is_null() {
        true => malloc(bytes),
        false => resize(block.cast(), bytes).cast(),
    }
}

pub(super) unsafe extern "C" fn free(block: *mut c_void) {
    give_back(block.cast());
}

unsafe extern "C" fn cfree(block: *mut c_void) {
    give_back(block.cast());
}

unsafe extern "C" fn reallocarray(block: *mut c_void, count: usize, size: usize) -> *mut c_void {
    match count.checked_mul(size) {
        // SAFETY: as our caller vouches.
        Some(bytes) => unsafe { realloc(block, bytes) },
        None => or_out_of_memory(null_mut()),
    }
}

pub(in crate::host) extern "C" fn memalign(align: usize, bytes: usize) -> *mut c_void {
    let Some(heap) = private_heap() else {
        // SAFETY: any size and alignment may be asked for.
        return unsafe { real_memalign(align, bytes) };
    };
    match align.checked_next_power_of_two() {
        Some(align) => made("memalign", heap.allocate_aligned(align, bytes)),
        None => {
            errno::set(libc::EINVAL);
            null_mut()
        }
    }
}

extern "C" fn aligned_alloc(align: usize, bytes: usize) -> *mut c_void {
    memalign(align, bytes)
}

unsafe extern "C" fn posix_memalign(place: *mut *mut c_void, align: usize, bytes: usize) -> c_int {
    if !align.is_power_of_two() || !align.is_multiple_of(size_of::<usize>()) {
        return libc::EINVAL;
    }
    let block = memalign(align, bytes);
    if block.is_null() {
        return libc::ENOMEM;
    }
    // SAFETY: the caller vouches for the place.
    unsafe { place.write(block) };
    0
}

extern "C" fn valloc(bytes: usize) -> *mut c_void {
    memalign(PAGE, bytes)
}

extern "C" fn pvalloc(bytes: usize) -> *mut c_void {
    match bytes.checked_next_multiple_of(PAGE) {
        Some(bytes) => memalign(PAGE, bytes),
        None => or_out_of_memory(null_mut()),
    }
}

unsafe extern "C" fn malloc_usable_size(block: *mut c_void) -> usize {
    if block.is_null() {
        return 0;
    }
    match heap::owner(block.cast()) {
        Owner::Plot(plot) => match heap::usable(plot, block.cast()) {
            Ok(bytes) => bytes,
            Err(_) => ruined("malloc_usable_size", block.cast()),
        },
        Owner::Large => heap::usable_large(block.cast()).unwrap_or(0),
        // SAFETY: the caller vouches for the block, and it is no rank's.
        Owner::Libc => unsafe { real_usable_size(block) },
    }
}

#[inline]
fn give_back(block: *mut u8) {
    if block.is_null() {
        return;
    }
    let rank = current();
    if let Some(rank) = rank
        && rank.heap.holds(block)
    {
        if rank.heap.free(block).is_err() {
            ruined("free", block);
        }
        return;
    }
    give_back_from_outside(rank, block);
}

fn give_back_from_outside(rank: Option<&'static Rank>, block: *mut u8) {
    match heap::owner(block) {
        Owner::Plot(plot) => heap::free_from_outside(plot, block),
        Owner::Large => heap::free_large(rank.map(|rank| &rank.heap), block),
        Owner::Libc => free_of_libc(block),
    }
}

fn resize(block: *mut u8, bytes: usize) -> *mut u8 {
    if bytes == 0 {
        give_back(block);
        return null_mut();
    }
    let resized = match heap::owner(block) {
        Owner::Libc => return realloc_of_libc(block, bytes),
        Owner::Large => heap::resize_large(block, bytes),
        Owner::Plot(plot) => match current() {
            Some(rank) if rank.heap.holds(block) => {
                rank.heap.resize(block, bytes).unwrap_or_else(|_| ruined("realloc", block))
            }
            _ => move_from(plot, block, bytes),
        },
    };
    or_out_of_memory(resized).cast()
}

/// A block that another rank allocated moves to the caller's heap.
fn move_from(plot: usize, block: *mut u8, bytes: usize) -> *mut u8 {
    let Ok(old_bytes) = heap::usable(plot, block) else { ruined("realloc", block) };
    let moved = malloc(bytes).cast::<u8>();
    if !moved.is_null() {
        // SAFETY: both are living blocks of at least that many bytes, and different.
        unsafe { moved.copy_from_nonoverlapping(block, old_bytes.min(bytes)) };
        heap::free_from_outside(plot, block);
    }
    moved
}

/// The rank has ruined its heap: says so and ends it as libc would.
#[cold]
fn ruined(function: &str, block: *const u8) -> ! {
    let whose = current().map_or(String::new(), |rank| format!("rank {}: ", rank.seat));
    let place = heap::offset(block).map_or(String::new(), |at| format!(" at {at:#x} of its heap"));
    let words = format!("{whose}{function}(): double free or corruption{place}\n");
    // SAFETY: the bytes live; the rank's own stderr may be corrupted, too, so it is not used.
    unsafe { libc::write(2, words.as_ptr().cast(), words.len()) };
    // SAFETY: has no preconditions.
    unsafe { life::abort() }
}

/// Memory from the calling rank's own heap, which is freed with the rank; null if there is not
/// enough. The program may `free` it.
pub fn allocate(alignment: usize, bytes: usize) -> *mut c_void {
    memalign(alignment, bytes)
}
