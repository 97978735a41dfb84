//! The shape of a network: neighbours, coordinates, links and routes, all by arithmetic, no tables.
//!
//! Nodes are numbered with the first coordinate running fastest. A link has a direction. Routes
//! take the dimensions in order, on a torus the shorter way round (the positive one if both are
//! equal), in a fat tree up to the first common switch and down again; of a dragonfly see there.

use super::dragonfly::Dragonfly;
use super::fat_tree::FatTree;
pub use super::path::Path;

/// A network of one of the shapes known here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topology {
    Grid(Grid),
    FatTree(FatTree),
    Dragonfly(Dragonfly),
}

/// A mesh or torus of any dimension. A hypercube is a mesh with two nodes in each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    dims: Vec<u32>,
    wraps: bool,
}

/// The most nodes that a machine may have.
const MOST_NODES: u64 = 1 << 31;

impl Grid {
    pub fn mesh(dims: &[u32]) -> Result<Grid, String> {
        Grid::new(dims, false)
    }

    pub fn torus(dims: &[u32]) -> Result<Grid, String> {
        Grid::new(dims, true)
    }

    pub fn hypercube(dimension: u32) -> Result<Grid, String> {
        if dimension > 31 {
            return Err(format!("a hypercube of dimension {dimension}: at most 31"));
        }
        match dimension {
            0 => Grid::new(&[1], false),
            _ => Grid::new(&vec![2; dimension as usize], false),
        }
    }

    fn new(dims: &[u32], wraps: bool) -> Result<Grid, String> {
        if dims.is_empty() || dims.contains(&0) {
            return Err(format!("dims {dims:?}: each extent is 1 or more, such as [34, 34, 36]"));
        }
        let nodes = dims.iter().try_fold(1u64, |nodes, &extent| {
            nodes.checked_mul(u64::from(extent)).filter(|&nodes| nodes <= MOST_NODES)
        });
        match nodes {
            Some(_) => Ok(Grid { dims: dims.to_vec(), wraps }),
            None => Err(format!("dims {dims:?}: more than 2^31 nodes")),
        }
    }

    pub fn dims(&self) -> &[u32] {
        &self.dims
    }

    pub fn wraps(&self) -> bool {
        self.wraps
    }

    pub fn nodes(&self) -> usize {
        self.dims.iter().map(|&extent| extent as usize).product()
    }

    pub fn node(&self, place: &[u32]) -> usize {
        let both = self.dims.iter().zip(place).rev();
        both.fold(0, |node, (&extent, &at)| node * extent as usize + at as usize)
    }

    pub fn place(&self, node: usize) -> Vec<u32> {
        let mut rest = node;
        let split = |&extent: &u32| {
            let at = rest % extent as usize;
            rest /= extent as usize;
            at as u32
        };
        self.dims.iter().map(split).collect()
    }

    /// The difference of the numbers of neighbours in this dimension.
    pub fn stride(&self, dim: usize) -> usize {
        self.dims[..dim].iter().map(|&extent| extent as usize).product()
    }

    /// A node's coordinate in one dimension.
    pub fn along(&self, node: usize, dim: usize) -> u32 {
        (node / self.stride(dim) % self.dims[dim] as usize) as u32
    }

    /// The neighbour one step up or down in a dimension; none at a mesh's border.
    pub fn step(&self, node: usize, dim: usize, is_up: bool) -> Option<usize> {
        let (stride, extent) = (self.stride(dim), self.dims[dim] as usize);
        let at = node / stride % extent;
        let base = node - at * stride;
        let next = match is_up {
            true if at + 1 < extent => at + 1,
            false if at > 0 => at - 1,
            true if self.wraps && extent > 1 => 0,
            false if self.wraps && extent > 1 => extent - 1,
            _ => return None,
        };
        Some(base + next * stride)
    }

    /// Directed links are numbered by the node that they leave, then dimension, then direction.
    fn link(&self, node: usize, dim: usize, is_up: bool) -> usize {
        (node * self.dims.len() + dim) * 2 + usize::from(is_up)
    }

    /// From one coordinate to another: whether upwards, and how far.
    fn way(&self, dim: usize, from: u32, to: u32) -> (bool, u32) {
        let straight = from.abs_diff(to);
        let round = self.dims[dim] - straight;
        match self.wraps && round < straight {
            true => (to < from, round),
            // Both ways are equally long: upwards.
            false if self.wraps && round == straight => (true, straight),
            false => (to > from, straight),
        }
    }

    fn each_link(&self, from: usize, to: usize, mut visit: impl FnMut(usize)) {
        let (mut at, mut stride) = (from, 1);
        for (dim, &extent) in self.dims.iter().enumerate() {
            let extent = extent as usize;
            let mut here = at / stride % extent;
            let (is_up, hops) = self.way(dim, here as u32, (to / stride % extent) as u32);
            for _ in 0..hops {
                visit(self.link(at, dim, is_up));
                let next = match is_up {
                    true if here + 1 == extent => 0,
                    true => here + 1,
                    false if here == 0 => extent - 1,
                    false => here - 1,
                };
                at = at - here * stride + next * stride;
                here = next;
            }
            stride *= extent;
        }
    }

    fn path(&self, from: usize, to: usize) -> Path {
        let (mut hops, mut used, mut from, mut to) = (0, 0u32, from, to);
        for (dim, &extent) in self.dims.iter().enumerate() {
            let extent = extent as usize;
            let (_, length) = self.way(dim, (from % extent) as u32, (to % extent) as u32);
            hops += length;
            used += u32::from(length > 0);
            (from, to) = (from / extent, to / extent);
        }
        Path { hops, turns: used.saturating_sub(1) }
    }
}

impl Topology {
    pub fn nodes(&self) -> usize {
        match self {
            Topology::Grid(grid) => grid.nodes(),
            Topology::FatTree(tree) => tree.nodes(),
            Topology::Dragonfly(dragonfly) => dragonfly.nodes(),
        }
    }

    /// The number of link numbers; a mesh's border leaves some unused.
    pub fn links(&self) -> usize {
        match self {
            Topology::Grid(grid) => grid.nodes() * grid.dims.len() * 2,
            Topology::FatTree(tree) => tree.links(),
            Topology::Dragonfly(dragonfly) => dragonfly.links(),
        }
    }

    /// The two nodes that a link joins; where switches are between nodes, its number.
    pub fn link_name(&self, link: usize) -> String {
        match self {
            Topology::Grid(grid) => {
                let (node, dim) = (link / 2 / grid.dims.len(), link / 2 % grid.dims.len());
                let other = grid.step(node, dim, link % 2 == 1);
                format!("{node}-{}", other.map_or("?".to_string(), |other| other.to_string()))
            }
            Topology::FatTree(_) | Topology::Dragonfly(_) => format!("link {link}"),
        }
    }

    /// Visits the links of the route from one node to another, in order.
    pub fn each_link(&self, from: usize, to: usize, visit: impl FnMut(usize)) {
        match self {
            Topology::Grid(grid) => grid.each_link(from, to, visit),
            Topology::FatTree(tree) => tree.each_link(from, to, visit),
            Topology::Dragonfly(dragonfly) => dragonfly.each_link(from, to, visit),
        }
    }

    pub fn path(&self, from: usize, to: usize) -> Path {
        match self {
            Topology::Grid(grid) => grid.path(from, to),
            Topology::FatTree(tree) => tree.path(from, to),
            Topology::Dragonfly(dragonfly) => dragonfly.path(from, to),
        }
    }

    /// Nodes one hop away; where switches are between nodes, those at the switch of this node.
    pub fn neighbours(&self, node: usize) -> Vec<usize> {
        match self {
            Topology::Grid(grid) => {
                let steps = (0..grid.dims.len()).flat_map(|dim| [(dim, false), (dim, true)]);
                let mut near: Vec<_> =
                    steps.filter_map(|(dim, is_up)| grid.step(node, dim, is_up)).collect();
                near.sort_unstable();
                near.dedup();
                near
            }
            Topology::FatTree(tree) => tree.siblings(node),
            Topology::Dragonfly(dragonfly) => dragonfly.siblings(node),
        }
    }

    pub fn grid(&self) -> Option<&Grid> {
        match self {
            Topology::Grid(grid) => Some(grid),
            Topology::FatTree(_) | Topology::Dragonfly(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dragonfly::Shape;

    fn every() -> Vec<Topology> {
        let dragonfly = Shape { groups: 3, chassis: 2, routers: 2, nodes: 2 };
        vec![
            Topology::Grid(Grid::mesh(&[3, 4, 2]).unwrap()),
            Topology::Grid(Grid::torus(&[5, 4]).unwrap()),
            Topology::Grid(Grid::torus(&[2, 1, 3]).unwrap()),
            Topology::Grid(Grid::hypercube(4).unwrap()),
            Topology::FatTree(FatTree::new(3, 3).unwrap()),
            Topology::Dragonfly(Dragonfly::new(dragonfly).unwrap()),
        ]
    }

    #[test]
    fn a_route_is_as_long_as_its_path_says_and_uses_no_link_twice() {
        for topology in every() {
            for (from, to) in pairs(topology.nodes()) {
                let mut links = Vec::new();
                topology.each_link(from, to, |link| links.push(link));
                assert_eq!(links.len(), topology.path(from, to).hops as usize);
                assert!(links.iter().all(|&link| link < topology.links()), "{topology:?}");
                links.sort_unstable();
                links.dedup();
                assert_eq!(links.len(), topology.path(from, to).hops as usize, "{topology:?}");
            }
        }
    }

    #[test]
    fn no_route_is_longer_than_the_shortest_over_neighbours() {
        for topology in every().into_iter().filter(|topology| topology.grid().is_some()) {
            for from in 0..topology.nodes() {
                let mut far = vec![u32::MAX; topology.nodes()];
                let mut queue = std::collections::VecDeque::from([from]);
                far[from] = 0;
                while let Some(at) = queue.pop_front() {
                    for near in topology.neighbours(at) {
                        if far[near] == u32::MAX {
                            far[near] = far[at] + 1;
                            queue.push_back(near);
                        }
                    }
                }
                for (to, &hops) in far.iter().enumerate() {
                    assert_eq!(topology.path(from, to).hops, hops, "{topology:?} {from} {to}");
                }
            }
        }
    }

    #[test]
    fn places_and_numbers_are_one() {
        let grid = Grid::mesh(&[3, 4, 5]).unwrap();
        for node in 0..grid.nodes() {
            let place = grid.place(node);
            assert_eq!(grid.node(&place), node);
            assert_eq!((0..3).map(|dim| grid.along(node, dim)).collect::<Vec<_>>(), place);
        }
        assert_eq!(grid.node(&[1, 0, 0]), 1);
    }

    #[test]
    fn the_first_dimension_comes_first() {
        let mesh = Topology::Grid(Grid::mesh(&[4, 4]).unwrap());
        let mut links = Vec::new();
        mesh.each_link(0, 5, |link| links.push(link));
        // Out of node 0 upwards in dimension 0, then out of node 1 upwards in dimension 1.
        assert_eq!(links, vec![1, 7]);
        assert_eq!(mesh.path(0, 5), Path { hops: 2, turns: 1 });
        assert_eq!(mesh.path(0, 3), Path { hops: 3, turns: 0 });
    }

    #[test]
    fn impossible_shapes_are_refused() {
        assert!(Grid::mesh(&[]).is_err() && Grid::torus(&[3, 0]).is_err());
        assert!(Grid::mesh(&[65_536, 65_536]).unwrap_err().contains("2^31"));
        assert!(Grid::hypercube(40).is_err());
        assert_eq!(
            [0, 1, 5].map(|dimension| Grid::hypercube(dimension).unwrap().nodes()),
            [1, 2, 32]
        );
    }

    fn pairs(nodes: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..nodes).flat_map(move |from| (0..nodes).map(move |to| (from, to)))
    }
}
