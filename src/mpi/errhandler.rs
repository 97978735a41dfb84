//! Error handlers (MPI-5.0 §9.3): what happens when a call fails.

use crate::mpi::callback::Callback;
use crate::mpi::error::{Class, Result};
use crate::mpi::process::Process;
use crate::mpi::table::Held;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

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

/// An error handler, and how often the program holds its handle.
#[derive(Debug)]
pub struct Errhandler {
    pub reaction: Reaction,
    holds: AtomicUsize,
}

impl Errhandler {
    const fn new(reaction: Reaction) -> Errhandler {
        Errhandler { reaction, holds: AtomicUsize::new(1) }
    }

    /// The predefined handler with this handle.
    pub fn predefined(handle: usize) -> Option<Held<Errhandler>> {
        static PREDEFINED: [Errhandler; 3] = [
            Errhandler::new(Reaction::Fatal),
            Errhandler::new(Reaction::Abort),
            Errhandler::new(Reaction::Return),
        ];
        PREDEFINED.get(handle.checked_sub(FATAL)?).map(Held::Ever)
    }
}

/// The handler that is set on an object.
pub struct Installed(Mutex<Setting>);

#[derive(Clone)]
struct Setting {
    handle: usize,
    errhandler: Held<Errhandler>,
}

impl Installed {
    /// MPI_ERRORS_ARE_FATAL, which the first communicators start with.
    pub fn fatal() -> Installed {
        let errhandler = Errhandler::predefined(FATAL).expect("the first of the predefined");
        Installed(Mutex::new(Setting { handle: FATAL, errhandler }))
    }

    /// The same as `parent` has now: what a new communicator starts with (MPI-5.0 §9.3).
    pub fn inherit(parent: &Installed) -> Installed {
        Installed(Mutex::new(parent.0.lock().clone()))
    }

    pub fn reaction(&self) -> Reaction {
        self.0.lock().errhandler.reaction
    }

    pub fn set(&self, handle: usize, errhandler: Held<Errhandler>) {
        *self.0.lock() = Setting { handle, errhandler };
    }

    /// A handle of the handler that is set; the program has one more to free.
    pub fn hold(&self, process: &Process) -> Result<usize> {
        let mut setting = self.0.lock();
        let Held::Counted(errhandler) = &setting.errhandler else { return Ok(setting.handle) };
        let is_held = |holds: usize| (holds > 0).then_some(holds + 1);
        let held = errhandler.holds.fetch_update(Ordering::AcqRel, Ordering::Acquire, is_held);
        if held.is_err() {
            let errhandler = errhandler.clone();
            errhandler.holds.store(1, Ordering::Release);
            setting.handle = keep(process, errhandler)?;
        }
        Ok(setting.handle)
    }
}

/// A handler that calls `function`; returns its handle.
pub fn create(process: &Process, function: Callback) -> Result<usize> {
    keep(process, Arc::new(Errhandler::new(Reaction::User(function))))
}

/// The program gives one hold of its handle back. Where it is set, the handler stays in force.
pub fn free(process: &Process, handle: usize) -> Result {
    let errhandler = process.errhandler(handle, "errhandler")?;
    let Held::Counted(errhandler) = errhandler else {
        // MPI_Comm_get_errhandler gives handles of predefined ones, which may be freed (§9.3.4).
        return Ok(());
    };
    if errhandler.holds.fetch_sub(1, Ordering::AcqRel) == 1 {
        process.errhandlers.remove(handle);
    }
    Ok(())
}

fn keep(process: &Process, errhandler: Arc<Errhandler>) -> Result<usize> {
    let handle = process.errhandlers.insert(errhandler);
    handle.ok_or_else(|| Class::OTHER.because("there is no room for another error handler"))
}
