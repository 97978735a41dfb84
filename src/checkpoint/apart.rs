//! Layouts for ranks that share nodes: no two ranks of one node are in one group, so that a node
//! failure takes at most one rank of each group.

use super::layout::Layout;
use super::scheme::{Keeping, Scheme};
use std::collections::BTreeMap;

/// The layout of a scheme for members on these nodes, or why there is none.
pub(super) fn layout(scheme: &Scheme, nodes: &[u32]) -> Result<Layout, String> {
    let members = nodes.len();
    let mut layout = Layout::empty(members);
    match scheme.keeping {
        Keeping::Spread | Keeping::Ring | Keeping::Pair if members == 1 => {}
        Keeping::Mirror => {
            let half = members / 2;
            if members < 2 || members % 2 == 1 {
                return Err(format!("scheme mirror needs an even number of ranks, not {members}"));
            }
            let may = |from: usize, to: usize| nodes[from] != nodes[half + to];
            let keepers = assign(half, half, may).ok_or_else(|| no_keepers(scheme))?;
            layout.copies(keepers.iter().enumerate().map(|(from, to)| (from, half + to)));
            layout.chunks[half..].fill(0);
        }
        Keeping::Ring | Keeping::Pair => {
            let Crowd { order, node, most } = Crowd::of(nodes, members);
            if 2 * most > members {
                return Err(format!(
                    "{most} of {members} ranks are on node {node}: scheme {scheme} needs a partner \
                     for each on another node"
                ));
            }
            // Members of one node are consecutive, and there are at most `step` of them.
            let step = if scheme.keeping == Keeping::Ring { most } else { members / 2 };
            let other = |at: usize| match scheme.keeping {
                Keeping::Pair if at < 2 * step => (at + step) % (2 * step),
                Keeping::Pair => 0,
                _ => (at + step) % members,
            };
            layout.copies((0..members).map(|at| (order[at], order[other(at)])));
        }
        Keeping::Dedicated => dedicate(&mut layout, scheme, nodes)?,
        Keeping::Spread => {
            let crowd = Crowd::of(nodes, members);
            let groups = scheme.groups(members, crowd.most);
            crowd.must_fit(groups)?;
            if members / groups <= scheme.spares {
                return Err(format!(
                    "scheme {scheme} needs at least {} ranks in each group; {} of {members} ranks \
                     are on node {}, each in a group of its own",
                    scheme.spares + 1,
                    crowd.most,
                    crowd.node
                ));
            }
            for group in 0..groups {
                let dealt = crowd.order.iter().skip(group).step_by(groups).copied();
                layout.spread(group, dealt.collect(), scheme.spares);
            }
        }
    }
    Ok(layout)
}

/// The first ranks work; the others keep codes, on nodes without members of their group.
fn dedicate(layout: &mut Layout, scheme: &Scheme, nodes: &[u32]) -> Result<(), String> {
    let (members, spares) = (nodes.len(), scheme.spares);
    let groups = scheme.groups(members, 1);
    let least = groups * (spares + 1);
    if members < least {
        return Err(format!("scheme {scheme} needs at least {least} ranks; there are {members}"));
    }
    let workers = members - groups * spares;
    let crowd = Crowd::of(nodes, workers);
    crowd.must_fit(groups)?;
    let dealt = |group: usize| crowd.order.iter().skip(group).step_by(groups).copied();
    let dealt: Vec<Vec<usize>> = (0..groups).map(|group| dealt(group).collect()).collect();
    let mut keepers: Vec<Vec<usize>> = vec![Vec::new(); groups];
    let mut left: Vec<usize> = (workers..members).collect();
    for _ in 0..spares {
        let may = |group: usize, at: usize| {
            let mut all = dealt[group].iter().chain(&keepers[group]);
            all.all(|member| nodes[*member] != nodes[left[at]])
        };
        let found = assign(groups, left.len(), may).ok_or_else(|| no_keepers(scheme))?;
        for (keepers, at) in keepers.iter_mut().zip(&found) {
            keepers.push(left[*at]);
        }
        left = (0..left.len()).filter(|at| !found.contains(at)).map(|at| left[at]).collect();
    }
    for (members, keepers) in dealt.into_iter().zip(keepers) {
        layout.group_of(members, keepers);
    }
    layout.chunks[workers..].fill(0);
    Ok(())
}

fn no_keepers(scheme: &Scheme) -> String {
    format!("scheme {scheme} cannot place the data and codes of each group on different nodes")
}

/// The nodes of the first members.
struct Crowd {
    /// The members, sorted by node.
    order: Vec<usize>,
    /// The node with the most members, and how many it has.
    node: u32,
    most: usize,
}

impl Crowd {
    fn of(nodes: &[u32], members: usize) -> Crowd {
        let mut order: Vec<usize> = (0..members).collect();
        order.sort_by_key(|member| nodes[*member]);
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        nodes[..members].iter().for_each(|node| *counts.entry(*node).or_default() += 1);
        let (node, most) = counts.into_iter().max_by_key(|(_, count)| *count).unwrap_or((0, 0));
        Crowd { order, node, most }
    }

    fn must_fit(&self, groups: usize) -> Result<(), String> {
        if self.most <= groups {
            return Ok(());
        }
        Err(format!(
            "{} ranks are on node {}; they must be in different groups, but there are only \
             {groups}",
            self.most, self.node
        ))
    }
}

/// Assigns one of `keepers` to each of `groups`, as far as `may` allows (bipartite matching, Kuhn
/// 1955).
fn assign(groups: usize, keepers: usize, may: impl Fn(usize, usize) -> bool) -> Option<Vec<usize>> {
    let mut taken: Vec<Option<usize>> = vec![None; keepers];
    let mut held: Vec<Option<usize>> = vec![None; groups];
    for group in 0..groups {
        // A group that holds a wanted keeper may switch to another, and so on, until a keeper is
        // free.
        let mut wanted_by: Vec<Option<usize>> = vec![None; keepers];
        let mut queue = vec![group];
        let mut at = 0;
        let mut free = None;
        while free.is_none() {
            let asker = *queue.get(at)?;
            at += 1;
            let new = (0..keepers).filter(|keeper| wanted_by[*keeper].is_none());
            let new: Vec<usize> = new.filter(|keeper| may(asker, *keeper)).collect();
            for keeper in new {
                wanted_by[keeper] = Some(asker);
                match taken[keeper] {
                    None => free = Some(keeper),
                    Some(other) => queue.push(other),
                }
            }
        }
        while let Some(keeper) = free {
            let asker = wanted_by[keeper].expect("it was found by somebody");
            taken[keeper] = Some(asker);
            free = held[asker].replace(keeper);
        }
    }
    held.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    /// Whether no two members of a node share a stripe, and all data are protected.
    fn is_apart(layout: &Layout, nodes: &[u32]) -> bool {
        let mut is_safe = vec![false; nodes.len()];
        let stripes = layout.stripes.iter().all(|stripe| {
            let data = stripe.data.iter().map(|(member, _)| *member);
            let all: Vec<usize> = data.chain(stripe.keepers.iter().copied()).collect();
            stripe.data.iter().for_each(|(member, _)| is_safe[*member] = true);
            (1..all.len()).all(|at| all[..at].iter().all(|one| nodes[*one] != nodes[all[at]]))
        });
        stripes && (0..nodes.len()).all(|member| is_safe[member] || layout.chunks[member] == 0)
    }

    #[test]
    fn no_two_ranks_of_a_node_share_a_group_whatever_the_scheme() {
        let mut random = Random::new(5);
        let schemes = [
            "xor",
            "rs:2",
            "weighted:3",
            "ring",
            "pair",
            "mirror",
            "xor,dedicated,groups=4",
            "rs:2,dedicated,groups=4",
            "rs,groups=4",
        ];
        let mut made = BTreeMap::new();
        for round in 0..2000 {
            let text = schemes[round % schemes.len()];
            let scheme = Scheme::parse(text).expect("a scheme");
            let (members, kinds) = (1 + random.below(40), 1 + random.below(30));
            let nodes: Vec<u32> = (0..members).map(|_| random.below(kinds) as u32).collect();
            if let Ok(layout) = Layout::new(&scheme, nodes.len(), &nodes) {
                assert!(nodes.len() == 1 || is_apart(&layout, &nodes), "{text}: {nodes:?}");
                *made.entry(text).or_insert(0) += 1;
            }
        }
        assert!(made.len() == schemes.len() && made.values().all(|count| *count > 20), "{made:?}");
    }

    #[test]
    fn what_can_be_done_is_done() {
        let parse = |text: &str| Scheme::parse(text).expect("a scheme");
        // Four nodes of eight ranks each: eight groups of four.
        let nodes: Vec<u32> = (0..32).map(|rank| rank / 8).collect();
        let layout = Layout::new(&parse("rs:2"), 32, &nodes).expect("it can be done");
        assert_eq!(layout.groups.iter().max(), Some(&7));
        for text in ["ring", "pair", "mirror"] {
            let half: Vec<u32> = (0..8).map(|rank| rank % 2).collect();
            let layout = Layout::new(&parse(text), 8, &half).expect("it can be done");
            assert!(is_apart(&layout, &half), "{text}");
        }
        let keepers = [0, 1, 2, 3, 3, 2, 1, 0];
        let layout = Layout::new(&parse("xor,dedicated,groups=4"), 8, &keepers);
        assert!(is_apart(&layout.expect("it can be done"), &keepers));
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_reason() {
        let cases: [(&str, &[u32], &str); 6] = [
            ("xor", &[7, 7, 7, 1], "3 of 4 ranks are on node 7"),
            ("xor,groups=2", &[7, 7, 7, 1], "3 ranks are on node 7"),
            ("ring", &[4, 4, 4, 1], "3 of 4 ranks are on node 4"),
            ("mirror", &[1, 1, 1, 2], "cannot place the data and codes"),
            ("rs:2,dedicated", &[1, 2, 3, 3], "cannot place the data and codes"),
            ("rs:2,dedicated", &[1, 1, 2, 3], "2 ranks are on node 1"),
        ];
        for (text, nodes, reason) in cases {
            let scheme = Scheme::parse(text).expect("a scheme");
            let why = Layout::new(&scheme, nodes.len(), nodes).expect_err("it cannot be");
            assert!(why.contains(reason), "{text}: {why}");
        }
    }
}
