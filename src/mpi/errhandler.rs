//! Error handlers (MPI-5.0 §9.3): what happens when a call fails.

use crate::mpi::callback::Callback;
use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::process::Process;
use crate::mpi::table::Held;
use parking_lot::Mutex;
use std::sync::Arc;

pub const FATAL: usize = 0x141;

/// What a failed call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// The job ends.
    Fatal,
    /// The processes of the object end; in this library, where they share one job, the job.
    Abort,
    /// The call returns its error code.
    Return,
    /// The program's function is called, and the call returns its error code if that returns.
    User(Callback),
}

/// An error handler.
#[derive(Debug)]
pub struct Errhandler {
    pub reaction: Reaction,
    holds: Mutex<Holds>,
}

/// How often the program holds the handle of an error handler. Objects on which it is set may
/// outlive that: whichever is asked first gives the handler a new handle, and that is everybody's.
#[derive(Debug)]
struct Holds {
    handle: usize,
    count: usize,
}

impl Errhandler {
    const fn new(reaction: Reaction, handle: usize) -> Errhandler {
        Errhandler { reaction, holds: Mutex::new(Holds { handle, count: 1 }) }
    }

    /// The predefined handler with this handle.
    pub fn predefined(handle: usize) -> Option<Held<Errhandler>> {
        static PREDEFINED: [Errhandler; 3] = [
            Errhandler::new(Reaction::Fatal, FATAL),
            Errhandler::new(Reaction::Abort, FATAL + 1),
            Errhandler::new(Reaction::Return, FATAL + 2),
        ];
        PREDEFINED.get(handle.checked_sub(FATAL)?).map(Held::Ever)
    }
}

/// The handler that is set on an object.
pub struct Installed(Mutex<Held<Errhandler>>);

impl Installed {
    /// MPI_ERRORS_ARE_FATAL, which the first communicators start with.
    pub fn fatal() -> Installed {
        let errhandler = Errhandler::predefined(FATAL).expect("the first of the predefined");
        Installed(Mutex::new(errhandler))
    }

    /// This handler.
    pub fn with(errhandler: Held<Errhandler>) -> Installed {
        Installed(Mutex::new(errhandler))
    }

    /// The same as `parent` has now: what a new communicator starts with (MPI-5.0 §9.3).
    pub fn inherit(parent: &Installed) -> Installed {
        Installed(Mutex::new(parent.0.lock().clone()))
    }

    pub fn reaction(&self) -> Reaction {
        self.0.lock().reaction
    }

    pub fn set(&self, errhandler: Held<Errhandler>) {
        *self.0.lock() = errhandler;
    }

    /// A handle of the handler that is set; the program has one more to free.
    pub fn hold(&self, process: &Process) -> Result<usize> {
        let errhandler = self.0.lock().clone();
        let mut holds = errhandler.holds.lock();
        let Held::Counted(errhandler) = &errhandler else { return Ok(holds.handle) };
        if holds.count == 0 {
            let handle = process.errhandlers.insert(errhandler.clone());
            holds.handle = handle.ok_or_else(no_room)?;
        }
        holds.count += 1;
        Ok(holds.handle)
    }
}

/// Who hears of an error that came late: the communicator as it was when the error was met. By the
/// time that somebody reacts to it, its handle may be gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hearer {
    pub comm: usize,
    pub reaction: Reaction,
}

impl Hearer {
    pub(super) fn of(comm: &Comm) -> Hearer {
        Hearer { comm: comm.handle, reaction: comm.errhandler.reaction() }
    }
}

/// A handler that calls `function`; returns its handle.
pub fn create(process: &Process, function: Callback) -> Result<usize> {
    let reaction = Reaction::User(function);
    let made =
        process.errhandlers.insert_with(|handle| Arc::new(Errhandler::new(reaction, handle)));
    made.map(|(handle, _)| handle).ok_or_else(no_room)
}

/// The program gives one hold of its handle back. Where it is set, the handler stays in force.
pub fn free(process: &Process, handle: usize) -> Result {
    let errhandler = process.errhandler(handle, "errhandler")?;
    let Held::Counted(errhandler) = errhandler else {
        // MPI_Comm_get_errhandler gives handles of predefined ones, which may be freed (§9.3.4).
        return Ok(());
    };
    let mut holds = errhandler.holds.lock();
    holds.count = holds.count.saturating_sub(1);
    if holds.count == 0 {
        process.errhandlers.remove(handle);
    }
    Ok(())
}

fn no_room() -> Failure {
    Class::OTHER.because("there is no room for another error handler")
}
