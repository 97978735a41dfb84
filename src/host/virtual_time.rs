//! Virtual time: each rank has a clock of its own, and what happens takes the time that a machine
//! would need which is not there. It is a deterministic [replay](super::replay) in which nothing is
//! drawn: the rank whose clock is furthest behind runs next.
//!
//! The worker carries out the earliest of these, again and again:
//!
//! - a rank that is ready goes on, at the time when it became ready;
//! - an event of the *calendar*, such as the arrival of a message, which often makes a rank ready;
//! - a timer of a sleeping rank; an appointment of the supervisor.
//!
//! A rank lets others go first at each call of MPI at which it is ahead of them, so whatever it
//! does there happens in the order of virtual time.

pub mod accounts;

use super::clock;
use crate::launch::Compute;
use crate::machine::model::{Recovery, Speed};
use crate::machine::units::{NANO, Picos, SECOND};
use parking_lot::Mutex;
use std::cmp::Ordering as Order;
use std::collections::BinaryHeap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What computing costs, how fast the machine is, and what failures cost there.
pub struct Pace {
    pub compute: Compute,
    pub speed: Speed,
    pub recovery: Recovery,
    /// What it takes to ask in vain.
    pub poll: Picos,
}

static PACE: OnceLock<Pace> = OnceLock::new();

/// Makes time virtual. Called before the job begins, which is a replay.
pub fn prepare(pace: Pace) {
    assert!(PACE.set(pace).is_ok(), "a job has one kind of time");
    clock::give_each_rank_one();
}

/// How long it takes until others hear of a failure.
pub(super) fn time_to_detect() -> Option<Duration> {
    let time = PACE.get().map(|pace| Duration::from_nanos(pace.recovery.detect.div_ceil(NANO)));
    time.filter(|time| !time.is_zero())
}

/// How long it takes to start a rank again.
pub(super) fn time_to_restart() -> Picos {
    PACE.get().map_or(0, |pace| pace.recovery.restart)
}

/// How long a rank takes at most that does nothing but to ask in vain whether something has
/// happened.
pub(super) fn time_to_poll() -> Picos {
    /// Far more than a call takes, where that is measured.
    const MEASURED: Picos = 10_000 * NANO;
    let own = if is_computing_measured() { MEASURED } else { 0 };
    PACE.get().map_or(0, |pace| pace.poll.max(own))
}

/// The calling rank has asked in vain.
pub(super) fn pay_for_poll() {
    if is_on() {
        clock::pass_picos(PACE.get().map_or(0, |pace| pace.poll));
    }
}

/// Why the job cannot go on, once that is known.
static STANDSTILL: OnceLock<String> = OnceLock::new();

/// No rank goes on any more, and the deadlock detector ends the job, saying why.
pub(super) fn stop(why: String) {
    STANDSTILL.get_or_init(|| why);
}

/// Why the job cannot go on in virtual time, if it cannot.
pub(super) fn standstill() -> Option<&'static str> {
    STANDSTILL.get().map(String::as_str)
}

/// Whether time is virtual.
#[inline]
pub fn is_on() -> bool {
    clock::is_of_each_rank()
}

/// Whoever has entered something in the calendar.
pub trait Happens: Sync {
    /// What has been entered with these numbers happens now.
    fn happen(&'static self, numbers: [usize; 2], now: Picos);
}

/// An entry of the calendar: what happens when. There is one for each message, so it needs no
/// memory of its own.
struct Event {
    at: Picos,
    number: u64,
    what: &'static dyn Happens,
    numbers: [usize; 2],
}

impl Event {
    /// Of events at one time, the one comes first that was entered first.
    fn key(&self) -> (Picos, u64) {
        (self.at, self.number)
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Event) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Event {}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Event) -> Option<Order> {
        Some(self.cmp(other))
    }
}

impl Ord for Event {
    /// The earliest is the greatest.
    fn cmp(&self, other: &Event) -> Order {
        other.key().cmp(&self.key())
    }
}

static CALENDAR: Mutex<BinaryHeap<Event>> = Mutex::new(BinaryHeap::new());
static ENTERED: AtomicU64 = AtomicU64::new(0);

/// Lets `what` happen at that time.
pub fn enter(at: Picos, what: &'static dyn Happens, numbers: [usize; 2]) {
    let number = ENTERED.fetch_add(1, Ordering::Relaxed);
    CALENDAR.lock().push(Event { at, number, what, numbers });
}

/// When the next event happens.
pub(super) fn next_event() -> Option<Picos> {
    CALENDAR.lock().peek().map(|event| event.at)
}

/// Carries out the events that are due.
pub(super) fn carry_out(now: Picos) {
    loop {
        let mut calendar = CALENDAR.lock();
        if calendar.peek().is_none_or(|event| event.at > now) {
            return;
        }
        let event = calendar.pop();
        drop(calendar);
        accounts::blame(None);
        event.into_iter().for_each(|event| event.what.happen(event.numbers, event.at));
    }
}

/// The calling rank has computed for so long.
pub(super) fn spend(time: Picos) {
    accounts::note_computing(time);
    clock::pass_picos(time);
}

/// Whether computing takes as long as the program says.
pub(super) fn is_declared() -> bool {
    matches!(PACE.get(), Some(Pace { compute: Compute::Declared, .. }))
}

/// What a computation takes of which the program says how long it takes.
pub fn declared(seconds: f64) -> Picos {
    if is_declared() { (seconds.max(0.0) * SECOND as f64) as Picos } else { 0 }
}

/// What a computation takes of which the program says of how many operations, on how many bytes of
/// memory, it consists.
pub fn declared_work(flops: f64, bytes: f64) -> Picos {
    PACE.get().map_or(0, |pace| declared(pace.speed.seconds(flops, bytes)))
}

/// Processor time of this thread when a rank last began to compute.
static SINCE: AtomicU64 = AtomicU64::new(0);

pub(super) fn is_computing_measured() -> bool {
    matches!(PACE.get(), Some(Pace { compute: Compute::Measured, .. }))
}

/// A rank goes on, or comes to the end of a call: from here on it computes.
pub(super) fn begin_computing() {
    if is_computing_measured() {
        SINCE.store(processor_time(), Ordering::Relaxed);
    }
}

/// A rank has computed since it went on, or since its last call.
pub(super) fn end_computing() {
    if let Some(Pace { compute: Compute::Measured, speed, .. }) = PACE.get() {
        let now = processor_time();
        let nanos = now.saturating_sub(SINCE.swap(now, Ordering::Relaxed));
        spend((nanos as f64 * NANO as f64 * speed.factor) as Picos);
    }
}

/// The processor time of the calling thread, in nanoseconds.
fn processor_time() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: there is room for a time.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
