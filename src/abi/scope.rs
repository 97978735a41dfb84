//! Whose error handler hears of a failed call, and what it hears.

use crate::mpi::error::Class;
use crate::mpi::reaction::Hearer;

/// The object whose error handler is called when a call fails, by its raw handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// The call names no object. The handler is that of MPI_COMM_SELF or MPI_COMM_WORLD, or the
    /// initial one (MPI-5.0 §9.3).
    Initial,
    Comm(usize),
    Session(usize),
    Win(usize),
    /// The error handler that was passed for an object which does not exist yet.
    Handler(usize),
    /// A communicator that may have been freed since the failing operation was started.
    Hearer(Hearer),
    /// A file; MPI_FILE_NULL where there is none (MPI-5.0 §14.7).
    File(usize),
    /// The tools interface: no handler is ever called (MPI-5.0 §15.3.2).
    Tool,
}

/// An error, as far as the code that reports it to the program needs to know.
#[derive(Clone, Copy)]
pub(super) struct News {
    pub(super) class: Class,
    /// The class that an error handler receives.
    pub(super) cause: Class,
    pub(super) is_of_a_death: bool,
}
