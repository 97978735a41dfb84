//! Handles are table keys, not addresses: the handle of a freed object is recognized.
//!
//! A key is 31 bits, so that it is the same number as a Fortran `INTEGER`: 4 bits kind (from 1, so
//! that no key is among the predefined handles below 0x1000), 5 bits generation, 22 bits index.

use crate::base::slab::{Key, Slab};
use parking_lot::RwLock;
use std::ops::Deref;
use std::sync::Arc;

const INDEX_BITS: u32 = 22;
const GENERATION_BITS: u32 = 5;
const GENERATIONS: u32 = 1 << GENERATION_BITS;

/// What a handle is a handle of; its number is the key's upper bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Sort {
    Comm = 1,
    Group,
    Datatype,
    Request,
    Op,
    Win,
    File,
    Info,
    Errhandler,
    Message,
    Session,
    Keyval,
    Checkpoint,
}

impl Sort {
    /// One object of the sort, in words.
    pub fn one(self) -> &'static str {
        match self {
            Sort::Comm => "a communicator",
            Sort::Group => "a group",
            Sort::Datatype => "a datatype",
            Sort::Request => "a request",
            Sort::Op => "an operation",
            Sort::Win => "a window",
            Sort::File => "a file",
            Sort::Info => "an info",
            Sort::Errhandler => "an error handler",
            Sort::Message => "a message",
            Sort::Session => "a session",
            Sort::Keyval => "a keyval",
            Sort::Checkpoint => "a checkpoint",
        }
    }

    /// Several of them.
    pub fn plural(self) -> String {
        let (_, noun) = self.one().split_once(' ').expect("an article and a noun");
        format!("{noun}s")
    }
}

/// Objects that are not worth an [`Arc`] each lie in a [`Slab`] with keys of the same make.
pub(super) type Shelf<T> = Slab<T, GENERATION_BITS>;

/// The handle of what lies under `key` in a [`Shelf`].
#[inline]
pub(super) fn handle(sort: Sort, key: Key) -> usize {
    (sort as usize) << (INDEX_BITS + GENERATION_BITS) | key.number() as usize
}

/// The number of the key that `handle` may stand for.
#[inline(always)]
pub(super) fn number(sort: Sort, handle: usize) -> usize {
    handle ^ (sort as usize) << (INDEX_BITS + GENERATION_BITS)
}

/// The key in a [`Shelf`] that `handle` may stand for.
#[inline]
pub(super) fn key(sort: Sort, handle: usize) -> Option<Key> {
    let number = number(sort, handle);
    let is_key = number < 1 << (INDEX_BITS + GENERATION_BITS);
    if is_key { Key::from_number(number as u32) } else { None }
}

/// The key of a preposted receive, if `handle` is that of a request that may be one.
#[inline]
pub(super) fn receive(handle: usize) -> Option<Key> {
    key(Sort::Request, handle).filter(|key| key.reserved().is_some())
}

/// A hold on an object: predefined ones cost nothing, others are counted.
pub enum Held<T: 'static> {
    Ever(&'static T),
    Counted(Arc<T>),
}

impl<T> Deref for Held<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        match self {
            Held::Ever(object) => object,
            Held::Counted(object) => object,
        }
    }
}

impl<T> Clone for Held<T> {
    fn clone(&self) -> Held<T> {
        match self {
            Held::Ever(object) => Held::Ever(object),
            Held::Counted(object) => Held::Counted(object.clone()),
        }
    }
}

/// Objects of one kind that a rank has made.
pub struct Table<T> {
    sort: Sort,
    slots: RwLock<Slots<T>>,
}

struct Slots<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

struct Slot<T> {
    generation: u32,
    value: Option<Arc<T>>,
}

impl<T> Table<T> {
    pub fn new(sort: Sort) -> Table<T> {
        Table { sort, slots: RwLock::new(Slots { slots: Vec::new(), free: Vec::new() }) }
    }

    /// Keeps `value` and returns its handle; `None` when the table is full.
    pub fn insert(&self, value: Arc<T>) -> Option<usize> {
        self.insert_with(|_| value).map(|(key, _)| key)
    }

    /// Keeps what `make` makes of the handle that it will have.
    pub fn insert_with(&self, make: impl FnOnce(usize) -> Arc<T>) -> Option<(usize, Arc<T>)> {
        let mut table = self.slots.write();
        let index = match table.free.pop() {
            Some(index) => index,
            None if table.slots.len() < 1 << INDEX_BITS => {
                table.slots.push(Slot { generation: 0, value: None });
                u32::try_from(table.slots.len() - 1).expect("the index has 22 bits")
            }
            None => return None,
        };
        let slot = &mut table.slots[index as usize];
        let key = self.key(index, slot.generation);
        let value = make(key);
        slot.value = Some(value.clone());
        Some((key, value))
    }

    /// Removes all objects, unless a thread died while it changed them.
    pub fn clear(&self) {
        if let Some(mut table) = self.slots.try_write() {
            *table = Slots { slots: Vec::new(), free: Vec::new() };
        }
    }

    /// Every object there is, with its handle.
    pub fn all(&self) -> Vec<(usize, Arc<T>)> {
        let table = self.slots.read();
        let filled = table.slots.iter().zip(0..).filter_map(|(slot, index)| {
            slot.value.clone().map(|value| (self.key(index, slot.generation), value))
        });
        filled.collect()
    }

    /// Whether there is an object of which this is true. Locks the table meanwhile.
    pub fn has(&self, is_it: impl Fn(&T) -> bool) -> bool {
        self.slots.read().slots.iter().filter_map(|slot| slot.value.as_deref()).any(is_it)
    }

    /// The object behind `handle`, if it is one of ours and was not freed.
    pub fn find(&self, handle: usize) -> Option<Arc<T>> {
        let (index, generation) = self.parts(handle)?;
        let table = self.slots.read();
        let slot = table.slots.get(index).filter(|slot| slot.generation == generation)?;
        slot.value.clone()
    }

    /// Puts another object in the place of the one behind `handle`, if that is still there.
    pub fn replace(&self, handle: usize, value: Arc<T>) {
        let Some((index, generation)) = self.parts(handle) else { return };
        let mut table = self.slots.write();
        let slot = table.slots.get_mut(index).filter(|slot| slot.generation == generation);
        if let Some(Slot { value: Some(place), .. }) = slot {
            *place = value;
        }
    }

    /// Takes the object out; its handle is void from now on.
    pub fn remove(&self, handle: usize) -> Option<Arc<T>> {
        let (index, generation) = self.parts(handle)?;
        let mut table = self.slots.write();
        let slot = table.slots.get_mut(index).filter(|slot| slot.generation == generation)?;
        let value = slot.value.take()?;
        slot.generation = (slot.generation + 1) % GENERATIONS;
        table.free.push(u32::try_from(index).expect("the index has 22 bits"));
        Some(value)
    }

    fn key(&self, index: u32, generation: u32) -> usize {
        let sort = (self.sort as usize) << (INDEX_BITS + GENERATION_BITS);
        sort | (generation as usize) << INDEX_BITS | index as usize
    }

    fn parts(&self, handle: usize) -> Option<(usize, u32)> {
        let index = handle & ((1 << INDEX_BITS) - 1);
        let generation = (handle >> INDEX_BITS) as u32 % GENERATIONS;
        (self.key(index as u32, generation) == handle).then_some((index, generation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_finds_its_object_until_it_is_freed() {
        let table = Table::new(Sort::Group);
        let key = table.insert(Arc::new("a")).expect("room");
        assert!(key >= 0x1000 && i32::try_from(key).is_ok());
        assert_eq!(table.find(key).as_deref(), Some(&"a"));
        assert_eq!(table.remove(key).as_deref(), Some(&"a"));
        assert_eq!(table.find(key), None);
        let again = table.insert(Arc::new("b")).expect("room");
        assert_ne!(again, key, "a stale handle must not find the next object");
    }

    #[test]
    fn a_handle_of_another_sort_is_refused() {
        let groups = Table::new(Sort::Group);
        let infos = Table::new(Sort::Info);
        groups.insert(Arc::new(())).expect("room");
        let info = infos.insert(Arc::new(())).expect("room");
        assert_eq!(groups.find(info), None);
        assert_eq!(groups.find(0x109), None);
        assert_eq!(groups.find(usize::MAX), None);
    }
}
