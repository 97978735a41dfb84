//! Datatype constructors, freeing and decoding (MPI-5.0 §5.1).

use crate::base::layout::{Layout, TooLarge};
use crate::mpi::datatype::Contents;
use crate::mpi::datatype::envelope::{Combiner, Width};
use crate::mpi::datatype::predefined;
use crate::mpi::datatype::signature::Signature;
use crate::mpi::datatype::{Datatype, Form};
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::handle_table::Held;
use crate::mpi::process::Process;
use std::sync::Arc;

type Old = Held<Datatype>;

impl From<TooLarge> for Failure {
    #[cold]
    fn from(_: TooLarge) -> Failure {
        let words = "the extent of the type exceeds 64 bits";
        Class::ARG.because(words)
    }
}

/// Keeps a new type; returns its handle.
pub(in crate::mpi) fn make(
    process: &Process, layout: Layout, signature: Signature, recipe: Contents,
) -> Result<usize> {
    process.make_datatype(Form { layout: Arc::new(layout), signature }, recipe, false)
}

/// A number that the caller has checked not to be negative.
pub(in crate::mpi) fn natural(value: i64) -> u64 {
    u64::try_from(value).expect("counts and lengths are not negative")
}

/// Keeps a type whose items are `items` of `old`; returns its handle.
fn make_of(
    process: &Process, layout: Layout, items: i64, old: &Old, recipe: Contents,
) -> Result<usize> {
    let recipe = recipe.of(std::slice::from_ref(old));
    make(process, layout, old.signature.repeat(items), recipe)
}

/// `count` items in a row as one.
pub fn contiguous(process: &Process, width: Width, count: i64, old: &Old) -> Result<usize> {
    let layout = old.layout.vector(natural(count), 1, old.shape.extent).map_err(|TooLarge| {
        let words = format!("count is {count}; a buffer of that size exceeds the address space");
        Class::COUNT.because(words)
    })?;
    let recipe = Contents::new(Combiner::Contiguous, width).counts(&[count]);
    make_of(process, layout, count, old, recipe)
}

/// `count` blocks of `length` items, the beginnings `stride` items apart.
pub fn vector(
    process: &Process, width: Width, count: i64, length: i64, stride: i64, old: &Old,
) -> Result<usize> {
    let step = stride.checked_mul(old.shape.extent).ok_or(TooLarge)?;
    let layout = old.layout.vector(natural(count), natural(length), step)?;
    let recipe = Contents::new(Combiner::Vector, width).counts(&[count, length, stride]);
    make_of(process, layout, count.saturating_mul(length), old, recipe)
}

/// Like [`vector`], with the stride in bytes.
pub fn hvector(
    process: &Process, width: Width, count: i64, length: i64, stride: i64, old: &Old,
) -> Result<usize> {
    let layout = old.layout.vector(natural(count), natural(length), stride)?;
    let recipe = Contents::new(Combiner::Hvector, width);
    let recipe = recipe.counts(&[count, length]).distances(&[stride]);
    make_of(process, layout, count.saturating_mul(length), old, recipe)
}

/// Blocks of the given lengths at the given displacements in bytes.
fn blocks(lengths: &[i64], bytes: &[i64], old: &Old) -> Result<(Layout, i64)> {
    let block = |(length, at): (&i64, &i64)| (natural(*length), *at, &*old.layout);
    let blocks: Vec<(u64, i64, &Layout)> = lengths.iter().zip(bytes).map(block).collect();
    let layout = Layout::structure(&blocks)?;
    Ok((layout, lengths.iter().fold(0, |sum: i64, length| sum.saturating_add(*length))))
}

/// Displacements in items as displacements in bytes.
fn in_bytes(displacements: &[i64], old: &Old) -> Result<Vec<i64>> {
    let bytes = displacements.iter().map(|at| at.checked_mul(old.shape.extent).ok_or(TooLarge));
    Ok(bytes.collect::<std::result::Result<_, TooLarge>>()?)
}

/// Fails if a length is negative.
fn judge_lengths(lengths: &[i64]) -> Result {
    match lengths.iter().position(|length| *length < 0) {
        None => Ok(()),
        Some(index) => Err(Class::ARG.because(format!(
            "element {index} of array_of_blocklengths is {}; it must not be negative",
            lengths[index]
        ))),
    }
}

/// Blocks of several lengths at displacements in items.
pub fn indexed(
    process: &Process, width: Width, lengths: &[i64], displacements: &[i64], old: &Old,
) -> Result<usize> {
    judge_lengths(lengths)?;
    let (layout, items) = blocks(lengths, &in_bytes(displacements, old)?, old)?;
    let recipe = Contents::new(Combiner::Indexed, width);
    let recipe = recipe.counts(&[lengths.len() as i64]).counts(lengths).counts(displacements);
    make_of(process, layout, items, old, recipe)
}

/// Like [`indexed`], with displacements in bytes.
pub fn hindexed(
    process: &Process, width: Width, lengths: &[i64], displacements: &[i64], old: &Old,
) -> Result<usize> {
    judge_lengths(lengths)?;
    let (layout, items) = blocks(lengths, displacements, old)?;
    let recipe = Contents::new(Combiner::Hindexed, width);
    let recipe = recipe.counts(&[lengths.len() as i64]).counts(lengths).distances(displacements);
    make_of(process, layout, items, old, recipe)
}

/// Blocks of one length at displacements in items.
pub fn indexed_block(
    process: &Process, width: Width, length: i64, displacements: &[i64], old: &Old,
) -> Result<usize> {
    let lengths = vec![length; displacements.len()];
    let (layout, items) = blocks(&lengths, &in_bytes(displacements, old)?, old)?;
    let recipe = Contents::new(Combiner::IndexedBlock, width);
    let recipe = recipe.counts(&[displacements.len() as i64, length]).counts(displacements);
    make_of(process, layout, items, old, recipe)
}

/// Like [`indexed_block`], with displacements in bytes.
pub fn hindexed_block(
    process: &Process, width: Width, length: i64, displacements: &[i64], old: &Old,
) -> Result<usize> {
    let lengths = vec![length; displacements.len()];
    let (layout, items) = blocks(&lengths, displacements, old)?;
    let recipe = Contents::new(Combiner::HindexedBlock, width);
    let recipe = recipe.counts(&[displacements.len() as i64, length]).distances(displacements);
    make_of(process, layout, items, old, recipe)
}

/// Blocks of several types.
pub fn structure(
    process: &Process, width: Width, lengths: &[i64], displacements: &[i64], types: &[Old],
) -> Result<usize> {
    judge_lengths(lengths)?;
    let block = |index: usize| {
        let layout: &Layout = &types[index].layout;
        (natural(lengths[index]), displacements[index], layout)
    };
    let blocks: Vec<(u64, i64, &Layout)> = (0..types.len()).map(block).collect();
    let layout = Layout::structure(&blocks)?;
    let parts: Vec<(i64, &Signature)> =
        lengths.iter().zip(types).map(|(length, of)| (*length, &of.signature)).collect();
    let signature = Signature::list(&parts);
    let recipe = Contents::new(Combiner::Struct, width).counts(&[lengths.len() as i64]);
    let recipe = recipe.counts(lengths).distances(displacements).of(types);
    make(process, layout, signature, recipe)
}

/// The data of `old` with another lower bound and extent.
pub fn resized(process: &Process, width: Width, lb: i64, extent: i64, old: &Old) -> Result<usize> {
    let layout = old.layout.resized(lb, extent)?;
    let recipe = Contents::new(Combiner::Resized, width).distances(&[lb, extent]);
    make_of(process, layout, 1, old, recipe)
}

/// The types behind these handles.
pub fn all(process: &Process, handles: impl Iterator<Item = usize>) -> Result<Vec<Old>> {
    let find = |(index, handle): (usize, usize)| {
        process.datatype(handle, &format!("element {index} of array_of_types"))
    };
    handles.enumerate().map(find).collect()
}

/// A type like `old`, committed if that is; returns its handle.
pub fn duplicate(process: &Process, old: &Old) -> Result<usize> {
    let attributes = process.notes(old).attributes.copy(&process.keyvals, old.handle)?;
    let recipe = Contents::new(Combiner::Dup, Width::Small).of(std::slice::from_ref(old));
    let made = process.make_datatype(old.form(), recipe, old.is_committed())?;
    if let Some(datatype) = process.datatypes.find(made) {
        datatype.notes.attributes.take(attributes);
    }
    Ok(made)
}

/// Frees the type behind `handle`.
pub fn free(process: &Process, handle: usize) -> Result {
    let datatype = process.datatype(handle, "datatype")?;
    if datatype.is_predefined() {
        let name = predefined::name(handle).unwrap_or("a type without a name");
        let words = format!("datatype is {name}, which is predefined and cannot be freed");
        return Err(Class::TYPE.because(words));
    }
    datatype.notes.attributes.clear(&process.keyvals, handle)?;
    process.datatypes.remove(handle);
    Ok(())
}

/// Fails when a type with large counts is asked about by a call that knows only `int`s.
pub fn judge_small(datatype: &Datatype) -> Result {
    if datatype.recipe.large_counts.is_empty() {
        return Ok(());
    }
    let words = "datatype was created with large counts; use the large-count form of this call";
    Err(Class::TYPE.because(words))
}

/// How much room the caller of MPI_Type_get_contents has.
pub struct Room {
    pub integers: i64,
    pub addresses: i64,
    pub large_counts: i64,
    pub datatypes: i64,
}

/// What `datatype` was made of, if the caller has room for it: handles of the caller's own for the
/// types, and the rest as the recipe has it.
pub fn contents(process: &Process, datatype: &Datatype, room: &Room) -> Result<Vec<usize>> {
    let recipe = &datatype.recipe;
    if recipe.combiner == Combiner::Named {
        let words = "datatype is predefined; only derived datatypes have contents";
        return Err(Class::TYPE.because(words));
    }
    let needs = [
        ("integers", room.integers, recipe.integers.len()),
        ("addresses", room.addresses, recipe.addresses.len()),
        ("large counts", room.large_counts, recipe.large_counts.len()),
        ("datatypes", room.datatypes, recipe.datatypes.len()),
    ];
    for (what, room, needed) in needs {
        if room < needed as i64 {
            let words = format!("there is room for {room} {what}; the type has {needed}");
            return Err(Class::ARG.because(words));
        }
    }
    recipe.datatypes.iter().map(|of| handle_of(process, of)).collect()
}

/// A handle of `datatype` that is the caller's own, if there can be one.
fn handle_of(process: &Process, datatype: &Old) -> Result<usize> {
    if datatype.is_predefined() {
        return Ok(datatype.handle);
    }
    process.make_datatype(datatype.form(), datatype.recipe.clone(), datatype.is_committed())
}

/// What `datatype` is called.
pub fn name(process: &Process, datatype: Option<&Datatype>) -> Vec<u8> {
    let Some(datatype) = datatype else { return b"MPI_DATATYPE_NULL".to_vec() };
    let given = process.notes(datatype).name.lock().clone();
    let standard = || predefined::name(datatype.handle).unwrap_or_default().as_bytes().to_vec();
    given.unwrap_or_else(standard)
}
