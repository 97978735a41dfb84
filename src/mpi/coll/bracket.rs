//! The reduction order: how the brackets are set when values are combined. It follows from the
//! number of members and the size of the values alone: never from the order of arrival, from the
//! number of cores, or from what ranks run on. So a sum of floating-point numbers is equal in every
//! run, on every machine, and with every algorithm.

use super::select::Combination;

/// Up to this many bytes are combined one by one, in rank order: by every algorithm in one pass.
/// More is combined by several members at once.
const LITTLE: usize = 4096;

/// How many values a node of a tree combines at most, of short and of longer vectors.
const WIDE: u32 = 256;
const NARROW: u32 = 4;

/// The radix of a tree that combines this many bytes: each node has one child fewer on each level.
pub(super) fn radix(bytes: usize) -> u32 {
    if bytes <= LITTLE { WIDE } else { NARROW }
}

/// How the values are bracketed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bracket {
    /// As in a [`Tree`](super::tree::Tree), ranks counted from `top`.
    Tree { radix: u32, top: u32 },
    /// From the right: around the last two, then around the one before and these, and so on.
    Chain,
}

impl Bracket {
    /// The bracket for `bytes`, with the tree's `top`.
    pub(super) fn of(combination: Combination, bytes: usize, top: usize) -> Bracket {
        if combination == Combination::Parts {
            return Bracket::Chain;
        }
        Bracket::Tree { radix: radix(bytes), top: top as u32 }
    }

    /// From the left: around the first two, then around these and the next, and so on. Each partial
    /// result has the place of its last operand.
    pub(super) fn one_by_one(members: usize) -> Bracket {
        Bracket::Tree { radix: members as u32, top: 0 }
    }

    /// The place that has the final result.
    pub(super) fn last(self, members: usize) -> usize {
        match self {
            Bracket::Chain => members - 1,
            Bracket::Tree { top: 0, .. } => members - 1,
            Bracket::Tree { top, .. } => (top as usize + members - 1) % members,
        }
    }

    /// The first place, if all others follow it one by one.
    pub(super) fn first_of_row(self, members: usize) -> Option<usize> {
        match self {
            Bracket::Tree { radix, top } if radix as usize >= members => Some(top as usize),
            _ => None,
        }
    }

    /// Calls `combine` for each combination in order. Its result takes the place of the right
    /// operand.
    pub(super) fn walk(self, members: usize, mut combine: impl FnMut(usize, usize)) {
        match self {
            Bracket::Chain => (0..members - 1).rev().for_each(|left| combine(left, members - 1)),
            Bracket::Tree { radix, top } if radix as usize >= members => {
                let top = top as usize;
                let mut left = top;
                for right in (top + 1..members).chain(0..top) {
                    combine(left, right);
                    left = right;
                }
            }
            Bracket::Tree { radix, top } => {
                let (radix, top, mut reach) = (radix as usize, top as usize, 1);
                while reach < members {
                    reach *= radix;
                }
                let rank = |place: usize| (top + place) % members;
                let combine = &mut |left, right| combine(rank(left), rank(right));
                climb(0, reach, (members, radix), combine);
            }
        }
    }
}

/// Combines what is under the node at `place`, each of whose largest children has `reach / radix`
/// members under it; returns the place that has the result.
fn climb(
    place: usize, reach: usize, size: (usize, usize), combine: &mut dyn FnMut(usize, usize),
) -> usize {
    let ((members, radix), mut result, mut weight) = (size, place, 1);
    while weight < reach {
        for child in (1..radix).map(|digit| place + digit * weight).filter(|at| *at < members) {
            let right = climb(child, weight, size, combine);
            combine(result, right);
            result = right;
        }
        weight *= radix;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result, written with all brackets, when each value is its rank.
    fn written(bracket: Bracket, members: usize) -> String {
        let mut values: Vec<String> = (0..members).map(|rank| format!("{rank}")).collect();
        bracket.walk(members, |left, right| {
            values[right] = format!("({} {})", values[left], values[right]);
        });
        values.swap_remove(bracket.last(members))
    }

    #[test]
    fn brackets_are_where_they_should_be() {
        let tree = |radix, top| Bracket::Tree { radix, top };
        assert_eq!(written(tree(8, 0), 4), "(((0 1) 2) 3)");
        assert_eq!(written(tree(2, 0), 4), "((0 1) (2 3))");
        assert_eq!(written(tree(2, 0), 7), "(((0 1) (2 3)) ((4 5) 6))");
        assert_eq!(written(tree(4, 2), 7), "((((2 3) 4) 5) ((6 0) 1))");
        assert_eq!(written(tree(9, 2), 3), "((2 0) 1)");
        assert_eq!(written(Bracket::Chain, 4), "(0 (1 (2 3)))");
    }

    #[test]
    fn all_take_part_once_and_in_order() {
        for members in 1..70 {
            for radix in [2, 3, 4, 8, 100] {
                let top = members / 3;
                let letters = written(Bracket::Tree { radix, top }, members as usize);
                let order = letters.replace(['(', ')'], "");
                let expected: Vec<String> =
                    (0..members).map(|place| ((top + place) % members).to_string()).collect();
                assert_eq!(order, expected.join(" "), "{members} {radix}");
            }
        }
    }
}
