//! Payloads: the memory of a ring's messages that are too long for one line of it.
//!
//! The sender fills a block from its beginning to its end, each message in consecutive cache lines,
//! and then goes on in another block; the ring tells where each message is. Messages are taken in
//! order, so the first one in another block gives the block before back to the sender. As long as
//! the receiver keeps up, two blocks are enough. They are small, so that their lines stay in the
//! caches next to the cores; longer messages have blocks of their own. There are no blocks before
//! the first long message.
//!
//! If a receiver only read a line, a copy of it would stay in the sender's cache, too, and the
//! sender's next store would have to wait until the receiver's copy is invalidated. So the receiver
//! writes to each line that it has read: the sender then finds it in one cache only, and can have
//! many lines on their way at a time. Messages of some KB take half as long by that.

use crate::base::sync::atomic::{AtomicU32, Ordering};
use crate::host::memory::Span;
use crate::transport::packet::Packet;
use std::alloc::{Layout, alloc, handle_alloc_error};
use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::ptr::{self, NonNull};

/// The longest message for which there is room: a receiver that has no use for it yet puts it into
/// a packet.
pub const LONGEST: usize = Packet::ROOM;
/// The sizes of blocks, each of which may be filled by one message. Blocks are aligned to them.
const SMALL: usize = 4 << 10;
const LARGE: usize = 8 << 10;
const LARGEST: usize = 16 << 10;
/// How much memory the blocks of one size may take.
const MOST: usize = 512 << 10;
const LINE: usize = 64;

const _: () = assert!(LONGEST <= LARGEST);

/// Which blocks a message is in.
enum Class {
    Small,
    Large,
    Largest,
}

impl Class {
    #[inline]
    fn of(bytes: usize) -> Class {
        match () {
            () if bytes <= SMALL => Class::Small,
            () if bytes <= LARGE => Class::Large,
            () => Class::Largest,
        }
    }
}

/// The payloads of a ring.
#[derive(Default)]
pub(super) struct Payloads {
    small: Blocks<SMALL>,
    large: Blocks<LARGE>,
    largest: Blocks<LARGEST>,
}

impl Payloads {
    /// Makes all blocks free, for two other ranks.
    ///
    /// # Safety
    /// There is neither a sender nor a receiver.
    pub(super) unsafe fn reset(&self) {
        // SAFETY: the caller's promise.
        unsafe {
            self.small.reset();
            self.large.reset();
            self.largest.reset();
        }
    }

    /// Where the sender's next long message goes; `None`: there is no room.
    ///
    /// # Safety
    /// One thread at a time sends; what it did before is known to the next.
    #[inline]
    pub(super) unsafe fn room(&self, bytes: usize) -> Option<Span> {
        // SAFETY: the caller's promise.
        unsafe {
            match Class::of(bytes) {
                Class::Small => self.small.room(bytes),
                Class::Large => self.large.room(bytes),
                Class::Largest => self.largest.room(bytes),
            }
        }
    }

    /// The message for which there was room has been sent.
    ///
    /// # Safety
    /// [`Payloads::room`] has just returned the room of this message.
    #[inline]
    pub(super) unsafe fn sent(&self, bytes: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            match Class::of(bytes) {
                Class::Small => self.small.sent(bytes),
                Class::Large => self.large.sent(bytes),
                Class::Largest => self.largest.sent(bytes),
            }
        }
    }
}

/// Blocks of one size.
struct Blocks<const BLOCK: usize> {
    filling: UnsafeCell<Filling>,
    left: Left,
}

/// How many blocks the receiver has left, on a line that the sender seldom reads.
#[repr(align(64))]
#[derive(Default)]
struct Left(AtomicU32);

/// State of the sender alone.
#[derive(Default)]
struct Filling {
    /// The block that is being filled, and how much of it is filled.
    block: Option<NonNull<u8>>,
    offset: usize,
    /// Those that were filled before and have not been left, as far as is known; the oldest first.
    filled: VecDeque<NonNull<u8>>,
    /// How many of these were left.
    reused: u32,
    /// Those that can be filled; the last one to be left is still in the caches.
    free: Vec<NonNull<u8>>,
    made: usize,
}

// SAFETY: only the sender touches its state, and there is one at a time: the callers of the unsafe
// functions promise that.
unsafe impl<const BLOCK: usize> Sync for Blocks<BLOCK> {}
// SAFETY: as above; blocks are memory of no thread in particular.
unsafe impl<const BLOCK: usize> Send for Blocks<BLOCK> {}

impl<const BLOCK: usize> Default for Blocks<BLOCK> {
    fn default() -> Blocks<BLOCK> {
        Blocks { filling: UnsafeCell::default(), left: Left::default() }
    }
}

impl<const BLOCK: usize> Blocks<BLOCK> {
    /// # Safety
    /// As for [`Payloads::reset`].
    unsafe fn reset(&self) {
        // SAFETY: nobody else touches it.
        let filling = unsafe { &mut *self.filling.get() };
        filling.free.extend(filling.block.take());
        filling.free.extend(filling.filled.drain(..));
        (filling.offset, filling.reused) = (0, 0);
        self.left.0.store(0, Ordering::Relaxed);
    }

    /// # Safety
    /// As for [`Payloads::room`].
    #[inline]
    unsafe fn room(&self, bytes: usize) -> Option<Span> {
        // SAFETY: only the sender touches this, and it is one.
        let filling = unsafe { &mut *self.filling.get() };
        let block = match filling.block {
            Some(block) if filling.offset + bytes <= BLOCK => block,
            _ => self.go_on(filling)?,
        };
        // SAFETY: there is room for the message behind the offset.
        let start = unsafe { block.add(filling.offset) };
        Some(Span::new(start.as_ptr().cast_const().cast(), bytes))
    }

    /// The sender goes on in another block, if there can be one.
    #[inline(never)]
    fn go_on(&self, filling: &mut Filling) -> Option<NonNull<u8>> {
        // The receiver does not touch a block again that it has left.
        let left = self.left.0.load(Ordering::Acquire);
        while filling.reused != left {
            let block = filling.filled.pop_front().expect("a block was filled before it was left");
            filling.free.push(block);
            filling.reused = filling.reused.wrapping_add(1);
        }
        if filling.free.is_empty() && filling.made < MOST / BLOCK {
            filling.free.push(make(BLOCK));
            filling.made += 1;
        }
        let next = filling.free.pop()?;
        filling.filled.extend(filling.block.replace(next));
        filling.offset = 0;
        Some(next)
    }

    /// # Safety
    /// As for [`Payloads::sent`].
    #[inline]
    unsafe fn sent(&self, bytes: usize) {
        // SAFETY: only the sender touches this, and it is one.
        let filling = unsafe { &mut *self.filling.get() };
        filling.offset += bytes.next_multiple_of(LINE);
    }

    /// The receiver, whose block is `current`, takes the message at `address` next.
    ///
    /// # Safety
    /// The caller is the only receiver, and `current` its only block of this size.
    #[inline]
    unsafe fn take(&self, current: &mut usize, address: usize) {
        let block = address & !(BLOCK - 1);
        if block == *current {
            return;
        }
        if *current != 0 {
            // All messages of that block were taken: the sender may fill it again.
            let left = self.left.0.load(Ordering::Relaxed);
            self.left.0.store(left.wrapping_add(1), Ordering::Release);
        }
        *current = block;
    }
}

fn make(bytes: usize) -> NonNull<u8> {
    let layout = Layout::from_size_align(bytes, bytes).expect("blocks are small");
    // SAFETY: the layout is not empty.
    let block = unsafe { alloc(layout) };
    NonNull::new(block).unwrap_or_else(|| handle_alloc_error(layout))
}

/// The receiver's blocks, by their addresses; 0 before the first message in one.
#[derive(Default)]
pub(super) struct Taking {
    small: usize,
    large: usize,
    largest: usize,
}

impl Taking {
    /// The receiver takes the message at `address` next.
    ///
    /// # Safety
    /// The caller is the only receiver of the messages in `payloads`, and this its only `Taking`.
    #[inline]
    pub(super) unsafe fn take(&mut self, payloads: &Payloads, address: usize, bytes: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            match Class::of(bytes) {
                Class::Small => payloads.small.take(&mut self.small, address),
                Class::Large => payloads.large.take(&mut self.large, address),
                Class::Largest => payloads.largest.take(&mut self.largest, address),
            }
        }
    }
}

/// The receiver has read this part of a message: it takes the lines out of the sender's cache.
///
/// # Safety
/// The part is the receiver's.
#[inline]
pub(super) unsafe fn own_lines(part: Span) {
    let start = ptr::with_exposed_provenance_mut::<u8>(part.address());
    for offset in (0..part.bytes()).step_by(LINE) {
        // SAFETY: the caller's promise. Volatile, because the compiler would leave a store out that
        // changes nothing.
        unsafe {
            let line = start.add(offset);
            line.write_volatile(line.read_volatile());
        }
    }
}
