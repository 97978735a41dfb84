//! Which fiber runs next in [virtual time](crate::host::virtual_time): the one that became ready
//! first.

use super::record::{Fiber, Left};
use super::slot::Found;
use super::timers;
use crate::host::virtual_time::{self, accounts};
use crate::host::{clock, replay};
use crate::machine::units::{NANO, Picos};
use parking_lot::Mutex;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU64, Ordering};

/// A fiber that is ready, with the time since when, and a number that keeps equal times apart.
struct Entry(Picos, u64, &'static Fiber);

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        (self.0, self.1) == (other.0, other.1)
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> std::cmp::Ordering {
        (self.0, self.1).cmp(&(other.0, other.1))
    }
}

static READY: Mutex<BinaryHeap<Reverse<Entry>>> = Mutex::new(BinaryHeap::new());

/// What it takes to ask in vain when nothing else happens any more.
const POLL: Picos = 1000 * NANO;

/// `fiber` is ready since `at`.
fn add(at: Picos, fiber: &'static Fiber) {
    static ADDED: AtomicU64 = AtomicU64::new(0);
    let number = ADDED.fetch_add(1, Ordering::Relaxed);
    READY.lock().push(Reverse(Entry(at, number, fiber)));
}

fn first_ready() -> Option<Picos> {
    READY.lock().peek().map(|Reverse(Entry(at, ..))| *at)
}

/// When the next thing happens that is not the work of a rank.
fn next_event() -> Option<Picos> {
    let appointments = [timers::next(), replay::appointment()];
    let times = appointments.into_iter().flatten().map(clock::picos_at);
    times.chain(virtual_time::next_event()).min()
}

/// The next fiber to run. Events that are due before it are carried out first. `ready` moves the
/// fibers out of a slot that have become ready.
pub(super) fn next(mut ready: impl FnMut(&mut dyn FnMut(&'static Fiber)) -> bool) -> Found {
    loop {
        replay::let_supervisor_work();
        if !ready(&mut |fiber| add(fiber.ready_at.get(), fiber)) {
            return Found::Lost;
        }
        let (first, event) = (first_ready(), next_event());
        match (first, event) {
            (None, None) => return Found::Nobody,
            (Some(first), event) if event.is_none_or(|event| first < event) => {
                if let Some(fiber) = take(event) {
                    return Found::Fiber(fiber);
                }
            }
            (_, Some(event)) => {
                clock::set(event);
                accounts::blame(None);
                timers::ring(clock::now());
                virtual_time::carry_out(event);
            }
            (Some(_), None) => unreachable!("it is before an event that does not happen"),
        }
    }
}

/// Takes the first fiber out. One that only asks whether something has happened is put back until
/// something can have: until another fiber, or an event, comes.
fn take(event: Option<Picos>) -> Option<&'static Fiber> {
    let Reverse(Entry(at, _, fiber)) = READY.lock().pop()?;
    let other = first_ready().into_iter().chain(event).min();
    let at = match (fiber.polls.replace(false), other) {
        (true, Some(other)) => {
            fiber.ready_at.set(at.max(other));
            add(at.max(other), fiber);
            return None;
        }
        // Nothing will happen, but it may look at its clock.
        (true, None) => at + POLL,
        (false, _) => at,
    };
    clock::set(at);
    let waited = at - fiber.left_at.get();
    accounts::note_wait(fiber.seat, waited, at, fiber.called_by.get());
    accounts::blame(Some(fiber.seat));
    virtual_time::begin_computing();
    Some(fiber)
}

impl Fiber {
    /// A life begins now.
    pub(super) fn begin_clock(&self) {
        if virtual_time::is_on() {
            accounts::note_birth(clock::picos());
            self.begun_at.set(clock::picos());
            self.left_at.set(clock::picos());
            self.ready_at.set(clock::picos());
        }
    }

    /// It has just been started, and begins after that time.
    pub(in crate::host) fn begin_later(&self, time: Picos) {
        self.left_at.set(self.left_at.get() + time);
        self.ready_at.set(self.ready_at.get() + time);
    }

    /// It has left its stack.
    pub(super) fn stop_clock(&self, left: Left) {
        if virtual_time::is_on() {
            let now = clock::picos();
            self.left_at.set(now);
            self.ready_at.set(now);
            self.called_by.set(self.seat);
            if left == Left::Ended {
                accounts::note_life(self.begun_at.get(), now);
            }
        }
    }
}

/// Whether the calling fiber is ahead of another one, or of an event.
pub(super) fn is_ahead() -> bool {
    let now = clock::picos();
    let others = first_ready().into_iter().chain(next_event());
    replay::is_supervisor_called() || others.min().is_some_and(|other| other <= now)
}
