//! A rank's life: new → running → ended or dead → perhaps a fresh incarnation. And the undertaker.

use crate::host::Rank;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How a rank ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Returned from `main` or called `exit`, `_exit` and the like.
    Exited { status: i32 },
    /// A signal that nobody handled; `address` is what it touched, where it touched something.
    Signalled { number: i32, address: usize },
    /// Killed from outside (`kill` below, `raise(SIGKILL)`).
    Killed,
}

/// What becomes of the job after a rank has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The others go on.
    Continue,
    /// The others go on, and the seat gets a fresh incarnation.
    Restart,
    /// The job ends at once with this exit status; the sentence goes to stderr.
    End { status: i32, last_words: String },
}

/// Who lives above the host: is told what happens to ranks, and decides.
pub trait Tenant: Send + Sync {
    /// `rank` has ended and runs no more. Called on the undertaker's thread, once per incarnation.
    fn ended(&self, rank: &'static Rank, ending: Ending) -> Verdict;
    /// Threads of the rank in `seat` that wait inside a call must look at its [`Pulse`].
    fn wake(&self, seat: usize);
}

/// Whether a rank is to die: set from outside, looked at by the rank at every door and in waits.
#[derive(Clone, Default)]
pub struct Pulse(Arc<AtomicBool>);

impl Pulse {
    /// True once this rank has been told to die.
    #[inline]
    pub fn is_stopping(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Tells the rank to die.
    pub(crate) fn stop(&self) {
        self.0.store(true, Ordering::Release);
    }
}
