//! Put and get (MPI-5.0 §12.3): copies from memory to memory, complete at once; in virtual time,
//! when their messages have come.

use crate::host::memory::{Region, transfer};
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::handle_table::Held;
use crate::mpi::p2p::request_table::DONE;
use crate::mpi::process::Process;
use crate::mpi::rma::target::{Spot, Target};
use crate::mpi::rma::win::Win;
use crate::mpi::{run, transfers};

/// Copies the origin's data to the target.
pub fn put(process: &Process, win: &Win, origin: &Region, spot: &Spot<'_>) -> Result {
    let Some(target) = Target::find(process, win, spot)? else { return Ok(()) };
    must_match(origin, &target.region)?;
    if let Some(process_there) = target.elsewhere {
        let put = process_there.store(origin, &target.region);
        return put.map_err(|missing| target.missed_there(process, win, missing));
    }
    if let Some((traffic, seat)) = win.traffic_to(target.rank) {
        traffic.store(seat, origin.bytes());
    }
    let put = transfer(origin, &target.region);
    put.map_err(|fault| target.missed(process, win, fault.address, !fault.in_source))
}

/// Copies the target's data to the origin.
pub fn get(process: &Process, win: &Win, origin: &Region, spot: &Spot<'_>) -> Result {
    let Some(target) = Target::find(process, win, spot)? else { return Ok(()) };
    must_match(origin, &target.region)?;
    if let Some(process_there) = target.elsewhere {
        let got = process_there.fetch(&target.region, origin);
        return got.map_err(|missing| target.missed_there(process, win, missing));
    }
    if let Some((traffic, seat)) = win.traffic_to(target.rank) {
        traffic.load(seat, 0, origin.bytes());
    }
    let got = transfer(&target.region, origin);
    got.map_err(|fault| target.missed(process, win, fault.address, fault.in_source))
}

/// The handle of a request that is complete when what was loaded last from this member has come:
/// at once, unless time is virtual.
pub fn request(process: &'static Process, win: &Win, rank: i32) -> Result<usize> {
    let last = win.traffic_to(rank).and_then(|(traffic, seat)| traffic.last_load(seat));
    let Some(load) = last else { return Ok(DONE) };
    let arrive = |way| async move { transfers::arrive(process, way, &load).await };
    let pending = run::start(process, arrive)?;
    process.requests.keep(&Held::Ever(process.self_comm()), pending)
}

/// Both sides of an access have as many bytes.
pub fn must_match(origin: &Region, target: &Region) -> Result {
    match origin.bytes() == target.bytes() {
        true => Ok(()),
        false => Err(unequal(origin.bytes(), target.bytes())),
    }
}

#[cold]
fn unequal(origin: usize, target: usize) -> Failure {
    let words = format!("the origin has {origin} bytes, the target {target}; they must match");
    Class::TRUNCATE.because(words)
}
