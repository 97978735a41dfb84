//! Neighborhood collectives: communication along the edges of a topology (MPI-5.0 §8.6, §8.7).

use crate::abi::coll::datatypes;
use crate::abi::kinds::*;
use crate::mpi::coll::{Lists, NeighborAllgather, NeighborAlltoall, Offer, Types};

collective!(
    /// Sends one block to all neighbours and receives a block from each (MPI-5.0 §8.6.1).
    #[large(MPI_Neighbor_allgather_c, MPI_Ineighbor_allgather_c, MPI_Neighbor_allgather_init_c)]
    #[fortran(mpi_neighbor_allgather_, mpi_ineighbor_allgather_, mpi_neighbor_allgather_init_)]
    #[forms(MPI_Ineighbor_allgather, MPI_Neighbor_allgather_init)]
    #[raises_on(comm)]
    fn MPI_Neighbor_allgather(
        process: &Process, sendbuf: InBuf, sendcount: Late<Count>, sendtype: Late<MPI_Datatype>,
        recvbuf: OutBuf, recvcount: Late<Count>, recvtype: Late<MPI_Datatype>, comm: MPI_Comm,
    ) {
        let send = Offer { buf: sendbuf, count: &sendcount, datatype: &sendtype };
        let recv = Offer { buf: recvbuf, count: &recvcount, datatype: &recvtype };
        NeighborAllgather::plan(&comm, &send, &recv)
    }
);

collective!(
    /// Like MPI_Neighbor_allgather, with blocks of different sizes.
    #[large(MPI_Neighbor_allgatherv_c, MPI_Ineighbor_allgatherv_c, MPI_Neighbor_allgatherv_init_c)]
    #[fortran(mpi_neighbor_allgatherv_, mpi_ineighbor_allgatherv_, mpi_neighbor_allgatherv_init_)]
    #[forms(MPI_Ineighbor_allgatherv, MPI_Neighbor_allgatherv_init)]
    #[raises_on(comm)]
    fn MPI_Neighbor_allgatherv(
        process: &Process, sendbuf: InBuf, sendcount: Late<Count>, sendtype: Late<MPI_Datatype>,
        recvbuf: OutBuf, recvcounts: Counts, displs: Displs, recvtype: Late<MPI_Datatype>,
        comm: MPI_Comm,
    ) {
        let send = Offer { buf: sendbuf, count: &sendcount, datatype: &sendtype };
        let types = Types::One(recvtype);
        let recv = Lists { buf: recvbuf, counts: &recvcounts, displs: &displs, types };
        NeighborAllgather::plan(&comm, &send, &recv)
    }
);

collective!(
    /// Exchanges a separate block with each neighbour (MPI-5.0 §8.6.2).
    #[large(MPI_Neighbor_alltoall_c, MPI_Ineighbor_alltoall_c, MPI_Neighbor_alltoall_init_c)]
    #[fortran(mpi_neighbor_alltoall_, mpi_ineighbor_alltoall_, mpi_neighbor_alltoall_init_)]
    #[forms(MPI_Ineighbor_alltoall, MPI_Neighbor_alltoall_init)]
    #[raises_on(comm)]
    fn MPI_Neighbor_alltoall(
        process: &Process, sendbuf: InBuf, sendcount: Late<Count>, sendtype: Late<MPI_Datatype>,
        recvbuf: OutBuf, recvcount: Late<Count>, recvtype: Late<MPI_Datatype>, comm: MPI_Comm,
    ) {
        let send = Offer { buf: sendbuf, count: &sendcount, datatype: &sendtype };
        let recv = Offer { buf: recvbuf, count: &recvcount, datatype: &recvtype };
        NeighborAlltoall::plan(&comm, &send, &recv)
    }
);

collective!(
    /// Like MPI_Neighbor_alltoall, with blocks of different sizes.
    #[large(MPI_Neighbor_alltoallv_c, MPI_Ineighbor_alltoallv_c, MPI_Neighbor_alltoallv_init_c)]
    #[fortran(mpi_neighbor_alltoallv_, mpi_ineighbor_alltoallv_, mpi_neighbor_alltoallv_init_)]
    #[forms(MPI_Ineighbor_alltoallv, MPI_Neighbor_alltoallv_init)]
    #[raises_on(comm)]
    fn MPI_Neighbor_alltoallv(
        process: &Process, sendbuf: InBuf, sendcounts: Counts, sdispls: Displs,
        sendtype: Late<MPI_Datatype>, recvbuf: OutBuf, recvcounts: Counts, rdispls: Displs,
        recvtype: Late<MPI_Datatype>, comm: MPI_Comm,
    ) {
        let types = Types::One(sendtype);
        let send = Lists { buf: sendbuf, counts: &sendcounts, displs: &sdispls, types };
        let types = Types::One(recvtype);
        let recv = Lists { buf: recvbuf, counts: &recvcounts, displs: &rdispls, types };
        NeighborAlltoall::plan(&comm, &send, &recv)
    }
);

collective!(
    /// Like MPI_Neighbor_alltoallv, with a datatype per block and displacements in bytes.
    #[large(MPI_Neighbor_alltoallw_c, MPI_Ineighbor_alltoallw_c, MPI_Neighbor_alltoallw_init_c)]
    #[fortran(mpi_neighbor_alltoallw_, mpi_ineighbor_alltoallw_, mpi_neighbor_alltoallw_init_)]
    #[forms(MPI_Ineighbor_alltoallw, MPI_Neighbor_alltoallw_init)]
    #[raises_on(comm)]
    fn MPI_Neighbor_alltoallw(
        process: &Process, sendbuf: InBuf, sendcounts: Counts, sdispls: Aints,
        sendtypes: Keys<MPI_Datatype>, recvbuf: OutBuf, recvcounts: Counts, rdispls: Aints,
        recvtypes: Keys<MPI_Datatype>, comm: MPI_Comm,
    ) {
        let read = datatypes(process, sendtypes, "sendtypes");
        let types = Types::Each(&read);
        let send = Lists { buf: sendbuf, counts: &sendcounts, displs: &sdispls, types };
        let read = datatypes(process, recvtypes, "recvtypes");
        let types = Types::Each(&read);
        let recv = Lists { buf: recvbuf, counts: &recvcounts, displs: &rdispls, types };
        NeighborAlltoall::plan(&comm, &send, &recv)
    }
);
