//! Bookings: receives of a few bytes with one tag from one member, by its channel, started the
//! short way.
//!
//! As long as all goes as usual they are filled and settled without ever becoming operations. What
//! is not usual makes operations of all that wait, before anything else is looked at: so each
//! booking is older than each posted receive.

use super::matching::ANY_TAG;
use super::op::{Died, Outcome, Stage, Watch};
use super::short::BREATHS;
use super::{Engine, State};
use crate::base::Member;
use crate::base::slab::{Key, RESERVED, reserved};
use crate::host::memory::{self, Span};
use crate::transport::{Envelope, Glance, Incoming, SHORT};
use std::sync::atomic::Ordering;

/// Lists of those that wait, by what they ask for.
const LISTS: usize = 64;
const NOBODY: u8 = u8::MAX;
const _: () = assert!(RESERVED <= NOBODY as usize);

/// The bookings of a rank, under keys that no slab has.
#[derive(Default)]
pub struct Bookings {
    places: Vec<Booking>,
    free: Vec<u8>,
    lists: Vec<List>,
    waiting: u32,
}

/// The first and the last of some that wait; those of one envelope stand in order.
#[derive(Clone, Copy)]
struct List {
    first: u8,
    last: u8,
}

#[derive(Clone, Copy)]
struct Booking {
    generation: u32,
    state: Progress,
    envelope: Envelope,
    /// How many bytes it got.
    bytes: u32,
    into: Span,
    from: Member,
    /// Who comes after it in its list.
    next: u8,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Free,
    Waiting,
    Filled,
    /// It is this operation from now on.
    Moved(Key),
}

/// What a booking got.
#[derive(Clone, Copy)]
pub struct Receipt {
    pub source: i32,
    pub tag: i32,
    pub bytes: usize,
}

impl Bookings {
    /// How many have not been settled, those included that have become operations.
    pub(super) fn count(&self) -> usize {
        self.places.len() - self.free.len()
    }

    #[inline]
    pub(super) fn are_waiting(&self) -> bool {
        self.waiting != 0
    }

    /// Whether this is the key of one that is no operation.
    #[inline]
    pub fn has(&self, key: Key) -> bool {
        let booking = self.find(key);
        booking.is_some_and(|it| matches!(it.state, Progress::Waiting | Progress::Filled))
    }

    /// What a booking got, which is forgotten then; `None`: nothing so far.
    #[inline]
    pub fn settle(&mut self, key: Key) -> Option<Receipt> {
        let booking = self.find(key).filter(|booking| booking.state == Progress::Filled)?;
        let receipt = booking.receipt();
        self.release(key);
        Some(receipt)
    }

    /// The key stands for nothing any more.
    #[inline]
    pub(super) fn release(&mut self, key: Key) {
        let Some(place) = key.reserved() else { return };
        let booking = &mut self.places[place];
        booking.state = Progress::Free;
        booking.generation = booking.generation % LAST_GENERATION + 1;
        self.free.push(place as u8);
    }

    #[inline]
    fn find(&self, key: Key) -> Option<&Booking> {
        let booking = self.places.get(key.reserved()?)?;
        (booking.generation == key.generation()).then_some(booking)
    }

    #[inline]
    fn add(&mut self, envelope: Envelope, from: Member, into: Span) -> Option<Key> {
        let place = match self.free.pop() {
            Some(place) => place,
            None if self.places.len() < RESERVED => {
                let (state, bytes) = (Progress::Free, 0);
                let next = NOBODY;
                let booking = Booking { generation: 1, state, envelope, bytes, into, from, next };
                self.places.push(booking);
                self.lists.resize(LISTS, List { first: NOBODY, last: NOBODY });
                (self.places.len() - 1) as u8
            }
            None => return None,
        };
        let booking = &mut self.places[usize::from(place)];
        booking.state = Progress::Waiting;
        booking.envelope = envelope;
        booking.from = from;
        booking.into = into;
        booking.next = NOBODY;
        let key = reserved(usize::from(place), booking.generation);
        self.waiting += 1;
        let list = &mut self.lists[list_of(envelope)];
        let last = std::mem::replace(&mut list.last, place);
        match last {
            NOBODY => list.first = place,
            last => self.places[usize::from(last)].next = place,
        }
        Some(key)
    }

    /// Where the message goes that has this envelope; `None`: nobody waits for it, or it is too
    /// long.
    #[inline]
    fn fill(&mut self, envelope: Envelope, bytes: usize) -> Option<Span> {
        let list = self.lists.get_mut(list_of(envelope))?;
        let (mut before, mut place) = (NOBODY, list.first);
        while place != NOBODY {
            let booking = &mut self.places[usize::from(place)];
            let next = booking.next;
            if booking.envelope == envelope {
                let into = booking.take(bytes)?;
                self.waiting -= 1;
                if list.last == place {
                    list.last = before;
                }
                match before {
                    NOBODY => list.first = next,
                    before => self.places[usize::from(before)].next = next,
                }
                return Some(into);
            }
            (before, place) = (place, next);
        }
        None
    }

    /// Takes out one that waits, the oldest with its envelope.
    fn pop(&mut self) -> Option<u8> {
        let list = self.lists.iter_mut().find(|list| list.first != NOBODY)?;
        let place = list.first;
        list.first = self.places[usize::from(place)].next;
        if list.first == NOBODY {
            list.last = NOBODY;
        }
        self.waiting -= 1;
        Some(place)
    }
}

/// Neighbours' tags are apart, and so are neighbours.
#[inline(always)]
fn list_of(envelope: Envelope) -> usize {
    (envelope.tag as usize).wrapping_add(7 * envelope.source as usize) % LISTS
}

impl Booking {
    /// Takes a message if it fits.
    #[inline(always)]
    fn take(&mut self, bytes: usize) -> Option<Span> {
        if bytes > self.into.bytes() {
            return None;
        }
        self.state = Progress::Filled;
        self.bytes = bytes as u32;
        Some(self.into)
    }

    #[inline]
    fn receipt(&self) -> Receipt {
        let Envelope { source, tag, .. } = self.envelope;
        Receipt { source, tag, bytes: self.bytes as usize }
    }
}

/// Handles have five bits for it.
const LAST_GENERATION: u32 = 31;

impl Engine {
    /// Starts a receive the short way, if that can be.
    #[inline(always)]
    pub fn book(&self, pattern: Envelope, from: Member, into: Span) -> Option<Key> {
        if into.bytes() > SHORT || pattern.tag == ANY_TAG || !self.is_carefree() {
            return None;
        }
        let mut state = self.state.lock();
        if state.is_busy() || state.channels.from(from).is_none() {
            return None;
        }
        state.ops.1.add(pattern, from, into)
    }

    /// Fills bookings until that `is_enough`; false: something is unusual, or it takes longer.
    #[inline(always)]
    pub fn fill_bookings(
        &self, mut is_enough: impl FnMut(&mut Bookings) -> bool,
    ) -> Result<bool, Died> {
        for _ in 0..BREATHS {
            if self.is_stopping() {
                return Err(Died);
            }
            if !self.is_carefree() {
                return Ok(false);
            }
            let mut state = self.state.lock();
            let made = self.port.made();
            let is_usual = self.hear_for_bookings(&mut state, made)?;
            if is_enough(&mut state.ops.1) {
                return Ok(true);
            }
            if !is_usual {
                return Ok(false);
            }
            drop(state);
            self.look_for_arrivals(made);
        }
        Ok(false)
    }

    /// Gives what lies in channels to the bookings; false: there is something else to look at.
    #[inline(always)]
    fn hear_for_bookings(&self, state: &mut State, made: u32) -> Result<bool, Died> {
        let awaits = self.awaited.load(Ordering::Relaxed) != 0;
        if self.port.has_arrivals() || made != state.channels.made || state.is_busy() || awaits {
            return Ok(false);
        }
        for channel in &mut state.channels.incoming {
            for _ in 0..Incoming::SLOTS {
                let (envelope, data) = match channel.glance() {
                    Glance::Nothing => break,
                    Glance::Packet => return Ok(false),
                    Glance::Short { envelope, data } => (envelope, data),
                };
                let Some(into) = state.ops.1.fill(envelope, data.bytes()) else {
                    return Ok(false);
                };
                memory::copy_few(data, into).map_err(|fault| self.suffer(fault.address))?;
                channel.pass();
            }
        }
        Ok(true)
    }

    /// Makes an operation of a booking; `None`: there is none with this key.
    pub fn admit(&self, booking: Key) -> Option<Key> {
        let mut state = self.state.lock();
        state.unbook();
        let found = state.ops.1.find(booking)?;
        match found.state {
            Progress::Moved(op) => Some(op),
            Progress::Filled => {
                let Receipt { source, tag, bytes } = found.receipt();
                let op = state.done(Outcome { source, tag, bytes, ..Outcome::default() });
                state.ops.1.places[booking.reserved()?].state = Progress::Moved(op);
                Some(op)
            }
            Progress::Waiting | Progress::Free => None,
        }
    }

    /// The key of a booking that has become an operation stands for nothing any more.
    pub fn release(&self, booking: Key) {
        self.state.lock().ops.1.release(booking);
    }

    /// How many bookings have not been settled, those included that have become operations.
    pub fn bookings(&self) -> usize {
        self.state.lock().ops.1.count()
    }
}

impl State {
    /// Makes operations of all bookings that wait.
    #[inline]
    pub(super) fn unbook(&mut self) {
        if self.ops.1.are_waiting() {
            self.unbook_all();
        }
    }

    #[inline(never)]
    fn unbook_all(&mut self) {
        while let Some(place) = self.ops.1.pop() {
            let Booking { envelope: pattern, from, into, .. } =
                self.ops.1.places[usize::from(place)];
            let watch = Watch::Peer { rank: pattern.source, member: from };
            let op = self.begin(Stage::Receiving { into: into.into() }, pattern, Some(watch));
            self.posted.insert(pattern, op);
            self.ops.1.places[usize::from(place)].state = Progress::Moved(op);
        }
    }
}
