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

pub(super) fn real(op: Named) -> Option<fn(Operands)> {
    Some(match op {
        Named::Sum => |it| run(ftmpi_quad_sum, it),
        Named::Prod => |it| run(ftmpi_quad_prod, it),
        Named::Min => |it| run(ftmpi_quad_min, it),
        Named::Max => |it| run(ftmpi_quad_max, it),
        _ => return None,
    })
}

pub(super) fn complex(op: Named) -> Option<fn(Operands)> {
    Some(match op {
        Named::Sum => |it| run(ftmpi_complex_quad_sum, it),
        Named::Prod => |it| run(ftmpi_complex_quad_prod, it),
        _ => return None,
    })
}

fn run(combine: Combine, operands: Operands) {
    let input = std::ptr::with_exposed_provenance(operands.input);
    let inout = std::ptr::with_exposed_provenance_mut(operands.inout);
    // SAFETY: the caller of MPI vouches for `count` elements on both sides (§2.3).
    unsafe { combine(input, inout, operands.count) };
}
