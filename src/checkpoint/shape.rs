//! Who keeps what of a checkpoint, and how much: all know the same, and hold one copy of it.

use super::code::GRAIN;
use super::layout::Layout;
use super::ledger::{Account, Extent};
use super::memory::{DOUBLES, KINDS};
use std::sync::Arc;

/// Words of a place, for the way.
const WORDS: usize = 4;

/// What all know of those who take a checkpoint, by places.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Heads {
    /// What each has registered, and its rank then.
    pub(super) extents: Vec<Extent>,
    pub(super) ranks: Vec<i32>,
    /// The nodes that they are on; none if the layout does not go by them.
    pub(super) nodes: Vec<u32>,
}

impl Heads {
    /// How many bytes those of so many members take on the way.
    pub(super) fn bytes(members: usize) -> usize {
        8 * WORDS * members
    }

    /// All but the nodes, for the way.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let place = |(extent, rank): (&Extent, &i32)| {
            let Extent { bytes, digest } = *extent;
            [bytes[0], bytes[1], digest, i64::from(*rank) as u64]
        };
        let words = self.extents.iter().zip(&self.ranks).flat_map(place);
        words.flat_map(|word| word.to_ne_bytes()).collect()
    }

    pub(super) fn from_bytes(bytes: &[u8], nodes: Vec<u32>) -> Heads {
        let (mut extents, mut ranks) = (Vec::new(), Vec::new());
        for place in bytes.as_chunks::<8>().0.chunks_exact(WORDS) {
            let [first, second, digest, rank] =
                [0, 1, 2, 3].map(|at| u64::from_ne_bytes(place[at]));
            extents.push(Extent { bytes: [first, second], digest });
            ranks.push(rank as i32);
        }
        Heads { extents, ranks, nodes }
    }
}

/// The layout of a checkpoint, and the sizes of what it lays out.
pub(super) struct Shape {
    pub(super) layout: Layout,
    pub(super) heads: Arc<Heads>,
    /// How long the chunks of each group are, for data of each kind.
    units: [Vec<usize>; KINDS],
}

impl Shape {
    pub(super) fn new(layout: Layout, heads: Arc<Heads>) -> Shape {
        let groups = layout.groups.iter().max().map_or(0, |last| last + 1);
        let mut units = [0; KINDS].map(|_| vec![0; groups]);
        for (member, extent) in heads.extents.iter().enumerate() {
            let (chunks, group) = (layout.chunks[member], layout.groups[member]);
            for (bytes, units) in extent.bytes.iter().zip(&mut units).filter(|_| chunks > 0) {
                let unit = (*bytes as usize).div_ceil(chunks).next_multiple_of(GRAIN);
                units[group] = unit.max(units[group]);
            }
        }
        Shape { layout, heads, units }
    }

    pub(super) fn members(&self) -> usize {
        self.layout.members()
    }

    /// How long the chunks of a stripe are, for data of a kind.
    pub(super) fn unit(&self, kind: usize, stripe: usize) -> usize {
        self.units[kind][self.layout.stripes[stripe].group]
    }

    /// How long those of a member are.
    pub(super) fn unit_of(&self, kind: usize, member: usize) -> usize {
        self.units[kind][self.layout.groups[member]]
    }

    /// Whether anybody has doubles that are summed up.
    pub(super) fn has_doubles(&self) -> bool {
        self.heads.extents.iter().any(|extent| extent.bytes[DOUBLES] > 0)
    }
}

/// Where these ranks are. Whoever says nothing is on a node of its own; if none says anything,
/// nodes do not count.
pub(super) fn nodes<'a>(accounts: impl Iterator<Item = &'a Account>) -> Vec<u32> {
    let nodes: Vec<Option<u32>> = accounts.map(|account| account.node).collect();
    if nodes.iter().all(Option::is_none) {
        return Vec::new();
    }
    // Programs count from 0 on, and have 31 bits.
    let node = |(at, node): (usize, Option<u32>)| node.unwrap_or(u32::MAX - at as u32);
    nodes.into_iter().enumerate().map(node).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::scheme::Scheme;

    #[test]
    fn heads_arrive_as_they_were_sent() {
        let extent = |place: u64| Extent { bytes: [place, 7 << 40], digest: !place };
        let sent = Heads {
            extents: (0..5).map(extent).collect(),
            ranks: vec![0, 2, 3, 7, 9],
            nodes: vec![4, 4, 5, 5, 6],
        };
        let bytes = sent.to_bytes();
        assert_eq!(bytes.len(), Heads::bytes(5));
        assert_eq!(Heads::from_bytes(&bytes, vec![4, 4, 5, 5, 6]), sent);
    }

    #[test]
    fn the_longest_of_a_group_sets_the_length_of_its_chunks() {
        let scheme = Scheme::parse("xor,dedicated,groups=2").expect("a scheme");
        let layout = Layout::new(&scheme, 6, &[]).expect("enough of them");
        let extents = [[100, 0], [64, 800], [300, 0], [1, 0], [9000, 9000], [0, 0]];
        let extents = extents.map(|bytes| Extent { bytes, digest: 0 }).to_vec();
        let heads = Heads { extents, ranks: (0..6).collect(), nodes: Vec::new() };
        let shape = Shape::new(layout, Arc::new(heads));
        let of = |member: usize| [0, 1].map(|kind| shape.unit_of(kind, member));
        assert_eq!((of(0), of(1)), ([320, 0], [64, 832]), "who only keeps codes does not count");
        assert!(shape.has_doubles());
    }
}
