//! Cartesian grids: ranks and coordinates, the last dimension fastest (MPI-5.0 §8.5). Pure.

use crate::mpi::error::{Class, Failure, Result};

const PROC_NULL: i32 = -3;

/// One dimension of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    pub length: i32,
    pub is_periodic: bool,
}

/// A grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cart {
    dims: Box<[Dim]>,
    /// How many places there are.
    size: i32,
}

impl Cart {
    /// A grid for `size` processes, which may be more than there are places.
    pub fn new(dims: Vec<Dim>, size: i32) -> Result<Cart> {
        if let Some(dim) = dims.iter().find(|dim| dim.length < 1) {
            let words = format!("dims holds {}; it must be at least 1", dim.length);
            return Err(Class::DIMS.because(words));
        }
        let grow = |places: i64, dim: &Dim| places.saturating_mul(i64::from(dim.length));
        let places = dims.iter().fold(1, grow);
        match i32::try_from(places) {
            Ok(places) if places <= size => Ok(Cart { dims: dims.into(), size: places }),
            _ => {
                let words = format!("the grid has {places} places; there are {size} processes");
                Err(Class::DIMS.because(words))
            }
        }
    }

    /// How many places there are.
    pub fn size(&self) -> i32 {
        self.size
    }

    pub fn dims(&self) -> &[Dim] {
        &self.dims
    }

    pub fn lengths(&self) -> Vec<i32> {
        self.dims.iter().map(|dim| dim.length).collect()
    }

    pub fn periods(&self) -> Vec<bool> {
        self.dims.iter().map(|dim| dim.is_periodic).collect()
    }

    /// Where `rank`, which is one of the grid's, has its place.
    pub fn coords(&self, rank: i32) -> Vec<i32> {
        let mut rest = rank;
        let mut coords: Vec<i32> = self
            .dims
            .iter()
            .rev()
            .map(|dim| {
                let coord = rest % dim.length;
                rest /= dim.length;
                coord
            })
            .collect();
        coords.reverse();
        coords
    }

    /// The rank at `coords`; periodic dimensions wrap around.
    pub fn rank(&self, coords: &[i64]) -> Result<i32> {
        let mut rank = 0;
        for (index, (dim, coord)) in self.dims.iter().zip(coords).enumerate() {
            let coord = wrap(*dim, *coord).ok_or_else(|| outside(index, *coord, dim.length))?;
            rank = rank * dim.length + coord;
        }
        Ok(rank)
    }

    /// The rank `disp` steps from `rank` in this direction; MPI_PROC_NULL beyond an edge.
    pub fn step(&self, rank: i32, direction: usize, disp: i64) -> i32 {
        let mut coords: Vec<i64> = self.coords(rank).into_iter().map(i64::from).collect();
        coords[direction] += disp;
        self.rank(&coords).unwrap_or(PROC_NULL)
    }

    /// Those one step away, in every dimension the one before and the one after.
    pub fn neighbours(&self, rank: i32) -> Vec<i32> {
        let both = |direction| [-1, 1].map(|disp| self.step(rank, direction, disp));
        (0..self.dims.len()).flat_map(both).collect()
    }

    /// The grid of those dimensions only that are to remain, and the ranks of all who have `rank`'s
    /// place in the others, in its order.
    pub fn slice(&self, rank: i32, remains: &[bool]) -> (Cart, Vec<i32>) {
        let kept = |dims: &[Dim]| -> Vec<Dim> {
            dims.iter().zip(remains).filter(|(_, remain)| **remain).map(|(dim, _)| *dim).collect()
        };
        let dims = kept(&self.dims);
        let size = dims.iter().map(|dim| dim.length).product();
        let slice = Cart { dims: dims.into(), size };
        let own = self.coords(rank);
        let members = (0..size).map(|place| {
            let mut inner = slice.coords(place).into_iter();
            let coords = own.iter().zip(remains).map(|(coord, remain)| {
                let coord = if *remain { inner.next().expect("one for each") } else { *coord };
                i64::from(coord)
            });
            self.rank(&coords.collect::<Vec<i64>>()).expect("both parts are inside")
        });
        let members = members.collect();
        (slice, members)
    }
}

/// The coordinate inside of the dimension, if there is one.
fn wrap(dim: Dim, coord: i64) -> Option<i32> {
    let length = i64::from(dim.length);
    let inside = if dim.is_periodic { coord.rem_euclid(length) } else { coord };
    i32::try_from(inside).ok().filter(|inside| (0..dim.length).contains(inside))
}

fn outside(index: usize, coord: i64, length: i32) -> Failure {
    let words = format!("coords[{index}] is {coord}; it must be between 0 and {}", length - 1);
    Class::ARG.because(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    fn grid(dims: &[(i32, bool)]) -> Cart {
        let dims = dims
            .iter()
            .map(|(length, is_periodic)| Dim { length: *length, is_periodic: *is_periodic });
        Cart::new(dims.collect(), i32::MAX).expect("it fits")
    }

    /// Every place in the order of ranks, written down by counting.
    fn places(dims: &[(i32, bool)]) -> Vec<Vec<i32>> {
        dims.iter().fold(vec![vec![]], |places, (length, _)| {
            let longer = |place: &Vec<i32>| {
                let place = place.clone();
                (0..*length).map(move |coord| [&place[..], &[coord]].concat())
            };
            places.iter().flat_map(longer).collect()
        })
    }

    #[test]
    fn random_grids_agree_with_counting() {
        let rounds = if cfg!(miri) { 3 } else { 300 };
        for seed in 0..rounds {
            let mut random = Random::new(seed);
            let count = random.below(5);
            let dims: Vec<(i32, bool)> =
                (0..count).map(|_| (1 + random.below(5) as i32, random.chance(50))).collect();
            let (cart, places) = (grid(&dims), places(&dims));
            assert_eq!(cart.size() as usize, places.len());
            for (rank, place) in (0..).zip(&places) {
                assert_eq!(&cart.coords(rank), place, "seed {seed}");
                let coords: Vec<i64> = place.iter().map(|coord| i64::from(*coord)).collect();
                assert_eq!(cart.rank(&coords), Ok(rank), "seed {seed}");
                for direction in 0..dims.len() {
                    let disp = random.below(15) as i64 - 7;
                    let (length, is_periodic) = dims[direction];
                    let mut there = place.clone();
                    let moved = i64::from(there[direction]) + disp;
                    let inside = (0..i64::from(length)).contains(&moved);
                    there[direction] = moved.rem_euclid(i64::from(length)) as i32;
                    let wanted = match is_periodic || inside {
                        true => places.iter().position(|place| *place == there).map(|at| at as i32),
                        false => None,
                    };
                    let seen = cart.step(rank, direction, disp);
                    assert_eq!(seen, wanted.unwrap_or(PROC_NULL), "seed {seed}");
                }
                let remains: Vec<bool> = dims.iter().map(|_| random.chance(50)).collect();
                let (slice, members) = cart.slice(rank, &remains);
                let alike = |other: &Vec<i32>| {
                    (0..dims.len()).all(|at| remains[at] || other[at] == place[at])
                };
                let wanted: Vec<i32> = (0..)
                    .zip(&places)
                    .filter(|(_, other)| alike(other))
                    .map(|(at, _)| at)
                    .collect();
                assert_eq!(members, wanted, "seed {seed}");
                assert_eq!(slice.size() as usize, wanted.len());
            }
        }
    }

    #[test]
    fn edges_and_wrong_grids_are_known() {
        let cart = grid(&[(3, false), (2, true)]);
        assert_eq!(cart.neighbours(0), [PROC_NULL, 2, 1, 1]);
        assert!(cart.rank(&[3, 0]).is_err() && cart.rank(&[-1, 0]).is_err());
        assert_eq!(cart.rank(&[2, i64::MIN]), Ok(4));
        assert_eq!(cart.step(0, 0, i64::from(i32::MAX)), PROC_NULL);
        let dim = |length| Dim { length, is_periodic: true };
        assert!(Cart::new(vec![dim(0)], 5).is_err());
        assert!(Cart::new(vec![dim(2), dim(3)], 5).is_err());
        assert!(Cart::new(vec![dim(i32::MAX); 5], i32::MAX).is_err());
        assert_eq!(Cart::new(vec![], 5).map(|cart| cart.size()), Ok(1));
    }
}
