//! Where a process is on its way: before MPI_Init, inside, after MPI_Finalize.

use crate::mpi::error::{Class, Result};
use crate::mpi::thread::{THREAD_LEVELS, thread_token};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicU32, AtomicUsize, Ordering};

// Those in which MPI_COMM_WORLD is there come last: one look tells.
const BEFORE: u8 = 0;
const AFTER: u8 = 1;
const INSIDE: u8 = 2;
const FINALIZING: u8 = 3;

/// Where a process is on its way.
#[derive(Default)]
pub struct Phases {
    phase: AtomicU8,
    thread_level: AtomicI32,
    main_thread: AtomicUsize,
    /// How many sessions are open, and whether there ever was one.
    open_sessions: AtomicU32,
    has_had_sessions: AtomicBool,
}

impl Phases {
    /// Fails outside of the time between MPI_Init and MPI_Finalize, unless a session is open.
    #[inline]
    pub fn is_inside(&self) -> Result {
        if self.has_world() { Ok(()) } else { self.is_inside_session() }
    }

    /// True between MPI_Init and MPI_Finalize: MPI_COMM_WORLD is there.
    #[inline(always)]
    pub fn has_world(&self) -> bool {
        self.phase.load(Ordering::Relaxed) >= INSIDE
    }

    /// True after MPI_Init, as long as MPI_Finalize has not been called.
    pub(super) fn is_under_way(&self) -> bool {
        self.phase.load(Ordering::Relaxed) == INSIDE
    }

    #[cold]
    fn is_inside_session(&self) -> Result {
        match self.phase.load(Ordering::Relaxed) {
            _ if self.open_sessions.load(Ordering::Relaxed) > 0 => Ok(()),
            BEFORE => Err(Class::OTHER.because("called before MPI_Init")),
            _ => Err(Class::OTHER.because("called after MPI_Finalize")),
        }
    }

    /// Returns whether this is the only one.
    pub(super) fn open_session(&self) -> bool {
        self.has_had_sessions.store(true, Ordering::Relaxed);
        self.open_sessions.fetch_add(1, Ordering::Relaxed) == 0
    }

    /// Returns whether it was the last one.
    pub(super) fn close_session(&self) -> bool {
        self.open_sessions.fetch_sub(1, Ordering::Relaxed) == 1
    }

    /// What whoever ends now leaves undone, if anything.
    pub fn debt(&self) -> Option<&'static str> {
        match self.phase.load(Ordering::Relaxed) {
            INSIDE => Some("MPI_Finalize"),
            _ if self.open_sessions.load(Ordering::Relaxed) > 0 => Some("MPI_Session_finalize"),
            _ => None,
        }
    }

    /// True for those who have used MPI and are done with it: nobody waits for them.
    pub fn has_left(&self) -> bool {
        let phase = self.phase.load(Ordering::Relaxed);
        let has_begun = phase == AFTER || self.has_had_sessions.load(Ordering::Relaxed);
        has_begun && !matches!(phase, INSIDE | FINALIZING) && self.debt().is_none()
    }

    /// True from MPI_Init on, MPI_Finalize or not.
    pub fn is_initialized(&self) -> bool {
        self.phase.load(Ordering::Relaxed) != BEFORE
    }

    /// True once MPI_Finalize is done.
    pub fn is_finalized(&self) -> bool {
        self.phase.load(Ordering::Relaxed) == AFTER
    }

    /// MPI_Init: returns the thread level that is provided, which is the one required.
    pub fn begin(&self, required: i32) -> Result<i32> {
        if !THREAD_LEVELS.iter().any(|(level, _)| *level == required) {
            let words = format!("required is {required}; it must be one of the thread levels");
            return Err(Class::ARG.because(words));
        }
        let begun =
            self.phase.compare_exchange(BEFORE, INSIDE, Ordering::AcqRel, Ordering::Acquire);
        match begun {
            Ok(_) => {
                self.thread_level.store(required, Ordering::Relaxed);
                self.main_thread.store(thread_token(), Ordering::Relaxed);
                Ok(required)
            }
            Err(AFTER) => Err(Class::OTHER.because("called after MPI_Finalize")),
            Err(_) => Err(Class::OTHER.because("MPI is already initialized; call MPI_Init once")),
        }
    }

    /// MPI_Finalize begins: only one call of it may.
    pub fn leave(&self) -> Result {
        let left =
            self.phase.compare_exchange(INSIDE, FINALIZING, Ordering::AcqRel, Ordering::Acquire);
        match left {
            Ok(_) => Ok(()),
            Err(BEFORE) => Err(Class::OTHER.because("called before MPI_Init")),
            Err(AFTER) => Err(Class::OTHER.because("called after MPI_Finalize")),
            Err(_) => Err(Class::OTHER.because("called twice")),
        }
    }

    /// MPI_Finalize is done.
    pub fn end(&self) {
        self.phase.store(AFTER, Ordering::Release);
    }

    /// The thread level that MPI_Init provided.
    pub fn thread_level(&self) -> i32 {
        self.thread_level.load(Ordering::Relaxed)
    }

    /// True in the thread that called MPI_Init.
    pub fn is_main_thread(&self) -> bool {
        self.main_thread.load(Ordering::Relaxed) == thread_token()
    }
}
