//! The envelope and contents of a datatype: how it was made (MPI-5.0 §5.1.13).

use crate::mpi::datatype::Datatype;
use crate::mpi::handle_table::Held;

/// Which constructor made a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Combiner {
    Named = 101,
    Dup,
    Contiguous,
    Vector,
    Hvector,
    Indexed,
    Hindexed,
    IndexedBlock,
    HindexedBlock,
    Struct,
    Subarray,
    Darray,
    F90Real,
    F90Complex,
    F90Integer,
    Resized,
}

/// Which form of a constructor was called: the one with `int` counts, or its large-count twin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    Small,
    Large,
}

/// A constructor with its arguments, sorted as MPI_Type_get_contents gives them out.
#[derive(Clone)]
pub struct Contents {
    pub combiner: Combiner,
    pub integers: Vec<i32>,
    pub addresses: Vec<i64>,
    pub large_counts: Vec<i64>,
    pub datatypes: Vec<Held<Datatype>>,
    width: Width,
}

impl Contents {
    pub fn new(combiner: Combiner, width: Width) -> Contents {
        Contents {
            combiner,
            integers: Vec::new(),
            addresses: Vec::new(),
            large_counts: Vec::new(),
            datatypes: Vec::new(),
            width,
        }
    }

    /// A type that nobody made.
    pub fn named() -> Contents {
        Contents::new(Combiner::Named, Width::Small)
    }

    /// Arguments that are an `int` in either form.
    pub fn integers(mut self, values: &[i32]) -> Contents {
        self.integers.extend(values);
        self
    }

    /// Arguments that are an `int` in the one form and a large count in the other.
    pub fn counts(mut self, values: &[i64]) -> Contents {
        match self.width {
            Width::Small => self.integers.extend(values.iter().map(|value| *value as i32)),
            Width::Large => self.large_counts.extend(values),
        }
        self
    }

    /// Arguments that are an address in the one form and a large count in the other.
    pub fn distances(mut self, values: &[i64]) -> Contents {
        match self.width {
            Width::Small => self.addresses.extend(values),
            Width::Large => self.large_counts.extend(values),
        }
        self
    }

    /// The types that it was made of.
    pub fn of(mut self, types: &[Held<Datatype>]) -> Contents {
        self.datatypes.extend(types.iter().cloned());
        self
    }
}
