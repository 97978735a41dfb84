//! The kinds that differ between a call and its large-count twin, under one name each.

/// `int` counts.
pub(in crate::abi) mod small {
    use crate::abi::kinds;
    pub(in crate::abi) type Count = kinds::Count32;
    pub(in crate::abi) type Counts = kinds::Ints;
    pub(in crate::abi) type Displs = kinds::Ints;
    pub(in crate::abi) type OutCount = kinds::OutCount32;
    pub(in crate::abi) type OutAint = kinds::OutAint64;
    pub(in crate::abi) type UserFunction = kinds::UserFunction32;
}

/// `MPI_Count` counts.
pub(in crate::abi) mod large {
    use crate::abi::kinds;
    pub(in crate::abi) type Count = kinds::Count64;
    pub(in crate::abi) type Counts = kinds::Counts64;
    pub(in crate::abi) type Displs = kinds::Aints;
    pub(in crate::abi) type OutCount = kinds::OutCount64;
    pub(in crate::abi) type OutAint = kinds::OutCount64;
    pub(in crate::abi) type UserFunction = kinds::UserFunction64;
}
