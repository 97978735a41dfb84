//! Collective communication: barrier, broadcast, gather, scatter, all-to-all (MPI-5.0 §6.3 to
//! §6.8).

use crate::abi::kinds::*;
use crate::mpi::coll::{Allgather, Alltoall, Barrier, Bcast, Gather, Lists, Offer, Scatter, Types};
use crate::mpi::datatype::Datatype;
use crate::mpi::error::Result;
use crate::mpi::handle_table::Held;
use crate::mpi::process::Process;

/// Looks up the datatypes of an array.
pub(super) fn datatypes(
    process: &Process, types: Keys<MPI_Datatype>, name: &'static str,
) -> impl Fn(i64) -> Result<Vec<Held<Datatype>>> {
    move |count| {
        let types = types.of_length(count)?;
        let each = |place| process.datatype(types.key(place), name);
        (0..usize::try_from(count).unwrap_or(0)).map(each).collect()
    }
}

collective!(
    /// Returns when all members have called it (MPI-5.0 §6.3).
    #[fortran(mpi_barrier_, mpi_ibarrier_, mpi_barrier_init_)]
    #[forms(MPI_Ibarrier, MPI_Barrier_init)]
    #[raises_on(comm)]
    fn MPI_Barrier(process: &Process, comm: MPI_Comm) {
        Barrier::plan()
    }
);

collective!(
    /// Sends the root's buffer to all members (MPI-5.0 §6.4).
    #[large(MPI_Bcast_c, MPI_Ibcast_c, MPI_Bcast_init_c)]
    #[fortran(mpi_bcast_, mpi_ibcast_, mpi_bcast_init_)]
    #[forms(MPI_Ibcast, MPI_Bcast_init)]
    #[raises_on(comm)]
    fn MPI_Bcast(
        process: &Process, buffer: OutBuf, count: Late<Count>, datatype: Late<MPI_Datatype>,
        root: Rank, comm: MPI_Comm,
    ) {
        Bcast::plan(&comm, Offer { buf: buffer, count: &count, datatype: &datatype }, root)
    }
);

collective!(
    /// Collects the blocks of all members at the root (MPI-5.0 §6.5).
    #[large(MPI_Gather_c, MPI_Igather_c, MPI_Gather_init_c)]
    #[fortran(mpi_gather_, mpi_igather_, mpi_gather_init_)]
    #[forms(MPI_Igather, MPI_Gather_init)]
    #[raises_on(comm)]
    fn MPI_Gather(
        process: &Process, sendbuf: InBuf, sendcount: Late<Count>, sendtype: Late<MPI_Datatype>,
        recvbuf: OutBuf, recvcount: Late<Count>, recvtype: Late<MPI_Datatype>, root: Rank,
        comm: MPI_Comm,
    ) {
        let send = Offer { buf: sendbuf, count: &sendcount, datatype: &sendtype };
        let recv = Offer { buf: recvbuf, count: &recvcount, datatype: &recvtype };
        Gather::plan(&comm, &send, &recv, root)
    }
);

collective!(
    /// Like MPI_Gather, with blocks of different sizes.
    #[large(MPI_Gatherv_c, MPI_Igatherv_c, MPI_Gatherv_init_c)]
    #[fortran(mpi_gatherv_, mpi_igatherv_, mpi_gatherv_init_)]
    #[forms(MPI_Igatherv, MPI_Gatherv_init)]
    #[raises_on(comm)]
    fn MPI_Gatherv(
        process: &Process, sendbuf: InBuf, sendcount: Late<Count>, sendtype: Late<MPI_Datatype>,
        recvbuf: OutBuf, recvcounts: Counts, displs: Displs, recvtype: Late<MPI_Datatype>,
        root: Rank, comm: MPI_Comm,
    ) {
        let send = Offer { buf: sendbuf, count: &sendcount, datatype: &sendtype };
        let types = Types::One(recvtype);
        let recv = Lists { buf: recvbuf, counts: &recvcounts, displs: &displs, types };
        Gather::plan(&comm, &send, &recv, root)
    }
);

collective!(
    /// Sends each member its block of the root's buffer (MPI-5.0 §6.6).
    #[large(MPI_Scatter_c, MPI_Iscatter_c, MPI_Scatter_init_c)]
    #[fortran(mpi_scatter_, mpi_iscatter_, mpi_scatter_init_)]
    #[forms(MPI_Iscatter, MPI_Scatter_init)]
    #[raises_on(comm)]
    fn MPI_Scatter(
        process: &Process, sendbuf: InBuf, sendcount: Late<Count>, sendtype: Late<MPI_Datatype>,
        recvbuf: OutBuf, recvcount: Late<Count>, recvtype: Late<MPI_Datatype>, root: Rank,
        comm: MPI_Comm,
    ) {
        let send = Offer { buf: sendbuf, count: &sendcount, datatype: &sendtype };
        let recv = Offer { buf: recvbuf, count: &recvcount, datatype: &recvtype };
        Scatter::plan(&comm, &send, &recv, root)
    }
);

collective!(
    /// Like MPI_Scatter, with blocks of different sizes.
    #[large(MPI_Scatterv_c, MPI_Iscatterv_c, MPI_Scatterv_init_c)]
    #[fortran(mpi_scatterv_, mpi_iscatterv_, mpi_scatterv_init_)]
    #[forms(MPI_Iscatterv, MPI_Scatterv_init)]
    #[raises_on(comm)]
    fn MPI_Scatterv(
        process: &Process, sendbuf: InBuf, sendcounts: Counts, displs: Displs,
        sendtype: Late<MPI_Datatype>, recvbuf: OutBuf, recvcount: Late<Count>,
        recvtype: Late<MPI_Datatype>, root: Rank, comm: MPI_Comm,
    ) {
        let types = Types::One(sendtype);
        let send = Lists { buf: sendbuf, counts: &sendcounts, displs: &displs, types };
        let recv = Offer { buf: recvbuf, count: &recvcount, datatype: &recvtype };
        Scatter::plan(&comm, &send, &recv, root)
    }
);

collective!(
    /// Collects the blocks of all members at every member (MPI-5.0 §6.7).
    #[large(MPI_Allgather_c, MPI_Iallgather_c, MPI_Allgather_init_c)]
    #[fortran(mpi_allgather_, mpi_iallgather_, mpi_allgather_init_)]
    #[forms(MPI_Iallgather, MPI_Allgather_init)]
    #[raises_on(comm)]
    fn MPI_Allgather(
        process: &Process, sendbuf: InBuf, sendcount: Late<Count>, sendtype: Late<MPI_Datatype>,
        recvbuf: OutBuf, recvcount: Late<Count>, recvtype: Late<MPI_Datatype>, comm: MPI_Comm,
    ) {
        let send = Offer { buf: sendbuf, count: &sendcount, datatype: &sendtype };
        let recv = Offer { buf: recvbuf, count: &recvcount, datatype: &recvtype };
        Allgather::plan(&comm, &send, &recv)
    }
);

collective!(
    /// Like MPI_Allgather, with blocks of different sizes.
    #[large(MPI_Allgatherv_c, MPI_Iallgatherv_c, MPI_Allgatherv_init_c)]
    #[fortran(mpi_allgatherv_, mpi_iallgatherv_, mpi_allgatherv_init_)]
    #[forms(MPI_Iallgatherv, MPI_Allgatherv_init)]
    #[raises_on(comm)]
    fn MPI_Allgatherv(
        process: &Process, sendbuf: InBuf, sendcount: Late<Count>, sendtype: Late<MPI_Datatype>,
        recvbuf: OutBuf, recvcounts: Counts, displs: Displs, recvtype: Late<MPI_Datatype>,
        comm: MPI_Comm,
    ) {
        let send = Offer { buf: sendbuf, count: &sendcount, datatype: &sendtype };
        let types = Types::One(recvtype);
        let recv = Lists { buf: recvbuf, counts: &recvcounts, displs: &displs, types };
        Allgather::plan(&comm, &send, &recv)
    }
);

collective!(
    /// Every member sends a separate block to every member (MPI-5.0 §6.8).
    #[large(MPI_Alltoall_c, MPI_Ialltoall_c, MPI_Alltoall_init_c)]
    #[fortran(mpi_alltoall_, mpi_ialltoall_, mpi_alltoall_init_)]
    #[forms(MPI_Ialltoall, MPI_Alltoall_init)]
    #[raises_on(comm)]
    fn MPI_Alltoall(
        process: &Process, sendbuf: InBuf, sendcount: Late<Count>, sendtype: Late<MPI_Datatype>,
        recvbuf: OutBuf, recvcount: Late<Count>, recvtype: Late<MPI_Datatype>, comm: MPI_Comm,
    ) {
        let send = Offer { buf: sendbuf, count: &sendcount, datatype: &sendtype };
        let recv = Offer { buf: recvbuf, count: &recvcount, datatype: &recvtype };
        Alltoall::plan(&comm, &send, &recv)
    }
);

collective!(
    /// Like MPI_Alltoall, with blocks of different sizes.
    #[large(MPI_Alltoallv_c, MPI_Ialltoallv_c, MPI_Alltoallv_init_c)]
    #[fortran(mpi_alltoallv_, mpi_ialltoallv_, mpi_alltoallv_init_)]
    #[forms(MPI_Ialltoallv, MPI_Alltoallv_init)]
    #[raises_on(comm)]
    fn MPI_Alltoallv(
        process: &Process, sendbuf: InBuf, sendcounts: Counts, sdispls: Displs,
        sendtype: Late<MPI_Datatype>, recvbuf: OutBuf, recvcounts: Counts, rdispls: Displs,
        recvtype: Late<MPI_Datatype>, comm: MPI_Comm,
    ) {
        let types = Types::One(sendtype);
        let send = Lists { buf: sendbuf, counts: &sendcounts, displs: &sdispls, types };
        let types = Types::One(recvtype);
        let recv = Lists { buf: recvbuf, counts: &recvcounts, displs: &rdispls, types };
        Alltoall::plan(&comm, &send, &recv)
    }
);

collective!(
    /// Like MPI_Alltoallv, with a datatype per block and displacements in bytes.
    #[large(MPI_Alltoallw_c, MPI_Ialltoallw_c, MPI_Alltoallw_init_c)]
    #[fortran(mpi_alltoallw_, mpi_ialltoallw_, mpi_alltoallw_init_)]
    #[forms(MPI_Ialltoallw, MPI_Alltoallw_init)]
    #[raises_on(comm)]
    fn MPI_Alltoallw(
        process: &Process, sendbuf: InBuf, sendcounts: Counts, sdispls: Displs,
        sendtypes: Keys<MPI_Datatype>, recvbuf: OutBuf, recvcounts: Counts, rdispls: Displs,
        recvtypes: Keys<MPI_Datatype>, comm: MPI_Comm,
    ) {
        let read = datatypes(process, sendtypes, "sendtypes");
        let types = Types::Each(&read);
        let send = Lists { buf: sendbuf, counts: &sendcounts, displs: &sdispls, types };
        let read = datatypes(process, recvtypes, "recvtypes");
        let types = Types::Each(&read);
        let recv = Lists { buf: recvbuf, counts: &recvcounts, displs: &rdispls, types };
        Alltoall::plan(&comm, &send, &recv)
    }
);
