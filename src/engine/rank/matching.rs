//! Which posted receive takes which message (MPI-5.0 §3.5): in order, wildcards included. Pure.
//!
//! Messages without a receive wait in the unexpected queue; both queues are match tables.

use crate::engine::rank::match_table::{By, MatchTable, Place};
use crate::transport::Envelope;

/// Any source, any tag (MPI_ANY_SOURCE, MPI_ANY_TAG): in a pattern's envelope only.
pub const ANY_SOURCE: i32 = -1;
pub const ANY_TAG: i32 = -2;

/// Whether a message with `envelope` is one that `pattern` asks for.
#[inline]
pub(in crate::engine) fn accepts(pattern: Envelope, envelope: Envelope) -> bool {
    pattern.context == envelope.context
        && (pattern.source == envelope.source || pattern.source == ANY_SOURCE)
        && (pattern.tag == envelope.tag || pattern.tag == ANY_TAG)
}

fn is_exact(pattern: Envelope) -> bool {
    pattern.source != ANY_SOURCE && pattern.tag != ANY_TAG
}

/// Receives that wait for a message. `R` is what the owner calls a receive.
pub(in crate::engine) struct Posted<R>(MatchTable<R>);

impl<R> Default for Posted<R> {
    fn default() -> Posted<R> {
        Posted(MatchTable::default())
    }
}

impl<R: Copy + PartialEq> Posted<R> {
    /// Adds a receive behind all earlier ones.
    #[inline]
    pub(in crate::engine) fn insert(&mut self, pattern: Envelope, receive: R) {
        self.0.insert(pattern, receive, &[list_of(pattern)]);
    }

    /// The receive that gets a message with `envelope`: the earliest that accepts it.
    #[inline]
    pub(in crate::engine) fn find(&self, envelope: Envelope) -> Option<R> {
        self.place(envelope).map(|place| *self.0.value(place))
    }

    /// Takes the receive that gets a message with `envelope` out of the table.
    #[inline]
    pub(in crate::engine) fn take(&mut self, envelope: Envelope) -> Option<R> {
        self.place(envelope).map(|place| self.0.remove(place))
    }

    #[inline]
    fn place(&self, envelope: Envelope) -> Option<Place> {
        if self.0.len() == 0 {
            return None;
        }
        let exact = self.0.exact(envelope);
        let wild = self.0.line().find(|place| accepts(self.0.envelope(*place), envelope));
        match (exact, wild) {
            (Some(exact), Some(wild)) if self.0.stamp(wild) > self.0.stamp(exact) => Some(exact),
            (exact, wild) => wild.or(exact),
        }
    }

    /// Takes out a receive that will get no message, if it is still there.
    pub(in crate::engine) fn withdraw(&mut self, pattern: Envelope, receive: R) {
        let mut places = self.0.all(list_of(pattern), pattern);
        if let Some(place) = places.find(|place| *self.0.value(*place) == receive) {
            drop(places);
            self.0.remove(place);
        }
    }

    /// Takes out the receives that `is_meant`, oldest first.
    pub(in crate::engine) fn take_all(&mut self, is_meant: impl Fn(Envelope) -> bool) -> Vec<R> {
        let mut meant = self.0.places();
        meant.retain(|place| is_meant(self.0.envelope(*place)));
        meant.sort_by_key(|place| self.0.stamp(*place));
        meant.into_iter().map(|place| self.0.remove(place)).collect()
    }

    /// How many wait.
    #[inline]
    pub(in crate::engine) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Where on the table a receive is found.
fn list_of(pattern: Envelope) -> By {
    if is_exact(pattern) { By::Envelope } else { By::Arrival }
}

/// Messages that wait for a receive.
pub(in crate::engine) struct Unexpected<M>(MatchTable<M>);

impl<M> Default for Unexpected<M> {
    fn default() -> Unexpected<M> {
        Unexpected(MatchTable::default())
    }
}

impl<M> Unexpected<M> {
    /// Adds a message behind all earlier ones.
    #[inline]
    pub(in crate::engine) fn insert(&mut self, envelope: Envelope, message: M) {
        self.0.insert(envelope, message, &[By::Envelope, By::Arrival]);
    }

    /// The earliest message that `pattern` accepts.
    #[inline]
    pub(in crate::engine) fn find(&self, pattern: Envelope) -> Option<Place> {
        if self.0.len() == 0 {
            return None;
        }
        if is_exact(pattern) {
            return self.0.exact(pattern);
        }
        self.0.line().find(|place| accepts(pattern, self.0.envelope(*place)))
    }

    pub(in crate::engine) fn len(&self) -> usize {
        self.0.len()
    }

    /// All of them, oldest first.
    pub(in crate::engine) fn all(&self) -> impl Iterator<Item = (Envelope, &M)> {
        self.0.line().map(|place| (self.0.envelope(place), self.0.value(place)))
    }

    pub(in crate::engine) fn message(&self, place: Place) -> &M {
        self.0.value(place)
    }

    pub(in crate::engine) fn remove(&mut self, place: Place) -> M {
        self.0.remove(place)
    }

    /// Takes out the messages that `is_meant`, oldest first.
    pub(in crate::engine) fn take(
        &mut self, is_meant: impl Fn(Envelope) -> bool,
    ) -> Vec<(Envelope, M)> {
        let meant = self.0.line().filter(|place| is_meant(self.0.envelope(*place)));
        let meant: Vec<Place> = meant.collect();
        let take = |place: Place| (self.0.envelope(place), self.0.remove(place));
        meant.into_iter().map(take).collect()
    }

    /// Drops the messages that `is_wanted` does not want.
    pub(in crate::engine) fn retain(&mut self, is_wanted: impl Fn(&M) -> bool) {
        self.retain_by(|_, message| is_wanted(message));
    }

    /// Drops the messages that `is_wanted` rejects by their envelopes or themselves.
    pub(in crate::engine) fn retain_by(&mut self, is_wanted: impl Fn(Envelope, &M) -> bool) {
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
