//! File pointers (MPI-5.0 §14.4).

use super::*;
use crate::mpi::file::pointers;

mpi!(
    /// Sets the individual file pointer.
    #[fortran(mpi_file_seek_)]
    #[raises_on(fh)]
    fn MPI_File_seek(process: &Process, fh: MPI_File, offset: Offset, whence: Int) {
        pointers::seek(&fh, offset, whence)
    }
);

mpi!(
    /// The individual file pointer.
    #[fortran(mpi_file_get_position_)]
    #[raises_on(fh)]
    fn MPI_File_get_position(process: &Process, fh: MPI_File, offset: OutOffset) {
        offset.set(pointers::position(&fh)?);
        Ok(())
    }
);

mpi!(
    /// Where in the file a position of the view is, in bytes.
    #[fortran(mpi_file_get_byte_offset_)]
    #[raises_on(fh)]
    fn MPI_File_get_byte_offset(process: &Process, fh: MPI_File, offset: Offset, disp: OutOffset) {
        disp.set(pointers::place(&fh, offset)?);
        Ok(())
    }
);

mpi!(
    /// Sets the shared file pointer.
    #[fortran(mpi_file_seek_shared_)]
    #[raises_on(fh)]
    fn MPI_File_seek_shared(process: &Process, fh: MPI_File, offset: Offset, whence: Int) {
        pointers::seek_shared(process, &fh, offset, whence)
    }
);

mpi!(
    /// The shared file pointer.
    #[fortran(mpi_file_get_position_shared_)]
    #[raises_on(fh)]
    fn MPI_File_get_position_shared(process: &Process, fh: MPI_File, offset: OutOffset) {
        offset.set(pointers::shared_position(&fh)?);
        Ok(())
    }
);
