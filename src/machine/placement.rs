//! The placement of ranks on a machine with spares, and the moves when a node fails.
//!
//! Failures hit nodes that host a rank. A slide in k dimensions moves all ranks of a slab by one
//! node: those that lie in k-1 dimensions beside the failed node, and between them and a row of
//! spares in the last one. Their neighbours in the slab move with them. A slide in one dimension is
//! a chain, which hops over dead nodes. Nodes that a slide leaves empty and alive become spares.

use super::spares::{Method, Spares};
use super::topology::Grid;
use std::cmp::Reverse;
use std::sync::Arc;

/// The move of one rank from one node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub rank: u32,
    pub from: u32,
    pub to: u32,
}

/// The use of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    Rank(u32),
    Spare,
    /// Its rank must move elsewhere.
    Failed(u32),
    Dead,
}

#[derive(Clone, Debug)]
pub struct Placement {
    grid: Grid,
    strides: Vec<usize>,
    /// By node, then dimension: its coordinates, for comparing many nodes.
    places: Arc<[u32]>,
    used: Vec<u32>,
    nodes: Vec<Use>,
    /// By rank: the node that hosts it.
    seats: Vec<u32>,
    spares: Vec<u32>,
}

impl Placement {
    /// Places ranks on all nodes that are not spares, in order.
    pub fn new(grid: &Grid, allocation: &Spares) -> Placement {
        let ranks = allocation.used(grid).iter().map(|&extent| extent as usize).product();
        Placement::of_ranks(grid, Some(allocation), ranks).expect("as many as there are nodes")
    }

    /// A placement of `ranks` ranks; nodes that are left over become spares, too. If there are too
    /// many ranks, the error is the number for which there is room.
    pub fn of_ranks(
        grid: &Grid, allocation: Option<&Spares>, ranks: usize,
    ) -> Result<Placement, usize> {
        let used = allocation.map_or(grid.dims().to_vec(), |allocation| allocation.used(grid));
        let room = used.iter().map(|&extent| extent as usize).product();
        if ranks > room {
            return Err(room);
        }
        let (mut seats, mut spares) = (Vec::new(), Vec::new());
        let nodes = (0..grid.nodes()).map(|node| {
            let is_used = (0..used.len()).all(|dim| grid.along(node, dim) < used[dim]);
            let (list, what) = match is_used && seats.len() < ranks {
                true => (&mut seats, None),
                false => (&mut spares, Some(Use::Spare)),
            };
            list.push(node as u32);
            what.unwrap_or_else(|| Use::Rank(list.len() as u32 - 1))
        });
        let nodes = nodes.collect();
        let strides = (0..used.len()).map(|dim| grid.stride(dim)).collect();
        let places = (0..grid.nodes()).flat_map(|node| grid.place(node)).collect();
        Ok(Placement { grid: grid.clone(), strides, places, used, nodes, seats, spares })
    }

    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The extents of the ranks' own grid; its last places may be empty.
    pub fn rank_dims(&self) -> &[u32] {
        &self.used
    }

    /// By rank: the node that hosts it.
    pub fn seats(&self) -> &[u32] {
        &self.seats
    }

    pub fn node(&self, node: usize) -> Use {
        self.nodes[node]
    }

    pub fn spares(&self) -> usize {
        self.spares.len()
    }

    /// The moves when this node fails, by the first of these methods that is possible; of its
    /// slides the shortest.
    pub fn substitute(&self, failed: usize, methods: &[Method]) -> Option<(Method, Vec<Move>)> {
        self.first_way(failed, methods, |slide| (slide.length, slide.order))
    }

    /// Like [`Placement::substitute`], but prefers slides in the last dimension, and among those
    /// the shortest.
    pub fn substitute_by_dimension(
        &self, failed: usize, methods: &[Method],
    ) -> Option<(Method, Vec<Move>)> {
        self.first_way(failed, methods, |slide| (Reverse(slide.dim), slide.length, slide.order))
    }

    /// By the first possible method of these; of its slides, the one with the smallest key.
    fn first_way<Key: Ord>(
        &self, failed: usize, methods: &[Method], place: impl Fn(&Slide) -> Key,
    ) -> Option<(Method, Vec<Move>)> {
        let straights = self.straights(failed);
        methods.iter().find_map(|&method| {
            let best = match method.0 {
                0 => self.nearest(failed),
                dims => {
                    let slides = self.slides(failed, dims, &straights);
                    slides.min_by_key(&place).map(|slide| self.moves(&slide))
                }
            };
            best.map(|moves| (method, moves))
        })
    }

    /// All substitutions by one method.
    pub fn ways(&self, failed: usize, method: Method) -> Vec<Vec<Move>> {
        match method.0 {
            0 => self.spares.iter().map(|&spare| vec![self.alone(failed, spare)]).collect(),
            dims => {
                let straights = self.straights(failed);
                let slides = self.slides(failed, dims, &straights);
                slides.map(|slide| self.moves(&slide)).collect()
            }
        }
    }

    /// A node fails, whatever its use. Its rank stays there until it is substituted.
    pub fn fail(&mut self, node: usize) {
        self.nodes[node] = match self.nodes[node] {
            Use::Rank(rank) | Use::Failed(rank) => Use::Failed(rank),
            Use::Spare | Use::Dead => Use::Dead,
        };
        if let Ok(at) = self.spares.binary_search(&(node as u32)) {
            self.spares.remove(at);
        }
    }

    /// A failed node works again, and its rank with it.
    pub fn repair(&mut self, failed: usize) {
        self.nodes[failed] = Use::Rank(self.guest(failed));
    }

    /// Marks the node dead, and moves these ranks.
    pub fn apply(&mut self, failed: usize, moves: &[Move]) {
        // Only a few entries change their places in the list, which stays sorted.
        for step in moves {
            if self.nodes[step.to as usize] == Use::Spare {
                let at = self.spares.binary_search(&step.to).expect("spares are listed");
                self.spares.remove(at);
            }
        }
        for step in moves {
            self.nodes[step.from as usize] = Use::Spare;
        }
        for step in moves {
            self.nodes[step.to as usize] = Use::Rank(step.rank);
            self.seats[step.rank as usize] = step.to;
        }
        self.nodes[failed] = Use::Dead;
        for step in moves {
            if self.nodes[step.from as usize] == Use::Spare
                && let Err(at) = self.spares.binary_search(&step.from)
            {
                self.spares.insert(at, step.from);
            }
        }
    }

    /// A node's coordinate in one dimension.
    fn along(&self, node: usize, dim: usize) -> usize {
        self.places[node * self.strides.len() + dim] as usize
    }

    fn alone(&self, failed: usize, spare: u32) -> Move {
        Move { rank: self.guest(failed), from: failed as u32, to: spare }
    }

    fn guest(&self, node: usize) -> u32 {
        match self.nodes[node] {
            Use::Rank(rank) | Use::Failed(rank) => rank,
            Use::Spare | Use::Dead => panic!("only nodes that host a rank are substituted"),
        }
    }

    /// The spare with the fewest hops to it; if equal, the one with the lowest number.
    fn nearest(&self, failed: usize) -> Option<Vec<Move>> {
        let start = self.spares.partition_point(|&spare| (spare as usize) < failed);
        let (below, above) = self.spares.split_at(start);
        let (first, last) = if self.grid.wraps() { (below, above) } else { (&[][..], &[][..]) };
        let extent = *self.grid.dims().last()?;
        let layer = |node: usize| self.along(node, self.strides.len() - 1) as u32;
        let here = layer(failed);
        // Spares are in the order of layers: searching from the failed node's layer, most are soon
        // too far.
        let mut best = (u32::MAX, u32::MAX);
        for &spare in above.iter().chain(first) {
            if (extent + layer(spare as usize) - here) % extent > best.0 {
                break;
            }
            best = best.min((self.hops(failed, spare as usize), spare));
        }
        for &spare in below.iter().rev().chain(last.iter().rev()) {
            if (extent + here - layer(spare as usize)) % extent > best.0 {
                break;
            }
            best = best.min((self.hops(failed, spare as usize), spare));
        }
        (best.0 < u32::MAX).then(|| vec![self.alone(failed, best.1)])
    }

    fn hops(&self, one: usize, other: usize) -> u32 {
        let (dims, wraps) = (self.grid.dims(), self.grid.wraps());
        let place = |node: usize| &self.places[node * dims.len()..(node + 1) * dims.len()];
        let both = place(one).iter().zip(place(other)).zip(dims);
        let hops = both.map(|((&one, &other), &extent)| {
            let apart = one.abs_diff(other);
            if wraps { apart.min(extent - apart) } else { apart }
        });
        hops.sum()
    }

    /// All slides in `dims` dimensions that can replace the node.
    fn slides(
        &self, failed: usize, dims: u32, straights: &[Option<u32>],
    ) -> impl Iterator<Item = Slide> {
        let all = self.strides.len() as u32;
        let directions = (0..all as usize).flat_map(|dim| [(dim, true), (dim, false)]);
        let straight = move |dim, is_up| straights[2 * dim + usize::from(is_up)];
        let open =
            directions.filter(move |&(dim, is_up)| dims == 1 || straight(dim, is_up).is_some());
        open.flat_map(move |(dim, is_up)| {
            // Which other dimensions the slab has, as bits.
            let slabs = (0..1u32 << all)
                .filter(move |slab| slab.count_ones() == dims - 1 && slab >> dim & 1 == 0);
            slabs.filter_map(move |slab| {
                let order = (dim, !is_up, slab);
                let length = self.length(failed, dim, is_up, slab, straight(dim, is_up))?;
                Some(Slide { failed, dim, is_up, slab, length, order })
            })
        })
    }

    /// The length of a slide, if it is possible.
    fn length(
        &self, failed: usize, dim: usize, is_up: bool, slab: u32, straight: Option<u32>,
    ) -> Option<u32> {
        if slab == 0 {
            return self.chain(failed, dim, is_up, |_| {});
        }
        let length = straight?;
        let fits = |node| self.straight(node, dim, is_up) == Some(length);
        self.all_beside(failed, slab, fits).then_some(length)
    }

    /// By dimension, down and up: the straight distance to the next spare.
    fn straights(&self, node: usize) -> Vec<Option<u32>> {
        let ways = (0..self.strides.len()).flat_map(|dim| [(dim, false), (dim, true)]);
        ways.map(|(dim, is_up)| self.straight(node, dim, is_up)).collect()
    }

    /// The distance to the next spare, with ranks on all nodes between.
    fn straight(&self, node: usize, dim: usize, is_up: bool) -> Option<u32> {
        let mut line = Line::new(self, node, dim, is_up);
        for length in 1.. {
            match self.nodes[line.next()?] {
                Use::Rank(_) => {}
                Use::Spare => return Some(length),
                Use::Failed(_) | Use::Dead => return None,
            }
        }
        None
    }

    /// Visits the moves of a chain that hops over dead nodes; returns its reach.
    fn chain(
        &self, node: usize, dim: usize, is_up: bool, mut visit: impl FnMut(Move),
    ) -> Option<u32> {
        let mut line = Line::new(self, node, dim, is_up);
        let (mut last, mut length) = (node, 0);
        loop {
            let next = line.next()?;
            length += 1;
            if matches!(self.nodes[next], Use::Failed(_) | Use::Dead) {
                continue;
            }
            visit(self.alone(last, next as u32));
            if self.nodes[next] == Use::Spare {
                return Some(length);
            }
            last = next;
        }
    }

    /// Whether it holds for a node, and for all with living ranks beside it in a slab's dimensions.
    fn all_beside(&self, node: usize, slab: u32, mut holds: impl FnMut(usize) -> bool) -> bool {
        let stays = |at: usize| at != node && !matches!(self.nodes[at], Use::Rank(_));
        self.all_across(node, slab, &mut |at| stays(at) || holds(at))
    }

    /// Whether it holds for all places of a slab, starting with its first dimension.
    fn all_across(&self, node: usize, slab: u32, holds: &mut impl FnMut(usize) -> bool) -> bool {
        let Some(dim) = slab.checked_ilog2() else { return holds(node) };
        let (dim, stride) = (dim as usize, self.strides[dim as usize]);
        let (first, extent) = (node - self.along(node, dim) * stride, self.grid.dims()[dim]);
        let mut places = (0..extent as usize).map(|place| first + place * stride);
        places.all(|at| self.all_across(at, slab & !(1 << dim), holds))
    }

    fn moves(&self, slide: &Slide) -> Vec<Move> {
        let mut moves = Vec::new();
        let mut one = |node| {
            self.chain(node, slide.dim, slide.is_up, |step| moves.push(step));
        };
        match slide.slab {
            0 => one(slide.failed),
            slab => {
                self.all_beside(slide.failed, slab, |node| {
                    one(node);
                    true
                });
            }
        }
        moves
    }
}

/// A possible slide.
struct Slide {
    failed: usize,
    dim: usize,
    is_up: bool,
    slab: u32,
    length: u32,
    /// Decides between slides of one length.
    order: (usize, bool, u32),
}

/// The nodes after a given one, in one direction; on a torus all the way round.
struct Line {
    at: usize,
    step: isize,
    /// How many there are before the border.
    ahead: usize,
    /// The step from one border to the opposite one, and how many nodes follow from there.
    turn: isize,
    behind: usize,
}

impl Line {
    fn new(placement: &Placement, node: usize, dim: usize, is_up: bool) -> Line {
        let (stride, extent) = (placement.strides[dim], placement.grid.dims()[dim] as usize);
        let below = placement.along(node, dim);
        let above = extent - 1 - below;
        let (ahead, behind) = if is_up { (above, below) } else { (below, above) };
        let behind = if placement.grid.wraps() { behind } else { 0 };
        let (step, turn) = (stride.cast_signed(), ((extent - 1) * stride).cast_signed());
        let (step, turn) = if is_up { (step, -turn) } else { (-step, turn) };
        Line { at: node, step, ahead, turn, behind }
    }

    fn next(&mut self) -> Option<usize> {
        if self.ahead > 0 {
            self.ahead -= 1;
            self.at = self.at.wrapping_add_signed(self.step);
        } else {
            self.ahead = std::mem::take(&mut self.behind).checked_sub(1)?;
            self.at = self.at.wrapping_add_signed(self.turn);
        }
        Some(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftmpi_base::random::Random;

    fn placement(alloc: &str, grid: &Grid) -> Placement {
        Placement::new(grid, &Spares::parse(alloc).unwrap())
    }

    fn check(placement: &Placement) {
        for (rank, &seat) in placement.seats.iter().enumerate() {
            assert_eq!(placement.node(seat as usize), Use::Rank(rank as u32));
        }
        let ranks = placement.nodes.iter().filter(|node| matches!(node, Use::Rank(_)));
        assert_eq!(ranks.count(), placement.seats.len(), "nobody is lost and nobody doubled");
        let spares = placement.nodes.iter().filter(|node| **node == Use::Spare).count();
        assert_eq!(spares, placement.spares.len());
    }

    #[test]
    fn whatever_fails_every_rank_keeps_one_living_seat_until_the_last_spare_is_used() {
        for (dims, alloc) in [(vec![7, 7], "2D(2,1)"), (vec![5, 5, 5], "3D(2,1)")] {
            for grid in [Grid::mesh(&dims).unwrap(), Grid::torus(&dims).unwrap()] {
                let mut placement = placement(alloc, &grid);
                let methods = Spares::parse(alloc).unwrap().substitute;
                let mut random = Random::new(3);
                for left in (0..placement.spares()).rev() {
                    let rank = random.below(placement.seats.len() as u64) as usize;
                    let failed = placement.seats[rank] as usize;
                    let (_, moves) = placement.substitute(failed, &methods).expect("0D can");
                    placement.apply(failed, &moves);
                    check(&placement);
                    assert_eq!(placement.spares(), left, "a failure costs one spare");
                }
                let failed = placement.seats[0] as usize;
                assert_eq!(placement.substitute(failed, &methods), None);
            }
        }
    }

    #[test]
    fn the_nearest_spare_is_the_one_with_the_lowest_number_of_all_that_are_as_near() {
        let mut random = Random::new(9);
        for dims in [vec![9, 5], vec![4, 3, 6], vec![30]] {
            for grid in [Grid::mesh(&dims).unwrap(), Grid::torus(&dims).unwrap()] {
                let ranks = grid.nodes() / 2;
                let mut placement = Placement::of_ranks(&grid, None, ranks).unwrap();
                while placement.spares() > 0 {
                    let failed = placement.seats[random.below(ranks as u64) as usize] as usize;
                    let spares = placement.spares.iter();
                    let near = spares
                        .min_by_key(|&&spare| (placement.hops(failed, spare as usize), spare));
                    let (_, moves) = placement.substitute(failed, &[Method(0)]).unwrap();
                    assert_eq!(moves[0].to, *near.unwrap(), "{dims:?} from {failed}");
                    placement.apply(failed, &moves);
                }
            }
        }
    }

    #[test]
    fn a_chain_moves_the_ranks_up_to_the_nearest_spare_and_hops_over_the_dead() {
        let grid = Grid::mesh(&[5, 2]).unwrap();
        let mut placement = placement("2D(1,1)", &grid);
        let step = |rank, from, to| Move { rank, from, to };
        let (_, moves) = placement.substitute(2, &[Method(1)]).unwrap();
        assert_eq!(moves, vec![step(2, 2, 3), step(3, 3, 4)]);
        placement.apply(2, &[step(2, 2, 4)]);
        // Rank 2 sits at the end of the row; that of the next row is the only spare.
        assert_eq!(placement.substitute(1, &[Method(1)]), None);
        let mut other = placement.clone();
        other.nodes[4] = Use::Spare;
        other.seats[2] = u32::MAX;
        let (_, moves) = other.substitute(1, &[Method(1)]).unwrap();
        assert_eq!(moves, vec![step(1, 1, 3), step(3, 3, 4)]);
    }

    #[test]
    fn slides_by_dimension_leave_rows_alone_while_columns_have_spares() {
        let grid = Grid::mesh(&[6, 6]).unwrap();
        let mut placement = placement("2D(2,1)", &grid);
        // A row's spare is nearer to node 4, but the column's is taken.
        let step = |(_, moves): (Method, Vec<Move>)| moves[0].to - moves[0].from;
        assert_eq!(placement.substitute(4, &[Method(1)]).map(step), Some(1));
        assert_eq!(placement.substitute_by_dimension(4, &[Method(1)]).map(step), Some(6));
        let (_, moves) = placement.substitute_by_dimension(4, &[Method(1)]).unwrap();
        placement.apply(4, &moves);
        assert_eq!(placement.substitute_by_dimension(10, &[Method(1)]).map(step), Some(1));
    }

    #[test]
    fn a_slide_in_all_dimensions_moves_whole_layers() {
        let grid = Grid::mesh(&[4, 4]).unwrap();
        let mut placement = placement("2D(2,1)", &grid);
        let (method, moves) = placement.substitute(5, &[Method(2), Method(1)]).unwrap();
        assert_eq!((method, moves.len()), (Method(2), 6));
        placement.apply(5, &moves);
        let left = [1, 9].map(|node| placement.node(node));
        assert_eq!(left, [Use::Spare; 2], "what was vacated alive is a spare");
        assert_eq!(placement.node(5), Use::Dead);
    }
}
