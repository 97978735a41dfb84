//! MPI_Abort (MPI-5.0 §9.6): ends the job; by ULFM's rules, only the ranks in the group of its
//! communicator, which are failed processes to all others.

use crate::abi::current;
use crate::job;
use crate::mpi::comm::Comm;
use crate::mpi::process::Process;
use std::ffi::c_int;

/// MPI_Abort with this code, as far as an exit status can say it.
pub(super) fn abort(process: &Process, comm: Option<&Comm>, code: c_int) -> ! {
    let status = match code & 0xff {
        0 if code != 0 => 1,
        status => status,
    };
    let title = comm.map_or("no communicator".to_string(), Comm::title);
    let words = format!("called MPI_Abort on {title} with {code}");
    if let Some(comm) = comm {
        end_group(process, comm, status, &words);
    }
    job::end_job(status, &format!("rank {} {words}", process.me.seat))
}

/// Ends all members of `comm`, the caller among them, if the rules say so and a rank outside of it
/// lives; returns if not.
pub(super) fn end_group(process: &Process, comm: &Comm, status: c_int, words: &str) {
    if job::end_group(process, comm, status, words) {
        current::end()
    }
}
