//! Layouts beside the definition: a plain list of bytes. `host::memory` compares its copies with
//! the same model.

use super::*;
use crate::base::random::Random;

/// A type map as the standard defines it, byte by byte, and the markers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) bytes: Vec<i64>,
    span: Option<(i64, i64)>,
    is_marked: bool,
    alignment: i64,
}

impl Model {
    fn basic(blocks: &[(i64, u64)], extent: i64, alignment: i64) -> Model {
        let bytes = blocks.iter().flat_map(|(at, length)| *at..at + *length as i64).collect();
        Model { bytes, span: Some((0, extent)), is_marked: false, alignment }
    }

    pub(crate) fn extent(&self) -> i64 {
        self.span.map_or(0, |(lb, ub)| ub - lb)
    }

    /// Copies of the types at the displacements.
    fn of(parts: &[(i64, &Model)]) -> Model {
        let mut all = Model { alignment: 1, ..Model::default() };
        all.is_marked = parts.iter().any(|(_, part)| part.is_marked);
        for (at, part) in parts {
            all.bytes.extend(part.bytes.iter().map(|byte| byte + at));
            all.alignment = all.alignment.max(part.alignment);
            if let Some((lb, ub)) = part.span
                && part.is_marked == all.is_marked
                && (part.is_marked || !part.bytes.is_empty())
            {
                let (low, high) = all.span.unwrap_or((lb + at, ub + at));
                all.span = Some((low.min(lb + at), high.max(ub + at)));
            }
        }
        if let Some((lb, ub)) = &mut all.span
            && !all.is_marked
        {
            *ub = *lb + (*ub - *lb + all.alignment - 1) / all.alignment * all.alignment;
        }
        all
    }

    /// Where the first `count` bytes of data of items in a row are.
    pub(crate) fn places(&self, count: usize) -> Vec<i64> {
        let items = (0..).flat_map(|item| self.bytes.iter().map(move |b| (item, *b)));
        items.take(count).map(|(item, byte): (i64, i64)| byte + item * self.extent()).collect()
    }
}

/// A random type of at most about `most` bytes, nested up to `depth` deep.
pub(crate) fn random_type(random: &mut Random, depth: u32, most: usize) -> (Layout, Model) {
    if depth == 0 {
        let blocks: &[(i64, u64)] = match random.below(5) {
            0 => &[(0, 1)],
            1 => &[(0, 2), (4, 4)],
            2 => &[(0, 4)],
            3 => &[(0, 12)],
            _ => &[(0, 8)],
        };
        let alignment = [1, 4, 8][random.below(3) as usize];
        let end = blocks.iter().map(|(at, length)| at + *length as i64).max().unwrap();
        let extent = (end + alignment - 1) / alignment * alignment;
        let layout = Layout::basic(blocks, extent, alignment as u64);
        return (layout, Model::basic(blocks, extent, alignment));
    }
    let (old, model) = random_type(random, depth - 1, most);
    let some = |random: &mut Random, bound: u64| random.below(bound) as i64;
    let (layout, model) = match random.below(5) {
        0 | 1 => {
            let (count, length) = (some(random, 5), some(random, 4));
            let stride = match random.below(3) {
                0 => length * model.extent(),
                1 => some(random, 200) - 100,
                _ => 2 * length * model.extent(),
            };
            let parts: Vec<(i64, &Model)> = (0..count * length)
                .map(|n| (n / length * stride + n % length * model.extent(), &model))
                .collect();
            let layout = old.vector(count as u64, length as u64, stride);
            (layout.expect("it is small"), Model::of(&parts))
        }
        2 => {
            let lb = some(random, 40) - 20;
            let extent = some(random, 100) - 20;
            let resized = Model { span: Some((lb, lb + extent)), is_marked: true, ..model };
            (old.resized(lb, extent).expect("it is small"), resized)
        }
        _ => {
            let (other, sibling) =
                random_type(random, random.clone().below(depth.into()) as u32, most);
            let blocks: Vec<(u64, i64, bool)> = (0..random.below(7))
                .map(|_| (random.below(3), some(random, 300) - 50, random.chance(50)))
                .collect();
            let pick = |is_old: bool| if is_old { (&old, &model) } else { (&other, &sibling) };
            let mut parts = Vec::new();
            for (length, at, is_old) in &blocks {
                let of = pick(*is_old).1;
                parts.extend((0..*length as i64).map(|n| (at + n * of.extent(), of)));
            }
            let layouts: Vec<(u64, i64, &Layout)> =
                blocks.iter().map(|(length, at, is_old)| (*length, *at, pick(*is_old).0)).collect();
            (Layout::structure(&layouts).expect("it is small"), Model::of(&parts))
        }
    };
    if model.bytes.len() > most { random_type(random, depth - 1, most) } else { (layout, model) }
}

/// Where the bytes are that a cursor passes, in random steps.
fn walked(cursor: &mut Cursor<'_>, count: usize, random: &mut Random) -> Vec<i64> {
    let mut places = Vec::new();
    while places.len() < count {
        let ((bytes, blocks), run) = (cursor.blocks(), cursor.run_bytes());
        if blocks > 0 && bytes < 5000 && random.chance(60) {
            let some = 1 + random.below(blocks.min(9) as u64) as usize;
            for index in 0..some {
                let start = match cursor.list() {
                    Some((origin, offsets)) => origin + offsets[index],
                    None => cursor.offset() + index as i64 * cursor.stride(),
                };
                places.extend(start..start + bytes as i64);
            }
            cursor.pass(bytes, some);
        } else {
            let some = 1 + random.below(run.min(5000) as u64) as usize;
            places.extend(cursor.offset()..cursor.offset() + some as i64);
            cursor.pass(1, some);
        }
    }
    places.truncate(count);
    places
}

fn compare(seed: u64) {
    let mut random = Random::new(seed);
    let depth = random.below(5) as u32;
    let (layout, model) = random_type(&mut random, depth, 2000);
    assert_eq!(layout.size(), model.bytes.len() as i64, "seed {seed}: size");
    assert_eq!(layout.extent(), model.extent(), "seed {seed}: extent of {layout:?}");
    assert_eq!(layout.lb(), model.span.map_or(0, |(lb, _)| lb), "seed {seed}: lb");
    let low = model.bytes.iter().min().copied().unwrap_or(0);
    let high = model.bytes.iter().max().map_or(0, |byte| byte + 1);
    assert_eq!((layout.true_lb(), layout.true_extent()), (low, high - low), "seed {seed}");
    if model.bytes.is_empty() {
        return;
    }
    let count = 3 * model.bytes.len();
    let places = model.places(count);
    let is_run = |places: &[i64]| places.windows(2).all(|pair| pair[1] == pair[0] + 1);
    if let Some(first) = layout.run(1) {
        assert!(is_run(&model.bytes) && first == model.bytes[0], "seed {seed}: one run");
    }
    if let Some(first) = layout.run(3) {
        assert!(is_run(&places) && first == places[0], "seed {seed}: a run of three");
    }
    let skip = random.below(count as u64) as usize;
    let walked = walked(&mut layout.cursor(skip), count - skip, &mut random);
    assert_eq!(walked, places[skip..], "seed {seed}: from {skip} on, {layout:?}");
}

#[test]
fn layouts_walk_the_bytes_of_the_type_map() {
    let seeds = if cfg!(miri) { 0..30 } else { 0..20_000 };
    seeds.for_each(compare);
}

#[test]
fn neighbours_and_nests_become_one_strip() {
    let double = Layout::basic(&[(0, 8)], 8, 8);
    let strip = |layout: &Layout| {
        let cursor = layout.cursor(0);
        (cursor.blocks(), cursor.stride())
    };
    let column = double.vector(40, 1, 80).expect("small");
    assert_eq!(strip(&column), ((8, 40), 80));
    // Columns that follow each other at the same distance are one longer column.
    let resized = column.resized(0, 3200).expect("small").vector(5, 1, 3200).expect("small");
    let ((_, count), stride) = strip(&resized);
    assert!(count >= 200 && stride == 80);
    let all = double.vector(100, 3, 24).expect("small");
    assert_eq!((all.run(1), all.run(7)), (Some(0), Some(0)));
    let parts: Vec<(u64, i64, &Layout)> = (0..100).map(|n| (1, n * 24, &double)).collect();
    let indexed = Layout::structure(&parts).expect("small");
    assert_eq!(strip(&indexed), ((8, 100), 24), "its extent is no multiple of the stride");
    let parts: Vec<(u64, i64, &Layout)> = (0..100).map(|n| (1, n * n * 24, &double)).collect();
    let uneven = Layout::structure(&parts).expect("small");
    assert_eq!(uneven.cursor(0).list().map(|(_, offsets)| offsets.len()), Some(100));
}

#[test]
fn what_no_64_bits_hold_is_refused() {
    let double = Layout::basic(&[(0, 8)], 8, 8);
    assert!(double.vector(1 << 61, 1, 8).is_err());
    assert!(double.vector(2, 1, i64::MAX).is_err());
    assert!(double.vector(1 << 59, 1, 8).is_ok());
    assert!(double.resized(i64::MAX, 1).is_err());
    assert!(Layout::structure(&[(1, i64::MAX, &double)]).is_err());
    assert!(Layout::structure(&[(1, i64::MIN, &double), (1, 8, &double)]).is_err());
}
