//! A fat tree: k^n nodes below n levels of switches with k ports down and k up (Petrini and
//! Vanneschi 1997, a k-ary n-tree). The receiver's digits choose the way up, so that messages to
//! one node share links, and messages to different nodes do not.

use super::path::Path;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FatTree {
    arity: usize,
    levels: u32,
    nodes: usize,
}

impl FatTree {
    pub fn new(arity: u32, levels: u32) -> Result<FatTree, String> {
        let nodes = (arity as usize).checked_pow(levels).filter(|&nodes| nodes <= 1 << 31);
        match nodes {
            Some(nodes) if arity > 1 && levels > 0 => {
                Ok(FatTree { arity: arity as usize, levels, nodes })
            }
            _ => Err(format!(
                "a fat tree with arity {arity} and {levels} levels: use 2 or more ports and 1 or \
                 more levels, and at most 2^31 nodes"
            )),
        }
    }

    pub(super) fn nodes(&self) -> usize {
        self.nodes
    }

    /// Between two levels there are as many links up as nodes, and as many down.
    pub(super) fn links(&self) -> usize {
        self.nodes * self.levels as usize * 2
    }

    /// The level of the lowest switch above both.
    fn height(&self, from: usize, to: usize) -> u32 {
        let (mut from, mut to, mut height) = (from, to, 0);
        while from != to {
            (from, to, height) = (from / self.arity, to / self.arity, height + 1);
        }
        height
    }

    pub(super) fn each_link(&self, from: usize, to: usize, mut visit: impl FnMut(usize)) {
        let height = self.height(from, to);
        let downwards = self.nodes * self.levels as usize;
        // A switch of level l is named by the digits, from l on, of the nodes below it, and by the
        // ports that lead to it: the receiver's lowest digits, those of level 1 first.
        let beside = |node: usize, level: u32| {
            let below = self.arity.pow(level);
            level as usize * self.nodes + node / below * below + to % below
        };
        (0..height).for_each(|level| visit(beside(from, level)));
        (0..height).rev().for_each(|level| visit(downwards + beside(to, level)));
    }

    pub(super) fn path(&self, from: usize, to: usize) -> Path {
        let height = self.height(from, to);
        Path { hops: 2 * height, turns: u32::from(height > 0) }
    }

    pub(super) fn siblings(&self, node: usize) -> Vec<usize> {
        let first = node / self.arity * self.arity;
        (first..first + self.arity).filter(|&other| other != node).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_send_to_different_nodes_never_share_a_link_down() {
        let tree = FatTree::new(4, 3).unwrap();
        let mut user = vec![None; tree.links()];
        for to in 0..tree.nodes() {
            for from in 0..tree.nodes() {
                tree.each_link(from, to, |link| {
                    if link >= tree.links() / 2 {
                        assert!(user[link].is_none_or(|other| other == to), "{link}");
                        user[link] = Some(to);
                    }
                });
            }
        }
    }

    #[test]
    fn a_shift_uses_every_link_up_at_most_once() {
        let tree = FatTree::new(4, 3).unwrap();
        for shift in 1..tree.nodes() {
            let mut uses = vec![0; tree.links()];
            for from in 0..tree.nodes() {
                tree.each_link(from, (from + shift) % tree.nodes(), |link| uses[link] += 1);
            }
            assert!(uses.iter().all(|&uses| uses <= 1), "shift {shift}");
        }
    }
}
