//! The part of a rank's record that belongs to this room.

use super::exit_list::Exits;
use super::ground;
use super::thread::Thread;
use super::verdict::Ending;
use crate::host::clock;
use crate::host::sched::Bell;
use parking_lot::Mutex;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The part of a rank's record that belongs to this room.
pub(in crate::host) struct Life {
    /// The generation of the world in which it started.
    pub(super) generation: u64,
    pub(super) started: Instant,
    pub(super) ended: OnceLock<Ended>,
    /// Where in the program a signal struck; 0 for other endings.
    pub(super) struck_at: AtomicUsize,
    /// It ended by `exit`, on its only thread, and holds no lock of libc.
    pub(super) is_orderly: AtomicBool,
    pub(super) threads: Mutex<Vec<Arc<Thread>>>,
    /// Rung when a thread of the rank ends.
    pub(super) bell: Bell,
    pub(super) guard: Range<usize>,
    pub(super) signal_stack: (usize, usize),
    /// The address of its `argv`, above its stack.
    pub(super) arguments: usize,
    /// Above it, the stack belongs to glibc (see [`ground`]).
    pub(super) first_frame: AtomicUsize,
    pub(super) exits: Mutex<Exits>,
    /// Other processes know where its memory is, and may read and write there at any time.
    pub(super) is_shown: AtomicBool,
}

pub(super) struct Ended {
    pub(super) ending: Ending,
    pub(super) at: Instant,
}

impl Life {
    pub(super) fn new(
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
            guard: plan.guard(ground),
            signal_stack: (plan.signal_stack(ground), ground::SIGNAL_STACK_BYTES),
            arguments,
            first_frame: AtomicUsize::new(0),
            exits: Mutex::default(),
            is_shown: AtomicBool::new(false),
        }
    }

    /// Whether the rank has ended, or is about to.
    pub(in crate::host) fn is_ending(&self) -> bool {
        self.ended.get().is_some()
    }

    /// Whether other processes may use its memory.
    pub(in crate::host) fn is_shown(&self) -> bool {
        self.is_shown.load(Ordering::Relaxed)
    }

    /// Records the place where a signal hits the rank.
    pub(in crate::host) fn struck(&self, pc: usize) {
        self.struck_at.store(pc, Ordering::Relaxed);
    }

    /// When it ended, if it has.
    pub(in crate::host) fn ended_at(&self) -> Option<Instant> {
        self.ended.get().map(|ended| ended.at)
    }

    /// How long it has lived, or did.
    pub(in crate::host) fn age(&self) -> Duration {
        self.ended_at().unwrap_or_else(clock::now) - self.started
    }
}
