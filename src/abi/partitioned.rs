//! Partitioned communication (MPI-5.0 §4). The large-count twins of the calls that create requests
//! have the same parameters, so Fortran has one form of both.

use crate::abi::kinds::*;
use crate::mpi::p2p::partitioned;
use crate::mpi::p2p::partitioned::buffer::{Buffer, elements};

mpi!(
    /// Creates the request of a partitioned send.
    #[fortran(mpi_psend_init_)]
    #[raises_on(comm)]
    fn MPI_Psend_init(
        process: &Process, buf: InBuf, partitions: Size, count: Count64, datatype: MPI_Datatype,
        dest: Rank, tag: Tag, comm: MPI_Comm, info: Hints, request: Var<MPI_Request>,
    ) {
        let data = datatype.region(buf, elements(partitions, count)?)?;
        let buffer = Buffer { data, partitions: partitions as usize };
        request.set(partitioned::send_init(process, &comm, buffer, dest, tag)?);
        Ok(())
    }
);

mpi!(
    /// The twin of MPI_Psend_init.
    #[raises_on(comm)]
    fn MPI_Psend_init_c(
        process: &Process, buf: InBuf, partitions: Size, count: Count64, datatype: MPI_Datatype,
        dest: Rank, tag: Tag, comm: MPI_Comm, info: Hints, request: Var<MPI_Request>,
    ) {
        let data = datatype.region(buf, elements(partitions, count)?)?;
        let buffer = Buffer { data, partitions: partitions as usize };
        request.set(partitioned::send_init(process, &comm, buffer, dest, tag)?);
        Ok(())
    }
);

mpi!(
    /// Creates the request of a partitioned receive.
    #[fortran(mpi_precv_init_)]
    #[raises_on(comm)]
    fn MPI_Precv_init(
        process: &Process, buf: OutBuf, partitions: Size, count: Count64, datatype: MPI_Datatype,
        source: Rank, tag: Tag, comm: MPI_Comm, info: Hints, request: Var<MPI_Request>,
    ) {
        let data = datatype.region(buf, elements(partitions, count)?)?;
        let buffer = Buffer { data, partitions: partitions as usize };
        request.set(partitioned::recv_init(process, &comm, buffer, source, tag)?);
        Ok(())
    }
);

mpi!(
    /// The twin of MPI_Precv_init.
    #[raises_on(comm)]
    fn MPI_Precv_init_c(
        process: &Process, buf: OutBuf, partitions: Size, count: Count64, datatype: MPI_Datatype,
        source: Rank, tag: Tag, comm: MPI_Comm, info: Hints, request: Var<MPI_Request>,
    ) {
        let data = datatype.region(buf, elements(partitions, count)?)?;
        let buffer = Buffer { data, partitions: partitions as usize };
        request.set(partitioned::recv_init(process, &comm, buffer, source, tag)?);
        Ok(())
    }
);

mpi!(
    /// A partition may be sent.
    #[fortran(mpi_pready_)]
    fn MPI_Pready(process: &Process, partition: Int, request: MPI_Request) {
        partitioned::ready_one(process, request, partition)
    }
);

mpi!(
    /// Partitions in a row may be sent, both ends included.
    #[fortran(mpi_pready_range_)]
    fn MPI_Pready_range(
        process: &Process, partition_low: Int, partition_high: Int, request: MPI_Request,
    ) {
        partitioned::ready_range(process, request, partition_low, partition_high)
    }
);

mpi!(
    /// The listed partitions may be sent.
    #[fortran(mpi_pready_list_)]
    fn MPI_Pready_list(
        process: &Process, length: Size, array_of_partitions: Ints, request: MPI_Request,
    ) {
        partitioned::ready_list(process, request, &array_of_partitions.read(length)?)
    }
);

mpi!(
    /// Whether a partition has arrived.
    #[fortran(mpi_parrived_)]
    fn MPI_Parrived(process: &Process, request: MPI_Request, partition: Int, flag: OutFlag) {
        flag.set(partitioned::has_arrived(process, request, partition)?);
        Ok(())
    }
);
