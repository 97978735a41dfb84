//! IEEE quads: Fortran's REAL(16) and COMPLEX(32), combined by C (see `quad.c`).

use super::Operands;
use crate::mpi::op::Named;
use std::ffi::c_char;

type Combine = unsafe extern "C" fn(*const c_char, *mut c_char, usize);

unsafe extern "C" {
    fn ftmpi_quad_sum(input: *const c_char, inout: *mut c_char, count: usize);
    fn ftmpi_quad_prod(input: *const c_char, inout: *mut c_char, count: usize);
    fn ftmpi_quad_min(input: *const c_char, inout: *mut c_char, count: usize);
    fn ftmpi_quad_max(input: *const c_char, inout: *mut c_char, count: usize);
    fn ftmpi_complex_quad_sum(input: *const c_char, inout: *mut c_char, count: usize);
    fn ftmpi_complex_quad_prod(input: *const c_char, inout: *mut c_char, count: usize);
}

pub(super) fn real(op: Named, operands: Operands) -> bool {
    let combine: Combine = match op {
        Named::Sum => ftmpi_quad_sum,
        Named::Prod => ftmpi_quad_prod,
        Named::Min => ftmpi_quad_min,
        Named::Max => ftmpi_quad_max,
        _ => return false,
    };
    run(combine, operands)
}

pub(super) fn complex(op: Named, operands: Operands) -> bool {
    let combine: Combine = match op {
        Named::Sum => ftmpi_complex_quad_sum,
        Named::Prod => ftmpi_complex_quad_prod,
        _ => return false,
    };
    run(combine, operands)
}

fn run(combine: Combine, operands: Operands) -> bool {
    let input = std::ptr::with_exposed_provenance(operands.input);
    let inout = std::ptr::with_exposed_provenance_mut(operands.inout);
    // SAFETY: the caller of MPI vouches for `count` elements on both sides (§2.3).
    unsafe { combine(input, inout, operands.count) };
    true
}
