//! Regions: the memory of a message, in one piece or in many.

use super::items::{Moves, Pattern, Side, are_alike, copy_items};
use super::strided::{Way, copy_blocks};
use super::{Fault, Span, copy};
use crate::base::layout::{Cursor, Items, Layout};
use std::sync::Arc;

/// The memory of a message: `bytes` of data in some layout. Plain numbers and a reference to the
/// layout: no memory is touched before [`transfer`].
#[derive(Clone, Debug)]
pub struct Region {
    address: usize,
    /// Bytes of data in the layout before the region's own; 0 if there is no layout.
    skip: usize,
    bytes: usize,
    /// `None`: one run of bytes from `address`.
    layout: Option<Arc<Layout>>,
}

impl From<Span> for Region {
    #[inline]
    fn from(span: Span) -> Region {
        Region { address: span.address, skip: 0, bytes: span.bytes, layout: None }
    }
}

impl Region {
    pub const EMPTY: Region = Region { address: 0, skip: 0, bytes: 0, layout: None };

    /// `bytes` of data that are laid out by `layout`, relative to `address`.
    pub fn new(address: usize, bytes: usize, layout: Arc<Layout>) -> Region {
        Region { address, skip: 0, bytes, layout: Some(layout) }
    }

    /// How many bytes of data there are.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The memory of a region in one piece.
    #[inline]
    pub fn span(&self) -> Option<Span> {
        let span = Span { address: self.address, bytes: self.bytes };
        self.layout.is_none().then_some(span)
    }

    /// Whether they certainly have no byte in common.
    pub fn is_apart(&self, other: &Region) -> bool {
        let end = |span: Span| span.address + span.bytes;
        let both = self.span().zip(other.span());
        both.is_some_and(|(one, two)| end(one) <= two.address || end(two) <= one.address)
    }

    /// The data from byte `offset` on, at most `bytes`.
    pub fn part(&self, offset: usize, bytes: usize) -> Region {
        assert!(offset <= self.bytes, "a part starts inside its region");
        let bytes = bytes.min(self.bytes - offset);
        let layout = self.layout.clone();
        match layout {
            None => Region { address: self.address + offset, bytes, ..Region::EMPTY },
            layout => Region { skip: self.skip + offset, bytes, layout, ..*self },
        }
    }

    /// The address to which its layout is relative.
    pub fn address(&self) -> usize {
        self.address
    }

    /// A walk over its data, item by item of `each` bytes.
    pub fn places(&self, each: usize) -> Places<'_> {
        let left = self.bytes / each;
        Places { cursor: self.cursor(), address: self.address, each, left }
    }

    fn cursor(&self) -> Cursor<'_> {
        self.cursor_at(0)
    }

    /// A walk over its memory from this byte of data on; offsets are relative to its address.
    pub fn cursor_at(&self, byte: usize) -> Cursor<'_> {
        match &self.layout {
            None => Cursor::over_run(byte as i64, self.bytes - byte),
            Some(layout) => layout.cursor(self.skip + byte),
        }
    }
}

/// A walk over the data of a region, item by item.
pub struct Places<'a> {
    cursor: Cursor<'a>,
    address: usize,
    each: usize,
    left: usize,
}

impl Places<'_> {
    /// Where the next item begins, and how many there are from there on without gaps: at least one,
    /// which may have gaps itself, until all have been passed.
    pub fn run(&self) -> (usize, usize) {
        let address = self.address.wrapping_add_signed(self.cursor.offset() as isize);
        (address, (self.cursor.run_bytes() / self.each).max(1).min(self.left))
    }

    /// Passes so many of these.
    pub fn pass(&mut self, count: usize) {
        self.left -= count;
        if self.left == 0 {
            return;
        }
        if self.cursor.run_bytes() >= self.each {
            return self.cursor.pass(self.each, count);
        }
        let mut bytes = self.each;
        while bytes > 0 {
            let part = bytes.min(self.cursor.run_bytes());
            self.cursor.pass(part, 1);
            bytes -= part;
        }
    }
}

/// Copies `source` to the beginning of `target`, which has room for it, in one pass.
/// A fault is returned as an error (see [`copy`]).
#[inline]
pub fn transfer(source: &Region, target: &Region) -> Result<(), Fault> {
    assert!(source.bytes <= target.bytes, "the target of a transfer is large enough");
    transfer_start(source, target, source.bytes)
}

/// Like [`transfer`], for the first `bytes` only; both regions have at least that many.
#[inline]
pub fn transfer_start(source: &Region, target: &Region, bytes: usize) -> Result<(), Fault> {
    assert!(bytes <= source.bytes && bytes <= target.bytes, "both sides are long enough");
    if source.layout.is_none() && target.layout.is_none() {
        let span = |region: &Region| Span { address: region.address, bytes };
        return copy(span(source), span(target));
    }
    walk(source, target, bytes)
}

/// Strip by strip: as many blocks at once as are evenly spaced on both sides.
fn walk(source: &Region, target: &Region, bytes: usize) -> Result<(), Fault> {
    let mut left = bytes;
    if left == 0 {
        return Ok(());
    }
    let (mut from, mut to) = (source.cursor(), target.cursor());
    loop {
        if let Some((size, count)) = items(Reach::of(&from, source), Reach::of(&to, target), left)?
        {
            left -= size * count;
            if left == 0 {
                return Ok(());
            }
            pass_items(&mut from, size, count);
            pass_items(&mut to, size, count);
        }
        let (bytes, count) = common(&from, &to, left);
        copy_blocks(
            way(&from, source.address, bytes, count),
            way(&to, target.address, bytes, count),
            bytes,
            count,
        )?;
        left -= bytes * count;
        if left == 0 {
            return Ok(());
        }
        from.pass(bytes, count);
        to.pass(bytes, count);
    }
}

/// Where one side of a copy is.
#[derive(Clone, Copy)]
struct Reach<'a> {
    cursor: &'a Cursor<'a>,
    /// Of its region.
    address: usize,
}

impl<'a> Reach<'a> {
    #[inline(always)]
    fn of(cursor: &'a Cursor<'a>, region: &Region) -> Reach<'a> {
        Reach { cursor, address: region.address }
    }
}

/// Copies whole items of few runs if one side has some and the other has equal ones, or a run that
/// holds them; returns how long they were and how many.
#[inline]
fn items(from: Reach<'_>, to: Reach<'_>, left: usize) -> Result<Option<(usize, usize)>, Fault> {
    let side = |address: usize, items: &Items<'_>| Side {
        address: address.wrapping_add_signed(items.offset as isize),
        stride: items.stride as isize,
    };
    let run = |address: usize, cursor: &Cursor<'_>, size: usize| Side {
        address: address.wrapping_add_signed(cursor.offset() as isize),
        stride: size as isize,
    };
    let (Reach { cursor: from, address: source }, Reach { cursor: to, address: target }) =
        (from, to);
    let (size, count, source, target, pattern) = match (from.items(), to.items()) {
        (None, None) => return Ok(None),
        (Some(a), Some(b)) if are_alike(a.runs, b.runs) => {
            let pattern = Pattern::Both(Moves::new(a.runs, b.runs));
            (a.size, a.count.min(b.count), side(source, &a), side(target, &b), pattern)
        }
        (Some(a), _) if to.run_bytes() >= a.size => {
            let count = a.count.min(to.run_bytes() / a.size);
            let pattern = Pattern::Gathered(a.runs);
            (a.size, count, side(source, &a), run(target, to, a.size), pattern)
        }
        (_, Some(b)) if from.run_bytes() >= b.size => {
            let count = b.count.min(from.run_bytes() / b.size);
            let pattern = Pattern::Scattered(b.runs);
            (b.size, count, run(source, from, b.size), side(target, &b), pattern)
        }
        _ => return Ok(None),
    };
    let count = count.min(left / size);
    if count == 0 {
        return Ok(None);
    }
    copy_items(&pattern, source, target, count)?;
    Ok(Some((size, count)))
}

fn pass_items(cursor: &mut Cursor<'_>, size: usize, count: usize) {
    match cursor.items() {
        Some(items) if items.size == size => cursor.pass_items(count),
        _ => cursor.pass(1, size * count),
    }
}

/// What both sides can copy at once: blocks of equal length; blocks of one side within a run of the
/// other; otherwise the rest of a run.
fn common(from: &Cursor<'_>, to: &Cursor<'_>, left: usize) -> (usize, usize) {
    let ((a, a_count), (b, b_count)) = (from.blocks(), to.blocks());
    let (run_a, run_b) = (from.run_bytes(), to.run_bytes());
    let (bytes, count) = if a == b && a_count.min(b_count) > 0 {
        (a, a_count.min(b_count))
    } else if b_count > 0 && run_a >= b {
        (b, b_count.min(run_a / b))
    } else if a_count > 0 && run_b >= a {
        (a, a_count.min(run_b / a))
    } else {
        (1, 0)
    };
    match count.min(left / bytes) {
        0 => (run_a.min(run_b).min(left), 1),
        count => (bytes, count),
    }
}

/// Where the next `count` blocks of `bytes` are on one side.
fn way<'a>(cursor: &Cursor<'a>, address: usize, bytes: usize, count: usize) -> Way<'a> {
    let at = |offset: i64| address.wrapping_add_signed(offset as isize);
    let (length, blocks) = cursor.blocks();
    if length != bytes || blocks < count || count == 1 {
        return Way::Even { address: at(cursor.offset()), stride: bytes as isize };
    }
    match cursor.list() {
        Some((offset, offsets)) => Way::Listed { address: at(offset), offsets },
        None => Way::Even { address: at(cursor.offset()), stride: cursor.stride() as isize },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::layout::samples::random_type;
    use crate::base::random::Random;
    use crate::host::memory::tests::brink;
    use crate::host::signals;

    /// Memory around an address that displacements of either sign stay within.
    struct Ground {
        memory: Vec<u8>,
        middle: usize,
    }

    impl Ground {
        /// Enough for `bytes` of data at `places`.
        fn new(places: &[i64], salt: usize) -> Ground {
            let reach = places.iter().map(|place| place.unsigned_abs() as usize).max();
            let middle = reach.unwrap_or(0) + 1;
            let memory = (0..2 * middle).map(|index| (index * 31 + salt) as u8).collect();
            Ground { memory, middle }
        }

        fn address(&mut self) -> usize {
            self.memory.as_mut_ptr().expose_provenance() + self.middle
        }

        fn index(&self, place: i64) -> usize {
            self.middle.wrapping_add_signed(place as isize)
        }
    }

    fn compare(seed: u64) {
        let mut random = Random::new(seed);
        let one = |random: &mut Random| {
            let depth = random.below(5) as u32;
            loop {
                let (layout, model) = random_type(random, depth, 1500);
                if !model.bytes.is_empty() {
                    return (Arc::new(layout), model);
                }
            }
        };
        let (from, from_model) = one(&mut random);
        let (to, to_model) = one(&mut random);
        let bytes = 1 + random.below(4000) as usize;
        let (from_skip, to_skip) = (random.below(500) as usize, random.below(500) as usize);
        let sources = from_model.places(from_skip + bytes);
        let targets = to_model.places(to_skip + bytes);
        let mut distinct = targets[to_skip..].to_vec();
        distinct.sort_unstable();
        if distinct.windows(2).any(|pair| pair[0] == pair[1]) {
            // A receive must not overlap itself (MPI-5.0 §4.1.11).
            return;
        }
        let (mut source, mut target) = (Ground::new(&sources, 1), Ground::new(&targets, 2));
        let mut expected = target.memory.clone();
        for index in 0..bytes {
            let value = source.memory[source.index(sources[from_skip + index])];
            expected[target.index(targets[to_skip + index])] = value;
        }
        let a = Region::new(source.address(), from_skip + bytes, from).part(from_skip, bytes);
        let b = Region::new(target.address(), to_skip + bytes, to).part(to_skip, bytes);
        assert_eq!(transfer(&a, &b), Ok(()));
        assert!(target.memory == expected, "seed {seed}");
        // Through a buffer in one piece: what packing and unpacking do.
        let mut packed = vec![0; bytes];
        target.memory.fill(0);
        let mut expected = vec![0; expected.len()];
        assert_eq!(transfer(&a, &Span::of_mut(&mut packed).into()), Ok(()));
        for index in 0..bytes {
            assert_eq!(packed[index], source.memory[source.index(sources[from_skip + index])]);
            expected[target.index(targets[to_skip + index])] = packed[index];
        }
        assert_eq!(transfer(&Span::of(&packed).into(), &b), Ok(()));
        assert!(target.memory == expected, "seed {seed}: unpacked");
    }

    #[test]
    fn items_are_found_where_a_walk_over_their_bytes_finds_them() {
        let pair = Layout::basic(&[(0, 2), (4, 4)], 8, 4);
        let double = Layout::basic(&[(0, 8)], 8, 8);
        let layouts = [
            (6, pair.vector(7, 2, 5).expect("small")),
            (6, pair),
            (8, double.vector(5, 3, 4).expect("small")),
            (8, double),
        ];
        for (each, layout) in layouts {
            let items = 3 * layout.size() as usize / each;
            let region = Region::new(4096, items * each, Arc::new(layout));
            let (mut places, mut found) = (region.places(each), Vec::new());
            while found.len() < items {
                let (address, count) = places.run();
                found.extend((0..count).map(|place| address + place * each));
                places.pass(count);
            }
            assert_eq!(places.run().1, 0);
            let begin = |item: usize| {
                let part = region.part(item * each, each);
                4096 + part.cursor().offset() as usize
            };
            assert_eq!(found, (0..items).map(begin).collect::<Vec<_>>(), "items of {each}");
        }
    }

    #[test]
    fn regions_are_apart_where_it_is_known() {
        let region = |address, bytes| Region::from(Span { address, bytes });
        assert!(region(100, 8).is_apart(&region(108, 8)));
        assert!(region(108, 8).is_apart(&region(100, 8)));
        assert!(!region(100, 9).is_apart(&region(108, 8)));
        assert!(!region(100, 100).is_apart(&region(120, 8)));
        let bytes = Arc::new(Layout::basic(&[(0, 1)], 4, 1).vector(2, 1, 4).expect("small"));
        assert!(!Region::new(100, 2, bytes).is_apart(&region(500, 8)));
    }

    #[test]
    fn any_layout_goes_to_any_other_byte_for_byte() {
        let seeds = if cfg!(miri) { 0..10 } else { 0..10_000 };
        seeds.for_each(compare);
    }

    #[test]
    #[cfg_attr(miri, ignore = "faults are signals")]
    fn a_fault_amid_a_strided_copy_is_reported_with_its_side() {
        signals::install();
        let brink = brink();
        let strided = [1, 2, 4, 8, 16, 20, 24, 600].map(|block| {
            let basic = Layout::basic(&[(0, block)], block as i64, 1);
            (block, basic.vector(100, 1, 2 * block as i64).expect("small"))
        });
        let items = [2, 8, 20].map(|block| {
            let basic = Layout::basic(&[(0, block), (block as i64 + 3, 1)], 64, 1);
            (block, basic.vector(100, 1, 64).expect("small"))
        });
        let byte = Layout::basic(&[(0, 1)], 1, 1);
        let squares: Vec<(u64, i64, &Layout)> = (0..100).map(|n| (1, n * n, &byte)).collect();
        let listed = (1, Layout::structure(&squares).expect("small"));
        for (block, layout) in strided.into_iter().chain(items).chain([listed]) {
            let bytes = layout.size() as usize;
            let bad = Region::new(brink - 24 * block as usize / 10, bytes, Arc::new(layout));
            let mut own = vec![0; bytes];
            let own = Region::from(Span::of_mut(&mut own));
            for _ in 0..3 {
                let read = transfer(&bad, &own).expect_err("no such memory");
                assert!(read.in_source && (brink..brink + 8192).contains(&read.address));
                let write = transfer(&own, &bad).expect_err("no such memory");
                assert!(!write.in_source && (brink..brink + 8192).contains(&write.address));
            }
        }
    }
}
