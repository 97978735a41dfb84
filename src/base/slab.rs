//! A slab: values under small keys, in constant time, without allocation once it has grown.
//!
//! A key holds an index (22 bits) and a generation, so that a stale key is recognized until its
//! slot has been used `2^GENERATION_BITS - 1` times more. No key is 0.

use std::num::NonZeroU32;

pub const INDEX_BITS: u32 = 22;
/// The highest indexes, which no slab uses: they are for keys made in other ways.
pub const RESERVED: usize = 4096;
const MOST: usize = (1 << INDEX_BITS) - RESERVED;

/// The key of a value. Never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key(NonZeroU32);

impl Key {
    /// The key as a plain number, for instance to travel in a message.
    #[inline]
    pub fn number(self) -> u32 {
        self.0.get()
    }

    /// The key whose [`Key::number`] this is; `None` for 0.
    #[inline]
    pub fn from_number(number: u32) -> Option<Key> {
        NonZeroU32::new(number).map(Key)
    }

    /// The key of a slot that is or was in use: no generation is 0.
    #[inline]
    fn of(generation: u32, index: u32) -> Key {
        Key::from_number(generation << INDEX_BITS | index).expect("no generation is 0")
    }

    #[inline]
    pub fn index(self) -> usize {
        (self.number() & ((1 << INDEX_BITS) - 1)) as usize
    }

    #[inline]
    pub fn generation(self) -> u32 {
        self.number() >> INDEX_BITS
    }

    /// The number of the reserved key, if it is one.
    #[inline]
    pub fn reserved(self) -> Option<usize> {
        self.index().checked_sub(MOST)
    }

    /// The key with this index and generation; `None` when it cannot be one.
    #[inline]
    pub fn new(index: usize, generation: u32) -> Option<Key> {
        let index = u32::try_from(index).ok().filter(|index| *index < 1 << INDEX_BITS)?;
        (generation != 0 && generation < 1 << (u32::BITS - INDEX_BITS))
            .then(|| Key::of(generation, index))
    }
}

/// The reserved key of this number, which is below [`RESERVED`]; no generation is 0.
#[inline]
pub fn reserved(number: usize, generation: u32) -> Key {
    Key::of(generation, (MOST + number) as u32)
}

/// The place of this number among the reserved keys.
#[inline(always)]
pub fn place_among_reserved(number: usize) -> usize {
    (number & ((1 << INDEX_BITS) - 1)).wrapping_sub(MOST)
}

/// Values under keys.
pub struct Slab<T, const GENERATION_BITS: u32 = 10> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

impl<T, const GENERATION_BITS: u32> Default for Slab<T, GENERATION_BITS> {
    fn default() -> Self {
        Slab { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T, const GENERATION_BITS: u32> Slab<T, GENERATION_BITS> {
    /// Stores `value`; returns it as the error when all four million places are taken.
    #[inline]
    pub fn insert(&mut self, value: T) -> Result<Key, T> {
        let index = match self.free.pop() {
            Some(index) => index,
            None if self.slots.len() < MOST => {
                // By doubling from one: most ranks of a large job never need a second place.
                if self.slots.len() == self.slots.capacity() {
                    self.slots.reserve_exact(self.slots.len().max(1));
                }
                self.slots.push(Slot { generation: 1, value: None });
                (self.slots.len() - 1) as u32
            }
            None => return Err(value),
        };
        let slot = &mut self.slots[index as usize];
        slot.value = Some(value);
        Ok(Key::of(slot.generation, index))
    }

    #[inline]
    pub fn find(&self, key: Key) -> Option<&T> {
        let slot = self.slots.get(key.index())?;
        slot.value.as_ref().filter(|_| slot.generation == key.generation())
    }

    #[inline]
    pub fn find_mut(&mut self, key: Key) -> Option<&mut T> {
        let slot = self.slots.get_mut(key.index())?;
        slot.value.as_mut().filter(|_| slot.generation == key.generation())
    }

    /// Takes the value out; its key is void from now on.
    #[inline]
    pub fn remove(&mut self, key: Key) -> Option<T> {
        let value = self.find_mut_slot(key)?.value.take()?;
        self.retire(key);
        Some(value)
    }

    /// Drops the value where it is; its key is void from now on.
    #[inline]
    pub fn discard(&mut self, key: Key) {
        if let Some(slot) = self.find_mut_slot(key)
            && slot.value.is_some()
        {
            slot.value = None;
            self.retire(key);
        }
    }

    #[inline]
    fn find_mut_slot(&mut self, key: Key) -> Option<&mut Slot<T>> {
        self.slots.get_mut(key.index()).filter(|slot| slot.generation == key.generation())
    }

    /// Frees the place of this key for another value.
    #[inline]
    fn retire(&mut self, key: Key) {
        let slot = &mut self.slots[key.index()];
        let next = slot.generation + 1;
        slot.generation = if next == 1 << GENERATION_BITS { 1 } else { next };
        self.free.push(key.index() as u32);
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The keys of all values.
    pub fn keys(&self) -> impl Iterator<Item = Key> {
        let used = |(index, slot): (usize, &Slot<T>)| {
            slot.value.is_some().then(|| Key::of(slot.generation, index as u32))
        };
        self.slots.iter().enumerate().filter_map(used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_finds_its_value_until_it_is_removed() {
        let mut slab = Slab::<_>::default();
        let first = slab.insert('a').expect("room");
        let second = slab.insert('b').expect("room");
        assert_eq!((slab.find(first), slab.find(second)), (Some(&'a'), Some(&'b')));
        assert_eq!(slab.remove(first), Some('a'));
        let third = slab.insert('c').expect("room");
        assert_eq!(third.index(), first.index(), "places are used again");
        assert_eq!(slab.find(first), None);
        assert_eq!(slab.remove(first), None);
        assert_eq!(slab.keys().count(), 2);
    }

    #[test]
    fn no_key_is_zero_however_often_a_place_is_used() {
        let mut slab = Slab::<_, 2>::default();
        for turn in 0..20 {
            let key = slab.insert(turn).expect("room");
            assert_ne!(key.number(), 0);
            assert!(key.generation() < 4);
            assert_eq!(Key::new(key.index(), key.generation()), Some(key));
            slab.remove(key);
        }
        assert!(slab.is_empty());
    }
}
