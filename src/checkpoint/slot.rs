//! A rank's part of a checkpoint, and how the program's registered data get into it and back.

use super::extent::{DOUBLES, EXACT, Extent, Heads, KINDS};
use super::laid::Laid;
use super::ledger::Entry;
use super::scheme::Code;
use super::shape::Shape;
use crate::base::Member;
use crate::base::sync::sheet::{Reading, Sheet};
use crate::host::memory::{Fault, Region, Span, transfer};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The data of a place, by kinds, with room for whole chunks.
pub(super) type Data = [Sheet; KINDS];
/// Codes, by kinds and stripes.
pub(super) type Codes = [BTreeMap<usize, Sheet>; KINDS];

/// What the program has registered under one number.
#[derive(Clone)]
pub(super) struct Item {
    pub(super) region: Region,
    /// Whether it consists of doubles only.
    pub(super) is_double: bool,
}

pub(super) type Items = BTreeMap<i32, Item>;

/// This rank's part of a checkpoint. A restoration works on a clone, which shares data and codes: a
/// thread that jumps out of the call leaves the original behind.
#[derive(Clone, Default)]
pub(super) struct Slot {
    pub(super) entry: Option<Entry>,
    /// What all know about the members that took it.
    pub(super) heads: Arc<Heads>,
    /// Its layout, once that is known.
    pub(super) layout: Option<Laid>,
    /// The member that has the data of each place now.
    pub(super) members: Arc<[Option<Member>]>,
    /// The places whose codes no member has.
    pub(super) without_codes: Arc<[bool]>,
    pub(super) data: Arc<Data>,
    pub(super) codes: Arc<Codes>,
}

/// Data of a former rank, in the care of this one.
pub(super) struct Orphan {
    pub(super) rank: i32,
    pub(super) extent: Extent,
    pub(super) data: Arc<Data>,
}

/// Makes shared contents exclusive, so that they can be changed. Ranks that still use what this
/// rank has given up keep it, and an empty value takes its place.
pub(super) fn own<T: Default>(shared: &mut Arc<T>) -> &mut T {
    if Arc::get_mut(shared).is_none() {
        *shared = Arc::default();
    }
    Arc::get_mut(shared).expect("nobody else has the new one")
}

/// The kind of an item.
fn kind(item: &Item, code: Code) -> usize {
    if item.is_double && !code.is_exact() { DOUBLES } else { EXACT }
}

/// The code for data of a kind. Schemes of sums protect other data than doubles by Reed-Solomon.
pub(super) fn code_of(code: Code, kind: usize) -> Code {
    match kind {
        DOUBLES => code,
        _ if code.is_exact() => code,
        _ => Code::Solomon,
    }
}

/// Words of the directory for each item.
const WORDS: usize = 4;

/// The number, kind and length of each item, and room for its norm. The data of a kind are in this
/// order.
fn directory(items: &Items, code: Code) -> Vec<u64> {
    let entry = |(id, item): (&i32, &Item)| {
        [i64::from(*id) as u64, kind(item, code) as u64, item.region.bytes() as u64, 0]
    };
    items.iter().flat_map(entry).collect()
}

/// The length in bytes of a directory of `items` items.
fn head(items: usize) -> usize {
    if items == 0 { 0 } else { 8 * (1 + WORDS * items) }
}

/// The largest magnitude of these numbers. NaNs are ignored, since they prevent the checkpoint
/// anyway.
fn norm(doubles: &[u8]) -> f64 {
    let size = |bytes: &[u8; 8]| f64::from_ne_bytes(*bytes).abs();
    let larger = |one: f64, other: f64| if one > other { one } else { other };
    let (blocks, rest) = doubles.as_chunks::<64>();
    let mut largest = [0.0; 8];
    for block in blocks {
        for (largest, bytes) in largest.iter_mut().zip(block.as_chunks::<8>().0) {
            *largest = larger(size(bytes), *largest);
        }
    }
    let rest = rest.as_chunks::<8>().0.iter().map(size);
    largest.into_iter().chain(rest).fold(0.0, larger)
}

/// Copies doubles, and computes their norm while each piece is in the caches.
fn copy_doubles(region: &Region, room: &mut [u8]) -> Result<f64, Fault> {
    const PIECE: usize = 1 << 17;
    if region.span().is_none() {
        transfer(region, &Span::of_mut(room).into())?;
        return Ok(norm(room));
    }
    let mut largest: f64 = 0.0;
    for (piece, start) in room.chunks_mut(PIECE).zip((0..).step_by(PIECE)) {
        transfer(&region.part(start, piece.len()), &Span::of_mut(piece).into())?;
        largest = largest.max(norm(piece));
    }
    Ok(largest)
}

/// The registered data, laid out as the data of the next checkpoint; any member may copy any piece.
pub(super) struct Source {
    /// By kinds, in the order of the directory.
    items: [Vec<Origin>; KINDS],
    /// The number of bytes of each kind.
    bytes: [usize; KINDS],
    directory: Vec<u64>,
    /// For each item, the bits of the largest magnitude copied so far.
    norms: Vec<AtomicU64>,
}

/// An item, and where its bytes begin in the data.
struct Origin {
    start: usize,
    /// Its index among all items.
    index: usize,
    region: Region,
}

impl Source {
    pub(super) fn of(items: &Items, code: Code) -> Source {
        let mut origins: [Vec<Origin>; KINDS] = Default::default();
        let mut bytes = [0; KINDS];
        bytes[EXACT] = head(items.len());
        for (index, item) in items.values().enumerate() {
            let (kind, region) = (kind(item, code), item.region.clone());
            let start = bytes[kind];
            bytes[kind] += region.bytes();
            origins[kind].push(Origin { start, index, region });
        }
        let norms = items.iter().map(|_| AtomicU64::new(0)).collect();
        Source { items: origins, bytes, directory: directory(items, code), norms }
    }

    /// Copies data of one kind from `start` on. All doubles must be copied before exact data, whose
    /// directory has their norms.
    pub(super) fn bring(&self, kind: usize, start: usize, room: &mut [u8]) -> Result<(), Fault> {
        let head = head(self.norms.len());
        if kind == EXACT && start < head {
            let bytes = &self.head()[start..head.min(start + room.len())];
            room[..bytes.len()].copy_from_slice(bytes);
        }
        let end = start + room.len();
        let items = &self.items[kind];
        let first = items.partition_point(|item| item.start + item.region.bytes() <= start);
        for item in items[first..].iter().take_while(|item| item.start < end) {
            let from = item.start.max(start);
            let to = end.min(item.start + item.region.bytes());
            let piece = &mut room[from - start..to - start];
            let part = item.region.part(from - item.start, to - from);
            if kind == DOUBLES {
                let norm = copy_doubles(&part, piece)?;
                self.norms[item.index].fetch_max(norm.to_bits(), Ordering::Relaxed);
            } else {
                transfer(&part, &Span::of_mut(piece).into())?;
            }
        }
        let used = self.bytes[kind].saturating_sub(start).min(room.len());
        room[used..].fill(0);
        Ok(())
    }

    /// The directory, at the beginning of the exact data.
    fn head(&self) -> Vec<u8> {
        let mut words = self.directory.clone();
        for (words, norm) in words.chunks_exact_mut(WORDS).zip(&self.norms) {
            words[WORDS - 1] = norm.load(Ordering::Relaxed);
        }
        let count = [self.norms.len() as u64];
        count.iter().chain(&words).flat_map(|word| word.to_ne_bytes()).collect()
    }
}

pub(super) fn is_finite(doubles: &[u8]) -> bool {
    doubles.as_chunks::<8>().0.iter().all(|bytes| f64::from_ne_bytes(*bytes).is_finite())
}

pub(super) fn extent(items: &Items, code: Code) -> Extent {
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

impl Slot {
    /// The place of this part, if the slot has a checkpoint.
    pub(super) fn place(&self) -> Option<usize> {
        self.entry.map(|entry| entry.place as usize)
    }

    /// Makes room for the data of `place`.
    pub(super) fn make_room(&mut self, shape: &Shape, place: usize) {
        for (kind, data) in own(&mut self.data).iter_mut().enumerate() {
            // A member that is not protected still has its own copy.
            let used = shape.heads.extents[place].bytes[kind] as usize;
            let bytes = (shape.unit_of(kind, place) * shape.layout.chunks[place]).max(used);
            data.resize(bytes);
            data.write(used..bytes).fill(0);
        }
    }

    /// Makes room for the codes that `place` keeps.
    pub(super) fn make_room_for_codes(&mut self, shape: &Shape, place: usize) {
        let keeps = |wanted: usize| shape.layout.kept_by(place).any(|number| number == wanted);
        for (kind, codes) in own(&mut self.codes).iter_mut().enumerate() {
            codes.retain(|number, _| keeps(*number));
            for number in shape.layout.kept_by(place) {
                codes.entry(number).or_default().resize(shape.unit(kind, number));
            }
        }
    }

    /// Copies the registered data into the slot.
    pub(super) fn fill(&self, source: &Source) -> Result<(), Fault> {
        for kind in [DOUBLES, EXACT] {
            let data = &self.data[kind];
            source.bring(kind, 0, &mut data.write(0..data.len()))?;
        }
        Ok(())
    }

    /// Copies the slot's data to where they are registered; the items must be those of the
    /// checkpoint.
    pub(super) fn pour(&self, items: &Items, code: Code) -> Result<(), Fault> {
        let mut at = [head(items.len()), 0];
        for item in items.values() {
            let (kind, bytes) = (kind(item, code), item.region.bytes());
            let saved = self.data[kind].read(at[kind]..at[kind] + bytes);
            transfer(&Span::of(&saved).into(), &item.region)?;
            at[kind] += bytes;
        }
        Ok(())
    }
}

/// The position of an item's data.
pub(super) struct Stretch {
    pub(super) id: i32,
    pub(super) kind: usize,
    /// The range within the data of this kind.
    pub(super) bytes: Range<usize>,
    /// The largest magnitude of its doubles, if they are summed.
    pub(super) norm: f64,
}

/// Reads the directory at the beginning of a place's data; `extent` is how much data there are.
pub(super) fn stretches(data: &Data, extent: &Extent) -> Vec<Stretch> {
    let words = |range: Range<usize>| -> Vec<u64> {
        let bytes = data[EXACT].read(range.start..range.end.min(data[EXACT].len()));
        bytes.as_chunks::<8>().0.iter().map(|word| u64::from_ne_bytes(*word)).collect()
    };
    if extent.bytes[EXACT] == 0 {
        return Vec::new();
    }
    // Data restored from sums may contain anything.
    let most = data[EXACT].len() / (8 * WORDS);
    let count = words(0..8).first().map_or(0, |count| most.min(*count as usize));
    let mut at = [head(count), 0];
    let stretch = |words: &[u64]| {
        let (kind, bytes) = (words[1] as usize % KINDS, words[2] as usize);
        let start = at[kind].min(data[kind].len());
        let end = start.saturating_add(bytes).min(data[kind].len());
        at[kind] = end;
        Stretch { id: words[0] as i32, kind, bytes: start..end, norm: f64::from_bits(words[3]) }
    };
    words(8..head(count).max(8)).chunks_exact(WORDS).map(stretch).collect()
}

impl Orphan {
    /// The bytes that were registered under `id`.
    pub(super) fn item(&self, id: i32) -> Option<Reading<'_>> {
        let all = stretches(&self.data, &self.extent);
        let found = all.into_iter().find(|stretch| stretch.id == id)?;
        Some(self.data[found.kind].read(found.bytes))
    }
}
