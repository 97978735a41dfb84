//! What the elements of a datatype are.

use serde::{Deserialize, Serialize};

/// What the elements of a type are, as far as reductions care.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Element {
    Signed(usize),
    Unsigned(usize),
    /// C's `long` and `unsigned long`: 8 bytes here, 4 in what other machines read.
    Long,
    UnsignedLong,
    /// C's `char`, a small number to those who add it up: no table of the standard has that, other
    /// libraries do.
    Char,
    Float(usize),
    Complex(usize),
    Logical(usize),
    /// Characters, bytes and packed data: no arithmetic; bytes alone have bits.
    Text(usize),
    Byte,
    /// Fortran's REAL*16: the quad of IEEE, not C's long double.
    Quad,
    ComplexQuad,
    /// Elements that differ, or none.
    Mixed,
    /// A value and its index, for MPI_MINLOC and MPI_MAXLOC.
    Pair(Pair),
}

/// The pairs of C (value, then `int` index) and of Fortran (both of the value's type).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pair {
    FloatInt,
    DoubleInt,
    LongInt,
    ShortInt,
    IntInt,
    LongDoubleInt,
    RealReal,
    DoubleDouble,
}
