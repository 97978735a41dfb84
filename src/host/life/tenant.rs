//! The floor above the host, as the host sees it.

use super::verdict::{Ending, Verdict};
use crate::host::Rank;
use crate::host::computing::Computing;
use std::time::Instant;

/// The floor above the host: it is told what happens to ranks, and decides.
pub trait Tenant: Send + Sync {
    /// There are seats, in which ranks may be started from now on.
    fn opened(&self) {}
    /// `rank` has started. Called on the supervisor's thread, once per incarnation.
    fn began(&self, rank: &'static Rank);
    /// `rank` has ended and no longer runs. Called on the supervisor's thread, once per
    /// incarnation.
    fn ended(&self, rank: &'static Rank, ending: Ending) -> Verdict;
    /// Threads of the rank in `seat` that wait inside a call must look at its [`Pulse`].
    fn wake(&self, seat: usize);
    /// The job is about to end, because this rank computes for too long.
    fn computes_too_long(&self, found: Computing);
    /// The process is about to end, for any reason. Called once, on any thread.
    fn closing(&self);
    /// The exit status of the job, asked once all ranks have ended.
    fn status(&self) -> i32;
    /// The final message on stderr, if any.
    fn last_words(&self) -> String;
    /// Does what is due, and returns when more will be. Called only if the job has a seed, by the
    /// supervisor, whenever it looks around.
    fn due(&self) -> Option<Instant>;
}
