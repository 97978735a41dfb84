//! Windows (MPI-5.0 §12, §7.8). None can be created yet, so only MPI_WIN_NULL has a name.

use crate::abi::kinds::*;
use crate::mpi::env;

mpi!(
    /// The name of `win`.
    #[fortran(mpi_win_get_name_)]
    #[raises_on(win)]
    fn MPI_Win_get_name(
        process: &Process, win: OrNull<MPI_Win>, win_name: OutText, resultlen: OutInt,
    ) {
        match win {
            None => resultlen.set(win_name.set(b"MPI_WIN_NULL", env::MAX_OBJECT_NAME)),
            Some(win) => match win {},
        }
        Ok(())
    }
);
