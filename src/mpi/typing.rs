//! How datatypes are made, unmade and taken apart (MPI-5.0 §5.1).

use crate::mpi::datatype::{Datatype, Maker};
use crate::mpi::error::{Class, Result};
use crate::mpi::named;
use crate::mpi::process::Process;
use crate::mpi::table::Held;

const COMBINER_NAMED: i32 = 101;
const COMBINER_DUP: i32 = 102;
const COMBINER_CONTIGUOUS: i32 = 103;

/// How many of what a type was made of.
pub struct Envelope {
    pub integers: i32,
    pub datatypes: i32,
    pub combiner: i32,
}

/// What a type was made of; the datatypes are handles of the caller's own.
pub struct Contents {
    pub integers: Vec<i32>,
    pub addresses: Vec<i64>,
    pub large_counts: Vec<i64>,
    pub datatypes: Vec<usize>,
}

/// `count` items in a row as one; returns its handle.
pub fn contiguous(process: &Process, count: i64, of: &Held<Datatype>) -> Result<usize> {
    let (form, maker) = Datatype::contiguous(of, count)?;
    process.make_datatype(form, maker, false)
}

/// A type like `old`, committed if that is; returns its handle.
pub fn duplicate(process: &Process, old: &Held<Datatype>) -> Result<usize> {
    let attributes = process.notes(old).attributes.copy(process, old.handle)?;
    let made = process.make_datatype(old.form(), Maker::Dup(old.clone()), old.is_committed())?;
    if let Some(datatype) = process.datatypes.find(made) {
        datatype.notes.attributes.take(attributes);
    }
    Ok(made)
}

/// Frees the type behind `handle`.
pub fn free(process: &Process, handle: usize) -> Result {
    let datatype = process.datatype(handle, "datatype")?;
    if let Some(name) = named::name(handle) {
        let words = format!("datatype is {name}, which is predefined and cannot be freed");
        return Err(Class::TYPE.because(words));
    }
    datatype.notes.attributes.clear(process, handle)?;
    process.datatypes.remove(handle);
    Ok(())
}

/// How `datatype` was made.
pub fn envelope(datatype: &Datatype) -> Envelope {
    let (integers, datatypes, combiner) = match datatype.maker {
        Maker::Named => (0, 0, COMBINER_NAMED),
        Maker::Dup(_) => (0, 1, COMBINER_DUP),
        Maker::Contiguous { .. } => (1, 1, COMBINER_CONTIGUOUS),
    };
    Envelope { integers, datatypes, combiner }
}

/// What `datatype` was made of, if the caller has room for it.
pub fn contents(
    process: &Process, datatype: &Datatype, max_integers: i64, max_datatypes: i64,
) -> Result<Contents> {
    let envelope = envelope(datatype);
    if max_integers < envelope.integers.into() || max_datatypes < envelope.datatypes.into() {
        let words = format!(
            "there is room for {max_integers} integers and {max_datatypes} datatypes; \
             the type was made of {} and {}",
            envelope.integers, envelope.datatypes
        );
        return Err(Class::ARG.because(words));
    }
    let (integers, of) = match &datatype.maker {
        Maker::Named => {
            let words = "datatype is predefined; only types that were made have contents";
            return Err(Class::TYPE.because(words));
        }
        Maker::Dup(of) => (Vec::new(), of),
        Maker::Contiguous { count, of } => {
            let count = i32::try_from(*count).map_err(|_| {
                let words = format!("the count that made the type is {count}, more than an int");
                Class::VALUE_TOO_LARGE.because(words)
            })?;
            (vec![count], of)
        }
    };
    // None of the types that can be made so far holds more.
    let (addresses, large_counts) = (Vec::new(), Vec::new());
    Ok(Contents { integers, addresses, large_counts, datatypes: vec![handle_of(process, of)?] })
}

/// A handle of `datatype` that is the caller's own, if there can be one.
fn handle_of(process: &Process, datatype: &Held<Datatype>) -> Result<usize> {
    match datatype {
        Held::Ever(datatype) => Ok(datatype.handle),
        Held::Counted(datatype) => {
            let (form, maker) = (datatype.form(), datatype.maker.clone());
            process.make_datatype(form, maker, datatype.is_committed())
        }
    }
}

/// What `datatype` is called.
pub fn name(process: &Process, datatype: &Datatype) -> Vec<u8> {
    let given = process.notes(datatype).name.lock().clone();
    let standard = || named::name(datatype.handle).unwrap_or_default().as_bytes().to_vec();
    given.unwrap_or_else(standard)
}
