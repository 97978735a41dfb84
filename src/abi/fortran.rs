//! What only Fortran needs: its named constants that are variables, known by their addresses.

/// The address that C has for what Fortran passed as a buffer.
#[inline]
pub(super) fn in_c(address: usize) -> usize {
    address
}

/// Null for MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE.
#[inline]
pub(super) fn unless_ignored<T>(status: *mut T) -> *mut T {
    std::ptr::with_exposed_provenance_mut(in_c(status.expose_provenance()))
}
