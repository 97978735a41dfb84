//! Preposted receives: receives of a few bytes with one tag from one member, through its ring,
//! started on the fast path.
//!
//! Normally they are filled and completed without ever becoming operations. Anything unusual first
//! makes operations of all that wait: so each preposted receive is older than each posted one.

use crate::base::Member;
use crate::base::slab::{self, Key, RESERVED, place_among_reserved, reserved};
use crate::host::memory::{Fault, Span};
use crate::transport::Envelope;

/// Lists of those that wait, by what they ask for. Where many share one, the next message is mostly
/// for the first of them, as messages come in the order in which receives expect them.
const LISTS: usize = 128;
/// For how many there is room at first.
const FEW: usize = 128;
const NONE: u16 = u16::MAX;
const _: () = assert!(FEW <= RESERVED && RESERVED <= NONE as usize);

/// The preposted receives of a rank, under keys that no slab has.
#[derive(Default)]
pub struct PrepostedReceives {
    /// How many wait.
    waiting: u32,
    desk: Option<Box<Desk>>,
}

struct Desk {
    places: Vec<Preposted>,
    lists: [List; LISTS],
    /// The first free place; each knows the next one.
    free: u16,
}

/// The first and the last of some that wait; those of one envelope stand in order.
#[derive(Clone, Copy)]
struct List {
    first: u16,
    last: u16,
}

#[derive(Clone, Copy)]
pub(super) struct Preposted {
    /// The number of its key.
    number: u32,
    pub(super) state: Progress,
    pub(super) envelope: Envelope,
    /// How many bytes it got.
    bytes: u32,
    pub(super) into: Span,
    pub(super) from: Member,
    /// The next one in its list, or the next free place.
    next: u16,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    Waiting,
    Filled,
    Free,
    /// It is this operation from now on.
    Moved(Key),
}

/// What a preposted receive got.
#[derive(Clone, Copy)]
pub struct Receipt {
    pub source: i32,
    pub tag: i32,
    pub bytes: usize,
}

impl PrepostedReceives {
    /// How many have not been settled, those included that have become operations.
    pub(in crate::engine) fn count(&self) -> usize {
        let places = self.desk.iter().flat_map(|desk| &desk.places);
        places.filter(|receive| receive.state != Progress::Free).count()
    }

    #[inline(always)]
    pub(in crate::engine) fn are_waiting(&self) -> bool {
        self.waiting != 0
    }

    /// How many wait for their messages.
    pub(in crate::engine) fn waiting(&self) -> usize {
        self.waiting as usize
    }

    /// Whether this is the number of the key of one that is no operation.
    #[inline(always)]
    pub fn has(&self, number: usize) -> bool {
        let Some(desk) = &self.desk else { return false };
        let receive = desk.places.get(place_among_reserved(number));
        receive.is_some_and(|it| {
            let is_here = matches!(it.state, Progress::Waiting | Progress::Filled);
            it.number as usize == number && is_here
        })
    }

    /// Tells what the preposted receive with this number got, and forgets it; false: it has
    /// got nothing so far.
    #[inline(always)]
    pub fn settle(&mut self, number: usize, tell: impl FnOnce(Receipt)) -> bool {
        let Some(desk) = &mut self.desk else { return false };
        let place = place_among_reserved(number);
        let Some(receive) = desk.places.get(place) else { return false };
        if receive.number as usize != number || receive.state != Progress::Filled {
            return false;
        }
        tell(receive.receipt());
        desk.free_up(place);
        true
    }

    /// The key stands for nothing any more.
    pub(in crate::engine) fn release(&mut self, key: Key) {
        if let (Some(desk), Some(place)) = (&mut self.desk, key.reserved()) {
            desk.free_up(place);
        }
    }

    pub(super) fn find(&self, key: Key) -> Option<&Preposted> {
        let receive = self.desk.as_ref()?.places.get(key.reserved()?)?;
        (receive.number == key.number()).then_some(receive)
    }

    pub(super) fn set_moved(&mut self, place: usize, op: Key) {
        if let Some(desk) = &mut self.desk {
            desk.places[place].state = Progress::Moved(op);
        }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, envelope: Envelope, from: Member, into: Span) -> Option<Key> {
        let desk = self.desk.get_or_insert_with(Desk::new);
        if desk.free == NONE && !desk.grow() {
            return None;
        }
        let place = desk.free;
        let receive = desk.place(place);
        let free = receive.next;
        receive.state = Progress::Waiting;
        receive.envelope = envelope;
        receive.from = from;
        receive.into = into;
        receive.next = NONE;
        let key = Key::from_number(receive.number);
        desk.free = free;
        self.waiting += 1;
        let list = &mut desk.lists[list_of(envelope)];
        let last = std::mem::replace(&mut list.last, place);
        match last {
            NONE => list.first = place,
            last => desk.place(last).next = place,
        }
        key
    }

    /// Fills the receive that matches a message with this envelope: `copy` makes the copy. False:
    /// no receive matches it, it is too long, or `copy` cannot.
    #[inline(always)]
    pub(super) fn fill(
        &mut self, envelope: Envelope, bytes: usize, copy: impl FnOnce(Span) -> Result<bool, Fault>,
    ) -> Result<bool, Fault> {
        let Some(desk) = &mut self.desk else { return Ok(false) };
        let Desk { places, lists, .. } = &mut **desk;
        let list = &mut lists[list_of(envelope)];
        let (mut before, mut place) = (NONE, list.first);
        while place != NONE {
            let receive = &mut places[usize::from(place)];
            let next = receive.next;
            if receive.envelope == envelope {
                if bytes > receive.into.bytes() || !copy(receive.into)? {
                    return Ok(false);
                }
                receive.state = Progress::Filled;
                receive.bytes = bytes as u32;
                self.waiting -= 1;
                if list.last == place {
                    list.last = before;
                }
                match before {
                    NONE => list.first = next,
                    before => places[usize::from(before)].next = next,
                }
                return Ok(true);
            }
            (before, place) = (place, next);
        }
        Ok(false)
    }

    /// Takes out one that waits, the oldest with its envelope.
    pub(super) fn pop(&mut self) -> Option<(usize, Preposted)> {
        let desk = self.desk.as_mut()?;
        let list = desk.lists.iter_mut().find(|list| list.first != NONE)?;
        let place = usize::from(list.first);
        let receive = desk.places[place];
        list.first = receive.next;
        if list.first == NONE {
            list.last = NONE;
        }
        self.waiting -= 1;
        Some((place, receive))
    }
}

impl Desk {
    #[cold]
    #[inline(never)]
    fn new() -> Box<Desk> {
        let lists = [List { first: NONE, last: NONE }; LISTS];
        Box::new(Desk { places: Vec::new(), lists, free: NONE })
    }

    /// Makes as many places as there are, all of which are taken; false: there can be no more.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> bool {
        let taken = self.places.len();
        let count = (2 * taken).clamp(FEW, RESERVED);
        let receive = |place: usize| Preposted {
            number: reserved(place, 1).number(),
            state: Progress::Free,
            envelope: Envelope::default(),
            bytes: 0,
            into: Span::EMPTY,
            from: Member { seat: 0, incarnation: 0 },
            next: if place + 1 < count { place as u16 + 1 } else { NONE },
        };
        self.places.extend((taken..count).map(receive));
        self.free = if taken < count { taken as u16 } else { NONE };
        taken < count
    }

    #[inline(always)]
    fn place(&mut self, place: u16) -> &mut Preposted {
        &mut self.places[usize::from(place)]
    }

    /// The next one here has another key.
    #[inline(always)]
    fn free_up(&mut self, place: usize) {
        let receive = &mut self.places[place];
        receive.state = Progress::Free;
        receive.number = number_after(receive.number);
        receive.next = self.free;
        self.free = place as u16;
    }
}

/// Handles have five bits for the generation, which is never 0.
#[inline(always)]
fn number_after(number: u32) -> u32 {
    const ONE: u32 = 1 << slab::INDEX_BITS;
    const END: u32 = ONE << 5;
    let next = number + ONE;
    if next < END { next } else { next - (END - ONE) }
}

/// Neighbours' tags are apart, and so are neighbours.
#[inline(always)]
fn list_of(envelope: Envelope) -> usize {
    (envelope.tag as usize).wrapping_add(7 * envelope.source as usize) % LISTS
}

impl Preposted {
    #[inline]
    pub(super) fn receipt(&self) -> Receipt {
        let Envelope { source, tag, .. } = self.envelope;
        Receipt { source, tag, bytes: self.bytes as usize }
    }
}
