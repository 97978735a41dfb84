//! A datatype's layout where its basic elements have other sizes: in a file with another data
//! representation (MPI-5.0 §14.5). What the program has given in items is scaled along; what it has
//! given in bytes stays.

use crate::base::layout::{Layout, TooLarge};
use crate::mpi::datatype::array::{Block, Deal};
use crate::mpi::datatype::envelope::{Combiner, Width};
use crate::mpi::datatype::{Contents, Datatype};
use crate::mpi::error::Result;

/// The layout of `datatype` if a predefined type has as many bytes as `size` says.
pub(in crate::mpi) fn layout(
    datatype: &Datatype, size: &mut dyn FnMut(&Datatype) -> Result<i64>,
) -> Result<Layout> {
    let recipe = &datatype.recipe;
    if datatype.is_predefined() {
        let bytes = size(datatype)?;
        let blocks = [(0, bytes.unsigned_abs())];
        let blocks = if bytes > 0 { &blocks[..] } else { &[] };
        return Ok(Layout::basic(blocks, bytes, 1));
    }
    let old = |size: &mut dyn FnMut(&Datatype) -> Result<i64>| layout(&recipe.datatypes[0], size);
    let mut numbers = Numbers::of(recipe);
    Ok(match recipe.combiner {
        Combiner::Named | Combiner::F90Real | Combiner::F90Complex | Combiner::F90Integer => {
            unreachable!("it is predefined")
        }
        Combiner::Dup => old(size)?,
        Combiner::Contiguous => {
            let old = old(size)?;
            old.vector(natural(numbers.count()), 1, old.extent())?
        }
        Combiner::Vector | Combiner::Hvector => {
            let old = old(size)?;
            let (count, length) = (natural(numbers.count()), natural(numbers.count()));
            let stride = match recipe.combiner {
                Combiner::Vector => numbers.count().checked_mul(old.extent()).ok_or(TooLarge)?,
                _ => numbers.distance(),
            };
            old.vector(count, length, stride)?
        }
        Combiner::Indexed | Combiner::Hindexed => {
            let old = old(size)?;
            let count = numbers.count();
            let lengths: Vec<i64> = (0..count).map(|_| numbers.count()).collect();
            blocks(&lengths, recipe.combiner == Combiner::Indexed, &mut numbers, &old)?
        }
        Combiner::IndexedBlock | Combiner::HindexedBlock => {
            let old = old(size)?;
            let (count, length) = (numbers.count(), numbers.count());
            let lengths = vec![length; count as usize];
            blocks(&lengths, recipe.combiner == Combiner::IndexedBlock, &mut numbers, &old)?
        }
        Combiner::Struct => {
            let count = numbers.count();
            let lengths: Vec<u64> = (0..count).map(|_| natural(numbers.count())).collect();
            let places: Vec<i64> = (0..count).map(|_| numbers.distance()).collect();
            let parts = recipe.datatypes.iter().map(|of| layout(of, size));
            let parts: Vec<Layout> = parts.collect::<Result<_>>()?;
            let blocks: Vec<(u64, i64, &Layout)> =
                (0..parts.len()).map(|n| (lengths[n], places[n], &parts[n])).collect();
            Layout::structure(&blocks)?
        }
        Combiner::Subarray => subarray(numbers, &old(size)?)?,
        Combiner::Darray => darray(numbers, &old(size)?)?,
        Combiner::Resized => {
            let (lb, extent) = (numbers.distance(), numbers.distance());
            old(size)?.resized(lb, extent)?
        }
    })
}

/// Counts were checked when the type was made.
fn natural(count: i64) -> u64 {
    count.unsigned_abs()
}

fn blocks(
    lengths: &[i64], is_in_items: bool, numbers: &mut Numbers<'_>, old: &Layout,
) -> Result<Layout> {
    let mut all = Vec::with_capacity(lengths.len());
    for length in lengths {
        let place = match is_in_items {
            true => numbers.count().checked_mul(old.extent()).ok_or(TooLarge)?,
            false => numbers.distance(),
        };
        all.push((natural(*length), place, old));
    }
    Ok(Layout::structure(&all)?)
}

fn subarray(mut numbers: Numbers<'_>, old: &Layout) -> Result<Layout> {
    let dimensions = numbers.integer();
    let mut list = || -> Vec<i64> { (0..dimensions).map(|_| numbers.count()).collect() };
    let (sizes, subsizes, starts) = (list(), list(), list());
    let block = Block { sizes: &sizes, subsizes: &subsizes, starts: &starts };
    block.again(numbers.integer(), old)
}

fn darray(mut numbers: Numbers<'_>, old: &Layout) -> Result<Layout> {
    let (size, rank, dimensions) = (numbers.integer(), numbers.integer(), numbers.integer());
    let sizes: Vec<i64> = (0..dimensions).map(|_| numbers.count()).collect();
    let mut list = || -> Vec<i32> { (0..dimensions).map(|_| numbers.integer()).collect() };
    let (distributions, arguments, grid) = (list(), list(), list());
    let (distributions, arguments, grid) = (&distributions[..], &arguments[..], &grid[..]);
    let order = numbers.integer();
    Deal { size, rank, sizes: &sizes, distributions, arguments, grid, order }.again(old)
}

/// The arguments of a constructor, in their order.
struct Numbers<'a> {
    integers: &'a [i32],
    addresses: &'a [i64],
    large_counts: &'a [i64],
    width: Width,
}

impl<'a> Numbers<'a> {
    fn of(recipe: &'a Contents) -> Numbers<'a> {
        Numbers {
            integers: &recipe.integers,
            addresses: &recipe.addresses,
            large_counts: &recipe.large_counts,
            width: recipe.width(),
        }
    }

    fn integer(&mut self) -> i32 {
        next(&mut self.integers)
    }

    fn count(&mut self) -> i64 {
        match self.width {
            Width::Small => self.integer().into(),
            Width::Large => next(&mut self.large_counts),
        }
    }

    fn distance(&mut self) -> i64 {
        match self.width {
            Width::Small => next(&mut self.addresses),
            Width::Large => next(&mut self.large_counts),
        }
    }
}

fn next<T: Copy>(list: &mut &[T]) -> T {
    let (first, rest) = list.split_first().expect("a recipe has all arguments");
    *list = rest;
    *first
}
