//! One rank's MPI: its tables of objects, its engine, its state between init and finalize.

use crate::mpi::error::Result;

/// What one incarnation of a rank knows of MPI. Every door gets it first.
pub struct Process {}

impl Process {
    /// Called at every door: news of failures, and whether this rank is to die.
    #[inline]
    pub fn notice(&self) -> Result {
        Ok(())
    }
}
