//! What a failed call does, and which error handler is told (MPI-5.0 §9.3).

use crate::mpi::callback::Callback;

/// What a failed call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// The job ends.
    Fatal,
    /// [`Reaction::Fatal`] by default, not by the program's choice: where failures can be survived,
    /// a call that fails because of a process failure returns its error code.
    Unchosen,
    /// The processes of the object end; in this library, where they share one job, the job.
    Abort,
    /// The call returns its error code.
    Return,
    /// The program's function is called, and the call returns its error code if that returns.
    User(Callback),
}

/// The communicator whose error handler is told of a late error, as it was when the error occurred.
/// By the time that the handler runs, its handle may have been freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hearer {
    pub comm: usize,
    pub reaction: Reaction,
}
