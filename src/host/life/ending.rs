//! The ways in which a rank ends, on its own thread.

use super::record::Ended;
use super::verdict::Ending;
use super::{running_job, threads};
use crate::host::{Rank, clock, current, fiber};

/// Ends the rank of the calling thread. Safe in signal handlers.
pub fn end_current(ending: Ending) -> ! {
    fiber::excursion::come_home();
    if let Some(rank) = current()
        && rank.life.ended.set(Ended { ending, at: clock::now() }).is_ok()
    {
        rank.pulse.stop();
        running_job::report(rank);
    }
    threads::leave()
}

/// Whether this is the process of the ranks, and not a child that one of them forked.
pub(in crate::host) fn is_own_process() -> bool {
    // SAFETY: has no preconditions.
    running_job::process() == unsafe { libc::getpid() }
}

/// The rank that ends when its code calls `exit`. A forked child is an ordinary process.
pub(super) fn mortal() -> Option<&'static Rank> {
    current().filter(|_| is_own_process())
}
