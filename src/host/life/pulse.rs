//! What a rank looks at whenever it calls MPI.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Whether a rank is to die: set from outside, checked by the rank at every door and in waits.
#[derive(Clone, Default)]
pub struct Pulse(Arc<AtomicU8>);

/// The rank is to die.
const STOPPING: u8 = 1;
/// The rank's actions are counted.
const COUNTED: u8 = 2;
/// Other ranks have waited long for the core of this rank.
const CROWDED: u8 = 4;
/// Other ranks may run at its calls.
const TAKES_TURNS: u8 = 8;
/// The program is to be told of something at the end of its next call.
const ANNOUNCED: u8 = 16;
/// The program has handlers of signals, and the process for itself: its calls hold signals back.
const HOLDS_SIGNALS: u8 = 32;

impl Pulse {
    /// False if this rank's doors have something to check.
    #[inline]
    pub fn is_calm(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    /// True once this rank has been told to die.
    #[inline]
    pub fn is_stopping(&self) -> bool {
        self.0.load(Ordering::Relaxed) & STOPPING != 0
    }

    /// Whether the rank's actions are counted.
    #[inline]
    pub fn is_counted(&self) -> bool {
        self.0.load(Ordering::Relaxed) & COUNTED != 0
    }

    /// Whether this rank should let others run, where it holds no lock: true once per request.
    pub fn takes_call_for_room(&self) -> bool {
        self.0.load(Ordering::Relaxed) & CROWDED != 0
            && self.0.fetch_and(!CROWDED, Ordering::Relaxed) & CROWDED != 0
    }

    /// Whether others may be drawn to go first at each of the rank's calls.
    pub fn takes_turns(&self) -> bool {
        self.0.load(Ordering::Relaxed) & TAKES_TURNS != 0
    }

    /// From now on, each call may let others go first.
    pub(in crate::host) fn take_turns(&self) {
        self.0.fetch_or(TAKES_TURNS, Ordering::Relaxed);
    }

    /// Asks the rank to let others run at its next door.
    pub(in crate::host) fn call_for_room(&self) {
        self.0.fetch_or(CROWDED, Ordering::Relaxed);
    }

    /// The program is to be told of something at the end of its next call.
    pub fn announce(&self) {
        self.0.fetch_or(ANNOUNCED, Ordering::Release);
    }

    /// Whether there is something to tell.
    #[inline]
    pub fn has_announced(&self) -> bool {
        self.0.load(Ordering::Relaxed) & ANNOUNCED != 0
    }

    /// Whether there is something to do at the end of a call.
    #[inline]
    pub fn has_more_at_end(&self) -> bool {
        self.0.load(Ordering::Relaxed) & (ANNOUNCED | HOLDS_SIGNALS | TAKES_TURNS) != 0
    }

    /// Whether the rank's calls hold signals back.
    #[inline]
    pub fn holds_signals(&self) -> bool {
        self.0.load(Ordering::Relaxed) & HOLDS_SIGNALS != 0
    }

    /// From now on, each call holds signals back.
    pub(in crate::host) fn hold_signals(&self) {
        self.0.fetch_or(HOLDS_SIGNALS, Ordering::Release);
    }

    /// The program is being told.
    pub fn take_announcement(&self) {
        self.0.fetch_and(!ANNOUNCED, Ordering::Acquire);
    }

    /// Tells the rank to die.
    pub(crate) fn stop(&self) {
        self.0.fetch_or(STOPPING, Ordering::Release);
    }

    /// From now on the rank's doors and waits report what they do.
    pub(crate) fn count(&self) {
        self.0.fetch_or(COUNTED, Ordering::Release);
    }
}
