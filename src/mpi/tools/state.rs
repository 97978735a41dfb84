//! What a rank's tools have open: sessions and handles. Ranks are independent: each has its own.
//!
//! Handles say what they are a handle of above the key in a slab, so that a handle of another sort
//! or of something that was freed is recognized.

use super::errors;
use super::event_queue::EventQueue;
use super::registration::Registration;
use crate::base::slab::{Key, Slab};
use crate::engine::World;
use crate::host::life::Pulse;
use crate::mpi::error::{Class, Result};
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;

/// The tools of a rank.
pub struct Tools {
    open: Mutex<Open>,
    pub queue: Arc<EventQueue>,
}

/// Everything that is open.
#[derive(Default)]
pub(super) struct Open {
    /// How often the interface was initialized, less how often it was finalized.
    count: u32,
    pub(super) cvars: Slab<CvarHandle>,
    pub(super) sessions: Slab<()>,
    pub(super) pvars: Slab<PvarHandle>,
    pub(super) registrations: Slab<Registration>,
}

/// A control variable, with the communicator that it is read of.
#[derive(Clone, Copy)]
pub(super) struct CvarHandle {
    pub(super) index: usize,
    pub(super) comm: usize,
}

/// A performance variable as one session sees it.
#[derive(Clone, Copy)]
pub(super) struct PvarHandle {
    pub(super) session: Key,
    pub(super) index: usize,
    pub(super) is_running: bool,
    /// What the variable was when it was last started or reset.
    pub(super) since: u64,
    /// What was counted before that.
    pub(super) kept: u64,
}

/// What a handle is a handle of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Cvar = 1,
    Session,
    Pvar,
    Registration,
    Instance,
}

impl Sort {
    pub(super) fn handle(self, key: Key) -> usize {
        (self as usize) << 32 | key.number() as usize
    }

    pub(super) fn key(self, handle: usize) -> Option<Key> {
        let is_it = handle >> 32 == self as usize;
        Key::from_number(handle as u32).filter(|_| is_it)
    }

    /// The key of this handle, or an error of class `class`.
    pub(super) fn find(self, handle: usize, class: Class, name: &str) -> Result<Key> {
        self.key(handle).ok_or_else(|| unknown(class, name))
    }
}

#[cold]
pub(super) fn unknown(class: Class, name: &str) -> crate::mpi::error::Failure {
    class.because(format!("{name} is not valid (was it freed?)"))
}

impl Tools {
    pub fn new(world: &'static World, pulse: Pulse) -> Tools {
        Tools { open: Mutex::default(), queue: Arc::new(EventQueue::new(world, pulse)) }
    }

    /// MPI_T_init_thread.
    pub fn initialize(&self) {
        self.open.lock().count += 1;
    }

    /// MPI_T_finalize. Returns how many handles counted all messages, if this was the last.
    pub fn finalize(&self, counts_all: impl Fn(&usize) -> bool) -> Result<u32> {
        let mut open = self.is_open()?;
        open.count -= 1;
        if open.count > 0 {
            return Ok(0);
        }
        let handles = open.pvars.keys().filter_map(|key| open.pvars.find(key));
        let counting = handles.filter(|handle| handle.is_running && counts_all(&handle.index));
        let counting = counting.count() as u32;
        *open = Open::default();
        Ok(counting)
    }

    /// Everything that is open, if the interface is initialized.
    pub(super) fn is_open(&self) -> Result<MutexGuard<'_, Open>> {
        let open = self.open.lock();
        match open.count {
            0 => Err(errors::NOT_INITIALIZED.because("call MPI_T_init_thread first")),
            _ => Ok(open),
        }
    }

    /// Fails unless the interface is initialized.
    pub fn must_be_open(&self) -> Result {
        self.is_open().map(drop)
    }

    /// The rank is dead.
    pub fn clear(&self) {
        let left = self.open.try_lock().map(|mut open| std::mem::take(&mut *open));
        drop(left);
    }
}
