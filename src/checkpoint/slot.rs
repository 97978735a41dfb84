//! A rank's part of a checkpoint, and how the program's registered data get into it.

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

/// The data of a place, of each kind, with room up to whole chunks.
pub(super) type Data = [Sheet; KINDS];
/// Codes of each kind, by stripes.
pub(super) type Codes = [BTreeMap<usize, Sheet>; KINDS];

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
    /// What all know of those who took it.
    pub(super) heads: Arc<Heads>,
    /// Who keeps what, once it is laid out.
    pub(super) layout: Option<Laid>,
    /// Who has the data of each place now.
    pub(super) members: Arc<[Option<Member>]>,
    /// Places whose codes nobody has.
    pub(super) without_codes: Arc<[bool]>,
    pub(super) data: Arc<Data>,
    pub(super) codes: Arc<Codes>,
}

/// Data of a rank that is there no more, in the care of this one.
pub(super) struct Orphan {
    pub(super) rank: i32,
    pub(super) extent: Extent,
    pub(super) data: Arc<Data>,
}

/// What is nobody else's, to be changed. If somebody else may still use it, who goes on with what
/// this rank has given up, it is left to them, and an empty one takes its place.
pub(super) fn own<T: Default>(shared: &mut Arc<T>) -> &mut T {
    if Arc::get_mut(shared).is_none() {
        *shared = Arc::default();
    }
    Arc::get_mut(shared).expect("nobody else has the new one")
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

/// The largest of these numbers, whatever its sign. (What is no number is left out; but then there
/// is no checkpoint.)
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

/// Copies doubles, and finds their norm while its pieces are in the caches.
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

/// What is registered, as the data of a checkpoint that it is to become: anybody may copy any
/// piece.
pub(super) struct Source {
    /// By kinds, in the order of the data.
    items: [Vec<Origin>; KINDS],
    /// How many bytes there are of each kind.
    bytes: [usize; KINDS],
    directory: Vec<u64>,
    /// Of each item, the bits of the largest of its doubles that has been copied.
    norms: Vec<AtomicU64>,
}

/// An item, and where its bytes begin in the data.
struct Origin {
    start: usize,
    /// Which of all items it is.
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

    /// Copies what comes from `start` on in the data of a kind. All doubles are to be copied before
    /// anything exact, which says how large they are.
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

    /// The beginning of the data that are exact.
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
    /// The place whose part of a checkpoint is in it, if there is one.
    pub(super) fn place(&self) -> Option<usize> {
        self.entry.map(|entry| entry.place as usize)
    }

    /// Makes room for the data of `place`.
    pub(super) fn make_room(&mut self, shape: &Shape, place: usize) {
        for (kind, data) in own(&mut self.data).iter_mut().enumerate() {
            // Who is not protected still has its own copy.
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

    /// Copies what is registered into the slot.
    pub(super) fn fill(&self, source: &Source) -> Result<(), Fault> {
        for kind in [DOUBLES, EXACT] {
            let data = &self.data[kind];
            source.bring(kind, 0, &mut data.write(0..data.len()))?;
        }
        Ok(())
    }

    /// Copies what is in the slot to where it is registered: the same items as then.
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
pub(super) fn stretches(data: &Data, extent: &Extent) -> Vec<Stretch> {
    let words = |range: Range<usize>| -> Vec<u64> {
        let bytes = data[EXACT].read(range.start..range.end.min(data[EXACT].len()));
        bytes.as_chunks::<8>().0.iter().map(|word| u64::from_ne_bytes(*word)).collect()
    };
    if extent.bytes[EXACT] == 0 {
        return Vec::new();
    }
    // What came back from sums may be anything.
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
