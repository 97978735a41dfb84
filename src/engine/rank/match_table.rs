//! A match table: entries with an envelope, found by it in constant time, in order of arrival.
//!
//! Entries hang in a hash bucket by their envelope, or in one list in order of arrival, or in both.

use crate::transport::Envelope;

const NONE: u32 = u32::MAX;
const FEWEST_BUCKETS: usize = 16;

/// Where an entry lies; valid until it is removed.
pub(in crate::engine) type Place = u32;

pub(in crate::engine) struct MatchTable<T> {
    entries: Vec<Entry<T>>,
    free: Vec<Place>,
    buckets: Box<[List]>,
    line: List,
    len: usize,
    clock: u64,
}

struct Entry<T> {
    envelope: Envelope,
    /// When it came, to compare across lists.
    stamp: u64,
    value: Option<T>,
    in_bucket: Links,
    in_line: Links,
}

/// An entry's neighbours in a list.
#[derive(Clone, Copy)]
struct Links {
    before: Place,
    after: Place,
}

/// Of an entry that is not in the list.
const OUTSIDE: Links = Links { before: NONE - 1, after: NONE };

#[derive(Clone, Copy)]
struct List {
    first: Place,
    last: Place,
}

/// Which of an entry's two lists.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum By {
    Envelope,
    Arrival,
}

const EMPTY: List = List { first: NONE, last: NONE };

impl<T> Default for MatchTable<T> {
    fn default() -> MatchTable<T> {
        MatchTable {
            entries: Vec::new(),
            free: Vec::new(),
            buckets: Box::default(),
            line: EMPTY,
            len: 0,
            clock: 0,
        }
    }
}

impl<T> MatchTable<T> {
    #[inline]
    pub(in crate::engine) fn len(&self) -> usize {
        self.len
    }

    /// Puts `value` behind all that came before, to be found in the named lists.
    #[inline]
    pub(in crate::engine) fn insert(
        &mut self, envelope: Envelope, value: T, lists: &[By],
    ) -> Place {
        if self.len >= self.buckets.len() * 2 {
            self.grow();
        }
        self.clock += 1;
        let (value, stamp) = (Some(value), self.clock);
        let entry = Entry { envelope, stamp, value, in_bucket: OUTSIDE, in_line: OUTSIDE };
        let place = match self.free.pop() {
            Some(place) => {
                self.entries[place as usize] = entry;
                place
            }
            None => {
                self.entries.push(entry);
                (self.entries.len() - 1) as Place
            }
        };
        self.len += 1;
        lists.iter().for_each(|list| self.append(*list, place));
        place
    }

    /// Takes an entry off the table.
    #[inline]
    pub(in crate::engine) fn remove(&mut self, place: Place) -> T {
        self.unlink(By::Envelope, place);
        self.unlink(By::Arrival, place);
        self.free.push(place);
        self.len -= 1;
        self.entries[place as usize].value.take().expect("a place is valid until it is emptied")
    }

    pub(in crate::engine) fn value(&self, place: Place) -> &T {
        self.entries[place as usize].value.as_ref().expect("a place is valid until it is emptied")
    }

    pub(in crate::engine) fn envelope(&self, place: Place) -> Envelope {
        self.entries[place as usize].envelope
    }

    pub(in crate::engine) fn stamp(&self, place: Place) -> u64 {
        self.entries[place as usize].stamp
    }

    /// The oldest entry with exactly this envelope, among those that hang in buckets.
    #[inline]
    pub(in crate::engine) fn exact(&self, envelope: Envelope) -> Option<Place> {
        if self.len == 0 {
            return None;
        }
        let mut place = self.buckets[self.bucket_of(envelope)].first;
        while place != NONE {
            let entry = &self.entries[place as usize];
            if entry.envelope == envelope {
                return Some(place);
            }
            place = entry.in_bucket.after;
        }
        None
    }

    /// The entries of one list that may have this envelope.
    pub(in crate::engine) fn all(
        &self, list: By, envelope: Envelope,
    ) -> impl Iterator<Item = Place> {
        let first = match list {
            By::Arrival => self.line.first,
            By::Envelope if self.len == 0 => NONE,
            By::Envelope => self.buckets[self.bucket_of(envelope)].first,
        };
        let some = |place| (place != NONE).then_some(place);
        std::iter::successors(some(first), move |place| {
            let entry = &self.entries[*place as usize];
            let links = if list == By::Arrival { &entry.in_line } else { &entry.in_bucket };
            some(links.after)
        })
    }

    /// All entries, in no order.
    pub(in crate::engine) fn places(&self) -> Vec<Place> {
        let filled = self.entries.iter().zip(0..).filter(|(entry, _)| entry.value.is_some());
        filled.map(|(_, place)| place).collect()
    }

    /// The entries that stand in line, oldest first.
    #[inline]
    pub(in crate::engine) fn line(&self) -> impl Iterator<Item = Place> {
        self.all(By::Arrival, Envelope::default())
    }

    #[inline]
    fn bucket_of(&self, envelope: Envelope) -> usize {
        let Envelope { context, source, tag } = envelope;
        let pair = u64::from(source as u32) << 32 | u64::from(tag as u32);
        let mixed = (pair ^ u64::from(context).rotate_left(40)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 40) as usize & (self.buckets.len() - 1)
    }

    #[inline]
    fn list(&mut self, list: By, place: Place) -> &mut List {
        match list {
            By::Arrival => &mut self.line,
            By::Envelope => {
                let bucket = self.bucket_of(self.entries[place as usize].envelope);
                &mut self.buckets[bucket]
            }
        }
    }

    #[inline]
    fn links(&mut self, list: By, place: Place) -> &mut Links {
        let entry = &mut self.entries[place as usize];
        if list == By::Arrival { &mut entry.in_line } else { &mut entry.in_bucket }
    }

    #[inline]
    fn append(&mut self, list: By, place: Place) {
        let ends = self.list(list, place);
        let before = std::mem::replace(&mut ends.last, place);
        if before == NONE {
            ends.first = place;
        } else {
            self.links(list, before).after = place;
        }
        *self.links(list, place) = Links { before, after: NONE };
    }

    #[inline]
    fn unlink(&mut self, list: By, place: Place) {
        let Links { before, after } = std::mem::replace(self.links(list, place), OUTSIDE);
        if before == OUTSIDE.before {
            return;
        }
        if before != NONE {
            self.links(list, before).after = after;
        }
        if after != NONE {
            self.links(list, after).before = before;
        }
        if before == NONE || after == NONE {
            let ends = self.list(list, place);
            if before == NONE {
                ends.first = after;
            }
            if after == NONE {
                ends.last = before;
            }
        }
    }

    /// Twice the buckets. Entries with one envelope come from one bucket and stay in order.
    #[cold]
    fn grow(&mut self) {
        let count = (self.buckets.len() * 2).max(FEWEST_BUCKETS);
        let old = std::mem::replace(&mut self.buckets, vec![EMPTY; count].into());
        for list in &old {
            let mut place = list.first;
            while place != NONE {
                let after = self.links(By::Envelope, place).after;
                self.append(By::Envelope, place);
                place = after;
            }
        }
    }
}
