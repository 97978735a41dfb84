//! Random places in the unit square, and the search for near ones, by cells.

use crate::plane::distance;
use ftmpi_base::random::Random;

pub(super) struct Points {
    places: Vec<[f64; 2]>,
    /// Cells in a row.
    side: usize,
    /// Where the nodes of each cell begin, for the search for neighbours.
    cells: Cells,
}

/// Nodes by cell, one cell after the other.
struct Cells {
    starts: Vec<u32>,
    nodes: Vec<u32>,
}

fn fraction(random: &mut Random) -> f64 {
    (random.bits() >> 11) as f64 / (1u64 << 53) as f64
}

/// Sorts items by their keys, which are below `keys`, stably. Returns where each key begins.
fn by_key<T: Copy>(things: &[T], keys: usize, key: impl Fn(&T) -> usize) -> (Vec<u32>, Vec<T>) {
    let mut starts = vec![0u32; keys + 1];
    things.iter().for_each(|thing| starts[key(thing) + 1] += 1);
    (1..=keys).for_each(|at| starts[at] += starts[at - 1]);
    let (mut next, mut sorted) = (starts.clone(), things.to_vec());
    for thing in things {
        let at = &mut next[key(thing)];
        sorted[*at as usize] = *thing;
        *at += 1;
    }
    (starts, sorted)
}

/// Random places. Neighbours in the square are neighbours in memory: in rows of cells.
pub(super) fn places(nodes: u32, random: &mut Random) -> Vec<[f64; 2]> {
    let places: Vec<_> = (0..nodes).map(|_| [fraction(random), fraction(random)]).collect();
    let side = side(nodes);
    // By rows first, so that the sorted parts are small.
    let (rows, mut places) = by_key(&places, side, |place| (place[1] * side as f64) as usize);
    for row in rows.windows(2) {
        places[row[0] as usize..row[1] as usize].sort_by(|one, other| one[0].total_cmp(&other[0]));
    }
    places
}

/// In the precision of pictures.
pub(super) fn seen(places: &[[f64; 2]]) -> Vec<[f32; 2]> {
    places.iter().map(|place| [place[0] as f32, place[1] as f32]).collect()
}

/// The number of cells in a row, so that a cell has two nodes.
fn side(nodes: u32) -> usize {
    ((f64::from(nodes) / 2.0).sqrt() as usize).max(1)
}

impl Points {
    pub(super) fn new(nodes: u32, random: &mut Random) -> Points {
        let (side, places) = (side(nodes), places(nodes, random));
        let all: Vec<u32> = (0..nodes).collect();
        let (starts, nodes) = by_key(&all, side * side, |&node| {
            let cell = |axis: usize| (places[node as usize][axis] * side as f64) as usize;
            cell(1) * side + cell(0)
        });
        Points { places, side, cells: Cells { starts, nodes } }
    }

    pub(super) fn places(&self) -> Vec<[f32; 2]> {
        seen(&self.places)
    }

    fn apart(&self, node: u32, place: [f64; 2]) -> f64 {
        distance(self.places[node as usize], place)
    }

    /// The nearest nodes, the nearest first.
    pub(super) fn nearest(&self, node: u32, count: u32) -> Vec<u32> {
        self.near(self.places[node as usize], count as usize, Some(node))
    }

    fn near(&self, place: [f64; 2], count: usize, but: Option<u32>) -> Vec<u32> {
        let cell =
            |axis: usize| ((place[axis] * self.side as f64) as isize).min(self.side as isize - 1);
        let (column, row) = (cell(0), cell(1));
        let mut found: Vec<(f64, u32)> = Vec::new();
        for ring in 0..=self.side as isize {
            for y in row - ring..=row + ring {
                // Rings are hollow: what is inside has been seen.
                let step = if (y - row).abs() == ring { 1 } else { (2 * ring).max(1) };
                for x in (column - ring..=column + ring).step_by(step as usize) {
                    let is_in = |at: isize| (0..self.side as isize).contains(&at);
                    if is_in(x) && is_in(y) {
                        let here = self.cells.of(y as usize * self.side + x as usize);
                        let others = here.iter().filter(|&&other| Some(other) != but);
                        found.extend(others.map(|&other| (self.apart(other, place), other)));
                    }
                }
            }
            // A node not seen yet is farther away than the rings seen reach.
            let reach = ring as f64 / self.side as f64;
            if found.iter().filter(|(apart, _)| *apart <= reach).count() >= count {
                break;
            }
        }
        found.sort_by(|one, other| one.partial_cmp(other).expect("distances are numbers"));
        found.truncate(count);
        found.into_iter().map(|(_, node)| node).collect()
    }

    /// Random other nodes with probability 1/r²: all distances are equally likely in proportion.
    pub(super) fn far(&self, node: u32, count: u32, random: &mut Random) -> Vec<u32> {
        let place = self.places[node as usize];
        let nearest = 0.5 / (self.places.len() as f64).sqrt();
        let mut found = Vec::new();
        while found.len() < count as usize {
            let distance = nearest * (1.0 / nearest).powf(fraction(random));
            let (sine, cosine) = (std::f64::consts::TAU * fraction(random)).sin_cos();
            let there = [place[0] + distance * cosine, place[1] + distance * sine];
            if there.iter().all(|at| (0.0..1.0).contains(at)) {
                let other = self.near(there, 1, None);
                found.extend(other.into_iter().filter(|&other| other != node));
                found.sort_unstable();
                found.dedup();
            }
        }
        found
    }
}

impl Cells {
    fn of(&self, cell: usize) -> &[u32] {
        &self.nodes[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_are_those_that_a_look_at_all_finds() {
        let points = Points::new(400, &mut Random::new(2));
        for node in 0..400 {
            let place = points.places[node as usize];
            let mut all: Vec<_> = (0..400).filter(|&other| other != node).collect();
            all.sort_by(|&one, &other| {
                points.apart(one, place).total_cmp(&points.apart(other, place))
            });
            assert_eq!(points.nearest(node, 8), all[..8]);
        }
    }

    #[test]
    fn the_far_are_found_at_all_distances() {
        let points = Points::new(10_000, &mut Random::new(2));
        let mut random = Random::new(3);
        let mut decades = [0; 2];
        for node in (0..10_000).step_by(50) {
            for other in points.far(node, 4, &mut random) {
                let apart = points.apart(other, points.places[node as usize]);
                decades[usize::from(apart > 0.1)] += 1;
            }
        }
        assert!(decades[0] > 200 && decades[1] > 150, "{decades:?}");
    }
}
