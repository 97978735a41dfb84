//! `abort`, for a rank.

use super::ending::{end_current, mortal};
use super::verdict::Ending;
use crate::host::signals;

/// # Safety
/// As `abort(3)`.
#[cfg_attr(not(miri), unsafe(no_mangle))]
pub(in crate::host) unsafe extern "C-unwind" fn abort() -> ! {
    if let Some(rank) = mortal() {
        signals::raise(rank, libc::SIGABRT);
        // A handler may return; the program still ends.
        end_current(Ending::Signalled { number: libc::SIGABRT, address: 0 });
    }
    let real: unsafe extern "C-unwind" fn() -> ! = crate::host::real!("abort");
    // SAFETY: has no preconditions.
    unsafe { real() }
}
