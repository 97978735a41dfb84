//! The environment (MPI-5.0 §9).

use crate::abi::kinds::*;

plain!(
    /// `base` moved by `disp` bytes (MPI-5.0 §5.1.5).
    #[fortran(mpi_aint_add_)]
    fn MPI_Aint_add(base: Aint, disp: Aint) -> i64 {
        base.value().wrapping_add(disp.value())
    }
);

plain!(
    /// How many bytes `addr1` is after `addr2`.
    #[fortran(mpi_aint_diff_)]
    fn MPI_Aint_diff(addr1: Aint, addr2: Aint) -> i64 {
        addr1.value().wrapping_sub(addr2.value())
    }
);
