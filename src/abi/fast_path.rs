//! The fast path of the most frequent calls (see `mpi::p2p::eager`). It declines anything unusual
//! or erroneous, which then takes the slow path.

#![allow(clippy::too_many_arguments, reason = "as many as the calls have")]

use crate::abi::kinds::*;
use crate::mpi::coll::brief::{self, Numbers};
use crate::mpi::datatype::Address;
use crate::mpi::error::Result;
use crate::mpi::p2p::eager::{self, Short};
use crate::mpi::p2p::request;
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
        request.set(request::DONE);
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
        request.set(request::NULL);
    }
    Ok(ended.map(|end| status.set(end)).is_some())
}

#[inline(always)]
pub(super) fn barrier(process: &'static Process, comm: MPI_Comm) -> Result<bool> {
    brief::barrier(process, comm.key())
}

#[inline(always)]
pub(super) fn bcast(
    process: &'static Process, buffer: OutBuf, count: Late<impl Kind<Checked = i64>>,
    datatype: Late<MPI_Datatype>, root: Rank, comm: MPI_Comm,
) -> Result<bool> {
    let Ok(root) = root.check(process, "root") else { return Ok(false) };
    brief::bcast(process, numbers(process, buffer, count, datatype), root, comm.key())
}

/// Declares the fast paths of gather, scatter, allgather and alltoall.
macro_rules! exchanges {
    ($($name:ident($($root:ident)?);)*) => {$(
        #[inline(always)]
        pub(super) fn $name(
            process: &'static Process, sendbuf: InBuf, sendcount: Late<impl Kind<Checked = i64>>,
            sendtype: Late<MPI_Datatype>, recvbuf: OutBuf,
            recvcount: Late<impl Kind<Checked = i64>>, recvtype: Late<MPI_Datatype>,
            $($root: Rank,)? comm: MPI_Comm,
        ) -> Result<bool> {
            $(let Ok($root) = $root.check(process, "root") else { return Ok(false) };)?
            let send = numbers(process, sendbuf, sendcount, sendtype);
            let recv = numbers(process, recvbuf, recvcount, recvtype);
            brief::$name(process, send, recv, $($root,)? comm.key())
        }
    )*};
}

exchanges! {
    gather(root);
    scatter(root);
    allgather();
    alltoall();
}

#[inline(always)]
pub(super) fn reduce(
    process: &'static Process, sendbuf: InBuf, recvbuf: OutBuf,
    count: Late<impl Kind<Checked = i64>>, datatype: Late<MPI_Datatype>, op: Late<MPI_Op>,
    root: Rank, comm: MPI_Comm,
) -> Result<bool> {
    let (Ok(send), Ok(root)) = (sendbuf.check(process, "sendbuf"), root.check(process, "root"))
    else {
        return Ok(false);
    };
    let it = numbers(process, recvbuf, count, datatype);
    brief::reduce(process, send, it, op.now().key(), root, comm.key())
}

#[inline(always)]
pub(super) fn allreduce(
    process: &'static Process, sendbuf: InBuf, recvbuf: OutBuf,
    count: Late<impl Kind<Checked = i64>>, datatype: Late<MPI_Datatype>, op: Late<MPI_Op>,
    comm: MPI_Comm,
) -> Result<bool> {
    let Ok(send) = sendbuf.check(process, "sendbuf") else { return Ok(false) };
    let it = numbers(process, recvbuf, count, datatype);
    brief::allreduce(process, send, it, op.now().key(), comm.key())
}

#[inline(always)]
pub(super) fn reduce_scatter_block(
    process: &'static Process, sendbuf: InBuf, recvbuf: OutBuf,
    recvcount: Late<impl Kind<Checked = i64>>, datatype: Late<MPI_Datatype>, op: Late<MPI_Op>,
    comm: MPI_Comm,
) -> Result<bool> {
    let Ok(send) = sendbuf.check(process, "sendbuf") else { return Ok(false) };
    let it = numbers(process, recvbuf, recvcount, datatype);
    brief::reduce_scatter(process, send, it, op.now().key(), comm.key())
}

#[inline(always)]
pub(super) fn scan(
    process: &'static Process, sendbuf: InBuf, recvbuf: OutBuf,
    count: Late<impl Kind<Checked = i64>>, datatype: Late<MPI_Datatype>, op: Late<MPI_Op>,
    comm: MPI_Comm,
) -> Result<bool> {
    let Ok(send) = sendbuf.check(process, "sendbuf") else { return Ok(false) };
    let it = numbers(process, recvbuf, count, datatype);
    brief::scan(process, send, it, op.now().key(), comm.key(), false)
}

#[inline(always)]
pub(super) fn exscan(
    process: &'static Process, sendbuf: InBuf, recvbuf: OutBuf,
    count: Late<impl Kind<Checked = i64>>, datatype: Late<MPI_Datatype>, op: Late<MPI_Op>,
    comm: MPI_Comm,
) -> Result<bool> {
    let Ok(send) = sendbuf.check(process, "sendbuf") else { return Ok(false) };
    let it = numbers(process, recvbuf, count, datatype);
    brief::scan(process, send, it, op.now().key(), comm.key(), true)
}

/// The arguments as passed; an invalid one becomes empty, which the fast path declines.
#[inline(always)]
fn numbers(
    process: &'static Process, buf: impl Kind<Checked = Address>,
    count: Late<impl Kind<Checked = i64>>, datatype: Late<MPI_Datatype>,
) -> Numbers {
    let buf = buf.check(process, "buf").unwrap_or(Address::BOTTOM);
    let count = count.now().check(process, "count").unwrap_or(0);
    Numbers { buf, count, datatype: datatype.now().key() }
}
