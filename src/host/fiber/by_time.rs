//! Which fiber runs next in [virtual time](crate::host::virtual_time): the one that became ready
//! first.

use super::executor::executor;
use super::record::{Fiber, Left, Polls};
use super::{away, timers};
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

/// `fiber` is ready since `at`; `number` is its [number].
pub(super) fn add(at: Picos, number: u64, fiber: &'static Fiber) {
    READY.lock().push(Reverse(Entry(at, number, fiber)));
}

/// Of those who are ready at one time, the one with the lowest number goes first.
pub(super) fn number() -> u64 {
    static DRAWN: AtomicU64 = AtomicU64::new(0);
    DRAWN.fetch_add(1, Ordering::Relaxed)
}

/// Enters the fibers that have become ready.
pub(super) fn enter_ready() {
    let enter = &mut |fiber: &'static Fiber| add(fiber.ready_at.get(), number(), fiber);
    executor().slots.iter().for_each(|slot| slot.empty(enter));
}

fn first_ready() -> Option<(Picos, u64)> {
    READY.lock().peek().map(|Reverse(Entry(at, number, _))| (*at, *number))
}

/// When the next thing happens that is not the work of a rank.
fn next_event() -> Option<Picos> {
    let appointments = [timers::next(), replay::appointment()];
    let times = appointments.into_iter().flatten().map(clock::picos_at);
    times.chain(virtual_time::next_event()).min()
}

/// What is next.
pub(super) enum Next {
    Fiber(&'static Fiber),
    /// Nothing, before those come home who are [away].
    Later,
    Nothing,
}

/// The next fiber to run. Events that are due before it are carried out first.
pub(super) fn next() -> Next {
    while virtual_time::standstill().is_none() {
        // It works while nobody is away.
        if away::is_anybody() && replay::is_supervisor_needed() {
            return Next::Later;
        }
        replay::let_needed_supervisor_work();
        // In this order: whoever comes home meanwhile is seen in one place at least.
        let away = away::first();
        enter_ready();
        let (first, event) = (first_ready(), next_event());
        let times = first.into_iter().chain(away).map(|(at, _)| at);
        if times.chain(event).min().is_some_and(|next| next >= END) {
            virtual_time::stop("the 106 days that virtual time has are over".into());
            continue;
        }
        match (first, event) {
            (None, None) if away.is_some() => return Next::Later,
            (None, None) if !let_time_pass() => return Next::Nothing,
            (None, None) => {}
            (Some(first), event) if event.is_none_or(|event| first.0 < event) => {
                if away.is_some_and(|away| away < first) {
                    return Next::Later;
                }
                if let Some(fiber) = take() {
                    return Next::Fiber(fiber);
                }
            }
            (_, Some(event)) => {
                let is_for_supervisor = replay::appointment().map(clock::picos_at) == Some(event);
                if away.is_some_and(|(at, _)| at < event || is_for_supervisor) {
                    return Next::Later;
                }
                clock::set(event);
                replay::let_supervisor_work();
                accounts::blame(None);
                timers::ring(clock::now());
                virtual_time::carry_out(event);
                note_change(event);
            }
            (Some(_), None) => unreachable!("it is before an event that does not happen"),
        }
    }
    Next::Nothing
}

/// Takes the first fiber out, unless others have advanced its clock: then it goes on later.
fn take() -> Option<&'static Fiber> {
    let Reverse(Entry(at, _, fiber)) = READY.lock().pop()?;
    let left = fiber.left_at.get();
    if left > at {
        fiber.ready_at.set(left);
        add(left, number(), fiber);
        return None;
    }
    go_on(fiber, at).then_some(fiber)
}

/// The fiber goes on at this time, unless it asks again and again: then it waits until something
/// has changed.
fn go_on(fiber: &'static Fiber, at: Picos) -> bool {
    /// A program may ask several times before it does something else.
    const FEW: u32 = 4;
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
            return false;
        }
    }
    clock::set(at);
    fiber.went_on_at.set(at);
    let waited = at - fiber.left_at.get();
    accounts::note_wait(fiber.seat, waited, at, fiber.called_by.get());
    accounts::blame(Some(fiber.seat));
    virtual_time::begin_computing();
    true
}

/// A fiber that was away has left its stack: it is ready at its time.
pub(super) fn take_home(fiber: &'static Fiber) {
    let place = away::place_of(fiber);
    fiber.stand_at(place.0);
    fiber.gives_way();
    // Whoever looks at those who are away first, and then at those who are ready, finds it.
    away::remove(fiber, || add(place.0, place.1, fiber));
}

/// The calling fiber goes on at this time as if it had become ready then.
pub(super) fn pass_by(fiber: &'static Fiber, at: Picos) {
    fiber.stand_at(at);
    fiber.gives_way();
    go_on(fiber, at);
}

/// Whether the calling fiber, with the turn, comes before everything else at this time and with
/// this number.
pub(super) fn goes_first(own: (Picos, u64)) -> bool {
    let is_halted = replay::is_supervisor_needed() || virtual_time::standstill().is_some();
    let others = || away::first().into_iter().chain(first_ready());
    !is_halted
        && executor().slots.iter().all(|slot| !slot.has_work())
        && others().all(|other| own <= other)
        && next_event().is_none_or(|event| own.0 < event)
}

/// Until when nothing happens in virtual time, as things stand: for an event that is carried out.
pub fn quiet_until() -> Picos {
    // Those who ask go on after each event.
    if replay::is_supervisor_needed() || !ASKING.lock().is_empty() {
        return 0;
    }
    // In this order, as in [`next`].
    let away = away::first();
    enter_ready();
    let fibers = away.into_iter().chain(first_ready()).map(|(at, _)| at);
    fibers.chain(next_event()).min().unwrap_or(Picos::MAX)
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
        add(at, number(), fiber);
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

    /// It is ready since this time, or waits.
    pub(super) fn stand_at(&self, at: Picos) {
        self.left_at.set(at);
        self.ready_at.set(at);
        self.called_by.set(self.seat);
    }

    /// It has left its stack.
    pub(super) fn stop_clock(&self, left: Left) {
        if virtual_time::is_on() && left != Left::Away {
            let now = clock::picos();
            self.stand_at(now);
            if left == Left::Ended {
                accounts::note_life(self.begun_at.get(), now);
            }
            if left != Left::Ready {
                note_change(now);
            }
        }
    }
}

/// A rank that waits, in whose place others carry something on.
#[derive(Clone, Copy)]
pub struct Waiting(&'static Fiber);

impl Waiting {
    /// The calling rank, in virtual time, which is about to wait.
    pub fn caller() -> Option<Waiting> {
        super::current().filter(|_| virtual_time::is_on()).map(Waiting)
    }

    /// Something happens now by the doing of seat `cause`: the rank goes on with `act`, at its own
    /// clock, and waits again. Not if it computes, because a handler of its has left the call in
    /// which it waited.
    pub fn go_on(self, now: Picos, cause: usize, act: impl FnOnce()) {
        let fiber = self.0;
        if fiber.is_away.get() {
            return;
        }
        let left = fiber.left_at.get();
        let at = left.max(now);
        accounts::note_wait(fiber.seat, at - left, at, cause);
        clock::set(at);
        act();
        fiber.left_at.set(clock::picos());
        clock::set(now);
    }
}

/// Whether another fiber, or an event, comes before the calling one, or may do so.
pub(super) fn is_ahead() -> bool {
    others().is_some_and(|other| other <= clock::picos()) || is_event_due()
}

/// Whether the calling fiber is to let others go first at a call. Those whose clocks show the same
/// go on when it waits: each switch costs more than a call. But it may ask without end for what
/// one of them brings about.
pub(super) fn lets_others_go_first(fiber: &Fiber) -> bool {
    const MOST_CALLS: u32 = 50;
    enter_ready();
    let now = clock::picos();
    let is_ahead = match others() {
        Some(other) if other == now => {
            fiber.calls_ahead.set(fiber.calls_ahead.get() + 1);
            fiber.calls_ahead.get() > MOST_CALLS
        }
        other => other.is_some_and(|other| other < now),
    };
    let lets = is_ahead || is_event_due();
    if lets {
        fiber.calls_ahead.set(0);
    }
    lets
}

/// When the first of the other fibers goes on.
fn others() -> Option<Picos> {
    away::first().into_iter().chain(first_ready()).map(|(at, _)| at).min()
}

fn is_event_due() -> bool {
    let now = clock::picos();
    replay::is_supervisor_called() || next_event().is_some_and(|event| event <= now)
}
