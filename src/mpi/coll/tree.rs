//! Trees of members for messages: each node has `radix - 1` children on every level below it, so
//! radix 2 gives a binomial tree. The ranks under a child follow each other, so that values are
//! combined in rank order.

use super::bracket;
use super::select::Crowd;
use crate::mpi::lane::Lane;

/// This member's place in a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tree {
    size: i32,
    top: i32,
    radix: i32,
    /// This member's rank, counted from the top.
    place: i32,
    /// How many members are under one of a node's largest children here, times radix.
    reach: i32,
}

impl Tree {
    /// The tree of all members under `top`, to move data along.
    pub(super) fn of(lane: &Lane<'_>, top: i32) -> Tree {
        Tree::new(lane.size(), lane.rank(), top, Crowd::of(lane).radix())
    }

    /// The tree to combine this many bytes along: that of their bracket.
    pub(super) fn to_combine(lane: &Lane<'_>, top: i32, bytes: usize) -> Tree {
        Tree::new(lane.size(), lane.rank(), top, bracket::radix(bytes) as i32)
    }

    fn new(size: i32, rank: i32, top: i32, radix: i32) -> Tree {
        let place = (rank - top).rem_euclid(size);
        let mut reach = 1;
        while reach < size && place % reach.saturating_mul(radix) == 0 {
            reach = reach.saturating_mul(radix);
        }
        Tree { size, top, radix, place, reach }
    }

    /// The rank of the parent.
    pub(super) fn parent(self) -> Option<i32> {
        let above = self.place - self.place % self.reach.saturating_mul(self.radix);
        (self.place != 0).then(|| self.rank(above))
    }

    /// The ranks of the children, in their order from the top.
    pub(super) fn children(self) -> impl DoubleEndedIterator<Item = i32> + Send {
        let mut below = Vec::new();
        let mut weight = 1;
        while weight < self.reach {
            let last = (self.size - 1 - self.place) / weight;
            let digits = 1..=last.min(self.radix - 1);
            below.extend(digits.map(|digit| self.rank(self.place + digit * weight)));
            weight = weight.saturating_mul(self.radix);
        }
        below.into_iter()
    }

    fn rank(self, place: i32) -> i32 {
        ((i64::from(place) + i64::from(self.top)) % i64::from(self.size)) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_hangs_under_the_node_that_counts_it_as_child() {
        for (size, radix) in (1..70).flat_map(|size| [2, 3, 8, 32].map(|radix| (size, radix))) {
            for top in [0, size / 2, size - 1] {
                let tree = |rank| Tree::new(size, rank, top, radix);
                let tops = (0..size).filter(|rank| tree(*rank).parent().is_none());
                assert_eq!(tops.collect::<Vec<_>>(), [top]);
                let all = (0..size).flat_map(|rank| tree(rank).children().map(move |c| (rank, c)));
                let mut known: Vec<i32> = all
                    .map(|(rank, child)| {
                        assert_eq!(tree(child).parent(), Some(rank), "{size} {radix} {top}");
                        child
                    })
                    .collect();
                known.sort_unstable();
                assert_eq!(known.len() as i32, size - 1);
                known.dedup();
                assert_eq!(known.len() as i32, size - 1);
            }
        }
    }

    #[test]
    fn of_very_many_members_each_has_a_place() {
        for (size, radix) in [(100_000, 256), (1 << 24, 256), (1 << 30, 4), (i32::MAX, 2)] {
            for rank in [0, 1, 255, 65_536, size / 2, size - 1] {
                let tree = Tree::new(size, rank, 0, radix);
                assert_eq!(tree.parent().is_none(), rank == 0, "{rank} of {size}");
                for child in tree.children() {
                    assert_eq!(Tree::new(size, child, 0, radix).parent(), Some(rank), "{size}");
                }
            }
        }
    }

    /// The members under a node, in the order in which their values are combined.
    fn order(size: i32, rank: i32, radix: i32) -> Vec<i32> {
        let below = Tree::new(size, rank, 0, radix).children();
        [rank].into_iter().chain(below.flat_map(|child| order(size, child, radix))).collect()
    }

    #[test]
    fn values_are_combined_in_the_order_of_ranks() {
        for (size, radix) in (1..70).flat_map(|size| [2, 3, 8, 32].map(|radix| (size, radix))) {
            assert_eq!(order(size, 0, radix), (0..size).collect::<Vec<_>>(), "{size} {radix}");
        }
    }
}
