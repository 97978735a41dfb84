//! Callbacks: functions that the program passes to the library. Here they are plain values; only
//! the doors can call them.

/// A function of the program's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Callback {
    /// Its address; small numbers are the standard's predefined functions.
    pub code: usize,
    pub language: Language,
}

/// How a callback is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C,
    /// Every argument by reference.
    Fortran,
    /// Like [`Language::Fortran`], but with default integers instead of address-sized ones (MPI-1).
    OldFortran,
}
