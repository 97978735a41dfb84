//! Starting and finalizing MPI (MPI-5.0 §11.2, §11.4).

use crate::abi::abort;
use crate::abi::kinds::*;
use crate::job;
use crate::mpi::init;
use crate::mpi::thread::THREAD_SINGLE;

mpi!(
    /// Starts MPI (MPI-5.0 §11.2.1).
    #[season(Always)]
    fn MPI_Init(process: &Process, argc: Argc, argv: Argv) {
        process.phases.begin(THREAD_SINGLE)?;
        init::arrive(process)
    }
);

fortran!(
    /// Fortran's MPI_Init, which has no arguments.
    #[season(Always)]
    #[name(MPI_Init)]
    fn mpi_init_(process: &Process) {
        process.phases.begin(THREAD_SINGLE)?;
        init::arrive(process)
    }
);

mpi!(
    /// Starts MPI with a thread level.
    #[season(Always)]
    fn MPI_Init_thread(process: &Process, argc: Argc, argv: Argv, required: Int, provided: OutInt) {
        provided.set(process.phases.begin(required)?);
        init::arrive(process)
    }
);

fortran!(
    /// Fortran's MPI_Init_thread, which has no argument list.
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
    /// Whether MPI_Finalize has completed.
    #[fortran(mpi_finalized_)]
    #[season(Always)]
    fn MPI_Finalized(process: &Process, flag: OutFlag) {
        flag.set(process.phases.is_finalized());
        Ok(())
    }
);

mpi!(
    /// Finalizes MPI together with all living ranks (MPI-5.0 §11.2.2).
    #[fortran(mpi_finalize_)]
    #[season(Always)]
    fn MPI_Finalize(process: &Process) {
        let left = init::finalize(process);
        job::leave(process);
        left
    }
);

mpi!(
    /// The thread level that the library provides.
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
