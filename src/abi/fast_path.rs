//! The fast path of the most frequent calls (see `mpi::p2p::eager`). It declines anything unusual
//! or erroneous, which then takes the slow path.

#![allow(clippy::too_many_arguments, reason = "as many as the calls have")]

use crate::abi::kinds::*;
use crate::mpi::error::Result;
use crate::mpi::p2p::eager::{self, Short};
use crate::mpi::p2p::request_table;
use crate::mpi::process::Process;

#[inline(always)]
pub(super) fn send(
    process: &'static Process, buf: InBuf, count: impl Kind<Checked = i64>, datatype: MPI_Datatype,
    dest: Rank, tag: Tag, comm: MPI_Comm,
) -> Result<bool> {
    let (Ok(buf), Ok(count)) = (buf.check(process, "buf"), count.check(process, "count")) else {
        return Ok(false);
    };
    let (Ok(peer), Ok(tag)) = (dest.check(process, "dest"), tag.check(process, "tag")) else {
        return Ok(false);
    };
    let (datatype, comm) = (datatype.key(), comm.key());
    eager::send(process, Short { buf, count, datatype, peer, tag, comm })
}

#[inline(always)]
pub(super) fn recv(
    process: &'static Process, buf: OutBuf, count: impl Kind<Checked = i64>,
    datatype: MPI_Datatype, source: Rank, tag: AnyTag, comm: MPI_Comm, status: OutStatus,
) -> Result<bool> {
    let (Ok(buf), Ok(count)) = (buf.check(process, "buf"), count.check(process, "count")) else {
        return Ok(false);
    };
    let (Ok(peer), Ok(tag)) = (source.check(process, "source"), tag.check(process, "tag")) else {
        return Ok(false);
    };
    let (datatype, comm) = (datatype.key(), comm.key());
    let it = Short { buf, count, datatype, peer, tag, comm };
    eager::recv(process, it, |came| status.set_received(came))
}

#[inline(always)]
pub(super) fn isend(
    process: &'static Process, buf: InBuf, count: impl Kind<Checked = i64>, datatype: MPI_Datatype,
    dest: Rank, tag: Tag, comm: MPI_Comm, request: Var<MPI_Request>,
) -> Result<bool> {
    let Ok(request) = request.check(process, "request") else { return Ok(false) };
    let is_sent = send(process, buf, count, datatype, dest, tag, comm)?;
    if is_sent {
        request.set(request_table::DONE);
    }
    Ok(is_sent)
}

#[inline(always)]
pub(super) fn irecv(
    process: &'static Process, buf: OutBuf, count: impl Kind<Checked = i64>,
    datatype: MPI_Datatype, source: Rank, tag: AnyTag, comm: MPI_Comm, request: Var<MPI_Request>,
) -> Result<bool> {
    let (Ok(buf), Ok(count)) = (buf.check(process, "buf"), count.check(process, "count")) else {
        return Ok(false);
    };
    let (Ok(peer), Ok(tag)) = (source.check(process, "source"), tag.check(process, "tag")) else {
        return Ok(false);
    };
    let Ok(request) = request.check(process, "request") else { return Ok(false) };
    let (datatype, comm) = (datatype.key(), comm.key());
    let started = eager::irecv(process, Short { buf, count, datatype, peer, tag, comm })?;
    Ok(started.map(|handle| request.set(handle)).is_some())
}

#[inline(always)]
pub(super) fn wait(
    process: &'static Process, request: Var<MPI_Request>, status: OutStatus,
) -> Result<bool> {
    let Ok(request) = request.check(process, "request") else { return Ok(false) };
    let ended = eager::wait(process, request.key())?;
    if ended.is_some() {
        request.set(request_table::NULL);
    }
    Ok(ended.map(|end| status.set(end)).is_some())
}
