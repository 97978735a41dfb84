//! How much of a checkpoint each rank keeps. The values are equal at all ranks, and stored once.

use super::extent::{DOUBLES, Heads, KINDS};
use super::laid::Laid;
use super::layout::GRAIN;
use super::ledger::Account;
use std::sync::Arc;

/// The layout of a checkpoint, and the sizes of its parts.
pub(super) struct Shape {
    pub(super) layout: Laid,
    pub(super) heads: Arc<Heads>,
    /// The length of the chunks of each group, for each kind of data.
    units: [Vec<usize>; KINDS],
    /// Whether some member has doubles that are summed.
    pub(super) has_doubles: bool,
}

impl Shape {
    pub(super) fn new(layout: Laid, heads: Arc<Heads>) -> Shape {
        let groups = layout.groups.iter().max().map_or(0, |last| last + 1);
        let mut units = [0; KINDS].map(|_| vec![0; groups]);
        for (member, extent) in heads.extents.iter().enumerate() {
            let (chunks, group) = (layout.chunks[member], layout.groups[member]);
            for (bytes, units) in extent.bytes.iter().zip(&mut units).filter(|_| chunks > 0) {
                let unit = (*bytes as usize).div_ceil(chunks).next_multiple_of(GRAIN);
                units[group] = unit.max(units[group]);
            }
        }
        let has_doubles = heads.extents.iter().any(|extent| extent.bytes[DOUBLES] > 0);
        Shape { layout, heads, units, has_doubles }
    }

    pub(super) fn members(&self) -> usize {
        self.layout.members()
    }

    /// The length of the chunks of a stripe, for one kind of data.
    pub(super) fn unit(&self, kind: usize, stripe: usize) -> usize {
        self.units[kind][self.layout.stripes[stripe].group]
    }

    /// The length of the chunks of a member.
    pub(super) fn unit_of(&self, kind: usize, member: usize) -> usize {
        self.units[kind][self.layout.groups[member]]
    }
}

/// The nodes of these ranks. A rank without a known node has a node of its own; the result is empty
/// if no node is known.
pub(super) fn nodes<'a>(accounts: impl Iterator<Item = &'a Account>) -> Vec<u32> {
    let nodes: Vec<Option<u32>> = accounts.map(|account| account.node).collect();
    if nodes.iter().all(Option::is_none) {
        return Vec::new();
    }
    // The program's numbers have 31 bits, so these do not collide with them.
    let node = |(at, node): (usize, Option<u32>)| node.unwrap_or(u32::MAX - at as u32);
    nodes.into_iter().enumerate().map(node).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::extent::Extent;
    use crate::checkpoint::scheme::Scheme;

    #[test]
    fn the_longest_of_a_group_sets_the_length_of_its_chunks() {
        let scheme = Scheme::parse("xor,dedicated,groups=2").expect("a scheme");
        let layout = Laid::of(&scheme, 6, &[]).expect("enough of them");
        let extents = [[100, 0], [64, 800], [300, 0], [1, 0], [9000, 9000], [0, 0]];
        let extents = extents.map(|bytes| Extent { bytes, digest: 0 }).to_vec();
        let heads = Heads { extents, ranks: (0..6).collect(), nodes: Vec::new() };
        let shape = Shape::new(layout, Arc::new(heads));
        let of = |member: usize| [0, 1].map(|kind| shape.unit_of(kind, member));
        assert_eq!((of(0), of(1)), ([320, 0], [64, 832]), "who only keeps codes does not count");
        assert!(shape.has_doubles);
    }
}
