//! Whether optional argument checks are on. Checks that protect the library itself are always made:
//! counts, ranks, handles, sizes.

use std::sync::atomic::{AtomicBool, Ordering};

static ARE_ON: AtomicBool = AtomicBool::new(true);

/// Makes them from now on, or leaves them out.
pub fn turn(are_on: bool) {
    ARE_ON.store(are_on, Ordering::Relaxed);
}

#[inline]
pub(super) fn are_on() -> bool {
    ARE_ON.load(Ordering::Relaxed)
}
