//! Layouts beside the definition: a plain list of bytes. For tests, of this room and of those that
//! copy.

use super::Layout;
use crate::random::Random;

/// A type map as the standard defines it, byte by byte, and the markers.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub bytes: Vec<i64>,
    pub(super) span: Option<(i64, i64)>,
    is_marked: bool,
    alignment: i64,
}

impl Model {
    fn basic(blocks: &[(i64, u64)], extent: i64, alignment: i64) -> Model {
        let bytes = blocks.iter().flat_map(|(at, length)| *at..at + *length as i64).collect();
        Model { bytes, span: Some((0, extent)), is_marked: false, alignment }
    }

    pub fn extent(&self) -> i64 {
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
    pub fn places(&self, count: usize) -> Vec<i64> {
        let items = (0..).flat_map(|item| self.bytes.iter().map(move |b| (item, *b)));
        items.take(count).map(|(item, byte): (i64, i64)| byte + item * self.extent()).collect()
    }
}

/// A random type of at most about `most` bytes, nested up to `depth` deep.
pub fn random_type(random: &mut Random, depth: u32, most: usize) -> (Layout, Model) {
    if depth == 0 {
        let blocks: &[(i64, u64)] = match random.below(5) {
            0 => &[(0, 1)],
            1 => &[(0, 2), (4, 4)],
            2 => &[(0, 4)],
            3 => &[(0, 12)],
            _ => &[(0, 8)],
        };
        let alignment = [1, 4, 8][random.below(3) as usize];
        let end =
            blocks.iter().map(|(at, length)| at + *length as i64).max().expect("it has blocks");
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
