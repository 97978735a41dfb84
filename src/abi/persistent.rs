//! Persistent operations: requests that can be started repeatedly (MPI-5.0 §3.9).

use crate::abi::kinds::*;
use crate::mpi::p2p::Mode;
use crate::mpi::p2p::{persistent, request};

mpi!(
    /// Creates a persistent standard-mode send.
    #[large(MPI_Send_init_c)]
    #[fortran(mpi_send_init_)]
    #[raises_on(comm)]
    fn MPI_Send_init(
        process: &Process, buf: InBuf, count: Count, datatype: MPI_Datatype, dest: Rank, tag: Tag,
        comm: MPI_Comm, request: Var<MPI_Request>,
    ) {
        let data = datatype.region(buf, count)?;
        let start = persistent::send_init(process, Mode::Standard, &comm, data, dest, tag)?;
        request.set(process.requests.keep_persistent(&comm, start)?);
        Ok(())
    }
);

mpi!(
    /// Creates a persistent buffered-mode send.
    #[large(MPI_Bsend_init_c)]
    #[fortran(mpi_bsend_init_)]
    #[raises_on(comm)]
    fn MPI_Bsend_init(
        process: &Process, buf: InBuf, count: Count, datatype: MPI_Datatype, dest: Rank, tag: Tag,
        comm: MPI_Comm, request: Var<MPI_Request>,
    ) {
        let data = datatype.region(buf, count)?;
        let start = persistent::send_init(process, Mode::Buffered, &comm, data, dest, tag)?;
        request.set(process.requests.keep_persistent(&comm, start)?);
        Ok(())
    }
);

mpi!(
    /// Creates a persistent synchronous-mode send.
    #[large(MPI_Ssend_init_c)]
    #[fortran(mpi_ssend_init_)]
    #[raises_on(comm)]
    fn MPI_Ssend_init(
        process: &Process, buf: InBuf, count: Count, datatype: MPI_Datatype, dest: Rank, tag: Tag,
        comm: MPI_Comm, request: Var<MPI_Request>,
    ) {
        let data = datatype.region(buf, count)?;
        let start = persistent::send_init(process, Mode::Synchronous, &comm, data, dest, tag)?;
        request.set(process.requests.keep_persistent(&comm, start)?);
        Ok(())
    }
);

mpi!(
    /// Creates a persistent ready-mode send.
    #[large(MPI_Rsend_init_c)]
    #[fortran(mpi_rsend_init_)]
    #[raises_on(comm)]
    fn MPI_Rsend_init(
        process: &Process, buf: InBuf, count: Count, datatype: MPI_Datatype, dest: Rank, tag: Tag,
        comm: MPI_Comm, request: Var<MPI_Request>,
    ) {
        let data = datatype.region(buf, count)?;
        let start = persistent::send_init(process, Mode::Ready, &comm, data, dest, tag)?;
        request.set(process.requests.keep_persistent(&comm, start)?);
        Ok(())
    }
);

mpi!(
    /// Creates a persistent receive.
    #[large(MPI_Recv_init_c)]
    #[fortran(mpi_recv_init_)]
    #[raises_on(comm)]
    fn MPI_Recv_init(
        process: &Process, buf: OutBuf, count: Count, datatype: MPI_Datatype, source: Rank,
        tag: AnyTag, comm: MPI_Comm, request: Var<MPI_Request>,
    ) {
        let start =
            persistent::recv_init(process, &comm, datatype.region(buf, count)?, source, tag)?;
        request.set(process.requests.keep_persistent(&comm, start)?);
        Ok(())
    }
);

mpi!(
    /// Starts a persistent operation.
    #[fortran(mpi_start_)]
    fn MPI_Start(process: &Process, request: Var<MPI_Request>) {
        request::start(process, request.key())
    }
);

mpi!(
    /// Starts several persistent operations, in any order.
    #[fortran(mpi_startall_)]
    fn MPI_Startall(process: &Process, count: Count, array_of_requests: Vars<MPI_Request>) {
        let requests = array_of_requests.of_length(count)?;
        request::start_all(process, count as usize, |index| requests.key(index))
    }
);
