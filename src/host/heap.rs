//! One heap per rank, so that a rank that ruins its heap ruins nobody else's.

/// A rank's heap: a slice of one reservation, named by the seat.
#[derive(Default)]
pub(super) struct Heap {}
