//! Starting and leaving MPI (MPI-5.0 §11.2, §11.4).

use crate::abi::abort;
use crate::abi::kinds::*;
use crate::job;
use crate::mpi::init::{self, THREAD_SINGLE};

mpi!(
    /// Starts MPI (MPI-5.0 §11.2.1).
    #[season(Always)]
    fn MPI_Init(process: &Process, argc: Argc, argv: Argv) {
        process.phases.begin(THREAD_SINGLE)?;
        init::arrive(process)
    }
);

fortran!(
    /// MPI_Init has no arguments in Fortran.
    #[season(Always)]
    #[name(MPI_Init)]
    fn mpi_init_(process: &Process) {
        process.phases.begin(THREAD_SINGLE)?;
        init::arrive(process)
    }
);

mpi!(
    /// Starts MPI for programs with threads.
    #[season(Always)]
    fn MPI_Init_thread(process: &Process, argc: Argc, argv: Argv, required: Int, provided: OutInt) {
        provided.set(process.phases.begin(required)?);
        init::arrive(process)
    }
);

fortran!(
    /// MPI_Init_thread has no argument list in Fortran.
    #[season(Always)]
    #[name(MPI_Init_thread)]
    fn mpi_init_thread_(process: &Process, required: Int, provided: OutInt) {
        provided.set(process.phases.begin(required)?);
        init::arrive(process)
    }
);

mpi!(
    /// Whether MPI_Init was called.
    #[fortran(mpi_initialized_)]
    #[season(Always)]
    fn MPI_Initialized(process: &Process, flag: OutFlag) {
        flag.set(process.phases.is_initialized());
        Ok(())
    }
);

mpi!(
    /// Whether MPI_Finalize is done.
    #[fortran(mpi_finalized_)]
    #[season(Always)]
    fn MPI_Finalized(process: &Process, flag: OutFlag) {
        flag.set(process.phases.is_finalized());
        Ok(())
    }
);

mpi!(
    /// Leaves MPI, together with all who live (MPI-5.0 §11.2.2).
    #[fortran(mpi_finalize_)]
    #[season(Always)]
    fn MPI_Finalize(process: &Process) {
        let left = init::finalize(process);
        job::leave(process);
        left
    }
);

mpi!(
    /// The thread level that is provided.
    #[fortran(mpi_query_thread_)]
    fn MPI_Query_thread(process: &Process, provided: OutInt) {
        provided.set(process.phases.thread_level());
        Ok(())
    }
);

mpi!(
    /// Whether this is the thread that called MPI_Init.
    #[fortran(mpi_is_thread_main_)]
    fn MPI_Is_thread_main(process: &Process, flag: OutFlag) {
        flag.set(process.phases.is_main_thread());
        Ok(())
    }
);

mpi!(
    /// Ends the job (MPI-5.0 §9.6).
    #[fortran(mpi_abort_)]
    #[season(Always)]
    fn MPI_Abort(process: &Process, comm: Late<MPI_Comm>, errorcode: Int) {
        abort::abort(process, comm.ok().as_deref(), errorcode)
    }
);
