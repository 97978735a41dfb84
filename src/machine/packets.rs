//! Messages as packets that wait for each other: a link carries one at a time, in the order in
//! which they come to it, and passes on the head of one before it has all of it. Pure: time is a
//! parameter.

use super::cost::Cost;
use super::happening::{Happening, What};
use super::units::{END, Picos};
use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BinaryHeap, VecDeque};

/// What is under way in a network.
pub(super) struct Packets {
    hop: Picos,
    byte: Picos,
    /// How long a packet is at most.
    longest: u64,
    links: Vec<Link>,
    messages: Vec<Message>,
    free: Vec<u32>,
    events: BinaryHeap<Reverse<Event>>,
    /// How many events there have been.
    events_made: u64,
}

#[derive(Clone, Default)]
struct Link {
    taken_until: Picos,
    /// For how long it has been taken so far.
    busy: Picos,
    /// Packets that fly over it: the head of which comes to its next link when. Only the first one
    /// is among the events of the network.
    flying: VecDeque<Event>,
}

struct Message {
    name: usize,
    links: Vec<u32>,
    /// What its way takes beside its hops.
    corners: Picos,
    /// What has not left yet.
    rest: u64,
    /// How long its last packet is.
    last: u64,
}

/// A message has a packet to send, or the head of a packet is at another link of its way. Of those
/// at one time, the one comes first that was made first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    at: Picos,
    number: u64,
    message: u32,
    /// The place of that link on the way.
    place: u32,
}

/// An event with this bit is about the last packet of its message.
const IS_LAST: u32 = 1 << 31;

impl Packets {
    /// Of so many bytes at most, in a network of so many links.
    pub(super) fn new(links: usize, cost: &Cost, longest: u64) -> Packets {
        Packets {
            hop: cost.hop,
            byte: cost.byte,
            longest: longest.max(1),
            links: vec![Link::default(); links],
            messages: Vec::new(),
            free: Vec::new(),
            events: BinaryHeap::new(),
            events_made: 0,
        }
    }

    /// A message begins on these links, at least one. `corners`: what its way takes beside its
    /// hops.
    pub(super) fn begin(
        &mut self, name: usize, links: Vec<u32>, corners: Picos, bytes: u64, now: Picos,
    ) {
        let last = if bytes == 0 { 0 } else { (bytes - 1) % self.longest + 1 };
        let message = Message { name, links, corners, rest: bytes, last };
        let number = match self.free.pop() {
            Some(number) => {
                self.messages[number as usize] = message;
                number
            }
            None => {
                self.messages.push(message);
                (self.messages.len() - 1) as u32
            }
        };
        let event = self.event(now, number, 0);
        self.events.push(Reverse(event));
    }

    /// For how long a link has been taken.
    pub(super) fn busy(&self, link: usize) -> Picos {
        self.links[link].busy
    }

    /// When something is next to be done, at the end of all time at the latest.
    pub(super) fn next(&self) -> Option<Picos> {
        self.events.peek().map(|Reverse(event)| event.at.min(END))
    }

    /// Does what is to be done up to now, and on until before `quiet`, before which nothing else
    /// happens; but not beyond what happens to messages, of which others may make something.
    pub(super) fn go_on(&mut self, now: Picos, mut quiet: Picos, happened: &mut Vec<Happening>) {
        quiet = quiet.min(END);
        while self.next().is_some_and(|at| at <= now || at < quiet) {
            let before = happened.len();
            self.take_step(happened);
            let soonest = happened[before..].iter().map(|it| it.at).min();
            quiet = quiet.min(soonest.unwrap_or(quiet));
        }
    }

    fn event(&mut self, at: Picos, message: u32, place: u32) -> Event {
        self.events_made += 1;
        Event { at, number: self.events_made, message, place }
    }

    /// The first event happens: a packet takes the link that it has come to.
    fn take_step(&mut self, happened: &mut Vec<Happening>) {
        let Some(Reverse(event)) = self.events.peek().copied() else { return };
        let (at, number, place) = (event.at, event.message, event.place & !IS_LAST);
        let message = &mut self.messages[number as usize];
        let is_last = match place {
            0 => message.rest <= self.longest,
            _ => event.place & IS_LAST != 0,
        };
        let bytes = if is_last { message.last } else { self.longest };
        let length = bytes.saturating_mul(self.byte);
        let taken = message.links[place as usize] as usize;
        let link = &mut self.links[taken];
        let begins = at.max(link.taken_until);
        link.taken_until = begins.saturating_add(length);
        link.busy = link.busy.saturating_add(length);
        let (free, head) = (link.taken_until, begins.saturating_add(self.hop));
        if place == 0 && is_last {
            happened.push(Happening { at, message: message.name, what: What::HasLeft });
        }
        if place + 1 < message.links.len() as u32 {
            let mark = if is_last { IS_LAST } else { 0 };
            self.fly(taken, head, number, (place + 1) | mark);
        } else if is_last {
            // All its other packets have been here before.
            let at = head.saturating_add(length).saturating_add(message.corners);
            happened.push(Happening { at, message: message.name, what: What::Arrives });
            self.free.push(number);
        }
        let message = &mut self.messages[number as usize];
        let next = if place > 0 {
            let before = &mut self.links[message.links[place as usize - 1] as usize];
            before.flying.pop_front();
            before.flying.front().copied()
        } else {
            message.rest -= bytes;
            (!is_last).then(|| self.event(free, number, 0))
        };
        self.replace(event, next);
    }

    /// A packet flies over a link, behind all others that do.
    fn fly(&mut self, link: usize, at: Picos, message: u32, place: u32) {
        let event = self.event(at, message, place);
        let flying = &mut self.links[link].flying;
        if flying.is_empty() {
            self.events.push(Reverse(event));
        }
        flying.push_back(event);
    }

    /// Puts another event in the place of the first one.
    fn replace(&mut self, first: Event, next: Option<Event>) {
        let Some(mut top) = self.events.peek_mut() else { return };
        debug_assert!(top.0 == first);
        match next {
            Some(next) => *top = Reverse(next),
            None => _ = PeekMut::pop(top),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftmpi_base::random::Random;

    const LONGEST: u64 = 100;
    const LATENCY: Picos = 7;
    const COST: Cost = Cost {
        cycle: 1,
        hop: 10,
        corner: 0,
        corner_rule: crate::cost::CornerRule::PerMessage,
        handler: 0,
        byte: 2,
    };

    /// A message: its links, its bytes, and when it begins.
    type Drawn = (Vec<u32>, u64, Picos);

    /// When messages have arrived, by the rules: whichever packet is first at a link takes it.
    fn by_the_rules(messages: &[Drawn]) -> Vec<Picos> {
        let mut taken = [0; 16];
        let mut arrived = vec![0; messages.len()];
        // When the head of a packet is where, in the order in which that became known; and whether
        // it is at the first link of its way.
        let mut heads: Vec<(Picos, usize, usize, u64)> = Vec::new();
        let mut to_send: Vec<u64> = messages.iter().map(|it| it.1).collect();
        for (number, (_, bytes, at)) in messages.iter().enumerate() {
            heads.push((*at, number, 0, LONGEST.min(*bytes)));
        }
        while let Some(first) = (0..heads.len()).min_by_key(|place| heads[*place].0) {
            let (at, number, place, bytes) = heads.remove(first);
            let links = &messages[number].0;
            let taken = &mut taken[links[place] as usize];
            let begins = at.max(*taken);
            *taken = begins + bytes * COST.byte;
            match links.get(place + 1) {
                Some(_) => heads.push((begins + COST.hop, number, place + 1, bytes)),
                None => arrived[number] = *taken + COST.hop + LATENCY,
            }
            if place == 0 {
                to_send[number] -= bytes;
                if to_send[number] > 0 {
                    heads.push((*taken, number, 0, LONGEST.min(to_send[number])));
                }
            }
        }
        arrived
    }

    fn arrivals(messages: &[Drawn]) -> Vec<Picos> {
        let mut network = Packets::new(16, &COST, LONGEST);
        for (name, (links, bytes, at)) in messages.iter().enumerate() {
            network.begin(name, links.clone(), LATENCY, *bytes, *at);
        }
        let mut arrived = vec![0; messages.len()];
        while let Some(now) = network.next() {
            let mut happened = Vec::new();
            network.go_on(now, Picos::MAX, &mut happened);
            let arrivals = happened.iter().filter(|it| it.what == What::Arrives);
            arrivals.for_each(|it| arrived[it.message] = it.at);
        }
        arrived
    }

    #[test]
    fn packets_take_links_in_the_order_in_which_they_come_to_them() {
        let mut random = Random::new(3);
        for _ in 0..300 {
            let mut draw = |most: u64| random.below(most);
            let messages: Vec<Drawn> = (0..1 + draw(12))
                .map(|_| {
                    let links = (0..1 + draw(5)).map(|_| draw(16) as u32).collect();
                    (links, draw(1000), 10 * draw(50))
                })
                .collect();
            assert_eq!(arrivals(&messages), by_the_rules(&messages), "{messages:?}");
        }
    }

    #[test]
    fn a_message_has_left_when_its_last_packet_begins() {
        let mut network = Packets::new(1, &COST, LONGEST);
        network.begin(9, vec![0], LATENCY, 250, 5);
        let mut happened = Vec::new();
        network.go_on(5, Picos::MAX, &mut happened);
        let left = Happening { at: 405, message: 9, what: What::HasLeft };
        let arrives = Happening { at: 5 + 500 + 10 + LATENCY, message: 9, what: What::Arrives };
        assert_eq!(happened, [left, arrives]);
        assert_eq!((network.next(), network.busy(0)), (None, 500));
        assert_eq!(network.free.len(), network.messages.len(), "there is room for another");
    }
}
