//! IEEE quads: Fortran's REAL(16) and COMPLEX(32), combined by C (see `quad.c`).

use super::number::Operands;
use crate::mpi::op::named::Named;
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

pub(super) fn real(op: Named) -> Option<fn(&Operands)> {
    Some(match op {
        Named::Sum => |it| run(ftmpi_quad_sum, 16, it),
        Named::Prod => |it| run(ftmpi_quad_prod, 16, it),
        Named::Min => |it| run(ftmpi_quad_min, 16, it),
        Named::Max => |it| run(ftmpi_quad_max, 16, it),
        _ => return None,
    })
}

pub(super) fn complex(op: Named) -> Option<fn(&Operands)> {
    Some(match op {
        Named::Sum => |it| run(ftmpi_complex_quad_sum, 32, it),
        Named::Prod => |it| run(ftmpi_complex_quad_prod, 32, it),
        _ => return None,
    })
}

/// For elements with this many bytes each.
fn run(combine: Combine, each: usize, operands: &Operands) {
    let Operands { left, right, into, count } = *operands;
    let left = std::ptr::with_exposed_provenance(left);
    let place = std::ptr::with_exposed_provenance_mut::<c_char>(into);
    if into != right {
        let right = std::ptr::with_exposed_provenance(right);
        // SAFETY: the caller of MPI vouches for `count` elements everywhere (§2.3).
        unsafe { place.copy_from(right, count * each) };
    }
    // SAFETY: as above.
    unsafe { combine(left, place, count) };
}
