//! The rings of a rank: to the ranks it sends to often, and from those that send to it.

use crate::base::Member;
use crate::transport::{Incoming, MOST_RINGS, Outgoing};

pub(in crate::engine) struct Rings {
    pub(in crate::engine) incoming: Vec<Incoming>,
    /// What [`crate::transport::Port::made`] was when they were looked for.
    pub(in crate::engine) made: u32,
    /// Which ring comes next: all have their turns.
    next: usize,
    pub(super) destinations: [Destination; MOST_RINGS],
}

/// A rank that this one sends to: one for each remainder of the seats.
#[derive(Default)]
pub(super) struct Destination {
    pub(super) way: Option<Outgoing>,
    pub(super) seat: usize,
    /// How many packets until a ring is asked for.
    pub(super) until: u32,
}

impl Default for Rings {
    /// None so far; those that were made before this rank made its first call wait to be found.
    fn default() -> Rings {
        let destinations = std::array::from_fn(|_| Destination::default());
        Rings { incoming: Vec::new(), made: u32::MAX, next: 0, destinations }
    }
}

impl Rings {
    /// The ring to `to`, if there is one.
    #[inline(always)]
    pub(in crate::engine) fn to(&mut self, to: Member) -> Option<&mut Outgoing> {
        way_to(&mut self.destinations, to)
    }

    /// The ring from this sender.
    #[inline(always)]
    pub(in crate::engine) fn from(&mut self, from: Member) -> Option<&mut Incoming> {
        way_from(&mut self.incoming, from)
    }

    /// The rings from this sender and to it.
    #[inline(always)]
    pub(in crate::engine) fn both_ways(
        &mut self, other: Member,
    ) -> (Option<&mut Incoming>, Option<&mut Outgoing>) {
        (way_from(&mut self.incoming, other), way_to(&mut self.destinations, other))
    }

    /// Where in the list the ring is whose turn it is; there is one at least.
    #[inline]
    pub(in crate::engine) fn next_place(&mut self) -> usize {
        let place = if self.next < self.incoming.len() { self.next } else { 0 };
        self.next = place + 1;
        place
    }

    /// Where in the list the ring of this sender is.
    pub(super) fn place(&self, from: Member) -> Option<usize> {
        self.incoming.iter().position(|incoming| incoming.from() == from)
    }
}

#[inline(always)]
fn way_to(destinations: &mut [Destination; MOST_RINGS], to: Member) -> Option<&mut Outgoing> {
    destinations[to.seat % MOST_RINGS].way.as_mut().filter(|way| way.to() == to)
}

#[inline(always)]
fn way_from(incoming: &mut [Incoming], from: Member) -> Option<&mut Incoming> {
    // Most ranks hear of one sender at a time, and few of more than some.
    match incoming.first().is_some_and(|first| first.from() == from) {
        true => incoming.first_mut(),
        false => another_from(incoming, from),
    }
}

#[inline(never)]
fn another_from(incoming: &mut [Incoming], from: Member) -> Option<&mut Incoming> {
    incoming.iter_mut().find(|incoming| incoming.from() == from)
}
