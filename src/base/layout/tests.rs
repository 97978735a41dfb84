//! Layouts walk what a plain list of bytes says.

use super::samples::random_type;
use super::*;
use crate::random::Random;

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
