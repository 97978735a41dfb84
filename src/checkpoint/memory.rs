//! What a rank keeps: what it has registered, two copies of its data, and codes of others' data.

use super::code::GRAIN;
use super::disk::Disk;
use super::layout::Layout;
use super::ledger::{Account, Entry, Extent};
use super::pace::Pace;
use super::scheme::{Code, Scheme};
use crate::base::Member;
use crate::host::memory::{Fault, Region, Span, transfer};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Data of which every bit counts, and doubles that are summed up.
pub(super) const KINDS: usize = 2;
const EXACT: usize = 0;
pub(super) const DOUBLES: usize = 1;

/// What the program has registered under a number.
#[derive(Clone)]
pub(super) struct Item {
    pub(super) region: Region,
    /// Whether it is nothing but doubles.
    pub(super) is_double: bool,
}

pub(super) type Items = BTreeMap<i32, Item>;

/// A checkpoint, as far as this rank has it. Whoever restores works on a clone, which shares data
/// and codes: a thread that jumps out of a call leaves behind what was there before.
#[derive(Clone, Default)]
pub(super) struct Slot {
    pub(super) entry: Option<Entry>,
    /// What each member had registered, and its rank then.
    pub(super) extents: Vec<Extent>,
    pub(super) ranks: Vec<i32>,
    /// Who has the data of each place now.
    pub(super) members: Vec<Option<Member>>,
    /// The nodes that the members were on; none if the layout does not go by them.
    pub(super) nodes: Vec<u32>,
    /// Places whose codes nobody has.
    pub(super) without_codes: Vec<bool>,
    /// The data of each kind, with room up to whole chunks.
    pub(super) data: Arc<[Vec<u8>; KINDS]>,
    /// The codes of each kind, by stripes.
    pub(super) codes: Arc<[BTreeMap<usize, Vec<u8>>; KINDS]>,
}

/// Data of a rank that is there no more, in the care of this one.
pub(super) struct Orphan {
    pub(super) rank: i32,
    pub(super) extent: Extent,
    pub(super) data: Arc<[Vec<u8>; KINDS]>,
}

/// What is nobody else's, to be changed. If somebody else may still use it, who has jumped out of a
/// call with messages under way, it is left to them, and an empty one takes its place.
pub(super) fn own<T: Default>(shared: &mut Arc<T>) -> &mut T {
    if Arc::get_mut(shared).is_none() {
        *shared = Arc::default();
    }
    Arc::get_mut(shared).expect("nobody else has the new one")
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
    /// Whether a checkpoint is under way beside the computation.
    pub(super) is_busy: bool,
    /// How often checkpoints are due.
    pub(super) pace: Pace,
    /// How long the last writing to disk took, in seconds.
    pub(super) writing: f64,
    /// The node that the program says this rank is on.
    pub(super) node: Option<u32>,
    /// Decimal digits that the last restoration has lost.
    pub(super) digits: i32,
    pub(super) orphans: Vec<Orphan>,
    /// The second level, if there is one.
    pub(super) disk: Option<Disk>,
}

impl Memory {
    /// What this rank, who has this place now, tells the others.
    pub(super) fn account(&mut self, scheme: &Scheme, place: usize, version: i64) -> Account {
        let written = self.disk.as_mut().map(|disk| disk.look(place)).unwrap_or_default();
        let on_disk = written.iter().flatten().map(|written| written.serial);
        self.seen = self.seen.max(on_disk.max().unwrap_or(0));
        Account {
            entries: [self.slots[0].entry, self.slots[1].entry],
            seen: self.seen,
            is_new: self.is_new,
            extent: extent(&self.items, scheme.code),
            digest: scheme.digest(),
            version,
            interval: self.pace.interval,
            node: self.node,
            written,
            is_damaged: self.disk.as_ref().is_some_and(|disk| disk.damage.is_some()),
            every: self.disk.as_ref().map_or(0, |disk| disk.every),
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

/// Words of the directory for each item.
const WORDS: usize = 4;

/// Each item's number, kind and bytes, and room for its norm; the data of all items of a kind come
/// in this order.
fn directory(items: &Items, code: Code) -> Vec<u64> {
    let entry = |(id, item): (&i32, &Item)| {
        [i64::from(*id) as u64, kind(item, code) as u64, item.region.bytes() as u64, 0]
    };
    items.iter().flat_map(entry).collect()
}

/// How many bytes the directory of so many items takes.
fn head(items: usize) -> usize {
    if items == 0 { 0 } else { 8 * (1 + WORDS * items) }
}

/// The largest of these numbers, whatever its sign. Without its sign, a number is the larger the
/// larger its bits are. (What is no number is larger than all; but then there is no checkpoint.)
fn norm(doubles: &[u8]) -> f64 {
    const SIZE: u64 = !(1 << 63);
    let size = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().expect("eight bytes")) & SIZE;
    let (blocks, rest) = doubles.as_chunks::<64>();
    let mut largest = [0; 8];
    for block in blocks {
        for (largest, bytes) in largest.iter_mut().zip(block.chunks_exact(8)) {
            *largest = size(bytes).max(*largest);
        }
    }
    let rest = rest.chunks_exact(8).map(size);
    f64::from_bits(largest.into_iter().chain(rest).max().unwrap_or(0))
}

/// Copies an item, and finds its norm while its pieces are in the caches.
fn copy_doubles(item: &Item, room: &mut [u8]) -> Result<f64, Fault> {
    const PIECE: usize = 1 << 17;
    if item.region.span().is_none() {
        transfer(&item.region, &Span::of_mut(room).into())?;
        return Ok(norm(room));
    }
    let mut largest: f64 = 0.0;
    for (piece, start) in room.chunks_mut(PIECE).zip((0..).step_by(PIECE)) {
        transfer(&item.region.part(start, piece.len()), &Span::of_mut(piece).into())?;
        largest = largest.max(norm(piece));
    }
    Ok(largest)
}

pub(super) fn is_finite(doubles: &[u8]) -> bool {
    doubles.as_chunks::<8>().0.iter().all(|bytes| f64::from_ne_bytes(*bytes).is_finite())
}

fn extent(items: &Items, code: Code) -> Extent {
    let directory = directory(items, code);
    let mut bytes = [0; KINDS];
    if !items.is_empty() {
        bytes[EXACT] = head(items.len()) as u64;
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
        let Slot { data, extents, .. } = self;
        for (kind, data) in own(data).iter_mut().enumerate() {
            let unit = units(layout, extents, kind)[layout.groups[place]];
            // Who is not protected still has its own copy.
            let used = extents[place].bytes[kind] as usize;
            let bytes = (unit * layout.chunks[place]).max(used);
            data.resize(bytes, 0);
            data[used..].fill(0);
        }
    }

    /// Copies what is registered into the slot.
    pub(super) fn fill(&mut self, items: &Items, code: Code) -> Result<(), Fault> {
        let mut at = [0; KINDS];
        let data = own(&mut self.data);
        let mut words = directory(items, code);
        at[EXACT] = head(items.len());
        for (item, words) in items.values().zip(words.chunks_exact_mut(WORDS)) {
            let (kind, bytes) = (kind(item, code), item.region.bytes());
            let room = &mut data[kind][at[kind]..][..bytes];
            match kind {
                DOUBLES => words[WORDS - 1] = copy_doubles(item, room)?.to_bits(),
                _ => transfer(&item.region, &Span::of_mut(room).into())?,
            }
            at[kind] += bytes;
        }
        if !items.is_empty() {
            let count = [items.len() as u64];
            let room = data[EXACT].chunks_exact_mut(8);
            for (word, room) in count.iter().chain(&words).zip(room) {
                room.copy_from_slice(&word.to_ne_bytes());
            }
        }
        Ok(())
    }

    /// Copies what is in the slot to where it is registered: the same items as then.
    pub(super) fn pour(&self, items: &Items, code: Code) -> Result<(), Fault> {
        let mut at = [head(items.len()), 0];
        for item in items.values() {
            let (kind, bytes) = (kind(item, code), item.region.bytes());
            let saved = Span::of(&self.data[kind][at[kind]..][..bytes]);
            transfer(&saved.into(), &item.region)?;
            at[kind] += bytes;
        }
        Ok(())
    }
}

/// Where the data of an item lie.
pub(super) struct Stretch {
    pub(super) id: i32,
    pub(super) kind: usize,
    /// In the data of this kind.
    pub(super) bytes: Range<usize>,
    /// The largest of its doubles, if they are summed up.
    pub(super) norm: f64,
}

/// What the directory at the beginning of somebody's data says; `extent`: how much there is.
pub(super) fn stretches(data: &[Vec<u8>; KINDS], extent: &Extent) -> Vec<Stretch> {
    let words: Vec<u64> =
        data[EXACT].as_chunks::<8>().0.iter().map(|word| u64::from_ne_bytes(*word)).collect();
    let count = words.first().filter(|_| extent.bytes[EXACT] > 0);
    let count = count.map_or(0, |count| *count as usize);
    let mut at = [head(count), 0];
    let stretch = |words: &[u64]| {
        let (kind, bytes) = (words[1] as usize % KINDS, words[2] as usize);
        let start = at[kind].min(data[kind].len());
        let end = start.saturating_add(bytes).min(data[kind].len());
        at[kind] = end;
        Stretch { id: words[0] as i32, kind, bytes: start..end, norm: f64::from_bits(words[3]) }
    };
    words.get(1..).unwrap_or_default().chunks_exact(WORDS).take(count).map(stretch).collect()
}

impl Orphan {
    /// The bytes that were registered under `id`.
    pub(super) fn item(&self, id: i32) -> Option<&[u8]> {
        let all = stretches(&self.data, &self.extent);
        let found = all.into_iter().find(|stretch| stretch.id == id)?;
        Some(&self.data[found.kind][found.bytes])
    }
}
