//! Before MPI_Init, inside, after MPI_Finalize.

use crate::mpi::coll::barrier;
use crate::mpi::comm::SELF;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::process::{Process, thread_token};
use std::sync::atomic::{AtomicI32, AtomicU8, AtomicUsize, Ordering};

const BEFORE: u8 = 0;
const INSIDE: u8 = 1;
const FINALIZING: u8 = 2;
const AFTER: u8 = 3;

pub const THREAD_SINGLE: i32 = 0;
pub const THREAD_MULTIPLE: i32 = 4096;
const THREAD_LEVELS: [i32; 4] = [THREAD_SINGLE, 1024, 2048, THREAD_MULTIPLE];

/// Where a process is on its way.
#[derive(Default)]
pub struct Phases {
    phase: AtomicU8,
    thread_level: AtomicI32,
    main_thread: AtomicUsize,
}

impl Phases {
    /// Fails outside of the time between MPI_Init and MPI_Finalize.
    #[inline]
    pub fn is_inside(&self) -> Result {
        match self.phase.load(Ordering::Relaxed) {
            INSIDE | FINALIZING => Ok(()),
            BEFORE => Err(Class::OTHER.because("called before MPI_Init")),
            _ => Err(Class::OTHER.because("called after MPI_Finalize")),
        }
    }

    /// True from MPI_Init on, MPI_Finalize or not.
    pub fn is_initialized(&self) -> bool {
        self.phase.load(Ordering::Relaxed) != BEFORE
    }

    /// True once MPI_Finalize is done.
    pub fn is_finalized(&self) -> bool {
        self.phase.load(Ordering::Relaxed) == AFTER
    }

    /// True from the call of MPI_Finalize on.
    pub fn is_leaving(&self) -> bool {
        self.phase.load(Ordering::Relaxed) >= FINALIZING
    }

    /// MPI_Init: returns the thread level that is provided, which is the one required.
    pub fn begin(&self, required: i32) -> Result<i32> {
        if !THREAD_LEVELS.contains(&required) {
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
            Err(_) => Err(Class::OTHER.because("MPI is initialized already; that happens once")),
        }
    }

    /// MPI_Finalize begins: only one call of it may.
    pub fn leave(&self) -> Result {
        self.is_inside()?;
        let left =
            self.phase.compare_exchange(INSIDE, FINALIZING, Ordering::AcqRel, Ordering::Acquire);
        match left {
            Ok(_) => Ok(()),
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

/// MPI_Finalize: attributes of MPI_COMM_SELF go first, the newest before the others; then all who
/// live meet. Whoever is dead is not waited for.
pub fn finalize(process: &'static Process) -> Result {
    process.phases.leave()?;
    let alone = process.self_comm();
    let cleared = alone.attributes.clear(process, SELF).map_err(|failure| failure.on(alone));
    let met = barrier(process, process.world_comm());
    process.phases.end();
    match met {
        Err(Failure::Died) => Err(Failure::Died),
        _ => cleared,
    }
}
