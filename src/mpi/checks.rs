//! Whether optional argument checks are on. Checks that protect the library itself are always made:
//! counts, ranks, handles, sizes.

use std::sync::atomic::{AtomicBool, Ordering};

static ARE_ON: AtomicBool = AtomicBool::new(true);

/// Leaves them out from now on.
pub fn turn_off() {
    ARE_ON.store(false, Ordering::Relaxed);
}

#[inline]
pub(super) fn are_on() -> bool {
    ARE_ON.load(Ordering::Relaxed)
}
