//! Registrations of events: which functions of the program are called, at which level of safety.

use crate::mpi::callback::Callback;

/// The levels of safety, lowest first: what a callback must not do (MPI-5.0 §15.3.8).
pub const SAFETIES: [i32; 4] = [0, 3, 15, 63];

/// A function for one level.
#[derive(Clone, Copy)]
pub(super) struct Hearing {
    pub(super) function: Callback,
    pub(super) user_data: usize,
}

/// One registration of an event.
pub struct Registration {
    pub(super) event: usize,
    /// By level.
    pub(super) hearings: [Option<Hearing>; SAFETIES.len()],
    pub(super) dropped: Option<Callback>,
}

impl Registration {
    pub(super) fn new(event: usize) -> Registration {
        Registration { event, hearings: [None; SAFETIES.len()], dropped: None }
    }

    /// The function to call where nothing is held: any level may be called there, and the lowest
    /// one may do most.
    pub(super) fn hearing(&self) -> Option<Hearing> {
        self.hearings.iter().flatten().next().copied()
    }
}
