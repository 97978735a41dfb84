//! Opening and closing files, and what is asked and set about them as a whole (MPI-5.0 §14.2,
//! §14.6).

use super::*;
use crate::mpi::error::is_death;
use crate::mpi::file::{lifetime, settings};

mpi!(
    /// Opens a file, together with all members of `comm`.
    #[fortran(mpi_file_open_)]
    #[raises_on(filename)]
    fn MPI_File_open(
        process: &Process, comm: MPI_Comm, filename: FileText, amode: Int, info: Hints,
        fh: Var<MPI_File>,
    ) {
        fh.set(lifetime::open(process, &comm, &filename, amode, info.as_deref())?);
        Ok(())
    }
);

mpi!(
    /// Closes a file, together with all that have opened it.
    #[fortran(mpi_file_close_)]
    #[raises_on(fh)]
    fn MPI_File_close(process: &Process, fh: Var<MPI_File>) {
        let handle = fh.key();
        let outcome = lifetime::close(process, handle);
        if !is_death(&outcome) && process.files.find(handle).is_none() {
            fh.set_null();
        }
        outcome
    }
);

mpi!(
    /// Deletes a file.
    #[fortran(mpi_file_delete_)]
    #[raises_on(filename)]
    fn MPI_File_delete(process: &Process, filename: FileText, info: Hints) {
        lifetime::delete(&filename)
    }
);

mpi!(
    /// Cuts a file, or makes it longer.
    #[fortran(mpi_file_set_size_)]
    #[raises_on(fh)]
    fn MPI_File_set_size(process: &Process, fh: MPI_File, size: Offset) {
        settings::set_size(process, &fh, size)
    }
);

mpi!(
    /// Makes sure that there is room for a file of this size.
    #[fortran(mpi_file_preallocate_)]
    #[raises_on(fh)]
    fn MPI_File_preallocate(process: &Process, fh: MPI_File, size: Offset) {
        settings::preallocate(process, &fh, size)
    }
);

mpi!(
    /// The size of a file in bytes.
    #[fortran(mpi_file_get_size_)]
    #[raises_on(fh)]
    fn MPI_File_get_size(process: &Process, fh: MPI_File, size: OutOffset) {
        size.set(fh.size()?);
        Ok(())
    }
);

mpi!(
    /// A group like that of the communicator on which a file was opened.
    #[fortran(mpi_file_get_group_)]
    #[raises_on(fh)]
    fn MPI_File_get_group(process: &Process, fh: MPI_File, group: Var<MPI_Group>) {
        group.set(process.keep_group(fh.comm.group.clone())?);
        Ok(())
    }
);

mpi!(
    /// The access mode of a file.
    #[fortran(mpi_file_get_amode_)]
    #[raises_on(fh)]
    fn MPI_File_get_amode(process: &Process, fh: MPI_File, amode: OutInt) {
        amode.set(fh.amode.0);
        Ok(())
    }
);

mpi!(
    /// Gives hints about a file.
    #[fortran(mpi_file_set_info_)]
    #[raises_on(fh)]
    fn MPI_File_set_info(process: &Process, fh: MPI_File, info: Hints) {
        settings::set_info(process, &fh, info.as_deref())
    }
);

mpi!(
    /// The hints that are in force.
    #[fortran(mpi_file_get_info_)]
    #[raises_on(fh)]
    fn MPI_File_get_info(process: &Process, fh: MPI_File, info_used: Var<MPI_Info>) {
        let info = fh.hints.lock().info();
        info_used.set(process.keep_info(info)?);
        Ok(())
    }
);

mpi!(
    /// Chooses atomic mode, or the usual one.
    #[fortran(mpi_file_set_atomicity_)]
    #[raises_on(fh)]
    fn MPI_File_set_atomicity(process: &Process, fh: MPI_File, flag: Logical) {
        settings::set_atomicity(process, &fh, flag)
    }
);

mpi!(
    /// Whether a file is in atomic mode.
    #[fortran(mpi_file_get_atomicity_)]
    #[raises_on(fh)]
    fn MPI_File_get_atomicity(process: &Process, fh: MPI_File, flag: OutFlag) {
        flag.set(fh.disk.is_atomic());
        Ok(())
    }
);

mpi!(
    /// What was written is on the disk afterwards.
    #[fortran(mpi_file_sync_)]
    #[raises_on(fh)]
    fn MPI_File_sync(process: &Process, fh: MPI_File) {
        settings::sync(process, &fh)
    }
);
