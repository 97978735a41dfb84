//! Attributes of windows, and their keyvals (MPI-5.0 §7.7.3, §12.2.6).

use crate::abi::kinds::*;
use crate::mpi::attributes::{self, Bearer, Keyval};

mpi!(
    /// Creates a keyval for attributes of windows.
    #[fortran(mpi_win_create_keyval_)]
    fn MPI_Win_create_keyval(
        process: &Process, win_copy_attr_fn: WinCopyFunction,
        win_delete_attr_fn: WinDeleteFunction, win_keyval: OutInt, extra_state: ExtraState,
    ) {
        let (copy, delete) = (win_copy_attr_fn, win_delete_attr_fn);
        let keyval = Keyval { bearer: Bearer::Win, copy, delete, extra_state };
        win_keyval.set(process.keyvals.create(keyval)?);
        Ok(())
    }
);

mpi!(
    /// Frees a keyval for attributes of windows.
    #[fortran(mpi_win_free_keyval_)]
    fn MPI_Win_free_keyval(process: &Process, win_keyval: InOutInt) {
        process.keyvals.free(win_keyval.value(), Bearer::Win)?;
        win_keyval.set(attributes::INVALID);
        Ok(())
    }
);

mpi!(
    /// Sets an attribute of `win`.
    #[fortran(mpi_win_set_attr_)]
    #[raises_on(win)]
    fn MPI_Win_set_attr(
        process: &Process, win: MPI_Win, win_keyval: Int, attribute_val: InAttribute,
    ) {
        win.set_attribute(process, win_keyval, attribute_val)
    }
);

mpi!(
    /// The attribute of `win` under a keyval, if it is set.
    #[fortran(mpi_win_get_attr_)]
    #[raises_on(win)]
    fn MPI_Win_get_attr(
        process: &Process, win: MPI_Win, win_keyval: Int, attribute_val: OutAttribute,
        flag: OutFlag,
    ) {
        attribute_val.set_if(win.attribute(process, win_keyval)?, flag);
        Ok(())
    }
);

mpi!(
    /// Deletes an attribute of `win`.
    #[fortran(mpi_win_delete_attr_)]
    #[raises_on(win)]
    fn MPI_Win_delete_attr(process: &Process, win: MPI_Win, win_keyval: Int) {
        win.delete_attribute(process, win_keyval)
    }
);
