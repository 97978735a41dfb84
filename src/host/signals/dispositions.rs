//! What a rank wants done about each signal, and its alarm.

use super::numbers::{SIGNALS, blank, ends_a_process};
use libc::sigaction;
use parking_lot::Mutex;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The rank's action for each signal.
#[derive(Default)]
pub(in crate::host) struct Dispositions {
    all: OnceLock<Box<[Disposition; SIGNALS]>>,
    /// What some thread of the rank has ever blocked or waited for.
    pub(super) held_back: AtomicU64,
    pub(super) alarm: Alarm,
}

/// The alarm of a rank.
#[derive(Default)]
pub(super) struct Alarm(pub(super) Mutex<Option<Set>>);

#[derive(Clone, Copy)]
pub(super) struct Set {
    pub(super) at: Instant,
    /// Zero for an alarm that rings once.
    pub(super) every: Duration,
}

pub(super) struct Disposition {
    handler: AtomicUsize,
    flags: AtomicI32,
    mask: AtomicU64,
}

/// Signals that were ignored when the process began; bit by number.
pub(super) static IGNORED_AT_START: AtomicU64 = AtomicU64::new(0);

impl Disposition {
    fn at_start(number: usize) -> Disposition {
        let is_ignored = IGNORED_AT_START.load(Ordering::Relaxed) >> (number % 64) & 1 == 1;
        Disposition {
            handler: AtomicUsize::new(if is_ignored { libc::SIG_IGN } else { libc::SIG_DFL }),
            flags: AtomicI32::new(0),
            mask: AtomicU64::new(0),
        }
    }

    pub(super) fn read(&self) -> sigaction {
        let mut action = blank();
        action.sa_sigaction = self.handler.load(Ordering::Acquire);
        action.sa_flags = self.flags.load(Ordering::Relaxed);
        let mask = self.mask.load(Ordering::Relaxed);
        // SAFETY: a set of signals begins with the bits of the first 64.
        unsafe { (&raw mut action.sa_mask).cast::<u64>().write(mask) };
        action
    }

    pub(super) fn write(&self, action: &sigaction) {
        // SAFETY: as above.
        let mask = unsafe { (&raw const action.sa_mask).cast::<u64>().read() };
        self.mask.store(mask, Ordering::Relaxed);
        self.flags.store(action.sa_flags, Ordering::Relaxed);
        self.handler.store(action.sa_sigaction, Ordering::Release);
    }
}

impl Dispositions {
    pub(super) fn of(&self, number: i32) -> Option<&Disposition> {
        let make = || Box::new(std::array::from_fn(Disposition::at_start));
        self.all.get_or_init(make).get(usize::try_from(number).ok()?)
    }

    /// The action that the rank has set, without creating anything: safe in a handler.
    pub(super) fn wanted(&self, number: i32) -> sigaction {
        let known = self.all.get().zip(usize::try_from(number).ok());
        match known.and_then(|(all, number)| all.get(number)) {
            Some(disposition) => disposition.read(),
            None => Disposition::at_start(usize::try_from(number).unwrap_or(0)).read(),
        }
    }

    pub(super) fn does_something(&self, number: i32) -> bool {
        match self.wanted(number).sa_sigaction {
            libc::SIG_IGN => false,
            libc::SIG_DFL => ends_a_process(number),
            _ => true,
        }
    }
}
