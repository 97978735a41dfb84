//! Error handlers of communicators, files and windows (MPI-5.0 §9.3). Files start with the handler
//! of MPI_FILE_NULL.

use crate::abi::kinds::*;
use crate::mpi::errhandler;
use crate::mpi::handle_table::Sort;

mpi!(
    /// Creates an error handler for communicators (MPI-5.0 §9.3.1).
    #[fortran(mpi_comm_create_errhandler_)]
    #[season(Always)]
    fn MPI_Comm_create_errhandler(
        process: &Process, comm_errhandler_fn: CommErrhandlerFunction,
        errhandler: Var<MPI_Errhandler>,
    ) {
        errhandler.set(errhandler::create(&process.errhandlers, Sort::Comm, comm_errhandler_fn)?);
        Ok(())
    }
);

mpi!(
    /// Sets the error handler of `comm`.
    #[fortran(mpi_comm_set_errhandler_)]
    #[raises_on(comm)]
    fn MPI_Comm_set_errhandler(process: &Process, comm: MPI_Comm, errhandler: MPI_Errhandler) {
        comm.set_errhandler(process, errhandler)
    }
);

mpi!(
    /// The error handler of `comm`.
    #[fortran(mpi_comm_get_errhandler_)]
    #[raises_on(comm)]
    fn MPI_Comm_get_errhandler(process: &Process, comm: MPI_Comm, errhandler: Var<MPI_Errhandler>) {
        errhandler.set(comm.errhandler.hold(&process.errhandlers)?);
        Ok(())
    }
);

mpi!(
    /// Frees an error handler; objects that use it keep it.
    #[fortran(mpi_errhandler_free_)]
    #[season(Always)]
    fn MPI_Errhandler_free(process: &Process, errhandler: Var<MPI_Errhandler>) {
        process.free_errhandler(errhandler.key())?;
        errhandler.set_null();
        Ok(())
    }
);

mpi!(
    /// Creates an error handler for files (MPI-5.0 §9.3.3).
    #[fortran(mpi_file_create_errhandler_)]
    #[season(Always)]
    fn MPI_File_create_errhandler(
        process: &Process, file_errhandler_fn: FileErrhandlerFunction,
        errhandler: Var<MPI_Errhandler>,
    ) {
        errhandler.set(errhandler::create(&process.errhandlers, Sort::File, file_errhandler_fn)?);
        Ok(())
    }
);

mpi!(
    /// Sets the error handler of `file`; that of MPI_FILE_NULL is the initial handler of all files.
    #[fortran(mpi_file_set_errhandler_)]
    #[raises_on(file)]
    fn MPI_File_set_errhandler(
        process: &Process, file: OrNull<MPI_File>, errhandler: MPI_Errhandler,
    ) {
        match file {
            Some(file) => file.comm.set_errhandler(process, errhandler),
            None => process.file_errhandler.set(errhandler),
        }
    }
);

mpi!(
    /// The error handler of `file`.
    #[fortran(mpi_file_get_errhandler_)]
    #[raises_on(file)]
    fn MPI_File_get_errhandler(
        process: &Process, file: OrNull<MPI_File>, errhandler: Var<MPI_Errhandler>,
    ) {
        let of = file.as_ref().map_or(&process.file_errhandler, |file| &file.comm.errhandler);
        errhandler.set(of.hold(&process.errhandlers)?);
        Ok(())
    }
);

mpi!(
    /// Creates an error handler for windows (MPI-5.0 §9.3.2).
    #[fortran(mpi_win_create_errhandler_)]
    #[season(Always)]
    fn MPI_Win_create_errhandler(
        process: &Process, win_errhandler_fn: WinErrhandlerFunction,
        errhandler: Var<MPI_Errhandler>,
    ) {
        errhandler.set(errhandler::create(&process.errhandlers, Sort::Win, win_errhandler_fn)?);
        Ok(())
    }
);

mpi!(
    /// Sets the error handler of `win`.
    #[fortran(mpi_win_set_errhandler_)]
    #[raises_on(win)]
    fn MPI_Win_set_errhandler(process: &Process, win: MPI_Win, errhandler: MPI_Errhandler) {
        win.set_errhandler(process, errhandler)
    }
);

mpi!(
    /// The error handler of `win`.
    #[fortran(mpi_win_get_errhandler_)]
    #[raises_on(win)]
    fn MPI_Win_get_errhandler(process: &Process, win: MPI_Win, errhandler: Var<MPI_Errhandler>) {
        errhandler.set(win.errhandler.hold(&process.errhandlers)?);
        Ok(())
    }
);
