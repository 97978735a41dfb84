//! Error handlers (MPI-5.0 §9.3): what happens when a call fails.

use crate::mpi::callback::Callback;
use crate::mpi::table::Held;

/// What a failed call does.
#[derive(Debug, PartialEq, Eq)]
pub enum Errhandler {
    /// The job ends.
    Fatal,
    /// The processes of the object end; in this library, where they share one job, the job.
    Abort,
    /// The call returns its error code.
    Return,
    /// The program's function is called, and the call returns its error code if that returns.
    User(Callback),
}

const FIRST: usize = 0x141;
static PREDEFINED: [Errhandler; 3] = [Errhandler::Fatal, Errhandler::Abort, Errhandler::Return];

impl Errhandler {
    /// The predefined handler with this handle.
    pub fn predefined(handle: usize) -> Option<Held<Errhandler>> {
        let index = handle.checked_sub(FIRST)?;
        PREDEFINED.get(index).map(Held::Ever)
    }
}

/// A handler set on an object, with the handle that MPI_Comm_get_errhandler gives back.
#[derive(Clone)]
pub struct Installed {
    pub handle: usize,
    pub errhandler: Held<Errhandler>,
}

impl Installed {
    /// MPI_ERRORS_ARE_FATAL, which every communicator starts with.
    pub fn fatal() -> Installed {
        Installed { handle: FIRST, errhandler: Held::Ever(&PREDEFINED[0]) }
    }
}
