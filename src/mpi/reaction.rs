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

/// Who hears of an error that came late: the communicator as it was when the error was met. By the
/// time that somebody reacts to it, its handle may be gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hearer {
    pub comm: usize,
    pub reaction: Reaction,
}
