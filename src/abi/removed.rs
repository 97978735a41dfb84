//! Fortran's names of calls that the standard has removed (MPI-5.0 §16): old programs call them.
//! In C they are macros of `mpi.h`.

use crate::abi::kinds::*;
use crate::mpi::errhandler;
use crate::mpi::table::Sort;

fortran!(
    /// An address as a default integer: as much of it as fits, which differences survive.
    #[name(MPI_Address)]
    fn mpi_address_(process: &Process, location: InBuf, address: OutInt) {
        address.set(location.0 as i32);
        Ok(())
    }
);

fortran!(
    /// MPI_Comm_create_errhandler of MPI-1.
    #[season(Always)]
    #[name(MPI_Errhandler_create)]
    fn mpi_errhandler_create_(
        process: &Process, function: CommErrhandlerFunction, errhandler: Var<MPI_Errhandler>,
    ) {
        errhandler.set(errhandler::create(process, Sort::Comm, function)?);
        Ok(())
    }
);

fortran!(
    /// MPI_Comm_get_errhandler of MPI-1.
    #[raises_on(comm)]
    #[name(MPI_Errhandler_get)]
    fn mpi_errhandler_get_(process: &Process, comm: MPI_Comm, errhandler: Var<MPI_Errhandler>) {
        errhandler.set(comm.errhandler.hold(process)?);
        Ok(())
    }
);

fortran!(
    /// MPI_Comm_set_errhandler of MPI-1.
    #[raises_on(comm)]
    #[name(MPI_Errhandler_set)]
    fn mpi_errhandler_set_(process: &Process, comm: MPI_Comm, errhandler: MPI_Errhandler) {
        comm.errhandler.set(errhandler)
    }
);
