//! MPI_Abort (MPI-5.0 §9.6). It ends the job; under ULFM's rules it ends only the ranks in the
//! group of its communicator, which all other ranks then see as failed processes.

use crate::abi::current;
use crate::job;
use crate::mpi::comm::Comm;
use crate::mpi::process::Process;
use std::ffi::c_int;

/// Carries out MPI_Abort. The exit status is the low eight bits of `code`, but 0 only for code 0.
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

/// Ends all members of `comm`, including the caller, if the rules say so and a rank outside of
/// `comm` is alive. Returns otherwise.
pub(super) fn end_group(process: &Process, comm: &Comm, status: c_int, words: &str) {
    if job::end_group(process, comm, status, words) {
        current::end()
    }
}
