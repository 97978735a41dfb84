//! The life of a rank: new → running → ended or dead → perhaps a new incarnation. And the
//! supervisor.
//!
//! A rank begins in [`birth`] and ends in [`ending`], on its own thread, whose last act is to hand
//! the rank to the [`supervisor`] on the process's first thread. Only the supervisor frees
//! anything.

mod birth;
mod ending;
mod exits;
mod files;
mod ground;
mod lasts;
mod limits;
mod obituary;
mod running_job;
mod seat;
mod supervisor;
mod threads;
mod units;

use crate::host::sched::Bell;
use crate::host::{Rank, clock};
use parking_lot::Mutex;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

pub use crate::host::life::running_job::{
    end_process, expect_dues, has_alarms, incarnation, kill, kill_only, living, pin, refuse,
    respawn, run,
};
pub use ending::end_current;
pub use obituary::{cause, obituary};
pub use seat::{Pin, Visit};

pub(super) use crate::host::life::running_job::{
    admit, defer, expect_alarms, forward, harmless_code,
};
pub(super) use ending::{abort, exit, is_own_process};
pub(super) use threads::{
    Thread, living as living_threads, own_stack, settle, this as this_thread,
};

/// How a rank ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Returned from `main` or called `exit`, `_exit` and the like.
    Exited { status: i32 },
    /// A signal without a handler; `address` is what it touched, if it was a fault.
    Signalled { number: i32, address: usize },
    /// Killed from outside (`kill` below, `raise(SIGKILL)`).
    Killed,
}

/// The fate of the job after a rank has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The other ranks continue.
    Continue,
    /// The other ranks continue, and the seat gets a new incarnation.
    Restart,
    /// The job ends at once with this exit status; the sentence goes to stderr.
    End { status: i32, last_words: String },
}

/// The rank that is to live in a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Newcomer {
    pub incarnation: u32,
    /// The generation of the world that it joins.
    pub generation: u64,
}

/// The floor above the host: it is told what happens to ranks, and decides.
pub trait Tenant: Send + Sync {
    /// `rank` has started. Called on the supervisor's thread, once per incarnation.
    fn began(&self, rank: &'static Rank);
    /// `rank` has ended and no longer runs. Called on the supervisor's thread, once per
    /// incarnation.
    fn ended(&self, rank: &'static Rank, ending: Ending) -> Verdict;
    /// Threads of the rank in `seat` that wait inside a call must look at its [`Pulse`].
    fn wake(&self, seat: usize);
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
    pub(super) fn take_turns(&self) {
        self.0.fetch_or(TAKES_TURNS, Ordering::Relaxed);
    }

    /// Asks the rank to let others run at its next door.
    pub(super) fn call_for_room(&self) {
        self.0.fetch_or(CROWDED, Ordering::Relaxed);
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

/// The part of a rank's record that belongs to this room.
pub(super) struct Life {
    /// The generation of the world in which it started.
    generation: u64,
    started: Instant,
    ended: OnceLock<Ended>,
    /// Where in the program a signal struck; 0 for other endings.
    struck_at: AtomicUsize,
    /// It ended by `exit`, on its only thread, and holds no lock of libc.
    is_orderly: AtomicBool,
    threads: Mutex<Vec<Arc<threads::Thread>>>,
    /// Rung when a thread of the rank ends.
    bell: Bell,
    /// The next in the supervisor's queue.
    next: AtomicPtr<Rank>,
    guard: Range<usize>,
    signal_stack: (usize, usize),
    /// The address of its `argv`, above its stack.
    arguments: usize,
    /// Above it, the stack belongs to glibc (see [`ground`]).
    first_frame: AtomicUsize,
    exits: Mutex<exits::Exits>,
}

struct Ended {
    ending: Ending,
    at: Instant,
}

impl Life {
    fn new(
        generation: u64, plan: &ground::Plan, ground: &ground::Ground, arguments: usize,
    ) -> Life {
        Life {
            generation,
            started: clock::now(),
            ended: OnceLock::new(),
            struck_at: AtomicUsize::new(0),
            is_orderly: AtomicBool::new(false),
            threads: Mutex::default(),
            bell: Bell::new(),
            next: AtomicPtr::default(),
            guard: plan.guard(ground),
            signal_stack: (plan.signal_stack(ground), ground::SIGNAL_STACK_BYTES),
            arguments,
            first_frame: AtomicUsize::new(0),
            exits: Mutex::default(),
        }
    }

    /// Whether the rank has ended, or is about to.
    pub(super) fn is_ending(&self) -> bool {
        self.ended.get().is_some()
    }

    /// Whether the rank was ended by a signal inside libc: libc's own locks may be held then.
    fn has_died_in_libc(&self, rank: &Rank, ending: Ending) -> bool {
        let pc = self.struck_at.load(Ordering::Relaxed);
        matches!(ending, Ending::Signalled { .. }) && pc != 0 && !rank.images.contains(pc)
    }

    /// Records the place where a signal hits the rank.
    pub(super) fn struck(&self, pc: usize) {
        self.struck_at.store(pc, Ordering::Relaxed);
    }
}

impl Rank {
    /// When it ended, if it has.
    pub fn ended_at(&self) -> Option<Instant> {
        self.life.ended.get().map(|ended| ended.at)
    }

    /// How long it has lived, or did.
    pub fn age(&self) -> Duration {
        let ended = self.life.ended.get().map_or_else(clock::now, |ended| ended.at);
        ended - self.life.started
    }
}

/// The rank's stand-in for a function of libc.
pub(super) fn stand_in(name: &str) -> Option<*const ()> {
    crate::host::shims::function(name).or_else(|| function(name))
}

/// The rank's stand-in for a libc function about its life.
pub(super) fn function(name: &str) -> Option<*const ()> {
    let mut entries = [exits::SHIMS, ending::SHIMS].into_iter().flatten();
    let own = entries.find(|entry| entry.0 == name).map(|entry| entry.1);
    own.or_else(|| crate::host::signals::function(name)).map(|Shim(function)| function)
}

/// A function in a table of stand-ins.
#[derive(Clone, Copy)]
pub(super) struct Shim(pub(super) *const ());

// SAFETY: the address of code.
unsafe impl Sync for Shim {}
