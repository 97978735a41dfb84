//! Which receive takes which message (MPI-5.0 §3.5): in order, wildcards included. Pure.

use super::shelf::{By, Place, Shelf};
use crate::transport::Envelope;
use std::collections::VecDeque;

/// Any source, any tag (MPI_ANY_SOURCE, MPI_ANY_TAG): in a pattern's envelope only.
pub const ANY_SOURCE: i32 = -1;
pub const ANY_TAG: i32 = -2;

/// Whether a message with `envelope` is one that `pattern` asks for.
#[inline]
pub(super) fn accepts(pattern: Envelope, envelope: Envelope) -> bool {
    pattern.context == envelope.context
        && (pattern.source == envelope.source || pattern.source == ANY_SOURCE)
        && (pattern.tag == envelope.tag || pattern.tag == ANY_TAG)
}

fn is_exact(pattern: Envelope) -> bool {
    pattern.source != ANY_SOURCE && pattern.tag != ANY_TAG
}

/// How far into the line of receives to look before they are put on a shelf.
const NEAR: usize = 8;

/// Receives that wait for a message. `R` is what the owner calls a receive.
///
/// They stand in line as long as messages come about in the order of the receives; else, and until
/// there are none any more, they lie on a shelf, where each is found at once.
pub(super) struct Posted<R> {
    line: VecDeque<(Envelope, R)>,
    shelf: Shelf<R>,
}

/// Where a receive was found.
enum Spot {
    Line(usize),
    Shelf(Place),
}

impl<R> Default for Posted<R> {
    fn default() -> Posted<R> {
        Posted { line: VecDeque::new(), shelf: Shelf::default() }
    }
}

impl<R: Copy + PartialEq> Posted<R> {
    /// Adds a receive behind all earlier ones.
    #[inline]
    pub(super) fn insert(&mut self, pattern: Envelope, receive: R) {
        match self.shelf.len() {
            0 => self.line.push_back((pattern, receive)),
            _ => self.shelve(pattern, receive),
        }
    }

    /// The receive that gets a message with `envelope`: the earliest that accepts it.
    #[inline]
    pub(super) fn find(&mut self, envelope: Envelope) -> Option<R> {
        self.spot(envelope).map(|spot| match spot {
            Spot::Line(index) => self.line[index].1,
            Spot::Shelf(place) => *self.shelf.value(place),
        })
    }

    /// The same, which waits no longer.
    #[inline]
    pub(super) fn take(&mut self, envelope: Envelope) -> Option<R> {
        match self.spot(envelope)? {
            Spot::Line(0) => self.line.pop_front().map(|(_, receive)| receive),
            Spot::Line(index) => self.line.remove(index).map(|(_, receive)| receive),
            Spot::Shelf(place) => Some(self.shelf.remove(place)),
        }
    }

    /// Takes out a receive that will get no message, if it is still there.
    pub(super) fn withdraw(&mut self, pattern: Envelope, receive: R) {
        if let Some(index) = self.line.iter().position(|(_, other)| *other == receive) {
            self.line.remove(index);
        }
        let list = list_of(pattern);
        let place =
            self.shelf.all(list, pattern).find(|place| *self.shelf.value(*place) == receive);
        if let Some(place) = place {
            self.shelf.remove(place);
        }
    }

    /// Takes out the receives that `is_meant`, oldest first.
    pub(super) fn take_all(&mut self, is_meant: impl Fn(Envelope) -> bool) -> Vec<R> {
        self.spread();
        let mut meant = self.shelf.places();
        meant.retain(|place| is_meant(self.shelf.envelope(*place)));
        meant.sort_by_key(|place| self.shelf.stamp(*place));
        meant.into_iter().map(|place| self.shelf.remove(place)).collect()
    }

    /// How many wait.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.line.len() + self.shelf.len()
    }

    #[inline]
    fn spot(&mut self, envelope: Envelope) -> Option<Spot> {
        let mut near = self.line.iter().take(NEAR);
        if let Some(index) = near.position(|(pattern, _)| accepts(*pattern, envelope)) {
            return Some(Spot::Line(index));
        }
        if self.line.len() <= NEAR && self.shelf.len() == 0 {
            return None;
        }
        self.spot_on_shelf(envelope)
    }

    #[inline(never)]
    fn spot_on_shelf(&mut self, envelope: Envelope) -> Option<Spot> {
        self.spread();
        let exact = self.shelf.exact(envelope);
        let wild = self.shelf.line().find(|place| accepts(self.shelf.envelope(*place), envelope));
        let place = match (exact, wild) {
            (Some(exact), Some(wild)) if self.shelf.stamp(wild) > self.shelf.stamp(exact) => exact,
            (exact, wild) => wild.or(exact)?,
        };
        Some(Spot::Shelf(place))
    }

    /// Puts all that stand in line on the shelf.
    fn spread(&mut self) {
        for (pattern, receive) in std::mem::take(&mut self.line) {
            self.shelve(pattern, receive);
        }
    }

    fn shelve(&mut self, pattern: Envelope, receive: R) {
        self.shelf.insert(pattern, receive, &[list_of(pattern)]);
    }
}

/// Where on the shelf a receive is found.
fn list_of(pattern: Envelope) -> By {
    if is_exact(pattern) { By::Envelope } else { By::Arrival }
}

/// Messages that wait for a receive.
pub(super) struct Unexpected<M>(Shelf<M>);

impl<M> Default for Unexpected<M> {
    fn default() -> Unexpected<M> {
        Unexpected(Shelf::default())
    }
}

impl<M> Unexpected<M> {
    /// Adds a message behind all earlier ones.
    #[inline]
    pub(super) fn insert(&mut self, envelope: Envelope, message: M) {
        self.0.insert(envelope, message, &[By::Envelope, By::Arrival]);
    }

    /// The earliest message that `pattern` accepts.
    #[inline]
    pub(super) fn find(&self, pattern: Envelope) -> Option<Place> {
        if self.0.len() == 0 {
            return None;
        }
        if is_exact(pattern) {
            return self.0.exact(pattern);
        }
        self.0.line().find(|place| accepts(pattern, self.0.envelope(*place)))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// All of them, oldest first.
    pub(super) fn all(&self) -> impl Iterator<Item = (Envelope, &M)> {
        self.0.line().map(|place| (self.0.envelope(place), self.0.value(place)))
    }

    pub(super) fn message(&self, place: Place) -> &M {
        self.0.value(place)
    }

    pub(super) fn remove(&mut self, place: Place) -> M {
        self.0.remove(place)
    }

    /// Takes out the messages that `is_meant`, oldest first.
    pub(super) fn take(&mut self, is_meant: impl Fn(Envelope) -> bool) -> Vec<(Envelope, M)> {
        let meant = self.0.line().filter(|place| is_meant(self.0.envelope(*place)));
        let meant: Vec<Place> = meant.collect();
        let take = |place: Place| (self.0.envelope(place), self.0.remove(place));
        meant.into_iter().map(take).collect()
    }

    /// Drops the messages that `is_wanted` does not want.
    pub(super) fn retain(&mut self, is_wanted: impl Fn(&M) -> bool) {
        self.retain_by(|_, message| is_wanted(message));
    }

    /// The same by their envelopes, too.
    pub(super) fn retain_by(&mut self, is_wanted: impl Fn(Envelope, &M) -> bool) {
        let unwanted = |place: &Place| !is_wanted(self.0.envelope(*place), self.0.value(*place));
        let unwanted: Vec<Place> = self.0.line().filter(unwanted).collect();
        unwanted.into_iter().for_each(|place| drop(self.0.remove(place)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    /// The definition: two plain lists, searched from the front.
    #[derive(Default)]
    struct Model {
        posted: Vec<(Envelope, u32)>,
        unexpected: Vec<(Envelope, u32)>,
    }

    fn take<T: Copy>(
        list: &mut Vec<(Envelope, T)>, wanted: impl Fn(Envelope) -> bool,
    ) -> Option<T> {
        let index = list.iter().position(|(envelope, _)| wanted(*envelope))?;
        Some(list.remove(index).1)
    }

    fn any_pattern(random: &mut Random) -> Envelope {
        let source = if random.chance(30) { ANY_SOURCE } else { random.below(4) as i32 };
        let tag = if random.chance(30) { ANY_TAG } else { random.below(4) as i32 };
        Envelope { context: random.below(2) as u32, source, tag }
    }

    fn any_envelope(random: &mut Random) -> Envelope {
        let (source, tag) = (random.below(4) as i32, random.below(4) as i32);
        Envelope { context: random.below(2) as u32, source, tag }
    }

    /// Random posts, arrivals, cancels and purges; every decision compared with the model's.
    fn compare(seed: u64) {
        let mut random = Random::new(seed);
        let (mut posted, mut unexpected) = (Posted::default(), Unexpected::default());
        let mut model = Model::default();
        let busy = random.below(70) + 15;
        for number in 0..400_u32 {
            if random.chance(busy) {
                let envelope = any_envelope(&mut random);
                let expected = take(&mut model.posted, |pattern| accepts(pattern, envelope));
                let found = posted.find(envelope);
                assert_eq!(posted.take(envelope), found, "seed {seed}, arrival {number}");
                assert_eq!(found, expected, "seed {seed}, arrival {number}");
                if expected.is_none() {
                    unexpected.insert(envelope, number);
                    model.unexpected.push((envelope, number));
                }
            } else {
                let pattern = any_pattern(&mut random);
                let expected = take(&mut model.unexpected, |message| accepts(pattern, message));
                let found = unexpected.find(pattern).map(|place| unexpected.remove(place));
                assert_eq!(found, expected, "seed {seed}, receive {number}");
                if expected.is_none() {
                    posted.insert(pattern, number);
                    model.posted.push((pattern, number));
                }
            }
            if random.chance(10) && !model.posted.is_empty() {
                let index = random.below(model.posted.len() as u64) as usize;
                let (pattern, receive) = model.posted.remove(index);
                posted.withdraw(pattern, receive);
                posted.withdraw(pattern, receive);
            }
            if random.chance(2) {
                let is_meant = |pattern: Envelope| pattern.context == 1;
                let meant = model.posted.extract_if(.., |(pattern, _)| is_meant(*pattern));
                let meant: Vec<u32> = meant.map(|(_, receive)| receive).collect();
                assert_eq!(posted.take_all(is_meant), meant, "seed {seed}");
                assert_eq!(posted.len(), model.posted.len(), "seed {seed}");
            }
            if random.chance(3) {
                unexpected.retain(|message| message % 3 != 0);
                model.unexpected.retain(|(_, message)| message % 3 != 0);
            }
        }
    }

    #[test]
    fn matching_decides_as_two_plain_lists_do() {
        let seeds = if cfg!(miri) { 0..3 } else { 0..500 };
        seeds.for_each(compare);
    }
}
