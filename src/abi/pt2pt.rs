//! Point-to-point communication: blocking and nonblocking (MPI-5.0 §3.2 to §3.7, §3.10).

use crate::abi::fast_path;
use crate::abi::kinds::*;
use crate::mpi::p2p::{self, Exchange, Mode};

mpi!(
    /// Blocking standard-mode send (MPI-5.0 §3.2.1).
    #[large(MPI_Send_c)]
    #[fortran(mpi_send_)]
    #[raises_on(comm)]
    #[at_once(fast_path::send)]
    fn MPI_Send(
        process: &Process, buf: InBuf, count: Count, datatype: MPI_Datatype, dest: Rank, tag: Tag,
        comm: MPI_Comm,
    ) {
        p2p::send(process, Mode::Standard, &comm, &datatype.region(buf, count)?, dest, tag)
    }
);

mpi!(
    /// Blocking buffered-mode send (MPI-5.0 §3.4).
    #[large(MPI_Bsend_c)]
    #[fortran(mpi_bsend_)]
    #[raises_on(comm)]
    fn MPI_Bsend(
        process: &Process, buf: InBuf, count: Count, datatype: MPI_Datatype, dest: Rank, tag: Tag,
        comm: MPI_Comm,
    ) {
        p2p::send(process, Mode::Buffered, &comm, &datatype.region(buf, count)?, dest, tag)
    }
);

mpi!(
    /// Blocking synchronous-mode send (MPI-5.0 §3.4).
    #[large(MPI_Ssend_c)]
    #[fortran(mpi_ssend_)]
    #[raises_on(comm)]
    fn MPI_Ssend(
        process: &Process, buf: InBuf, count: Count, datatype: MPI_Datatype, dest: Rank, tag: Tag,
        comm: MPI_Comm,
    ) {
        p2p::send(process, Mode::Synchronous, &comm, &datatype.region(buf, count)?, dest, tag)
    }
);

mpi!(
    /// Blocking ready-mode send (MPI-5.0 §3.4).
    #[large(MPI_Rsend_c)]
    #[fortran(mpi_rsend_)]
    #[raises_on(comm)]
    #[at_once(fast_path::send)]
    fn MPI_Rsend(
        process: &Process, buf: InBuf, count: Count, datatype: MPI_Datatype, dest: Rank, tag: Tag,
        comm: MPI_Comm,
    ) {
        p2p::send(process, Mode::Ready, &comm, &datatype.region(buf, count)?, dest, tag)
    }
);

mpi!(
    /// Blocking receive (MPI-5.0 §3.2.4).
    #[large(MPI_Recv_c)]
    #[fortran(mpi_recv_)]
    #[raises_on(comm)]
    #[at_once(fast_path::recv)]
    fn MPI_Recv(
        process: &Process, buf: OutBuf, count: Count, datatype: MPI_Datatype, source: Rank,
        tag: AnyTag, comm: MPI_Comm, status: OutStatus,
    ) {
        let into = datatype.region(buf, count)?;
        p2p::recv(process, &comm, &into, source, tag, |completed| status.end(completed))
    }
);

mpi!(
    /// Starts a standard-mode send (MPI-5.0 §3.7.2).
    #[large(MPI_Isend_c)]
    #[fortran(mpi_isend_)]
    #[raises_on(comm)]
    #[at_once(fast_path::isend)]
    fn MPI_Isend(
        process: &Process, buf: InBuf, count: Count, datatype: MPI_Datatype, dest: Rank, tag: Tag,
        comm: MPI_Comm, request: Var<MPI_Request>,
    ) {
        let data = datatype.region(buf, count)?;
        let pending = p2p::isend(process, Mode::Standard, &comm, &data, dest, tag)?;
        request.set(process.requests.keep(&comm, pending)?);
        Ok(())
    }
);

mpi!(
    /// Starts a buffered-mode send (MPI-5.0 §3.7.2).
    #[large(MPI_Ibsend_c)]
    #[fortran(mpi_ibsend_)]
    #[raises_on(comm)]
    fn MPI_Ibsend(
        process: &Process, buf: InBuf, count: Count, datatype: MPI_Datatype, dest: Rank, tag: Tag,
        comm: MPI_Comm, request: Var<MPI_Request>,
    ) {
        let data = datatype.region(buf, count)?;
        let pending = p2p::isend(process, Mode::Buffered, &comm, &data, dest, tag)?;
        request.set(process.requests.keep(&comm, pending)?);
        Ok(())
    }
);

mpi!(
    /// Starts a synchronous-mode send (MPI-5.0 §3.7.2).
    #[large(MPI_Issend_c)]
    #[fortran(mpi_issend_)]
    #[raises_on(comm)]
    fn MPI_Issend(
        process: &Process, buf: InBuf, count: Count, datatype: MPI_Datatype, dest: Rank, tag: Tag,
        comm: MPI_Comm, request: Var<MPI_Request>,
    ) {
        let data = datatype.region(buf, count)?;
        let pending = p2p::isend(process, Mode::Synchronous, &comm, &data, dest, tag)?;
        request.set(process.requests.keep(&comm, pending)?);
        Ok(())
    }
);

mpi!(
    /// Starts a ready-mode send (MPI-5.0 §3.7.2).
    #[large(MPI_Irsend_c)]
    #[fortran(mpi_irsend_)]
    #[raises_on(comm)]
    #[at_once(fast_path::isend)]
    fn MPI_Irsend(
        process: &Process, buf: InBuf, count: Count, datatype: MPI_Datatype, dest: Rank, tag: Tag,
        comm: MPI_Comm, request: Var<MPI_Request>,
    ) {
        let data = datatype.region(buf, count)?;
        let pending = p2p::isend(process, Mode::Ready, &comm, &data, dest, tag)?;
        request.set(process.requests.keep(&comm, pending)?);
        Ok(())
    }
);

mpi!(
    /// Starts a receive.
    #[large(MPI_Irecv_c)]
    #[fortran(mpi_irecv_)]
    #[raises_on(comm)]
    #[at_once(fast_path::irecv)]
    fn MPI_Irecv(
        process: &Process, buf: OutBuf, count: Count, datatype: MPI_Datatype, source: Rank,
        tag: AnyTag, comm: MPI_Comm, request: Var<MPI_Request>,
    ) {
        let into = datatype.region(buf, count)?;
        let pending = p2p::irecv(process, &comm, into, source, tag)?;
        request.set(process.requests.keep(&comm, pending)?);
        Ok(())
    }
);

mpi!(
    /// Sends and receives (MPI-5.0 §3.10).
    #[large(MPI_Sendrecv_c)]
    #[fortran(mpi_sendrecv_)]
    #[raises_on(comm)]
    fn MPI_Sendrecv(
        process: &Process, sendbuf: InBuf, sendcount: Count, sendtype: MPI_Datatype, dest: Rank,
        sendtag: Tag, recvbuf: OutBuf, recvcount: Count, recvtype: MPI_Datatype, source: Rank,
        recvtag: AnyTag, comm: MPI_Comm, status: OutStatus,
    ) {
        let (data, into) =
            (sendtype.region(sendbuf, sendcount)?, recvtype.region(recvbuf, recvcount)?);
        let both = Exchange { data, dest, sendtag, into, source, recvtag };
        let pending = p2p::isendrecv(process, &comm, &both)?;
        status.end(p2p::finish(process, pending)?)
    }
);

mpi!(
    /// Sends and receives in one buffer.
    #[large(MPI_Sendrecv_replace_c)]
    #[fortran(mpi_sendrecv_replace_)]
    #[raises_on(comm)]
    fn MPI_Sendrecv_replace(
        process: &Process, buf: OutBuf, count: Count, datatype: MPI_Datatype, dest: Rank,
        sendtag: Tag, source: Rank, recvtag: AnyTag, comm: MPI_Comm, status: OutStatus,
    ) {
        let data = datatype.region(buf, count)?;
        let both = Exchange { into: data.clone(), data, dest, sendtag, source, recvtag };
        let pending = p2p::isendrecv_replace(process, &comm, &both)?;
        status.end(p2p::finish(process, pending)?)
    }
);

mpi!(
    /// Starts a send and a receive as one operation.
    #[large(MPI_Isendrecv_c)]
    #[fortran(mpi_isendrecv_)]
    #[raises_on(comm)]
    fn MPI_Isendrecv(
        process: &Process, sendbuf: InBuf, sendcount: Count, sendtype: MPI_Datatype, dest: Rank,
        sendtag: Tag, recvbuf: OutBuf, recvcount: Count, recvtype: MPI_Datatype, source: Rank,
        recvtag: AnyTag, comm: MPI_Comm, request: Var<MPI_Request>,
    ) {
        let (data, into) =
            (sendtype.region(sendbuf, sendcount)?, recvtype.region(recvbuf, recvcount)?);
        let both = Exchange { data, dest, sendtag, into, source, recvtag };
        let pending = p2p::isendrecv(process, &comm, &both)?;
        request.set(process.requests.keep(&comm, pending)?);
        Ok(())
    }
);

mpi!(
    /// Starts a send and a receive in one buffer.
    #[large(MPI_Isendrecv_replace_c)]
    #[fortran(mpi_isendrecv_replace_)]
    #[raises_on(comm)]
    fn MPI_Isendrecv_replace(
        process: &Process, buf: OutBuf, count: Count, datatype: MPI_Datatype, dest: Rank,
        sendtag: Tag, source: Rank, recvtag: AnyTag, comm: MPI_Comm, request: Var<MPI_Request>,
    ) {
        let data = datatype.region(buf, count)?;
        let both = Exchange { into: data.clone(), data, dest, sendtag, source, recvtag };
        let pending = p2p::isendrecv_replace(process, &comm, &both)?;
        request.set(process.requests.keep(&comm, pending)?);
        Ok(())
    }
);
