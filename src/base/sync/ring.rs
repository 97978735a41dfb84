//! A ring with one sender and one taker. Each slot is a cache line that tells by itself whether it
//! is filled, so that a message costs one cache-line transfer and no other word is shared.
//!
//! Slot `n % SLOTS` holds message `n` once its `turn` is `n + 1`. The taker publishes its position
//! every quarter of a ring; the sender reads it only when it believes the ring to be full.

use super::atomic::{AtomicU32, Ordering};
use super::cache::prefetch_to_write;
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// The number of messages for which there is room.
pub const SLOTS: usize = if cfg!(loom) { 2 } else { 128 };
const QUARTER: u32 = (SLOTS as u32).div_ceil(4);
/// How many lines ahead the sender prefetches.
const AHEAD: u32 = 4;

#[repr(C, align(64))]
struct Slot<T> {
    turn: AtomicU32,
    value: UnsafeCell<MaybeUninit<T>>,
}

/// A word on a line of its own.
#[repr(align(64))]
struct Own<T>(T);

/// State of the sender alone.
struct Sending {
    next: u32,
    /// The taker's position, as far as the sender knows.
    taken: u32,
}

/// The place for the sender's next message.
pub struct Room<T> {
    pub at: *mut T,
    number: u32,
}

pub struct Ring<T> {
    slots: [Slot<T>; SLOTS],
    sending: Own<UnsafeCell<Sending>>,
    /// The number of the taker's next message: other threads may read it, only the taker writes it.
    next: Own<AtomicU32>,
    /// The taker's position, for the sender.
    taken: Own<AtomicU32>,
}

// SAFETY: a value belongs to the sender before its slot's turn, and to the taker after. The callers
// of the unsafe functions promise that there is one of each.
unsafe impl<T: Send> Sync for Ring<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Ring<T> {}

impl<T> Default for Ring<T> {
    fn default() -> Ring<T> {
        let slot = |_| {
            let (turn, value) = (AtomicU32::new(0), UnsafeCell::new(MaybeUninit::uninit()));
            Slot { turn, value }
        };
        Ring {
            slots: std::array::from_fn(slot),
            sending: Own(UnsafeCell::new(Sending { next: 0, taken: 0 })),
            next: Own(AtomicU32::new(0)),
            taken: Own(AtomicU32::new(0)),
        }
    }
}

impl<T> Ring<T> {
    #[inline(always)]
    fn slot(&self, number: u32) -> &Slot<T> {
        // The mask keeps the index below the length, which is a power of two.
        &self.slots[number as usize & (SLOTS - 1)]
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
        if number.wrapping_sub(sending.taken) == SLOTS as u32 && !self.has_room_again(sending) {
            return None;
        }
        Some(Room { at: self.slot(number).value.get().cast(), number })
    }

    /// Prefetches the line of the next message, which is about to be sent. Even if the taker polls
    /// it, that saves much of the line's transfer.
    ///
    /// # Safety
    /// As for [`Ring::room`].
    #[inline(always)]
    pub unsafe fn anticipate(&self) {
        // SAFETY: only the sender touches this, and it is one.
        let next = unsafe { (*self.sending.0.get()).next };
        prefetch_to_write(self.slot(next));
    }

    #[cold]
    #[inline]
    fn has_room_again(&self, sending: &mut Sending) -> bool {
        sending.taken = self.taken.0.load(Ordering::Acquire);
        sending.next.wrapping_sub(sending.taken) != SLOTS as u32
    }

    /// Publishes what the sender has written into `room` as the next message.
    ///
    /// # Safety
    /// [`Ring::room`] has just returned it to the caller.
    #[inline(always)]
    pub unsafe fn send(&self, room: Room<T>) {
        let after = room.number.wrapping_add(1);
        self.slot(room.number).turn.store(after, Ordering::Release);
        // SAFETY: only the sender touches this, and it is one.
        unsafe { (*self.sending.0.get()).next = after };
        prefetch_to_write(self.slot(room.number.wrapping_add(AHEAD)));
    }

    /// Whether there is a message. A hint for threads that are not the taker.
    #[inline]
    pub fn has_next(&self) -> bool {
        let number = self.next.0.load(Ordering::Relaxed);
        self.slot(number).turn.load(Ordering::Acquire) == number.wrapping_add(1)
    }

    /// The next message, if there is one. It stays there until [`Ring::pass`].
    ///
    /// # Safety
    /// One thread at a time takes; what it did before is known to the next.
    #[inline(always)]
    pub unsafe fn next(&self) -> Option<NonNull<T>> {
        let number = self.next.0.load(Ordering::Relaxed);
        let slot = self.slot(number);
        let is_filled = slot.turn.load(Ordering::Acquire) == number.wrapping_add(1);
        // SAFETY: it is the address of a part of this very ring.
        is_filled.then(|| unsafe { NonNull::new_unchecked(slot.value.get().cast()) })
    }

    /// Returns the place of the next message, which the taker has read, to the sender.
    ///
    /// # Safety
    /// [`Ring::next`] has just returned it to the caller.
    #[inline(always)]
    pub unsafe fn pass(&self) {
        let next = self.next.0.load(Ordering::Relaxed).wrapping_add(1);
        self.next.0.store(next, Ordering::Relaxed);
        if next.is_multiple_of(QUARTER) {
            self.taken.0.store(next, Ordering::Release);
        }
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
        (0..QUARTER).for_each(|_| assert!(take(&ring).is_some()));
        (0..QUARTER).for_each(|_| assert_eq!(send(&ring, one.clone()), Ok(())));
        assert!(send(&ring, one.clone()).is_err() && ring.has_next());
        assert_eq!(Arc::strong_count(&one), SLOTS + 1);
        drop(ring);
        assert_eq!(Arc::strong_count(&one), 1);
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
            const MESSAGES: u32 = SLOTS as u32 + 1;
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
