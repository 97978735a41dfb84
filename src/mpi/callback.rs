//! What the program gave the library to call back. Only the doors can call it; here it is a value.

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
    /// The same, with default integers where addresses fit today (MPI-1).
    OldFortran,
}
