//! The scheduler interface: everything that waits in this library waits through [`Bell`] and
//! [`yield_now`].
//!
//! Behind it, a rank is an OS thread or a [`fiber`](super::fiber). A bell may have waiters of both
//! kinds, and the floors above need not know the difference.

#[path = "sched/line.rs"]
mod line;
#[cfg(loom)]
#[path = "sched/model.rs"]
mod model;
#[path = "sched/price.rs"]
mod price;
#[cfg(not(loom))]
#[path = "sched/shared_bell.rs"]
mod shared_bell;

use crate::base::sync::atomic::{AtomicU32, Ordering, fence};
use crate::host::fiber;
pub use crate::host::fiber::{Rows, Waiting, quiet_until};
use crate::host::{clock, cores, replay, virtual_time};
#[cfg(not(loom))]
use crate::host::{futex, signals};
use crate::launch;
use crate::machine::units::Picos;
use line::{Fiber, Line, order_for_model};
use price::Price;
#[cfg(not(loom))]
pub use shared_bell::SharedBell;
use std::sync::LazyLock;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

/// What a waiter listens to, and a thread that has made progress rings.
///
/// ```text
/// waiter                                  ringer
///   seen = bell.listen()                    makes the condition true
///   is it true? then do not wait            bell.unpark()
///   bell.park(seen)
/// ```
///
/// `word`: the lowest bit is set while there is a listener, the others count rings.
///
/// | word       | meaning                 | `listen`   | `unpark`                    |
/// |------------|-------------------------|------------|-----------------------------|
/// | `n`, 0     | no listener             | → `n`, 1   | nothing to do               |
/// | `n`, 1     | a thread may be parked  | stays      | → `n + 1`, 0; wakes sleepers |
///
/// `asleep` counts threads in the futex, so that ringing for a thread that still spins costs no
/// system call. A thread raises it before the futex compares the word; a ringer changes the word
/// before it reads the count: one of the two sees the other. Fibers wait in `line`, under this
/// rule, too.
#[derive(Default)]
pub struct Bell {
    word: AtomicU32,
    asleep: AtomicU32,
    line: Line,
    #[cfg(loom)]
    kernel: model::Kernel,
}

/// The state of a [`Bell`] at the moment of [`Bell::listen`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen(u32);

const LISTENING: u32 = 1;

/// How many ranks share a core. With more than one, spinning would only keep others from running.
static RANKS_PER_CORE: AtomicUsize = AtomicUsize::new(2);

/// What yielding costs the threads of this process.
static PRICE: Price = Price::new();

/// The number of cores for ranks.
pub fn cores() -> usize {
    // In a replay, ranks run one at a time.
    if replay::is_wanted() { 1 } else { launch::cores() }
}

/// So many ranks share a core from now on.
pub fn expect_crowd(ranks_per_core: usize) {
    RANKS_PER_CORE.store(ranks_per_core, Ordering::Relaxed);
    PRICE.expect(ranks_per_core);
}

fn ranks_per_core() -> usize {
    RANKS_PER_CORE.load(Ordering::Relaxed)
}

/// Gives the calling thread a core of its own, if there is one for every rank: two ranks that wait
/// for each other on one core would long look busy to the kernel.
pub(super) fn spread(seat: usize) {
    if ranks_per_core() <= 1 {
        cores::bind(seat);
        // A rank that offers its core does not wait for long slices of others.
        cores::ask_for_slices_of(cores::PROMPT);
    }
}

/// Lets other fibers or threads run.
pub fn yield_now() {
    match this_fiber() {
        Some(fiber) => fiber.yield_now(),
        None => {
            let began = nanoseconds();
            cores::let_threads_run();
            PRICE.pay(began, nanoseconds());
        }
    }
}

/// Whether a thread that waits should sleep at once, as other programs want this core: what it
/// yields to them it gets back much later than a sleeper that is woken. Fibers yield to each other.
#[inline]
pub fn is_yielding_dear() -> bool {
    PRICE.is_dear(nanoseconds) && this_fiber().is_none()
}

/// Whether other threads that wait want this core, and give it back soon, as this one does.
#[inline]
pub fn is_core_shared() -> bool {
    PRICE.is_shared()
}

/// The time since the first call, whatever time the ranks are told.
fn nanoseconds() -> u64 {
    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    // A model has no time: nothing in it depends on how long anything took.
    if cfg!(loom) { 0 } else { FIRST.elapsed().as_nanos() as u64 }
}

/// A rank begins a call of MPI: in a replay it may let others go first. It holds no lock.
pub fn pass_door() {
    if virtual_time::is_on() {
        fiber::excursion::come_home();
        virtual_time::end_computing();
        return let_those_behind_catch_up();
    }
    if replay::makes_room_at_call() {
        yield_now();
    }
}

/// Where ranks take turns, the calling one begins a call.
pub fn enter_call() {
    fiber::excursion::enter_call();
}

/// Where ranks take turns, the calling one comes to the end of a call.
pub fn leave_call() {
    fiber::excursion::leave_call();
}

/// A callback of the program has returned.
pub fn come_home() {
    fiber::excursion::come_home();
}

/// In virtual time, the calling rank computes for so long: what comes before may happen meanwhile.
pub fn compute(time: Picos) {
    fiber::excursion::compute(time);
}

/// Whether what a rank computes between its calls of MPI is measured.
pub fn is_computing_measured() -> bool {
    virtual_time::is_computing_measured()
}

/// A rank comes to the end of a call of MPI: from here on it computes.
pub fn leave_door() {
    virtual_time::begin_computing();
}

/// Runs `call`, which waits for nobody, on another stack if the calling rank is a fiber, so that
/// its own stack stays small.
pub fn on_other_stack<T>(call: impl FnOnce() -> T) -> T {
    fiber::aside(call)
}

/// In virtual time: the calling rank waits for those that are behind it.
pub fn let_those_behind_catch_up() {
    fiber::let_those_behind_catch_up();
}

/// Why the job cannot go on in virtual time, if it cannot.
pub fn standstill() -> Option<&'static str> {
    virtual_time::standstill()
}

/// Whether ranks are running under a seed; then none of them is stuck.
pub fn is_moving_by_seed() -> bool {
    replay::is_in_force() && !fiber::is_asleep()
}

#[cfg(not(loom))]
#[inline]
fn this_fiber() -> Option<&'static Fiber> {
    fiber::current()
}

#[cfg(loom)]
use model::this_fiber;

/// Rings all of `bells`: cheaper than one at a time if many of them have listeners.
#[cfg(not(loom))]
pub fn wake_all<'a>(bells: impl Iterator<Item = &'a Bell>) {
    fence(Ordering::SeqCst);
    let mut batch = fiber::Batch::new();
    for bell in bells {
        let word = bell.word.load(Ordering::SeqCst);
        if word & LISTENING != 0 {
            bell.ring(word, |fiber| batch.wake(fiber));
        }
    }
}

/// Like [`wake_all`], for the model checker.
#[cfg(loom)]
pub fn wake_all<'a>(bells: impl Iterator<Item = &'a Bell>) {
    fence(Ordering::SeqCst);
    bells.for_each(Bell::unpark_unfenced);
}

impl Bell {
    #[cfg(not(loom))]
    pub const fn new() -> Bell {
        Bell { word: AtomicU32::new(0), asleep: AtomicU32::new(0), line: Line::new() }
    }

    #[cfg(loom)]
    pub fn new() -> Bell {
        Bell::default()
    }

    /// From now on no ring is missed: check the condition again, then [`Bell::park`].
    #[inline]
    pub fn listen(&self) -> Seen {
        // A ringer sees that there is a listener, and changes the word.
        let word = self.word.load(Ordering::SeqCst);
        if word & LISTENING != 0 {
            return Seen(word);
        }
        let seen = Seen(self.word.fetch_or(LISTENING, Ordering::SeqCst) | LISTENING);
        fence(Ordering::SeqCst);
        seen
    }

    /// How often it has rung for a listener.
    pub fn rings(&self) -> u32 {
        self.word.load(Ordering::Relaxed) / 2
    }

    /// Sleeps until the bell has rung since `seen`; may return early. The caller holds no lock:
    /// handlers of signals may run here and never return.
    pub fn park(&self, seen: Seen) {
        if let Some(fiber) = this_fiber() {
            self.line.wait(fiber, None, || self.has_rung(seen));
        } else if !self.has_rung_soon(seen) {
            self.sleep(seen, None);
        }
        look_at_signals();
    }

    /// Like [`Bell::park`], also until `other` has rung since `heard`. Not for fibers.
    #[cfg(not(loom))]
    pub fn park_with(&self, seen: Seen, other: &SharedBell, heard: u32) {
        let has_rung = || self.has_rung(seen) || other.has_rung(heard);
        if !is_so_soon(has_rung) {
            self.asleep.fetch_add(1, Ordering::SeqCst);
            signals::let_in(|| other.sleep(heard, (&self.word, seen.0)));
            self.asleep.fetch_sub(1, Ordering::SeqCst);
        }
        look_at_signals();
    }

    /// Like [`Bell::park`], for a caller that returns to its program as soon as it `is_over`;
    /// signals that have arrived meanwhile find it there.
    #[inline]
    pub fn park_until(&self, seen: Seen, is_over: impl Fn() -> bool) {
        match this_fiber() {
            Some(fiber) => self.line.wait(fiber, None, || self.has_rung(seen)),
            None if self.has_rung_soon(seen) => {}
            None => self.sleep(seen, None),
        }
        if !is_over() {
            look_at_signals();
        }
    }

    /// Like [`Bell::park`], but for at most `longest`.
    pub fn park_for(&self, seen: Seen, longest: Duration) {
        if let Some(fiber) = this_fiber() {
            let until = clock::now().checked_add(longest);
            self.line.wait(fiber, until, || self.has_rung(seen));
        } else if !self.has_rung_soon(seen) {
            self.sleep(seen, Some(longest));
        }
        look_at_signals();
    }

    /// Wakes all listeners. Without listeners it costs one fence and one load.
    #[inline]
    pub fn unpark(&self) {
        fence(Ordering::SeqCst);
        self.unpark_unfenced();
    }

    /// Like [`Bell::unpark`], for news published by a SeqCst read-modify-write: no further fence is
    /// needed if the listeners look with a SeqCst load. Costs one load if no listener waits.
    #[inline]
    pub fn unpark_unfenced(&self) {
        order_for_model();
        let word = self.word.load(Ordering::SeqCst);
        if word & LISTENING != 0 {
            self.ring(word, Fiber::wake);
        }
    }

    #[inline(never)]
    fn ring(&self, word: u32, wake: impl FnMut(&'static Fiber)) {
        // Failure means that another thread has rung since: that ring serves for ours, too.
        let next = (word | LISTENING).wrapping_add(1);
        let order = Ordering::SeqCst;
        if self.word.compare_exchange(word, next, order, order).is_err() {
            return;
        }
        order_for_model();
        self.line.call_all(wake);
        if self.asleep.load(Ordering::SeqCst) > 0 {
            self.wake_all();
        }
    }

    fn has_rung(&self, seen: Seen) -> bool {
        self.word.load(Ordering::SeqCst) != seen.0
    }

    fn has_rung_soon(&self, seen: Seen) -> bool {
        is_so_soon(|| self.has_rung(seen))
    }

    fn sleep(&self, seen: Seen, longest: Option<Duration>) {
        self.asleep.fetch_add(1, Ordering::SeqCst);
        order_for_model();
        self.wait_in_kernel(seen, longest);
        self.asleep.fetch_sub(1, Ordering::SeqCst);
    }

    #[cfg(not(loom))]
    fn wait_in_kernel(&self, seen: Seen, longest: Option<Duration>) {
        signals::let_in(|| futex::wait_on(&self.word, seen.0, longest));
    }

    #[cfg(not(loom))]
    fn wake_all(&self) {
        futex::wake_all_on(&self.word);
    }

    #[cfg(loom)]
    fn wait_in_kernel(&self, seen: Seen, _: Option<Duration>) {
        self.kernel.wait(|| self.word.load(Ordering::SeqCst) == seen.0);
    }

    #[cfg(loom)]
    fn wake_all(&self) {
        self.kernel.wake_all();
    }
}

/// Spins for as long as the kernel takes to put a thread to sleep and wake it again. Whoever makes
/// it so may need this very core, however many cores there are; with more ranks than cores, each
/// look is after a yield: where nobody else is ready, that takes less than to wake an idle core.
/// Where many share a core, all of them have several turns: whoever sends to all would otherwise
/// wake each one for each message, and be kept from the next by those.
fn is_so_soon(is_so: impl Fn() -> bool) -> bool {
    const LEAST: usize = 20;
    const MOST: usize = 500;
    const TURNS_OF_ALL: usize = 16;
    if cfg!(loom) {
        return is_so();
    }
    let ranks = ranks_per_core();
    let (spins, turns) = match ranks {
        0 | 1 => (50, LEAST),
        _ => (0, (TURNS_OF_ALL * ranks).clamp(LEAST, MOST)),
    };
    let spin = || {
        std::hint::spin_loop();
        is_so()
    };
    is_so()
        || (0..turns).take_while(|_| !is_yielding_dear()).any(|_| {
            (0..spins).any(|_| spin()) || {
                yield_now();
                is_so()
            }
        })
}

#[inline]
fn look_at_signals() {
    #[cfg(not(loom))]
    crate::host::life::look_at_signals();
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;
    use std::time::Instant;

    const PATIENCE: Duration = Duration::from_secs(100);

    #[test]
    fn a_ring_between_listening_and_parking_is_not_missed() {
        let bell = Bell::new();
        let seen = bell.listen();
        bell.unpark();
        let start = Instant::now();
        bell.park_for(seen, PATIENCE);
        assert!(start.elapsed() < PATIENCE / 2);
    }

    #[test]
    fn ringing_for_nobody_changes_nothing() {
        let bell = Bell::new();
        bell.unpark();
        assert_eq!(bell.word.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_limited_wait_ends_by_itself() {
        let bell = Bell::new();
        bell.park_for(bell.listen(), Duration::from_millis(1));
    }

    /// Two threads pass a token back and forth; a lost ring would leave both asleep.
    #[test]
    fn no_ring_is_lost() {
        const ROUNDS: usize = 20_000;
        let (bells, turn) = ([Bell::new(), Bell::new()], AtomicUsize::new(0));
        let play = |me: usize| {
            while turn.load(Ordering::Acquire) < ROUNDS {
                let seen = bells[me].listen();
                let now = turn.load(Ordering::Acquire);
                if now >= ROUNDS {
                    break;
                }
                if now % 2 == me {
                    turn.store(now + 1, Ordering::Release);
                    bells[1 - me].unpark();
                } else {
                    let start = Instant::now();
                    bells[me].park_for(seen, PATIENCE);
                    assert!(start.elapsed() < PATIENCE, "a ring was lost");
                }
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| play(0));
            scope.spawn(|| play(1));
        });
    }

    #[test]
    fn one_ring_wakes_all() {
        let (bell, ready, done) = (Bell::new(), AtomicUsize::new(0), AtomicBool::new(false));
        let wait = || {
            ready.fetch_add(1, Ordering::SeqCst);
            let start = Instant::now();
            while !done.load(Ordering::SeqCst) {
                let seen = bell.listen();
                if !done.load(Ordering::SeqCst) {
                    bell.park_for(seen, PATIENCE);
                }
                assert!(start.elapsed() < PATIENCE, "the ring did not wake everybody");
            }
        };
        std::thread::scope(|scope| {
            (0..4).for_each(|_| drop(scope.spawn(wait)));
            while ready.load(Ordering::SeqCst) < 4 {
                yield_now();
            }
            done.store(true, Ordering::SeqCst);
            bell.unpark();
        });
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    /// News by a read-modify-write, then the bell; the sleeper checks after it has begun to listen.
    /// A lost ring leaves the sleeper asleep for ever, which the checker reports.
    fn check(ring: fn(&Bell), ringers: u32, is_fiber: bool) {
        let mut builder = loom::model::Builder::new();
        // All interleavings of two threads; of three, those with few switches.
        builder.preemption_bound = (ringers > 1).then_some(2);
        builder.check(move || {
            if is_fiber {
                model::Fiber::begin();
            }
            let shared = Arc::new((Bell::new(), AtomicU32::new(0)));
            let others: Vec<_> = (0..ringers)
                .map(|_| {
                    let shared = shared.clone();
                    thread::spawn(move || {
                        shared.1.fetch_add(1, Ordering::SeqCst);
                        ring(&shared.0);
                    })
                })
                .collect();
            let (bell, news) = (&shared.0, &shared.1);
            while news.load(Ordering::SeqCst) < ringers {
                let seen = bell.listen();
                if news.load(Ordering::SeqCst) < ringers {
                    bell.park(seen);
                }
            }
            others.into_iter().for_each(|other| other.join().expect("ringers do not panic"));
        });
    }

    #[test]
    fn loom_no_ring_is_lost() {
        for is_fiber in [false, true] {
            check(Bell::unpark, 1, is_fiber);
            check(Bell::unpark_unfenced, 1, is_fiber);
            check(Bell::unpark_unfenced, 2, is_fiber);
        }
    }
}
