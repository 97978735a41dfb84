//! This library's own functions, declared in `include/ftmpi.h`, which cbindgen writes from this
//! file.

use crate::host::current;
use crate::host::life::{self, Ending};
use crate::host::{sched, virtual_time};
use crate::job;
use std::ffi::{c_double, c_int};

/// The number of the calling rank among those that `ftrun` started, also before `MPI_Init`;
/// -1 in a program that runs without `ftrun`.
#[unsafe(no_mangle)]
pub extern "C" fn ftmpi_rank_in_job() -> c_int {
    let seat = current().map(|rank| rank.seat).or_else(|| Some(job::place()?.0));
    seat.map_or(-1, |seat| seat as c_int)
}

/// How often this rank has been started again: 0 in its first life.
#[unsafe(no_mangle)]
pub extern "C" fn ftmpi_incarnation() -> c_int {
    let incarnation = current().map(|rank| rank.past_lives()).or_else(|| Some(job::place()?.1));
    incarnation.map_or(0, |incarnation| incarnation as c_int)
}

/// Kills `rank` as `kill -9` kills a process, wherever it is. Does not wait for its death; does
/// nothing when there is no such rank. Killing itself, a rank does not return.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn ftmpi_kill(rank: c_int) {
    if current().is_some_and(|own| own.seat as c_int == rank) {
        life::end_current(Ending::Killed);
    }
    let Ok(seat) = usize::try_from(rank) else { return };
    if job::place().is_some_and(|(own, _)| own == seat) {
        life::kill_process();
    }
    if !job::kill(seat) {
        life::kill(seat);
    }
}

/// Says that what the caller computes takes so long on the machine whose time `ftrun --virtual`
/// shows; without that, it does nothing.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn ftmpi_compute(seconds: c_double) {
    if virtual_time::is_on() {
        sched::compute(virtual_time::declared(seconds));
    }
}

/// Says that what the caller computes consists of so many floating-point operations, and moves so
/// many bytes between processor and memory: with `ftrun --virtual` it takes as long as the slower
/// of the two on that machine.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn ftmpi_compute_work(flops: c_double, bytes: c_double) {
    if virtual_time::is_on() {
        sched::compute(virtual_time::declared_work(flops, bytes));
    }
}
