//! Questions about the ABI itself (MPI-5.0 §20): its version, what it says of Fortran, and handles
//! as integers, which they already are.

use crate::abi::kinds::*;
use crate::mpi::{env, fortran};

mpi!(
    /// The version of the ABI.
    #[fortran(mpi_abi_get_version_)]
    #[season(Always)]
    fn MPI_Abi_get_version(process: &Process, abi_major: OutInt, abi_minor: OutInt) {
        abi_major.set(env::ABI_VERSION.0);
        abi_minor.set(env::ABI_VERSION.1);
        Ok(())
    }
);

mpi!(
    /// The properties that the ABI leaves to the platform (MPI-5.0 §20.3).
    #[fortran(mpi_abi_get_info_)]
    #[season(Always)]
    fn MPI_Abi_get_info(process: &Process, info: Var<MPI_Info>) {
        info.set(process.keep_info(fortran::sizes())?);
        Ok(())
    }
);

mpi!(
    /// The properties of Fortran that the library knows (MPI-5.0 §20.4).
    #[fortran(mpi_abi_get_fortran_info_)]
    #[season(Always)]
    fn MPI_Abi_get_fortran_info(process: &Process, info: Var<MPI_Info>) {
        info.set(process.keep_info(fortran::facts())?);
        Ok(())
    }
);

mpi!(
    /// Sets properties of Fortran.
    #[fortran(mpi_abi_set_fortran_info_)]
    #[season(Always)]
    fn MPI_Abi_set_fortran_info(process: &Process, info: MPI_Info) {
        fortran::agrees(&info)
    }
);

mpi!(
    /// The values of .TRUE. and .FALSE., which are known from the start.
    #[fortran(mpi_abi_get_fortran_booleans_)]
    #[season(Always)]
    fn MPI_Abi_get_fortran_booleans(
        process: &Process, logical_size: Int, logical_true: OutBuf, logical_false: OutBuf,
        is_set: OutFlag,
    ) {
        fortran::booleans(process, logical_size, logical_true, logical_false)?;
        is_set.set(true);
        Ok(())
    }
);

mpi!(
    /// Sets the values of .TRUE. and .FALSE.
    #[fortran(mpi_abi_set_fortran_booleans_)]
    #[season(Always)]
    fn MPI_Abi_set_fortran_booleans(
        process: &Process, logical_size: Int, logical_true: OutBuf, logical_false: OutBuf,
    ) {
        fortran::have_booleans(process, logical_size, logical_true, logical_false)
    }
);

macro_rules! integers {
    ($($handle:ident: $toint:ident, $fromint:ident, $name:ident;)*) => {$(
        plain!(
            /// Converts a handle to an integer.
            fn $toint($name: $handle) -> c_int {
                $name.key() as c_int
            }
        );

        plain!(
            /// Converts an integer to a handle.
            fn $fromint($name: Int) -> $handle {
                <$handle>::of($name.value() as u32 as usize)
            }
        );
    )*};
}

integers! {
    MPI_Comm: MPI_Comm_toint, MPI_Comm_fromint, comm;
    MPI_Errhandler: MPI_Errhandler_toint, MPI_Errhandler_fromint, errhandler;
    MPI_File: MPI_File_toint, MPI_File_fromint, file;
    MPI_Group: MPI_Group_toint, MPI_Group_fromint, group;
    MPI_Info: MPI_Info_toint, MPI_Info_fromint, info;
    MPI_Message: MPI_Message_toint, MPI_Message_fromint, message;
    MPI_Op: MPI_Op_toint, MPI_Op_fromint, op;
    MPI_Request: MPI_Request_toint, MPI_Request_fromint, request;
    MPI_Session: MPI_Session_toint, MPI_Session_fromint, session;
    MPI_Datatype: MPI_Type_toint, MPI_Type_fromint, datatype;
    MPI_Win: MPI_Win_toint, MPI_Win_fromint, win;
}
