//! Generalized requests (MPI-5.0 §13.2): the program does the work and says when it is complete;
//! waits and tests ask it what came of it.
//!
//! | state      | `complete`            | `give_up` (MPI_Request_free)  | waits and tests       |
//! |------------|-----------------------|-------------------------------|-----------------------|
//! | `Open`     | → `Complete`          | → `GivenUp`                   | find it pending       |
//! | `Complete` | is an error           | frees the program's state     | ask, and free it      |
//! | `GivenUp`  | frees, → `Complete`   | finds no request              | find no request       |
//!
//! The program's functions are called with no lock held.

use crate::mpi::callback::Callback;
use crate::mpi::error::{Class, Result};
use crate::mpi::p2p::status::{Completed, Status};
use crate::mpi::program::Program;
use parking_lot::Mutex;

/// What a generalized request is made of.
pub struct General {
    query: Callback,
    free: Callback,
    cancel: Callback,
    extra_state: usize,
    stage: Mutex<Stage>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Open,
    Complete,
    GivenUp,
}

impl General {
    pub fn new(query: Callback, free: Callback, cancel: Callback, extra_state: usize) -> General {
        General { query, free, cancel, extra_state, stage: Mutex::new(Stage::Open) }
    }

    /// True if only [`General::complete`] may still be asked for it.
    pub(in crate::mpi) fn is_given_up(&self) -> bool {
        *self.stage.lock() == Stage::GivenUp
    }

    /// The program says so. True if no caller waits for it any more.
    pub(in crate::mpi) fn complete(&self) -> Result<bool> {
        match std::mem::replace(&mut *self.stage.lock(), Stage::Complete) {
            Stage::Open => Ok(false),
            Stage::GivenUp => Ok(true),
            Stage::Complete => Err(Class::REQUEST.because("request is complete already")),
        }
    }

    /// Nobody will wait for it. True if it is complete, so that its state may go.
    pub(in crate::mpi) fn give_up(&self) -> bool {
        let mut stage = self.stage.lock();
        if *stage == Stage::Open {
            *stage = Stage::GivenUp;
        }
        *stage == Stage::Complete
    }

    /// What came of it; whoever does more than look frees the program's state, too. The error is
    /// that of the function that was called last.
    pub(in crate::mpi) fn ended(&self, program: &dyn Program, is_look: bool) -> Completed {
        let mut status = Status::EMPTY;
        let mut news = program.query(self.query, self.extra_state, &mut status);
        if !is_look {
            news = self.free(program).and(news);
        }
        Completed { status: status.without_error(), news }
    }

    /// Frees the program's state.
    pub(in crate::mpi) fn free(&self, program: &dyn Program) -> Result {
        program.free(self.free, self.extra_state)
    }

    /// Asks the program to give its work up.
    pub(in crate::mpi) fn cancel(&self, program: &dyn Program) -> Result {
        let is_complete = *self.stage.lock() == Stage::Complete;
        program.cancel(self.cancel, self.extra_state, is_complete)
    }
}
