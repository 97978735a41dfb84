//! Lets unwinders and backtraces find the frames of private images, through two functions.
//!
//! gcc's unwinder asks `_dl_find_object` at every frame; older unwinders, libbacktrace and
//! sanitizers walk `dl_iterate_phdr`. Neither knows images that ld.so has not loaded.

use crate::host::rank::current_if_any;
use libc::dl_phdr_info;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr;

/// glibc's `struct dl_find_object`.
#[repr(C)]
pub struct FoundObject {
    flags: u64,
    start: *mut c_void,
    end: *mut c_void,
    link_map: *mut c_void,
    frame_header: *mut c_void,
    reserved: [u64; 7],
}

/// Finds the object that holds the code at `pc`.
///
/// # Safety
/// As glibc's `_dl_find_object(3)`.
#[cfg_attr(not(miri), unsafe(no_mangle))]
pub(super) unsafe extern "C" fn _dl_find_object(pc: *mut c_void, found: *mut FoundObject) -> c_int {
    type Find = unsafe extern "C" fn(*mut c_void, *mut FoundObject) -> c_int;
    let own = current_if_any().filter(|rank| rank.images.contains(pc.addr()));
    let image = own.and_then(|rank| rank.images.each().find(|it| it.span.contains(&pc.addr())));
    let Some(image) = image else {
        let real: Find = crate::host::real!("_dl_find_object");
        // SAFETY: as our caller promises.
        return unsafe { real(pc, found) };
    };
    let Some(frame_header) = image.frame_header else { return -1 };
    let object = FoundObject {
        flags: 0,
        start: ptr::with_exposed_provenance_mut(image.span.start),
        end: ptr::with_exposed_provenance_mut(image.span.end),
        link_map: ptr::null_mut(),
        frame_header: ptr::with_exposed_provenance_mut(frame_header),
        reserved: [0; 7],
    };
    // SAFETY: the caller passes room for a result.
    unsafe { found.write(object) };
    0
}

/// Descriptions of some of the process's objects. A rank reads them after ld.so has released its
/// lock: it may die while it reads. On the stack, since the rank may have died of its memory.
struct Batch {
    room: [MaybeUninit<dl_phdr_info>; BATCH],
    count: usize,
    /// How many objects were shown before, and how many ld.so has walked by now.
    shown: usize,
    walked: usize,
}

const BATCH: usize = 32;

impl Default for Batch {
    fn default() -> Batch {
        Batch { room: [MaybeUninit::uninit(); BATCH], count: 0, shown: 0, walked: 0 }
    }
}

impl Batch {
    fn begin(&mut self) {
        self.shown += self.count;
        (self.count, self.walked) = (0, 0);
    }

    unsafe extern "C-unwind" fn note(
        info: *mut dl_phdr_info, _: usize, batch: *mut c_void,
    ) -> c_int {
        // SAFETY: `dl_iterate_phdr` passes on what it was given.
        let batch = unsafe { &mut *batch.cast::<Batch>() };
        batch.walked += 1;
        if batch.walked <= batch.shown {
            return 0;
        }
        let Some(place) = batch.room.get_mut(batch.count) else { return 1 };
        // SAFETY: ld.so shows a description, all of it since 2005.
        place.write(unsafe { info.read() });
        batch.count += 1;
        0
    }

    fn noted(&self) -> &[dl_phdr_info] {
        // SAFETY: that many were written by `note`.
        unsafe { std::slice::from_raw_parts(self.room.as_ptr().cast(), self.count) }
    }

    fn is_last(&self) -> bool {
        self.count < BATCH
    }
}

type Visit = unsafe extern "C-unwind" fn(*mut dl_phdr_info, usize, *mut c_void) -> c_int;

/// Shows `visit` all objects: those of the process, then the rank's private images.
///
/// # Safety
/// As `dl_iterate_phdr(3)`.
#[cfg_attr(not(miri), unsafe(no_mangle))]
pub(super) unsafe extern "C-unwind" fn dl_iterate_phdr(visit: Visit, data: *mut c_void) -> c_int {
    type Iterate = unsafe extern "C-unwind" fn(Visit, *mut c_void) -> c_int;
    let real: Iterate = crate::host::real!("dl_iterate_phdr");
    let Some(rank) = current_if_any() else {
        // SAFETY: as our caller promises.
        return unsafe { real(visit, data) };
    };
    let mut batch = Batch::default();
    loop {
        batch.begin();
        // SAFETY: `Batch::note` is called with the batch, and only during this call.
        unsafe { real(Batch::note, (&raw mut batch).cast()) };
        for info in batch.noted() {
            let mut info = *info;
            // SAFETY: as our caller promises; what ld.so describes stays loaded.
            let status = unsafe { visit(&mut info, size_of::<dl_phdr_info>(), data) };
            if status != 0 {
                return status;
            }
        }
        if batch.is_last() {
            break;
        }
    }
    for image in rank.images.each() {
        let mut info = dl_phdr_info {
            dlpi_addr: image.base as u64,
            dlpi_name: image.name.as_ptr(),
            dlpi_phdr: image.headers.as_ptr(),
            dlpi_phnum: image.headers.len() as u16,
            dlpi_adds: u64::from(u32::MAX),
            dlpi_subs: 0,
            dlpi_tls_modid: 0,
            dlpi_tls_data: ptr::null_mut(),
        };
        // SAFETY: as our caller promises; the description is valid during the call.
        let status = unsafe { visit(&mut info, size_of::<dl_phdr_info>(), data) };
        if status != 0 {
            return status;
        }
    }
    0
}
