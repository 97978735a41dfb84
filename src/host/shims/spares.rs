//! Reuses the standard streams of dead ranks: libc has no way to free a `FILE` whose owner may have
//! died in the middle of changing it.
//!
//! A reused `FILE` is first reset, byte by byte, to its state when it was new; nothing that its
//! last owner left there is looked at. It has a buffer of its own from the start, so that libc
//! allocates nothing in the name of a rank that only prints: neither would be freed with the rank.

use super::stream::Stream;
use libc::FILE;
use parking_lot::Mutex;
use std::ffi::{c_char, c_int, c_void};
use std::mem::MaybeUninit;

/// A stream of a rank, with what it was when it was new.
pub(super) struct Made {
    pub(super) stream: Stream,
    descriptor: c_int,
    new: Box<[MaybeUninit<u8>]>,
}

// SAFETY: a copy of bytes, and a stream that libc guards by its own lock.
unsafe impl Send for Made {}

/// Streams that no rank uses.
static SPARES: Mutex<Vec<Made>> = Mutex::new(Vec::new());

/// How much output libc gathers, as a rule.
const BUFFER_BYTES: usize = 4096;
const BUFFER_BYTES_AT_TERMINAL: usize = 1024;

unsafe extern "C" {
    #[link_name = "malloc_usable_size"]
    fn real_usable_size(block: *mut c_void) -> usize;
    fn setvbuf(stream: *mut FILE, buffer: *mut c_char, mode: c_int, bytes: usize) -> c_int;
}

/// How a stream gathers what is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gathers {
    Nothing,
    Lines,
    Blocks,
}

impl Made {
    /// A stream that `open` has just opened over `descriptor`.
    pub(super) fn new(stream: Stream, descriptor: c_int, gathers: Gathers) -> Made {
        let (mode, bytes) = match gathers {
            Gathers::Nothing => (libc::_IONBF, 0),
            Gathers::Lines => (libc::_IOLBF, BUFFER_BYTES_AT_TERMINAL),
            Gathers::Blocks => (libc::_IOFBF, BUFFER_BYTES),
        };
        // It stays with the FILE, which is never freed; a page that is never printed to takes no
        // memory.
        let buffer = Vec::<u8>::with_capacity(bytes).leak().as_mut_ptr();
        // SAFETY: the stream was just opened, and the buffer has that many bytes.
        unsafe { setvbuf(stream.0, buffer.cast(), mode, bytes) };
        Made { stream, descriptor, new: image(stream) }
    }

    /// Resets an unused stream over `descriptor` and returns it.
    pub(super) fn again(descriptor: c_int) -> Option<Made> {
        let mut spares = SPARES.lock();
        let place = spares.iter().position(|made| made.descriptor == descriptor)?;
        let made = spares.swap_remove(place);
        drop(spares);
        // SAFETY: the block is of that size and not in use.
        unsafe {
            made.stream.0.cast::<MaybeUninit<u8>>().copy_from(made.new.as_ptr(), made.new.len())
        };
        Some(made)
    }

    /// Its rank has died, and all of its threads are gone.
    pub(super) fn give_back(self) {
        SPARES.lock().push(self);
    }
}

/// What the block holds that libc has allocated for `stream`: the `FILE` and what belongs to it.
fn image(stream: Stream) -> Box<[MaybeUninit<u8>]> {
    // SAFETY: a `FILE` that was opened begins a block of libc's allocator.
    let bytes = unsafe { real_usable_size(stream.0.cast()) };
    let mut image: Box<[MaybeUninit<u8>]> = Box::new_uninit_slice(bytes);
    // SAFETY: both have that many bytes, initialised or not.
    unsafe { image.as_mut_ptr().copy_from(stream.0.cast(), bytes) };
    image
}
