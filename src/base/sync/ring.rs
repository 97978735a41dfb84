//! A queue with one sender and one taker. Each slot is a cache line that tells by itself whether it
//! is filled, so that a message costs one cache-line transfer and no other word is shared.
//!
//! Slots come in segments, which the two use in turns: two as long as the taker keeps up, more if
//! it does not. Before the sender fills the last slot of a segment, it links the next one: the
//! oldest that the taker has left, or a new one. A slot holds message `n` once its `turn` is that
//! of `n`.

use super::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use super::cache::prefetch_to_write;
use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::{NonNull, null_mut};

/// The number of slots in a segment.
const SEGMENT: usize = if cfg!(loom) { 2 } else { 64 };
/// The most segments of a ring.
const SEGMENTS: usize = if cfg!(loom) { 2 } else { 64 };
/// The number of messages for which there is room. The last slot is not filled without a segment
/// that follows.
pub const SLOTS: usize = SEGMENT * SEGMENTS - 1;
/// How many lines ahead the sender prefetches.
const AHEAD: usize = 4;

#[repr(C, align(64))]
struct Slot<T> {
    turn: AtomicU32,
    value: UnsafeCell<MaybeUninit<T>>,
}

#[repr(C)]
struct Segment<T> {
    slots: [Slot<T>; SEGMENT],
    /// The segment that follows, known before the last slot is filled.
    next: AtomicPtr<Segment<T>>,
}

/// What is on cache lines of its own.
#[repr(align(64))]
struct Own<T>(T);

/// State of the sender alone.
struct Sending<T> {
    /// The number of the next message, and its segment.
    next: u32,
    segment: NonNull<Segment<T>>,
    /// The segment that follows, if it is linked already.
    linked: Option<NonNull<Segment<T>>>,
    /// All segments that exist, in the order in which they are filled again and again.
    made: Vec<NonNull<Segment<T>>>,
    /// How many segments were filled, and how many of these were linked again.
    filled: u32,
    reused: u32,
    order: [*mut Segment<T>; SEGMENTS],
}

/// The place for the sender's next message.
pub struct Room<T> {
    pub at: *mut T,
    number: u32,
}

pub struct Ring<T> {
    sending: Own<UnsafeCell<Sending<T>>>,
    /// The taker's [`Position`]: other threads may read it, only the taker writes it.
    position: Own<AtomicU64>,
    /// How many segments the taker has left, for the sender.
    left: Own<AtomicU32>,
}

// SAFETY: a value belongs to the sender before its slot's turn, and to the taker after. The callers
// of the unsafe functions promise that there is one of each.
unsafe impl<T: Send> Sync for Ring<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Ring<T> {}

/// The slot of the taker's next message and the message's number in one word, so that other threads
/// read both at once: above, the slot's address, whose last bits are 0; below, the number's last.
struct Position<T>(u64, PhantomData<T>);

/// How many bits of a message's number a position has.
const NUMBER_BITS: u32 = 22;
const NUMBERS: u32 = (1 << NUMBER_BITS) - 1;
/// How many bits of a slot's address are 0.
const ZEROS: u32 = 6;

impl<T> Position<T> {
    fn at(slot: *const Slot<T>, number: u32) -> Position<T> {
        let address = slot.expose_provenance() as u64;
        Position((address >> ZEROS) << NUMBER_BITS | u64::from(number & NUMBERS), PhantomData)
    }

    #[inline(always)]
    fn slot(&self) -> *const Slot<T> {
        std::ptr::with_exposed_provenance((self.0 >> NUMBER_BITS << ZEROS) as usize)
    }

    #[inline(always)]
    fn number(&self) -> u32 {
        self.0 as u32 & NUMBERS
    }

    /// The position after this one, in the same segment.
    #[inline(always)]
    fn after(&self) -> u64 {
        let slot = (size_of::<Slot<T>>() as u64 >> ZEROS) << NUMBER_BITS;
        self.0 + slot + 1
    }
}

/// What a slot shows that holds message `number`: the last bits of the number after it, so that it
/// differs from what the slot showed before.
#[inline(always)]
fn turn_of(number: u32) -> u32 {
    number.wrapping_add(1) & NUMBERS
}

/// What a slot shows that has held no message.
const NO_TURN: u32 = u32::MAX;

/// The index of message `number` in its segment.
#[inline(always)]
fn index(number: u32) -> usize {
    // The mask keeps the index below the length, which is a power of two.
    number as usize & (SEGMENT - 1)
}

impl<T> Segment<T> {
    fn make() -> NonNull<Segment<T>> {
        let slot = |_| {
            let (turn, value) = (AtomicU32::new(NO_TURN), UnsafeCell::new(MaybeUninit::uninit()));
            Slot { turn, value }
        };
        let (slots, next) = (std::array::from_fn(slot), AtomicPtr::new(null_mut()));
        NonNull::from(Box::leak(Box::new(Segment { slots, next })))
    }

    /// The position of message `number`, the first one in this segment.
    fn start(segment: NonNull<Segment<T>>, number: u32) -> Position<T> {
        Position::at(segment.as_ptr().cast(), number)
    }
}

impl<T> Default for Ring<T> {
    fn default() -> Ring<T> {
        let first = Segment::make();
        let sending = Sending {
            next: 0,
            segment: first,
            linked: None,
            made: vec![first],
            filled: 0,
            reused: 0,
            order: [null_mut(); SEGMENTS],
        };
        Ring {
            sending: Own(UnsafeCell::new(sending)),
            position: Own(AtomicU64::new(Segment::start(first, 0).0)),
            left: Own(AtomicU32::new(0)),
        }
    }
}

impl<T> Ring<T> {
    #[inline(always)]
    fn position(&self, order: Ordering) -> Position<T> {
        Position(self.position.0.load(order), PhantomData)
    }

    /// The place for the sender's next message; `None`: there is no room.
    ///
    /// # Safety
    /// One thread at a time sends; what it did before is known to the next.
    #[inline(always)]
    pub unsafe fn room(&self) -> Option<Room<T>> {
        // SAFETY: only the sender touches this, and it is one.
        let sending = unsafe { &mut *self.sending.0.get() };
        let number = sending.next;
        if index(number) == SEGMENT - 1 && !self.link(sending) {
            return None;
        }
        // SAFETY: segments stay as long as the ring.
        let segment = unsafe { sending.segment.as_ref() };
        Some(Room { at: segment.slots[index(number)].value.get().cast(), number })
    }

    /// Prefetches the line of the next message, which is about to be sent. Even if the taker polls
    /// it, that saves much of the line's transfer.
    ///
    /// # Safety
    /// As for [`Ring::room`].
    #[inline(always)]
    pub unsafe fn anticipate(&self) {
        // SAFETY: only the sender touches this, and it is one.
        let sending = unsafe { &*self.sending.0.get() };
        // SAFETY: segments stay as long as the ring.
        let segment = unsafe { sending.segment.as_ref() };
        prefetch_to_write(&raw const segment.slots[index(sending.next)]);
    }

    /// Links the segment that follows on the sender's; false if all are in use.
    #[cold]
    fn link(&self, sending: &mut Sending<T>) -> bool {
        if sending.linked.is_some() {
            return true;
        }
        // The taker does not touch a segment again that it has left.
        let next = if sending.reused != self.left.0.load(Ordering::Acquire) {
            let place = sending.reused as usize % SEGMENTS;
            sending.reused = sending.reused.wrapping_add(1);
            NonNull::new(sending.order[place]).expect("it was filled before it was left")
        } else if sending.made.len() < SEGMENTS {
            let made = Segment::make();
            sending.made.push(made);
            made
        } else {
            return false;
        };
        // SAFETY: segments stay as long as the ring.
        unsafe { sending.segment.as_ref() }.next.store(next.as_ptr(), Ordering::Relaxed);
        sending.linked = Some(next);
        true
    }

    /// Publishes what the sender has written into `room` as the next message.
    ///
    /// # Safety
    /// [`Ring::room`] has just returned it to the caller.
    #[inline(always)]
    pub unsafe fn send(&self, room: Room<T>) {
        // SAFETY: only the sender touches this, and it is one.
        let sending = unsafe { &mut *self.sending.0.get() };
        // SAFETY: segments stay as long as the ring.
        let slots = unsafe { &sending.segment.as_ref().slots };
        let at = index(room.number);
        slots[at].turn.store(turn_of(room.number), Ordering::Release);
        sending.next = room.number.wrapping_add(1);
        if at + AHEAD < SEGMENT {
            prefetch_to_write(&raw const slots[at + AHEAD]);
        } else if at == SEGMENT - 1 {
            go_on(sending);
        }
    }

    /// Whether there is a message. A hint for threads that are not the taker.
    #[inline]
    pub fn has_next(&self) -> bool {
        let position = self.position(Ordering::Acquire);
        // SAFETY: a position is in a segment of the ring, and these stay as long as the ring.
        let slot = unsafe { &*position.slot() };
        slot.turn.load(Ordering::Acquire) == turn_of(position.number())
    }

    /// The next message, if there is one. It stays there until [`Ring::pass`].
    ///
    /// # Safety
    /// One thread at a time takes; what it did before is known to the next.
    #[inline(always)]
    pub unsafe fn next(&self) -> Option<NonNull<T>> {
        let position = self.position(Ordering::Relaxed);
        // SAFETY: as in `has_next`.
        let slot = unsafe { &*position.slot() };
        let is_filled = slot.turn.load(Ordering::Acquire) == turn_of(position.number());
        // SAFETY: it is the address of a part of this very ring.
        is_filled.then(|| unsafe { NonNull::new_unchecked(slot.value.get().cast()) })
    }

    /// Returns the place of the next message, which the taker has read, to the sender.
    ///
    /// # Safety
    /// [`Ring::next`] has just returned it to the caller.
    #[inline(always)]
    pub unsafe fn pass(&self) {
        let position = self.position(Ordering::Relaxed);
        if index(position.number()) == SEGMENT - 1 {
            return self.leave(&position);
        }
        self.position.0.store(position.after(), Ordering::Release);
    }

    /// The taker has read its segment to the end, and goes on in the next one.
    #[cold]
    fn leave(&self, position: &Position<T>) {
        // SAFETY: the position is in the last slot of a segment of the ring.
        let segment = unsafe { &*position.slot().sub(SEGMENT - 1).cast::<Segment<T>>() };
        // The link was written before the last message was sent.
        let next = NonNull::new(segment.next.load(Ordering::Relaxed)).expect("it was linked");
        let after = Segment::start(next, position.number() + 1);
        self.position.0.store(after.0, Ordering::Release);
        let left = self.left.0.load(Ordering::Relaxed).wrapping_add(1);
        self.left.0.store(left, Ordering::Release);
    }
}

/// The sender has filled its segment, and goes on in the next one.
#[cold]
fn go_on<T>(sending: &mut Sending<T>) {
    sending.order[sending.filled as usize % SEGMENTS] = sending.segment.as_ptr();
    sending.filled = sending.filled.wrapping_add(1);
    sending.segment = sending.linked.take().expect("`room` has linked it");
}

impl<T> Drop for Ring<T> {
    /// Messages that were not taken are dropped.
    fn drop(&mut self) {
        // SAFETY: no other thread is left, and a message whose turn is set was written.
        while let Some(value) = unsafe { self.next() } {
            // SAFETY: as above; it is passed at once.
            unsafe {
                drop(value.read());
                self.pass();
            }
        }
        // SAFETY: no other thread is left.
        for segment in unsafe { &mut *self.sending.0.get() }.made.drain(..) {
            // SAFETY: `make` has leaked a box, and nothing refers to it any more.
            drop(unsafe { Box::from_raw(segment.as_ptr()) });
        }
    }
}

#[cfg(test)]
fn send<T>(ring: &Ring<T>, value: T) -> Result<(), T> {
    // SAFETY: the tests have one sender for each ring.
    let Some(room) = (unsafe { ring.room() }) else { return Err(value) };
    // SAFETY: the ring has given the place to the sender.
    unsafe {
        room.at.write(value);
        ring.send(room);
    }
    Ok(())
}

#[cfg(test)]
fn take<T>(ring: &Ring<T>) -> Option<T> {
    // SAFETY: the tests have one taker for each ring.
    unsafe {
        let value = ring.next()?.read();
        ring.pass();
        Some(value)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn what_does_not_fit_stays_with_the_sender_and_what_is_left_is_dropped() {
        let (ring, one) = (Ring::default(), Arc::new(()));
        (0..SLOTS).for_each(|_| assert_eq!(send(&ring, one.clone()), Ok(())));
        assert!(send(&ring, one.clone()).is_err());
        (0..2 * SEGMENT).for_each(|_| assert!(take(&ring).is_some()));
        (0..2 * SEGMENT).for_each(|_| assert_eq!(send(&ring, one.clone()), Ok(())));
        assert!(send(&ring, one.clone()).is_err() && ring.has_next());
        assert_eq!(Arc::strong_count(&one), SLOTS + 1);
        drop(ring);
        assert_eq!(Arc::strong_count(&one), 1);
    }

    #[test]
    fn as_long_as_the_taker_keeps_up_two_segments_are_enough() {
        let ring = Ring::default();
        for number in 0..10 * SEGMENT {
            assert_eq!(send(&ring, number), Ok(()));
            assert_eq!(take(&ring), Some(number));
        }
        // SAFETY: nobody sends.
        assert_eq!(unsafe { &*ring.sending.0.get() }.made.len(), 2);
    }

    #[test]
    fn messages_arrive_in_order_and_whole() {
        // More than a position can tell apart.
        const MESSAGES: u64 = if cfg!(miri) { 500 } else { (NUMBERS as u64 + 1) + 200_000 };
        let ring = Ring::default();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for number in 0..MESSAGES {
                    while send(&ring, [number; 5]).is_err() {
                        std::thread::yield_now();
                    }
                }
            });
            for number in 0..MESSAGES {
                let message = loop {
                    match take(&ring) {
                        Some(message) => break message,
                        None => std::thread::yield_now(),
                    }
                };
                assert_eq!(message, [number; 5]);
            }
        });
        assert!(!ring.has_next());
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    #[test]
    fn loom_a_ring_keeps_order_loses_nothing_and_writes_on_nothing_that_is_not_taken() {
        loom::model(|| {
            const MESSAGES: u32 = SLOTS as u32 + 2;
            let ring = Arc::new(Ring::default());
            let sender = {
                let ring = ring.clone();
                thread::spawn(move || (0..MESSAGES).take_while(|n| send(&ring, *n).is_ok()).count())
            };
            let mut taken = 0;
            for _ in 0..2 {
                while let Some(message) = take(&ring) {
                    assert_eq!(message, taken);
                    taken += 1;
                }
            }
            let sent = sender.join().expect("nobody panics");
            while let Some(message) = take(&ring) {
                assert_eq!(message, taken);
                taken += 1;
            }
            assert_eq!(taken as usize, sent);
        });
    }
}
