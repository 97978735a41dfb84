//! Communicators (MPI-5.0 §7.4).

use crate::abi::kinds::*;

mpi!(
    /// The caller's rank in `comm` (MPI-5.0 §7.4.1).
    #[fortran(mpi_comm_rank_)]
    #[raises_on(comm)]
    fn MPI_Comm_rank(process: &Process, comm: MPI_Comm, rank: OutInt) {
        rank.set(comm.rank);
        Ok(())
    }
);

mpi!(
    /// How many members `comm` has.
    #[fortran(mpi_comm_size_)]
    #[raises_on(comm)]
    fn MPI_Comm_size(process: &Process, comm: MPI_Comm, size: OutInt) {
        size.set(comm.size());
        Ok(())
    }
);

mpi!(
    /// What `comm` is called.
    #[fortran(mpi_comm_get_name_)]
    #[raises_on(comm)]
    fn MPI_Comm_get_name(process: &Process, comm: MPI_Comm, comm_name: OutText, resultlen: OutInt) {
        let name = comm.name.lock().clone();
        resultlen.set(comm_name.set(&name, 128) as i32);
        Ok(())
    }
);
