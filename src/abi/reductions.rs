//! Reductions: reduce, allreduce, reduce-scatter and scans (MPI-5.0 §6.9 to §6.11).

use crate::abi::kinds::*;
use crate::mpi::coll::{Allreduce, Reduce, ReduceScatter, Scan, Terms};

collective!(
    /// Combines the values of all members at the root (MPI-5.0 §6.9.1).
    #[large(MPI_Reduce_c, MPI_Ireduce_c, MPI_Reduce_init_c)]
    #[fortran(mpi_reduce_, mpi_ireduce_, mpi_reduce_init_)]
    #[forms(MPI_Ireduce, MPI_Reduce_init)]
    #[raises_on(comm)]
    fn MPI_Reduce(
        process: &Process, sendbuf: InBuf, recvbuf: OutBuf, count: Late<Count>,
        datatype: Late<MPI_Datatype>, op: Late<MPI_Op>, root: Rank, comm: MPI_Comm,
    ) {
        let terms =
            Terms { send: sendbuf, recv: recvbuf, count: &count, datatype: &datatype, op: &op };
        Reduce::plan(&comm, terms, root)
    }
);

collective!(
    /// Combines the values of all members at every member (MPI-5.0 §6.9.6).
    #[large(MPI_Allreduce_c, MPI_Iallreduce_c, MPI_Allreduce_init_c)]
    #[fortran(mpi_allreduce_, mpi_iallreduce_, mpi_allreduce_init_)]
    #[forms(MPI_Iallreduce, MPI_Allreduce_init)]
    #[raises_on(comm)]
    fn MPI_Allreduce(
        process: &Process, sendbuf: InBuf, recvbuf: OutBuf, count: Late<Count>,
        datatype: Late<MPI_Datatype>, op: Late<MPI_Op>, comm: MPI_Comm,
    ) {
        let terms =
            Terms { send: sendbuf, recv: recvbuf, count: &count, datatype: &datatype, op: &op };
        Allreduce::plan(&comm, terms)
    }
);

collective!(
    /// Combines the values of all members; each gets an equal part (MPI-5.0 §6.10.1).
    #[large(
        MPI_Reduce_scatter_block_c,
        MPI_Ireduce_scatter_block_c,
        MPI_Reduce_scatter_block_init_c
    )]
    #[fortran(
        mpi_reduce_scatter_block_,
        mpi_ireduce_scatter_block_,
        mpi_reduce_scatter_block_init_
    )]
    #[forms(MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init)]
    #[raises_on(comm)]
    fn MPI_Reduce_scatter_block(
        process: &Process, sendbuf: InBuf, recvbuf: OutBuf, recvcount: Late<Count>,
        datatype: Late<MPI_Datatype>, op: Late<MPI_Op>, comm: MPI_Comm,
    ) {
        let terms =
            Terms { send: sendbuf, recv: recvbuf, count: &recvcount, datatype: &datatype, op: &op };
        ReduceScatter::even(&comm, terms)
    }
);

collective!(
    /// Like MPI_Reduce_scatter_block, with parts of different sizes (MPI-5.0 §6.10.2).
    #[large(MPI_Reduce_scatter_c, MPI_Ireduce_scatter_c, MPI_Reduce_scatter_init_c)]
    #[fortran(mpi_reduce_scatter_, mpi_ireduce_scatter_, mpi_reduce_scatter_init_)]
    #[forms(MPI_Ireduce_scatter, MPI_Reduce_scatter_init)]
    #[raises_on(comm)]
    fn MPI_Reduce_scatter(
        process: &Process, sendbuf: InBuf, recvbuf: OutBuf, recvcounts: Counts,
        datatype: Late<MPI_Datatype>, op: Late<MPI_Op>, comm: MPI_Comm,
    ) {
        let terms =
            Terms { send: sendbuf, recv: recvbuf, count: &Ok(0), datatype: &datatype, op: &op };
        ReduceScatter::plan(&comm, terms, &recvcounts)
    }
);

collective!(
    /// Combines the values of all ranks up to and including the caller (MPI-5.0 §6.11.1).
    #[large(MPI_Scan_c, MPI_Iscan_c, MPI_Scan_init_c)]
    #[fortran(mpi_scan_, mpi_iscan_, mpi_scan_init_)]
    #[forms(MPI_Iscan, MPI_Scan_init)]
    #[raises_on(comm)]
    fn MPI_Scan(
        process: &Process, sendbuf: InBuf, recvbuf: OutBuf, count: Late<Count>,
        datatype: Late<MPI_Datatype>, op: Late<MPI_Op>, comm: MPI_Comm,
    ) {
        let terms =
            Terms { send: sendbuf, recv: recvbuf, count: &count, datatype: &datatype, op: &op };
        Scan::inclusive(&comm, terms)
    }
);

collective!(
    /// Combines the values of all ranks before the caller (MPI-5.0 §6.11.2).
    #[large(MPI_Exscan_c, MPI_Iexscan_c, MPI_Exscan_init_c)]
    #[fortran(mpi_exscan_, mpi_iexscan_, mpi_exscan_init_)]
    #[forms(MPI_Iexscan, MPI_Exscan_init)]
    #[raises_on(comm)]
    fn MPI_Exscan(
        process: &Process, sendbuf: InBuf, recvbuf: OutBuf, count: Late<Count>,
        datatype: Late<MPI_Datatype>, op: Late<MPI_Op>, comm: MPI_Comm,
    ) {
        let terms =
            Terms { send: sendbuf, recv: recvbuf, count: &count, datatype: &datatype, op: &op };
        Scan::exclusive(&comm, terms)
    }
);
