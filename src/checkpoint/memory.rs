//! What a rank keeps: what it has registered, two copies of its data, and codes of others' data.

use super::code::GRAIN;
use super::layout::Layout;
use super::ledger::{Account, Entry, Extent};
use super::scheme::{Code, Scheme};
use crate::base::Member;
use crate::host::memory::{Fault, Region, Span, transfer};
use std::collections::BTreeMap;

/// Data of which every bit counts, and doubles that are summed up.
pub(super) const KINDS: usize = 2;
const EXACT: usize = 0;
const DOUBLES: usize = 1;

/// What the program has registered under a number.
#[derive(Clone)]
pub(super) struct Item {
    pub(super) region: Region,
    /// Whether it is nothing but doubles.
    pub(super) is_double: bool,
}

pub(super) type Items = BTreeMap<i32, Item>;

/// A checkpoint, as far as this rank has it.
#[derive(Default)]
pub(super) struct Slot {
    pub(super) entry: Option<Entry>,
    /// What each member had registered, and its rank then.
    pub(super) extents: Vec<Extent>,
    pub(super) ranks: Vec<i32>,
    /// Who has the data of each place now.
    pub(super) members: Vec<Option<Member>>,
    /// The data of each kind, with room up to whole chunks.
    pub(super) data: [Vec<u8>; KINDS],
    /// The codes of each kind, by stripes.
    pub(super) codes: [BTreeMap<usize, Vec<u8>>; KINDS],
}

/// Data of a rank that is there no more, in the care of this one.
pub(super) struct Orphan {
    pub(super) rank: i32,
    pub(super) extent: Extent,
    pub(super) data: [Vec<u8>; KINDS],
}

/// All that a rank keeps.
#[derive(Default)]
pub(super) struct Memory {
    /// The handle of the communicator whose members keep each other's data.
    pub(super) comm: usize,
    pub(super) items: Items,
    pub(super) slots: [Slot; 2],
    pub(super) seen: u64,
    pub(super) is_new: bool,
    /// Whether a checkpoint is under way.
    pub(super) is_busy: bool,
    pub(super) cost: u64,
    /// Decimal digits that the last restoration has lost.
    pub(super) digits: i32,
    pub(super) orphans: Vec<Orphan>,
}

impl Memory {
    /// What this rank tells the others.
    pub(super) fn account(&self, scheme: &Scheme, version: i64) -> Account {
        Account {
            entries: [self.slots[0].entry, self.slots[1].entry],
            seen: self.seen,
            is_new: self.is_new,
            extent: extent(&self.items, scheme.code),
            digest: scheme.digest(),
            version,
            cost: self.cost,
        }
    }

    /// The last checkpoint that is whole.
    pub(super) fn last(&self) -> Option<(&Slot, &Entry)> {
        let filled = self.slots.iter().filter_map(|slot| Some((slot, slot.entry.as_ref()?)));
        filled.filter(|(_, entry)| entry.is_committed).max_by_key(|(_, entry)| entry.serial)
    }
}

/// Which kind an item is of.
fn kind(item: &Item, code: Code) -> usize {
    if item.is_double && !code.is_exact() { DOUBLES } else { EXACT }
}

/// The code for data of a kind: what is no double is worth a code of bits.
pub(super) fn code_of(code: Code, kind: usize) -> Code {
    match kind {
        DOUBLES => code,
        _ if code.is_exact() => code,
        _ => Code::Solomon,
    }
}

/// Each item's number, kind and bytes; the data of all items of a kind come in this order.
fn directory(items: &Items, code: Code) -> Vec<u64> {
    let entry = |(id, item): (&i32, &Item)| {
        [i64::from(*id) as u64, kind(item, code) as u64, item.region.bytes() as u64]
    };
    items.iter().flat_map(entry).collect()
}

fn extent(items: &Items, code: Code) -> Extent {
    let directory = directory(items, code);
    let mut bytes = [0; KINDS];
    if !items.is_empty() {
        bytes[EXACT] = 8 * (1 + directory.len() as u64);
    }
    for item in items.values() {
        bytes[kind(item, code)] += item.region.bytes() as u64;
    }
    let mix =
        |digest: u64, word: &u64| (digest ^ word).wrapping_mul(0x100_0000_01b3).rotate_left(23);
    Extent { bytes, digest: directory.iter().fold(directory.len() as u64, mix) }
}

/// How long the chunks of each group are, for data of a kind.
pub(super) fn units(layout: &Layout, extents: &[Extent], kind: usize) -> Vec<usize> {
    let groups = layout.groups.iter().max().map_or(0, |last| last + 1);
    let mut units = vec![0; groups];
    for (member, extent) in extents.iter().enumerate().filter(|(at, _)| layout.chunks[*at] > 0) {
        let bytes = extent.bytes[kind] as usize;
        let unit = bytes.div_ceil(layout.chunks[member]).next_multiple_of(GRAIN);
        let longest = &mut units[layout.groups[member]];
        *longest = unit.max(*longest);
    }
    units
}

impl Slot {
    /// Makes room for the data of `place`.
    pub(super) fn make_room(&mut self, layout: &Layout, place: usize) {
        for (kind, data) in self.data.iter_mut().enumerate() {
            let unit = units(layout, &self.extents, kind)[layout.groups[place]];
            // Who is not protected still has its own copy.
            let used = self.extents[place].bytes[kind] as usize;
            let bytes = (unit * layout.chunks[place]).max(used);
            data.resize(bytes, 0);
            data[used..].fill(0);
        }
    }

    /// Copies what is registered into the slot.
    pub(super) fn fill(&mut self, items: &Items, code: Code) -> Result<(), Fault> {
        let mut at = [0; KINDS];
        if !items.is_empty() {
            let words = directory(items, code);
            let count = [items.len() as u64];
            for word in count.iter().chain(&words) {
                self.data[EXACT][at[EXACT]..][..8].copy_from_slice(&word.to_ne_bytes());
                at[EXACT] += 8;
            }
        }
        for item in items.values() {
            let (kind, bytes) = (kind(item, code), item.region.bytes());
            let room = Span::of_mut(&mut self.data[kind][at[kind]..][..bytes]);
            transfer(&item.region, &room.into())?;
            at[kind] += bytes;
        }
        Ok(())
    }

    /// Copies what is in the slot to where it is registered: the same items as then.
    pub(super) fn pour(&self, items: &Items, code: Code) -> Result<(), Fault> {
        let mut at = [if items.is_empty() { 0 } else { 8 + 24 * items.len() }, 0];
        for item in items.values() {
            let (kind, bytes) = (kind(item, code), item.region.bytes());
            let saved = Span::of(&self.data[kind][at[kind]..][..bytes]);
            transfer(&saved.into(), &item.region)?;
            at[kind] += bytes;
        }
        Ok(())
    }
}

impl Orphan {
    /// The bytes that were registered under `id`.
    pub(super) fn item(&self, id: i32) -> Option<&[u8]> {
        let word = |at: usize| {
            let bytes = self.data[EXACT].get(8 * at..8 * at + 8)?;
            Some(u64::from_ne_bytes(bytes.try_into().expect("eight bytes")) as usize)
        };
        let count = word(0).filter(|_| self.extent.bytes[EXACT] > 0)?;
        let mut at = [8 + 24 * count, 0];
        for entry in 0..count {
            let (kind, bytes) = (word(2 + 3 * entry)?, word(3 + 3 * entry)?);
            if word(1 + 3 * entry)? as i32 == id {
                return self.data.get(kind)?.get(at[kind]..at[kind] + bytes);
            }
            *at.get_mut(kind)? += bytes;
        }
        None
    }
}
