//! Views of files (MPI-5.0 §14.3, §14.5).

use super::*;
use crate::mpi::file::representation::MAX_NAME;
use crate::mpi::file::settings::{self, Described};

mpi!(
    /// Changes the view of a file.
    #[fortran(mpi_file_set_view_)]
    #[raises_on(fh)]
    fn MPI_File_set_view(
        process: &Process, fh: MPI_File, disp: Offset, etype: MPI_Datatype, filetype: MPI_Datatype,
        datarep: InText, info: Hints,
    ) {
        let (displacement, representation) = (disp, datarep.as_slice());
        let described = Described { displacement, etype, filetype, representation };
        settings::set_view(process, &fh, described, info.as_deref())
    }
);

mpi!(
    /// The view of a file.
    #[fortran(mpi_file_get_view_)]
    #[raises_on(fh)]
    fn MPI_File_get_view(
        process: &Process, fh: MPI_File, disp: OutOffset, etype: Var<MPI_Datatype>,
        filetype: Var<MPI_Datatype>, datarep: OutText,
    ) {
        let view = fh.view();
        let handles = [&view.etype, &view.filetype].map(|of| settings::handle_of(process, of));
        let [of_etype, of_filetype] = handles;
        etype.set(of_etype?);
        filetype.set(of_filetype?);
        disp.set(view.displacement);
        datarep.set(view.representation.name(), MAX_NAME);
        Ok(())
    }
);

mpi!(
    /// How far items of a type are apart in a file.
    #[large(MPI_File_get_type_extent_c)]
    #[fortran(mpi_file_get_type_extent_)]
    #[raises_on(fh)]
    fn MPI_File_get_type_extent(
        process: &Process, fh: MPI_File, datatype: MPI_Datatype, extent: OutAint,
    ) {
        extent.set(fh.view().representation.extent(process.program, &datatype)?);
        Ok(())
    }
);
