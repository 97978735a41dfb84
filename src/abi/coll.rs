//! Collective communication (MPI-5.0 §6).

use crate::abi::kinds::*;
use crate::mpi::coll::{self, Offer, Side};
use crate::mpi::reduce;

mpi!(
    /// Returns when all members have called it (MPI-5.0 §6.3).
    #[fortran(mpi_barrier_)]
    #[raises_on(comm)]
    fn MPI_Barrier(process: &Process, comm: MPI_Comm) {
        coll::barrier(process, &comm)
    }
);

mpi!(
    /// The root's buffer goes to everybody (MPI-5.0 §6.4).
    #[large(MPI_Bcast_c)]
    #[fortran(mpi_bcast_)]
    #[raises_on(comm)]
    fn MPI_Bcast(
        process: &Process, buffer: OutBuf, count: Count, datatype: MPI_Datatype, root: Rank,
        comm: MPI_Comm,
    ) {
        coll::bcast(process, &comm, &Side { buf: buffer, count, datatype }, root)
    }
);

mpi!(
    /// What everybody has comes to the root (MPI-5.0 §6.5).
    #[large(MPI_Gather_c)]
    #[fortran(mpi_gather_)]
    #[raises_on(comm)]
    fn MPI_Gather(
        process: &Process, sendbuf: InBuf, sendcount: Late<Count>, sendtype: Late<MPI_Datatype>,
        recvbuf: OutBuf, recvcount: Late<Count>, recvtype: Late<MPI_Datatype>, root: Rank,
        comm: MPI_Comm,
    ) {
        let send = Offer { buf: sendbuf, count: sendcount, datatype: sendtype };
        let recv = Offer { buf: recvbuf, count: recvcount, datatype: recvtype };
        coll::gather(process, &comm, &send, &recv, root)
    }
);

mpi!(
    /// The root's blocks go to the ranks (MPI-5.0 §6.6).
    #[large(MPI_Scatter_c)]
    #[fortran(mpi_scatter_)]
    #[raises_on(comm)]
    fn MPI_Scatter(
        process: &Process, sendbuf: InBuf, sendcount: Late<Count>, sendtype: Late<MPI_Datatype>,
        recvbuf: OutBuf, recvcount: Late<Count>, recvtype: Late<MPI_Datatype>, root: Rank,
        comm: MPI_Comm,
    ) {
        let send = Offer { buf: sendbuf, count: sendcount, datatype: sendtype };
        let recv = Offer { buf: recvbuf, count: recvcount, datatype: recvtype };
        coll::scatter(process, &comm, &send, &recv, root)
    }
);

mpi!(
    /// What everybody has comes to everybody (MPI-5.0 §6.7).
    #[large(MPI_Allgather_c)]
    #[fortran(mpi_allgather_)]
    #[raises_on(comm)]
    fn MPI_Allgather(
        process: &Process, sendbuf: InBuf, sendcount: Late<Count>, sendtype: Late<MPI_Datatype>,
        recvbuf: OutBuf, recvcount: Count, recvtype: MPI_Datatype, comm: MPI_Comm,
    ) {
        let send = Offer { buf: sendbuf, count: sendcount, datatype: sendtype };
        let recv = Side { buf: recvbuf, count: recvcount, datatype: recvtype };
        coll::allgather(process, &comm, &send, &recv)
    }
);

mpi!(
    /// Everybody has a block for everybody (MPI-5.0 §6.8).
    #[large(MPI_Alltoall_c)]
    #[fortran(mpi_alltoall_)]
    #[raises_on(comm)]
    fn MPI_Alltoall(
        process: &Process, sendbuf: InBuf, sendcount: Late<Count>, sendtype: Late<MPI_Datatype>,
        recvbuf: OutBuf, recvcount: Count, recvtype: MPI_Datatype, comm: MPI_Comm,
    ) {
        let send = Offer { buf: sendbuf, count: sendcount, datatype: sendtype };
        let recv = Side { buf: recvbuf, count: recvcount, datatype: recvtype };
        coll::alltoall(process, &comm, &send, &recv)
    }
);

mpi!(
    /// Combines everybody's values for the root (MPI-5.0 §6.9.1).
    #[large(MPI_Reduce_c)]
    #[fortran(mpi_reduce_)]
    #[raises_on(comm)]
    fn MPI_Reduce(
        process: &Process, sendbuf: InBuf, recvbuf: OutBuf, count: Count, datatype: MPI_Datatype,
        op: MPI_Op, root: Rank, comm: MPI_Comm,
    ) {
        let send = Side { buf: sendbuf, count, datatype };
        reduce::reduce(process, &comm, send, recvbuf, &op, root)
    }
);

mpi!(
    /// Combines everybody's values for everybody (MPI-5.0 §6.9.6).
    #[large(MPI_Allreduce_c)]
    #[fortran(mpi_allreduce_)]
    #[raises_on(comm)]
    fn MPI_Allreduce(
        process: &Process, sendbuf: InBuf, recvbuf: OutBuf, count: Count, datatype: MPI_Datatype,
        op: MPI_Op, comm: MPI_Comm,
    ) {
        let send = Side { buf: sendbuf, count, datatype };
        reduce::allreduce(process, &comm, send, recvbuf, &op)
    }
);
