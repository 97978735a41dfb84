//! Where parts of arrays are: blocks of them, and what a process has of one that is dealt out
//! (MPI-5.0 §5.1.3, §5.1.4). Pure.

use crate::base::layout::{Layout, TooLarge};
use crate::mpi::error::{Class, Result};
use std::ops::RangeInclusive;

const ORDER_C: i32 = 12;
const ORDER_FORTRAN: i32 = 15;
const NONE: i32 = 16;
const BLOCK: i32 = 17;
const CYCLIC: i32 = 18;
const DEFAULT: i32 = 19;

/// The block of an array that a subarray is.
pub struct Block<'a> {
    pub sizes: &'a [i64],
    pub subsizes: &'a [i64],
    pub starts: &'a [i64],
}

impl Block<'_> {
    /// Fails unless the block is in the array.
    pub(super) fn judge(&self) -> Result {
        let Block { sizes, subsizes, starts } = *self;
        for index in 0..sizes.len() {
            judge("array_of_sizes", index, sizes[index], 1..=i64::MAX)?;
            judge("array_of_subsizes", index, subsizes[index], 1..=sizes[index])?;
            let last = sizes[index] - subsizes[index];
            judge("array_of_starts", index, starts[index], 0..=last)?;
        }
        Ok(())
    }

    /// Where the block's items, which lie as in `old`, are in the array, and how many there are.
    pub(super) fn layout(&self, dimensions: &[usize], old: &Layout) -> Result<(Layout, i64)> {
        let Block { sizes, subsizes, starts } = *self;
        let (mut layout, mut step, mut items) = (old.clone(), old.extent(), 1);
        let mut start = 0;
        for &index in dimensions {
            layout = layout.vector(natural(subsizes[index]), 1, step)?;
            let offset: Option<i64> = starts[index].checked_mul(step);
            start = offset.and_then(|offset| offset.checked_add(start)).ok_or(TooLarge)?;
            step = step.checked_mul(sizes[index]).ok_or(TooLarge)?;
            items = i64::saturating_mul(items, subsizes[index]);
        }
        Ok((layout.shifted(start)?.resized(0, step)?, items))
    }

    /// Where a block that was checked before is if the items lie as in `old`.
    pub(in crate::mpi) fn again(&self, order: i32, old: &Layout) -> Result<Layout> {
        let dimensions = dimensions(order, self.sizes.len())?;
        self.layout(&dimensions, old).map(|(layout, _)| layout)
    }
}

/// Numbers of dimensions, from that in which neighbours in memory differ to the slowest.
pub(super) fn dimensions(order: i32, count: usize) -> Result<Vec<usize>> {
    match order {
        ORDER_C => Ok((0..count).rev().collect()),
        ORDER_FORTRAN => Ok((0..count).collect()),
        _ => Err(Class::ARG
            .because(format!("order is {order}; it must be MPI_ORDER_C or MPI_ORDER_FORTRAN"))),
    }
}

/// Fails unless the array has dimensions.
pub(super) fn judge_dimensions(count: i32) -> Result {
    if count > 0 {
        return Ok(());
    }
    Err(Class::ARG.because(format!("ndims is {count}; an array has at least one dimension")))
}

/// Fails unless `value`, an element of an array of arguments, lies in a range.
fn judge(name: &str, index: usize, value: i64, range: RangeInclusive<i64>) -> Result {
    if range.contains(&value) {
        return Ok(());
    }
    let (least, most) = range.into_inner();
    let words = match most {
        i64::MAX => format!("it must be at least {least}"),
        _ => format!("it must be between {least} and {most}"),
    };
    Err(Class::ARG.because(format!("element {index} of {name} is {value}; {words}")))
}

/// How an array is dealt out to a grid of processes.
pub struct Deal<'a> {
    pub size: i32,
    pub rank: i32,
    pub sizes: &'a [i64],
    pub distributions: &'a [i32],
    pub arguments: &'a [i32],
    pub grid: &'a [i32],
    pub order: i32,
}

impl Deal<'_> {
    pub(super) fn judge(&self) -> Result {
        let Deal { size, rank, sizes, distributions, grid, .. } = *self;
        if size < 1 {
            return Err(Class::ARG.because(format!("size is {size}; it must be at least 1")));
        }
        if !(0..size).contains(&rank) {
            let words = format!("rank is {rank}; it must be between 0 and size-1, {}", size - 1);
            return Err(Class::ARG.because(words));
        }
        let mut processes: i64 = 1;
        for index in 0..sizes.len() {
            judge("array_of_gsizes", index, sizes[index], 1..=i64::MAX)?;
            judge("array_of_psizes", index, grid[index].into(), 1..=size.into())?;
            processes = processes.saturating_mul(grid[index].into());
            self.judge_share(index)?;
            if distributions[index] == NONE && grid[index] != 1 {
                let words = format!(
                    "element {index} of array_of_psizes is {}; a dimension that is not dealt out \
                     has 1",
                    grid[index]
                );
                return Err(Class::ARG.because(words));
            }
        }
        if processes != i64::from(size) {
            let words = format!(
                "array_of_psizes describes a grid of {processes} processes, but size is {size}"
            );
            return Err(Class::ARG.because(words));
        }
        Ok(())
    }

    /// Fails unless distribution and argument of a dimension make sense.
    fn judge_share(&self, index: usize) -> Result {
        let (distribution, argument) = (self.distributions[index], self.arguments[index]);
        if ![NONE, BLOCK, CYCLIC].contains(&distribution) {
            return Err(Class::ARG.because(format!(
                "element {index} of array_of_distribs is {distribution}; it must be \
                 MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC or MPI_DISTRIBUTE_NONE"
            )));
        }
        if argument == DEFAULT || distribution == NONE {
            return Ok(());
        }
        if argument < 1 {
            return Err(Class::ARG.because(format!(
                "element {index} of array_of_dargs is {argument}; it must be at least 1, or \
                 MPI_DISTRIBUTE_DFLT_DARG"
            )));
        }
        let room = i64::from(argument) * i64::from(self.grid[index]);
        if distribution == BLOCK && room < self.sizes[index] {
            return Err(Class::ARG.because(format!(
                "element {index} of array_of_dargs is {argument}; blocks of that length on {} \
                 processes do not hold {} elements",
                self.grid[index], self.sizes[index]
            )));
        }
        Ok(())
    }

    /// Where in the grid the process is: the last dimension differs first.
    fn place(&self) -> Vec<i64> {
        let (mut left, mut rank) = (self.size, self.rank);
        let mut coordinate = |grid: &i32| {
            left /= grid;
            let coordinate = rank / left;
            rank %= left;
            i64::from(coordinate)
        };
        self.grid.iter().map(&mut coordinate).collect()
    }

    /// What the process in this place has of a dimension: as many elements are dealt at once as the
    /// first number says, from the second on, and the third is how many there are in the end.
    fn share(&self, index: usize, place: i64) -> (i64, i64, i64) {
        let (all, grid) = (self.sizes[index], i64::from(self.grid[index]));
        let argument = i64::from(self.arguments[index]);
        let is_default = self.arguments[index] == DEFAULT;
        let at_once = match self.distributions[index] {
            NONE => all,
            BLOCK if is_default => (all - 1) / grid + 1,
            CYCLIC if is_default => 1,
            _ => argument,
        };
        let first = at_once.saturating_mul(place);
        let left = (all - first).max(0);
        let round = at_once.saturating_mul(grid);
        let mine = left / round * at_once + (left % round).min(at_once);
        (at_once, first, mine)
    }

    /// Where the items of the process, which lie as in `old`, are, and how many there are.
    pub(super) fn layout(&self, dimensions: &[usize], old: &Layout) -> Result<(Layout, i64)> {
        let place = self.place();
        let (mut layout, mut step, mut items) = (old.clone(), old.extent(), 1);
        for &index in dimensions {
            let (at_once, first, mine) = self.share(index, place[index]);
            // So that neighbours in this dimension are that far apart.
            let spaced = layout.resized(0, step)?;
            let far = |elements: i64| step.checked_mul(elements).ok_or(TooLarge);
            let round = far(at_once.saturating_mul(self.grid[index].into()))?;
            let (rounds, rest) = (mine / at_once, mine % at_once);
            let whole = spaced.vector(natural(rounds), natural(at_once), round)?;
            let start = far(first)?;
            let end = round.checked_mul(rounds).and_then(|end| end.checked_add(start));
            layout = Layout::structure(&[
                (1, start, &whole),
                (natural(rest), end.ok_or(TooLarge)?, &spaced),
            ])?;
            step = far(self.sizes[index])?;
            items = i64::saturating_mul(items, mine);
        }
        Ok((layout.resized(0, step)?, items))
    }

    /// What the process has of an array that was checked before, if the items lie as in `old`.
    pub(in crate::mpi) fn again(&self, old: &Layout) -> Result<Layout> {
        let dimensions = dimensions(self.order, self.sizes.len())?;
        self.layout(&dimensions, old).map(|(layout, _)| layout)
    }
}

/// A number that was checked not to be negative.
fn natural(value: i64) -> u64 {
    value.unsigned_abs()
}
