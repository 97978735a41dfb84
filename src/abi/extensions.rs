//! This library's own functions, declared in `include/ftmpi.h`, which cbindgen writes from this
//! file.

use crate::host::current;
use crate::host::life::{self, Ending};
use std::ffi::c_int;

/// The number of the calling rank among those that `ftrun` started, also before `MPI_Init`;
/// -1 in a program that runs without `ftrun`.
#[unsafe(no_mangle)]
pub extern "C" fn ftmpi_rank_in_job() -> c_int {
    current().map_or(-1, |rank| rank.seat as c_int)
}

/// How often this rank has been started again: 0 in its first life.
#[unsafe(no_mangle)]
pub extern "C" fn ftmpi_incarnation() -> c_int {
    current().map_or(0, |rank| rank.incarnation as c_int)
}

/// Kills `rank` as `kill -9` kills a process, wherever it is. Does not wait for its death; does
/// nothing when there is no such rank. Killing itself, a rank does not return.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn ftmpi_kill(rank: c_int) {
    if current().is_some_and(|own| own.seat as c_int == rank) {
        life::end_current(Ending::Killed);
    }
    if let Ok(seat) = usize::try_from(rank) {
        life::kill(seat);
    }
}
