//! Whose error handler hears of a failed call, and what it hears.

use crate::mpi::errhandler::Hearer;
use crate::mpi::error::Class;

/// The object whose error handler hears about a failed call, by its raw handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// The call names no object: MPI_COMM_SELF's handler or MPI_COMM_WORLD's, or the initial one
    /// (MPI-5.0 §9.3).
    Initial,
    Comm(usize),
    Session(usize),
    /// The error handler that the call got as an argument, for an object that is to be.
    Handler(usize),
    /// A communicator that may have been freed since the failing operation was started.
    Hearer(Hearer),
    /// Files: one handler for all, which returns by default (MPI-5.0 §14.7).
    File,
    /// The tools interface: no handler ever hears (MPI-5.0 §15.3.2).
    Tool,
}

/// What an error is, for those who tell the program.
#[derive(Clone, Copy)]
pub(super) struct News {
    pub(super) class: Class,
    /// What an error handler is told.
    pub(super) cause: Class,
    pub(super) is_of_a_death: bool,
}
