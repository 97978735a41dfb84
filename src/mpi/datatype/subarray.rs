//! Parts of arrays as datatypes: blocks of them, and what a process has of one that is dealt out
//! (MPI-5.0 §5.1.3, §5.1.4).

use crate::mpi::datatype::Contents;
use crate::mpi::datatype::Datatype;
pub use crate::mpi::datatype::array::{Block, Deal};
use crate::mpi::datatype::array::{dimensions, judge_dimensions};
use crate::mpi::datatype::constructors::make;
use crate::mpi::datatype::envelope::{Combiner, Width};
use crate::mpi::error::Result;
use crate::mpi::handle_table::Held;
use crate::mpi::process::Process;

/// A block of an array; an item is the whole array.
pub fn subarray(
    process: &Process, width: Width, block: &Block<'_>, order: i32, old: &Held<Datatype>,
) -> Result<usize> {
    let Block { sizes, subsizes, starts } = *block;
    let count = i32::try_from(sizes.len()).expect("ndims is an int");
    judge_dimensions(count)?;
    let dimensions = dimensions(order, sizes.len())?;
    block.judge()?;
    let (layout, items) = block.layout(&dimensions, &old.layout)?;
    let recipe = Contents::new(Combiner::Subarray, width).integers(&[count]);
    let recipe = recipe.counts(sizes).counts(subsizes).counts(starts).integers(&[order]);
    make(process, layout, old.signature.repeat(items), recipe.of(std::slice::from_ref(old)))
}

/// What a process has of an array that is dealt out; an item is the whole array.
pub fn darray(
    process: &Process, width: Width, deal: &Deal<'_>, old: &Held<Datatype>,
) -> Result<usize> {
    let count = i32::try_from(deal.sizes.len()).expect("ndims is an int");
    judge_dimensions(count)?;
    let dimensions = dimensions(deal.order, deal.sizes.len())?;
    deal.judge()?;
    let (layout, items) = deal.layout(&dimensions, &old.layout)?;
    let recipe = Contents::new(Combiner::Darray, width).integers(&[deal.size, deal.rank, count]);
    let recipe = recipe.counts(deal.sizes).integers(deal.distributions);
    let recipe = recipe.integers(deal.arguments).integers(deal.grid).integers(&[deal.order]);
    make(process, layout, old.signature.repeat(items), recipe.of(std::slice::from_ref(old)))
}
