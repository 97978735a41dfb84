//! A queue with one sender and one taker. Each slot is a cache line that tells by itself whether it
//! is filled, so that a message costs one cache-line transfer and no other word is shared.
//!
//! Slots come in segments, which the two use in turns: two as long as the taker keeps up, more if it
//! does not. Before the sender fills the last slot of a segment, it links the next one: the oldest
//! that the taker has left behind, or a new one. Slot `n % SEGMENT` of a segment holds message `n`
//! once its `turn` is `n + 1`.

use super::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering};
use super::cache::prefetch_to_write;
use std::cell::UnsafeCell;
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

struct Segment<T> {
    slots: [Slot<T>; SEGMENT],
}

/// What is on cache lines of its own.
#[repr(align(64))]
struct Own<T>(T);

/// State of the sender alone.
struct Sending<T> {
    /// The number of the next message, and its segment.
    next: u32,
    place: u8,
    segment: NonNull<Segment<T>>,
    /// The segment that follows, if it is linked already.
    linked: Option<u8>,
    /// How many segments exist.
    made: u8,
    /// How many segments were filled, and how many of these were used again.
    filled: u32,
    reused: u32,
    /// The segments in the order in which they were filled, modulo their number.
    order: [u8; SEGMENTS],
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
    /// How many segments the taker has left behind, for the sender.
    left: Own<AtomicU32>,
    /// The segments that exist; the sender adds them.
    segments: Own<[AtomicPtr<Segment<T>>; SEGMENTS]>,
    /// Which segment follows on each.
    links: [AtomicU8; SEGMENTS],
}

// SAFETY: a value belongs to the sender before its slot's turn, and to the taker after. The callers
// of the unsafe functions promise that there is one of each.
unsafe impl<T: Send> Sync for Ring<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Ring<T> {}

/// The number of the taker's next message, and the segment that it is in: one word, so that other
/// threads read both at once.
#[derive(Clone, Copy)]
struct Position {
    number: u32,
    place: u8,
}

impl Position {
    #[inline(always)]
    fn of(word: u64) -> Position {
        Position { number: word as u32, place: (word >> 32) as u8 }
    }

    #[inline(always)]
    fn word(self) -> u64 {
        u64::from(self.number) | u64::from(self.place) << 32
    }
}

/// The index of message `number` in its segment.
#[inline(always)]
fn index(number: u32) -> usize {
    // The mask keeps the index below the length, which is a power of two.
    number as usize & (SEGMENT - 1)
}

impl<T> Segment<T> {
    fn make() -> NonNull<Segment<T>> {
        let slot = |_| {
            let (turn, value) = (AtomicU32::new(0), UnsafeCell::new(MaybeUninit::uninit()));
            Slot { turn, value }
        };
        NonNull::from(Box::leak(Box::new(Segment { slots: std::array::from_fn(slot) })))
    }
}

impl<T> Default for Ring<T> {
    fn default() -> Ring<T> {
        let first = Segment::make();
        let known = |place| AtomicPtr::new(if place == 0 { first.as_ptr() } else { null_mut() });
        let sending = Sending {
            next: 0,
            place: 0,
            segment: first,
            linked: None,
            made: 1,
            filled: 0,
            reused: 0,
            order: [0; SEGMENTS],
        };
        Ring {
            sending: Own(UnsafeCell::new(sending)),
            position: Own(AtomicU64::new(Position { number: 0, place: 0 }.word())),
            left: Own(AtomicU32::new(0)),
            segments: Own(std::array::from_fn(known)),
            links: std::array::from_fn(|_| AtomicU8::new(0)),
        }
    }
}

impl<T> Ring<T> {
    #[inline(always)]
    fn slot(&self, position: Position) -> &Slot<T> {
        let segment =
            self.segments.0[usize::from(position.place) % SEGMENTS].load(Ordering::Acquire);
        // SAFETY: a position names a segment that exists, and these stay as long as the ring.
        unsafe { &(&(*segment).slots)[index(position.number)] }
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
            let place = sending.order[sending.reused as usize % SEGMENTS];
            sending.reused = sending.reused.wrapping_add(1);
            place
        } else if usize::from(sending.made) < SEGMENTS {
            let place = sending.made;
            self.segments.0[usize::from(place)].store(Segment::make().as_ptr(), Ordering::Release);
            sending.made += 1;
            place
        } else {
            return false;
        };
        self.links[usize::from(sending.place)].store(next, Ordering::Relaxed);
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
        let (at, after) = (index(room.number), room.number.wrapping_add(1));
        slots[at].turn.store(after, Ordering::Release);
        sending.next = after;
        if at + AHEAD < SEGMENT {
            prefetch_to_write(&raw const slots[at + AHEAD]);
        }
        if at == SEGMENT - 1 {
            self.go_on(sending);
        }
    }

    /// The sender has filled its segment, and goes on in the next one.
    #[cold]
    fn go_on(&self, sending: &mut Sending<T>) {
        let next = sending.linked.take().expect("`room` has linked it");
        sending.order[sending.filled as usize % SEGMENTS] = sending.place;
        sending.filled = sending.filled.wrapping_add(1);
        sending.place = next;
        let segment = self.segments.0[usize::from(next)].load(Ordering::Relaxed);
        sending.segment = NonNull::new(segment).expect("a linked segment exists");
    }

    /// Whether there is a message. A hint for threads that are not the taker.
    #[inline]
    pub fn has_next(&self) -> bool {
        let position = Position::of(self.position.0.load(Ordering::Acquire));
        let turn = position.number.wrapping_add(1);
        self.slot(position).turn.load(Ordering::Acquire) == turn
    }

    /// The next message, if there is one. It stays there until [`Ring::pass`].
    ///
    /// # Safety
    /// One thread at a time takes; what it did before is known to the next.
    #[inline(always)]
    pub unsafe fn next(&self) -> Option<NonNull<T>> {
        let position = Position::of(self.position.0.load(Ordering::Relaxed));
        let slot = self.slot(position);
        let is_filled = slot.turn.load(Ordering::Acquire) == position.number.wrapping_add(1);
        // SAFETY: it is the address of a part of this very ring.
        is_filled.then(|| unsafe { NonNull::new_unchecked(slot.value.get().cast()) })
    }

    /// Returns the place of the next message, which the taker has read, to the sender.
    ///
    /// # Safety
    /// [`Ring::next`] has just returned it to the caller.
    #[inline(always)]
    pub unsafe fn pass(&self) {
        let Position { number, place } = Position::of(self.position.0.load(Ordering::Relaxed));
        let number_after = number.wrapping_add(1);
        if index(number) == SEGMENT - 1 {
            return self.leave(Position { number: number_after, place });
        }
        let after = Position { number: number_after, place };
        self.position.0.store(after.word(), Ordering::Release);
    }

    /// The taker has read its segment to the end, and goes on in the next one.
    #[cold]
    fn leave(&self, Position { number, place }: Position) {
        // The link was written before the last message was sent.
        let next = self.links[usize::from(place)].load(Ordering::Relaxed);
        self.position.0.store(Position { number, place: next }.word(), Ordering::Release);
        let left = self.left.0.load(Ordering::Relaxed).wrapping_add(1);
        self.left.0.store(left, Ordering::Release);
    }
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
        for segment in &self.segments.0 {
            let segment = segment.load(Ordering::Relaxed);
            if !segment.is_null() {
                // SAFETY: `make` has leaked a box, and nothing refers to it any more.
                drop(unsafe { Box::from_raw(segment) });
            }
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
        let made = ring.segments.0.iter().filter(|it| !it.load(Ordering::Relaxed).is_null());
        assert_eq!(made.count(), 2);
    }

    #[test]
    fn messages_arrive_in_order_and_whole() {
        const MESSAGES: u64 = if cfg!(miri) { 500 } else { 200_000 };
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
