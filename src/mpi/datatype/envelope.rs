//! The envelope and contents of a datatype: how it was made (MPI-5.0 §5.1.13).

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
