//! Error handlers (MPI-5.0 §9.3): what happens when a call fails.

use crate::engine::shared::rules::InitialErrhandler;
use crate::mpi::callback::Callback;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::handle_table::{Held, Sort, Table};
pub use crate::mpi::reaction::Reaction;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub const FATAL: usize = 0x141;

/// An error handler.
#[derive(Debug)]
pub struct Errhandler {
    pub reaction: Reaction,
    /// What it can be set on; `None`: on everything, as the predefined ones.
    sort: Option<Sort>,
    holds: Mutex<Holds>,
}

/// How often the program holds the handle of an error handler. Objects on which it is set may
/// outlive that: the first one asked gives the handler a new handle, which all share.
#[derive(Debug)]
struct Holds {
    handle: usize,
    count: usize,
}

impl Errhandler {
    const fn new(reaction: Reaction, sort: Option<Sort>, handle: usize) -> Errhandler {
        Errhandler { reaction, sort, holds: Mutex::new(Holds { handle, count: 1 }) }
    }

    /// Fails when the handler was made for objects of another sort.
    fn suits(&self, wanted: Sort) -> Result {
        match self.sort {
            Some(sort) if sort != wanted => {
                let words = format!(
                    "errhandler was created for {}, and cannot be set on {}",
                    sort.plural(),
                    wanted.one()
                );
                Err(Class::ERRHANDLER.because(words))
            }
            _ => Ok(()),
        }
    }

    /// The predefined handler with this handle.
    pub fn predefined(handle: usize) -> Option<Held<Errhandler>> {
        static PREDEFINED: [Errhandler; 3] = [
            Errhandler::new(Reaction::Fatal, None, FATAL),
            Errhandler::new(Reaction::Abort, None, FATAL + 1),
            Errhandler::new(Reaction::Return, None, FATAL + 2),
        ];
        PREDEFINED.get(handle.checked_sub(FATAL)?).map(Held::Ever)
    }
}

/// The handler that is set on an object.
pub struct Installed {
    /// What sort of object it is.
    on: Sort,
    handler: Mutex<Held<Errhandler>>,
    is_chosen: AtomicBool,
}

impl Installed {
    /// MPI_ERRORS_ARE_FATAL.
    pub fn fatal() -> Installed {
        Installed::initial(None)
    }

    /// What the first communicators start with: MPI_ERRORS_ARE_FATAL, unless the user has
    /// chosen another one for the job.
    pub fn initial(chosen: Option<InitialErrhandler>) -> Installed {
        let handle = match chosen {
            None | Some(InitialErrhandler::AreFatal) => FATAL,
            Some(InitialErrhandler::Abort) => FATAL + 1,
            Some(InitialErrhandler::Return) => FATAL + 2,
        };
        let installed = Installed::predefined(Sort::Comm, handle);
        installed.is_chosen.store(chosen.is_some(), Ordering::Relaxed);
        installed
    }

    /// MPI_ERRORS_RETURN, which files start with (MPI-5.0 §14.7).
    pub fn of_files() -> Installed {
        Installed::predefined(Sort::File, FATAL + 2)
    }

    /// MPI_ERRORS_ARE_FATAL, which windows start with (MPI-5.0 §12.6).
    pub fn of_windows() -> Installed {
        Installed::predefined(Sort::Win, FATAL)
    }

    fn predefined(on: Sort, handle: usize) -> Installed {
        let handler = Errhandler::predefined(handle).expect("one of the predefined");
        Installed { on, handler: Mutex::new(handler), is_chosen: AtomicBool::new(false) }
    }

    /// This handler, on an object of this sort.
    pub fn with(on: Sort, errhandler: Held<Errhandler>) -> Result<Installed> {
        errhandler.suits(on)?;
        Ok(Installed { on, handler: Mutex::new(errhandler), is_chosen: AtomicBool::new(true) })
    }

    /// The handler that `parent` has now: a new communicator starts with it (MPI-5.0 §9.3).
    pub fn inherit(parent: &Installed) -> Installed {
        let is_chosen = AtomicBool::new(parent.is_chosen());
        Installed { on: parent.on, handler: Mutex::new(parent.handler.lock().clone()), is_chosen }
    }

    pub fn reaction(&self) -> Reaction {
        match self.handler.lock().reaction {
            Reaction::Fatal if !self.is_chosen() => Reaction::Unchosen,
            reaction => reaction,
        }
    }

    /// Whether the program has set it, on this object or on the one that it was inherited from.
    pub fn is_chosen(&self) -> bool {
        self.is_chosen.load(Ordering::Relaxed)
    }

    pub fn set(&self, errhandler: Held<Errhandler>) -> Result {
        errhandler.suits(self.on)?;
        *self.handler.lock() = errhandler;
        self.is_chosen.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// A handle of the handler that is set; the program has one more to free.
    pub fn hold(&self, errhandlers: &Table<Errhandler>) -> Result<usize> {
        let errhandler = self.handler.lock().clone();
        let mut holds = errhandler.holds.lock();
        let Held::Counted(errhandler) = &errhandler else { return Ok(holds.handle) };
        if holds.count == 0 {
            let handle = errhandlers.insert(errhandler.clone());
            holds.handle = handle.ok_or_else(no_room)?;
        }
        holds.count += 1;
        Ok(holds.handle)
    }
}

/// A handler for objects of a sort that calls `function`; returns its handle.
pub fn create(errhandlers: &Table<Errhandler>, sort: Sort, function: Callback) -> Result<usize> {
    let reaction = Reaction::User(function);
    let new = |handle| Arc::new(Errhandler::new(reaction, Some(sort), handle));
    let made = errhandlers.insert_with(new);
    made.map(|(handle, _)| handle).ok_or_else(no_room)
}

impl Held<Errhandler> {
    /// The program gives one hold of its handle back; whether that was the last one. Predefined
    /// handlers have handles for good: MPI_Comm_get_errhandler gives them out, and they may be
    /// freed (§9.3.4).
    pub fn give_back(&self) -> bool {
        let Held::Counted(errhandler) = self else { return false };
        let mut holds = errhandler.holds.lock();
        holds.count = holds.count.saturating_sub(1);
        holds.count == 0
    }
}

fn no_room() -> Failure {
    Class::OTHER.because("too many objects: no handle is left for another error handler")
}
