//! Networks by name: from a topology, from places, at random, or from a file.

use super::graph::{Graph, Lists};
use super::points::{self, Points};
use ftmpi_base::random::Random;
use ftmpi_machine::topology::Topology;

/// The kinds of networks.
#[derive(Clone, Debug)]
pub enum Wiring {
    /// A node's neighbours in a machine.
    Machine(Topology),
    /// The nearest of random places, and the nodes that have this one among their nearest.
    Nearest(u32),
    /// This many out and in, at random.
    Random(u32),
    /// This many out, the farther the rarer: as 1/r².
    Far(u32),
    /// The number of nodes, and the pairs of sender and receiver, in order.
    Given(u32, Vec<(u32, u32)>),
}

/// The most nodes that can be numbered.
pub const MOST_NODES: u32 = 1 << 30;
/// The most entries of all lists together.
const MOST_ENTRIES: u64 = u32::MAX as u64;

impl Wiring {
    /// The graph of `nodes` nodes; a machine and given lists have their own number.
    pub fn graph(&self, nodes: u32, seed: u64) -> Result<Graph, String> {
        let mut random = Random::new(seed ^ 0x11f7);
        let enough = |count: u32| match count > 0 && u64::from(nodes) > 2 * u64::from(count) {
            true => is_small(u64::from(nodes), u64::from(count)),
            false => Err(format!(
                "{count} neighbours of {nodes} nodes: 1 or more, and fewer than \
                half of the nodes"
            )),
        };
        match self {
            Wiring::Machine(topology) => {
                let count = topology.nodes();
                is_small(count as u64, topology.neighbours(0).len() as u64)?;
                let near = |node: u32| {
                    topology.neighbours(node as usize).into_iter().map(|node| node as u32)
                };
                let lists = Lists::collect(count as u32, |node, all| all.extend(near(node)));
                Ok(Graph::new(lists, (0..count).map(|node| place(topology, node)).collect()))
            }
            Wiring::Nearest(count) => {
                enough(*count)?;
                let points = Points::new(nodes, &mut random);
                let lists = Lists::collect(nodes, |node, all| {
                    all.extend(points.nearest(node, *count));
                });
                Ok(Graph::symmetric(&lists, points.places()))
            }
            Wiring::Random(count) => {
                enough(*count)?;
                let lists = regular(nodes, *count, &mut random);
                Ok(Graph::new(lists, points::seen(&points::places(nodes, &mut random))))
            }
            Wiring::Far(count) => {
                enough(*count)?;
                let points = Points::new(nodes, &mut random);
                let lists = Lists::collect(nodes, |node, all| {
                    all.extend(points.far(node, *count, &mut random));
                });
                Ok(Graph::new(lists, points.places()))
            }
            Wiring::Given(nodes, pairs) => {
                let mut pairs = pairs.iter().peekable();
                let lists = Lists::collect(*nodes, |node, all| {
                    while let Some((_, to)) = pairs.next_if(|(who, _)| *who == node) {
                        all.push(*to);
                    }
                });
                Ok(Graph::new(lists, points::seen(&points::places(*nodes, &mut random))))
            }
        }
    }

    /// The number of nodes if `nodes` are requested, and the approximate length of their lists.
    pub fn size(&self, nodes: u32) -> (u64, u64) {
        match self {
            Wiring::Machine(topology) => {
                (topology.nodes() as u64, topology.neighbours(0).len() as u64)
            }
            // Some are among the nearest of nodes that are not among theirs.
            Wiring::Nearest(count) => (u64::from(nodes), u64::from(*count) * 5 / 4),
            Wiring::Random(count) | Wiring::Far(count) => (u64::from(nodes), u64::from(*count)),
            Wiring::Given(nodes, pairs) => {
                let nodes = u64::from(*nodes);
                (nodes, (pairs.len() as u64).div_ceil(nodes))
            }
        }
    }

    /// Reads lists: a line `0: 3 5` for each node that sends.
    pub fn given(file: &str, text: &str) -> Result<Wiring, String> {
        let (mut pairs, mut nodes) = (Vec::new(), 0);
        for (line, number) in text.lines().zip(1..) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let no = || format!("{file}:{number}: `{line}`: use 0: 3 5 (who: to whom)");
            let (who, list) = line.split_once(':').ok_or_else(no)?;
            let who: u32 = who.trim().parse().map_err(|_| no())?;
            let list: Result<Vec<u32>, _> = list.split_whitespace().map(str::parse).collect();
            let list = list.map_err(|_| no())?;
            let highest = list.iter().fold(who, |most, &node| most.max(node));
            if highest >= MOST_NODES {
                return Err(format!(
                    "{file}:{number}: node {highest}: there are at most {MOST_NODES}: number \
                     them from 0 on"
                ));
            }
            nodes = nodes.max(highest + 1);
            pairs.extend(list.into_iter().map(|to| (who, to)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        match nodes {
            0 => Err(format!("{file}: no node: use 0: 3 5 (who: to whom), one node a line")),
            _ => Ok(Wiring::Given(nodes, pairs)),
        }
    }
}

/// Random lists with equal numbers in and out: compositions of permutations, in which an entry that
/// would be the node itself or a duplicate is swapped with another node's.
fn regular(nodes: u32, count: u32, random: &mut Random) -> Lists {
    let mut all = vec![0; nodes as usize * count as usize];
    let mut order: Vec<u32> = (0..nodes).collect();
    for entry in 0..count as usize {
        for at in (1..nodes as usize).rev() {
            order.swap(at, random.below(at as u64 + 1) as usize);
        }
        let at = |node: usize| node * count as usize;
        // A node that already has an entry of this round may get a different one for it.
        let fits = |all: &[u32], node: usize, to: u32| {
            to as usize != node && !all[at(node)..][..entry].contains(&to)
        };
        for node in 0..nodes as usize {
            while !fits(&all, node, order[node]) {
                let other = random.below(u64::from(nodes)) as usize;
                let can = fits(&all, other, order[node])
                    && other != node
                    && fits(&all, node, order[other]);
                if can {
                    order.swap(node, other);
                    if other < node {
                        all[at(other) + entry] = order[other];
                    }
                }
            }
            all[at(node) + entry] = order[node];
        }
    }
    Lists::equal(nodes, count, all)
}

/// Where a machine's node is drawn: nodes in the background are shifted a little.
fn place(topology: &Topology, node: usize) -> [f32; 2] {
    let Some(grid) = topology.grid() else {
        let side = (topology.nodes() as f32).sqrt().ceil();
        return [(node as f32 % side + 0.5) / side, ((node as f32 / side).floor() + 0.5) / side];
    };
    // Dimensions alternate between across and down, each within a cell of the one before.
    let (mut place, mut size) = ([0.0; 2], [1.0; 2]);
    let (at, dims) = (grid.place(node), grid.dims());
    for (turn, dim) in (0..dims.len()).rev().enumerate() {
        let axis = turn % 2;
        size[axis] /= dims[dim] as f32;
        place[axis] += at[dim] as f32 * size[axis];
    }
    [place[0] + size[0] / 2.0, place[1] + size[1] / 2.0]
}

/// Refuses a network that does not fit into memory.
fn is_small(nodes: u64, neighbours: u64) -> Result<(), String> {
    match nodes <= u64::from(MOST_NODES) && nodes * neighbours <= MOST_ENTRIES {
        true => Ok(()),
        false => Err(format!(
            "{nodes} nodes with {neighbours} neighbours each: use at most {MOST_NODES} nodes, \
             and {MOST_ENTRIES} neighbours of all of them"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftmpi_machine::topology::Grid;
    use std::collections::HashSet;

    fn check(graph: &Graph) {
        for node in 0..graph.nodes() {
            let list = graph.sends.of(node);
            assert!(!list.contains(&node), "nobody sends to himself");
            assert_eq!(list.iter().collect::<HashSet<_>>().len(), list.len(), "nobody twice");
            assert!(list.iter().all(|&to| graph.receives.of(to).contains(&node)));
            let list = graph.receives.of(node);
            assert!(list.iter().all(|&from| graph.sends.of(from).contains(&node)));
        }
    }

    #[test]
    fn both_lists_agree_in_every_network() {
        let torus = Topology::Grid(Grid::torus(&[5, 4, 3]).unwrap());
        let wirings = [
            (Wiring::Machine(torus), true),
            (Wiring::Nearest(8), true),
            (Wiring::Random(4), false),
            (Wiring::Far(4), false),
            (Wiring::given("f", "0: 2 1\n# none\n3: 0 4\n").unwrap(), false),
        ];
        for (wiring, is_symmetric) in wirings {
            let graph = wiring.graph(300, 5).unwrap();
            check(&graph);
            if is_symmetric {
                let own = (0..graph.nodes()).all(|node| {
                    graph.sends.of(node).iter().all(|&to| graph.sends.of(to).contains(&node))
                });
                assert!(own, "{wiring:?}");
            }
        }
    }

    #[test]
    fn random_lists_have_as_many_in_as_out() {
        for seed in 0..20 {
            let graph = Wiring::Random(4).graph(11, seed).unwrap();
            check(&graph);
            for node in 0..11 {
                assert_eq!(graph.sends.of(node).len(), 4);
                assert_eq!(graph.receives.of(node).len(), 4);
            }
        }
    }

    #[test]
    fn lists_that_cannot_be_are_refused() {
        assert!(Wiring::Random(5).graph(10, 1).unwrap_err().contains("fewer than half"));
        assert!(Wiring::given("f", "0 1\n").unwrap_err().starts_with("f:1: `0 1`: use 0: 3 5"));
        assert!(Wiring::given("f", "").is_err());
    }
}
