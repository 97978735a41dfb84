//! Which fiber runs next in [virtual time](crate::host::virtual_time): the one that became ready
//! first.

use super::record::{Fiber, Left, Polls};
use super::slot::Found;
use super::timers;
use crate::host::virtual_time::{self, accounts};
use crate::host::{clock, replay};
use crate::machine::units::{END, NANO, Picos, SECOND};
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

/// What it takes to ask in vain when nothing else happens any more, at least.
const POLL: Picos = 1000 * NANO;
/// Who has asked in vain for so long, while nothing else could happen, asks for ever.
const FOR_EVER: Picos = 24 * 3600 * SECOND;

/// Fibers that ask again and again, until something has changed.
static ASKING: Mutex<Vec<&'static Fiber>> = Mutex::new(Vec::new());
/// Since when nothing has changed while fibers asked.
static VAIN_SINCE: AtomicU64 = AtomicU64::new(NEVER);
const NEVER: Picos = Picos::MAX;

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
    while virtual_time::standstill().is_none() {
        replay::let_supervisor_work();
        if !ready(&mut |fiber| add(fiber.ready_at.get(), fiber)) {
            return Found::Lost;
        }
        let (first, event) = (first_ready(), next_event());
        if first.into_iter().chain(event).min().is_some_and(|next| next >= END) {
            virtual_time::stop("the 106 days that virtual time has are over".into());
            continue;
        }
        match (first, event) {
            (None, None) if !let_time_pass() => return Found::Nobody,
            (None, None) => {}
            (Some(first), event) if event.is_none_or(|event| first < event) => {
                if let Some(fiber) = take() {
                    return Found::Fiber(fiber);
                }
            }
            (_, Some(event)) => {
                clock::set(event);
                accounts::blame(None);
                timers::ring(clock::now());
                virtual_time::carry_out(event);
                note_change(event);
            }
            (Some(_), None) => unreachable!("it is before an event that does not happen"),
        }
    }
    Found::Nobody
}

/// Takes the first fiber out. One that asks again and again waits until something has changed.
fn take() -> Option<&'static Fiber> {
    /// A program may ask several times before it does something else.
    const FEW: u32 = 4;
    let Reverse(Entry(at, _, fiber)) = READY.lock().pop()?;
    let asks = fiber.polls.replace(Polls::No);
    let computed = fiber.left_at.get().saturating_sub(fiber.went_on_at.get());
    if asks == Polls::No {
        fiber.asked.set(0);
    } else if computed > virtual_time::time_to_poll() {
        fiber.asked.set(0);
        note_change(at);
    }
    if asks == Polls::Asks {
        let asked = fiber.asked.get();
        fiber.asked.set(asked.saturating_add(1));
        if asked >= FEW {
            ASKING.lock().push(fiber);
            return None;
        }
    }
    clock::set(at);
    fiber.went_on_at.set(at);
    let waited = at - fiber.left_at.get();
    accounts::note_wait(fiber.seat, waited, at, fiber.called_by.get());
    accounts::blame(Some(fiber.seat));
    virtual_time::begin_computing();
    Some(fiber)
}

/// Something has changed: those who ask have a reason to ask again.
fn note_change(at: Picos) {
    VAIN_SINCE.store(NEVER, Ordering::Relaxed);
    go_on_asking(at);
}

fn go_on_asking(at: Picos) {
    let mut asking = ASKING.lock();
    for fiber in asking.drain(..) {
        let at = at.max(fiber.ready_at.get());
        fiber.ready_at.set(at);
        fiber.polls.set(Polls::HasAsked);
        add(at, fiber);
    }
}

/// Nothing happens, but those who ask may look at their clocks: lets time pass for them. More and
/// more, so that a loop of this kind ends soon at its own deadline, or is one for ever. False if
/// nobody asks.
fn let_time_pass() -> bool {
    const SHARE: Picos = 1000;
    let asking = ASKING.lock();
    let Some(last) = asking.iter().max_by_key(|fiber| fiber.ready_at.get()) else { return false };
    let (at, seat) = (last.ready_at.get(), last.seat);
    drop(asking);
    let since = VAIN_SINCE.load(Ordering::Relaxed).min(at);
    VAIN_SINCE.store(since, Ordering::Relaxed);
    if at - since > FOR_EVER {
        let why = "nothing that it asks for can happen any more";
        virtual_time::stop(format!("rank {seat} polls for ever: {why}"));
    }
    go_on_asking(at + POLL + (at - since) / SHARE);
    true
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
        self.left_at.set(self.left_at.get().saturating_add(time));
        self.ready_at.set(self.ready_at.get().saturating_add(time));
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
            if left != Left::Ready {
                note_change(now);
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
