//! Large counts: gives the kinds that differ between a call and its `_c` twin one name each.

/// Kinds for calls with `int` counts.
pub(in crate::abi) mod small {
    use crate::abi::kinds;
    use crate::mpi::datatype::envelope::Width;
    pub(in crate::abi) type Count = kinds::Count32;
    pub(in crate::abi) type Counts = kinds::Ints;
    pub(in crate::abi) type Displs = kinds::Ints;
    pub(in crate::abi) type OutCount = kinds::OutCount32;
    pub(in crate::abi) type OutAint = kinds::OutAint64;
    pub(in crate::abi) type Length = kinds::Size;
    pub(in crate::abi) type Number = kinds::Number32;
    pub(in crate::abi) type Numbers = kinds::Ints;
    pub(in crate::abi) type Distance = kinds::Distance64;
    pub(in crate::abi) type Distances = kinds::Aints;
    pub(in crate::abi) type Position = kinds::Position32;
    pub(in crate::abi) type FarPosition = kinds::PositionAint;
    pub(in crate::abi) type FarLength = kinds::LengthAint;
    pub(in crate::abi) const WIDTH: Width = Width::Small;
    pub(in crate::abi) type UserFunction = kinds::UserFunction32;
    pub(in crate::abi) type ConversionFunction = kinds::ConversionFunction32;
    pub(in crate::abi) type Unit = kinds::Number32;
    pub(in crate::abi) type OutUnit = kinds::OutCount32;
}

/// Kinds for the large count twins, with `MPI_Count` counts.
pub(in crate::abi) mod large {
    use crate::abi::kinds;
    use crate::mpi::datatype::envelope::Width;
    pub(in crate::abi) type Count = kinds::Count64;
    pub(in crate::abi) type Counts = kinds::Counts64;
    pub(in crate::abi) type Displs = kinds::Aints;
    pub(in crate::abi) type OutCount = kinds::OutCount64;
    pub(in crate::abi) type OutAint = kinds::OutCount64;
    pub(in crate::abi) type Length = kinds::Length64;
    pub(in crate::abi) type Number = kinds::Number64;
    pub(in crate::abi) type Numbers = kinds::Counts64;
    pub(in crate::abi) type Distance = kinds::Number64;
    pub(in crate::abi) type Distances = kinds::Counts64;
    pub(in crate::abi) type Position = kinds::Position64;
    pub(in crate::abi) type FarPosition = kinds::Position64;
    pub(in crate::abi) type FarLength = kinds::Length64;
    pub(in crate::abi) const WIDTH: Width = Width::Large;
    pub(in crate::abi) type UserFunction = kinds::UserFunction64;
    pub(in crate::abi) type ConversionFunction = kinds::ConversionFunction64;
    pub(in crate::abi) type Unit = kinds::Distance64;
    pub(in crate::abi) type OutUnit = kinds::OutAint64;
}
