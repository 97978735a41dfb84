//! Persistent sends and receives (MPI-5.0 §3.9). What does not change from start to start is worked
//! out once, so that a short message takes the fast path as that of a nonblocking call does.

use super::request_table::{Requests, Start};
use super::{Mode, irecv, isend, letter, pattern};
use crate::base::slab::Key;
use crate::engine::{PrepostedReceives, Watch};
use crate::host::memory::Region;
use crate::mpi::comm::Comm;
use crate::mpi::error::Result;
use crate::mpi::handle_table::Held;
use crate::mpi::p2p::eager::status_of;
use crate::mpi::p2p::outcome::Pending;
use crate::mpi::p2p::status::Status;
use crate::mpi::process::Process;
use crate::transport::LONGEST_IN_RING;
use std::sync::Arc;

/// How a persistent send is started.
pub fn send_init(
    process: &'static Process, mode: Mode, comm: &Held<Comm>, data: Region, dest: i32, tag: i32,
) -> Result<Arc<Start>> {
    let letter = letter(comm, comm.peer(dest)?, tag);
    let is_plain = matches!(mode, Mode::Standard | Mode::Ready);
    let span = data.span().filter(|span| is_plain && span.bytes() <= LONGEST_IN_RING);
    let short = letter.zip(span).map(|(letter, span)| (letter.envelope, letter.to, span));
    let comm = comm.clone();
    Ok(Arc::new(move || {
        if let Some((envelope, to, span)) = short
            && process.engine.send_at_once(envelope, to, span)?
        {
            return Ok(Pending::Nothing);
        }
        isend(process, mode, &comm, &data, dest, tag)
    }))
}

/// How a persistent receive is started.
pub fn recv_init(
    process: &'static Process, comm: &Held<Comm>, into: Region, source: i32, tag: i32,
) -> Result<Arc<Start>> {
    let short = match pattern(comm, comm.source(source)?, tag) {
        Some((pattern, Watch::Peer { member, .. })) => Some((pattern, member)).zip(into.span()),
        _ => None,
    };
    let comm = comm.clone();
    Ok(Arc::new(move || {
        if let Some(((pattern, from), into)) = short
            && let Some(receive) = process.engine.prepost(pattern, from, into)
        {
            return Ok(Pending::Preposted(receive));
        }
        irecv(process, &comm, into.clone(), source, tag)
    }))
}

/// Waits for a persistent operation on the fast path; `None`: nothing has happened.
#[inline]
pub(super) fn wait(process: &'static Process, handle: usize) -> Result<Option<Status>> {
    match process.requests.started(handle) {
        Some(Pending::Nothing) => {
            process.requests.rest(handle);
            Ok(Some(Status::PLAIN))
        }
        Some(Pending::Preposted(receive)) => wait_for_preposted(process, handle, receive),
        _ => Ok(None),
    }
}

fn wait_for_preposted(
    process: &'static Process, handle: usize, receive: Key,
) -> Result<Option<Status>> {
    let (number, mut receipt) = (receive.number() as usize, None);
    process.engine.fill_preposted(|preposted| {
        preposted.settle(number, |got| receipt = Some(got)) || !preposted.has(number)
    })?;
    let status = receipt.map(status_of);
    if status.is_some() {
        process.requests.rest(handle);
    }
    Ok(status)
}

/// Whether this is the handle of an active persistent operation on the fast path.
pub(super) fn is_short(requests: &Requests, preposted: &PrepostedReceives, handle: usize) -> bool {
    match requests.started(handle) {
        Some(Pending::Nothing) => true,
        Some(Pending::Preposted(receive)) => preposted.has(receive.number() as usize),
        _ => false,
    }
}

/// Completes such an operation, if it has ended, and tells its status.
pub(super) fn settle(
    requests: &Requests, preposted: &mut PrepostedReceives, handle: usize, tell: impl Fn(Status),
) -> bool {
    let is_over = match requests.started(handle) {
        Some(Pending::Nothing) => {
            tell(Status::PLAIN);
            true
        }
        Some(Pending::Preposted(receive)) => {
            preposted.settle(receive.number() as usize, |receipt| tell(status_of(receipt)))
        }
        _ => false,
    };
    if is_over {
        requests.rest(handle);
    }
    is_over
}
