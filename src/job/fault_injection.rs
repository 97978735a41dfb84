//! Fault injection: kills ranks as the job ordered. Deaths come at calls (see [`PlannedDeath`]),
//! after times, at random, or when a node of the simulated machine fails.

use crate::base::Member;
use crate::engine::{Steps, World};
use crate::host::life::{self, Visit};
use crate::host::{Rank, clock};
use crate::job::{death_outside, report};
use crate::launch::Job;
use crate::machine::placement::Use;
use crate::machine::schedule::{Event, When};
use crate::mpi::failure::call_trace::{self, TracedSteps};
use crate::mpi::failure::planned_death::PlannedDeath;
use crate::mpi::process::Process;
use parking_lot::{Condvar, Mutex};
use std::iter::Peekable;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

static ORDERS: OnceLock<Orders> = OnceLock::new();

struct Orders {
    world: &'static World,
    events: Vec<Event>,
    /// The timed deaths to come, and those that have happened.
    timed: Mutex<Timed>,
    has_timed: AtomicBool,
    /// Signalled when a rank starts.
    birth: Condvar,
    /// The deaths that the supervisor carries out, where it keeps the time.
    strokes: Mutex<Vec<Peekable<Strokes>>>,
    /// The number of sequences of deaths that have not ended.
    strikers: AtomicUsize,
}

/// A sequence of targets with the times to kill them, counted from the start of the job, in order.
pub(super) type Strokes = Box<dyn Iterator<Item = (Duration, Target)> + Send>;

/// The target of an ordered death.
#[derive(Clone, Copy)]
pub(super) enum Target {
    Seat(usize),
    /// A node of the machine, with the rank that is on it then.
    Node(usize),
}

#[derive(Default)]
struct Timed {
    pending: Vec<Pending>,
    met: Vec<(Member, String)>,
}

/// The timed death of one incarnation.
struct Pending {
    victim: Member,
    after: Duration,
    is_outside: bool,
    when: When,
}

/// How often to check on a rank that must die outside of calls while it is in one.
const AGAIN: Duration = Duration::from_micros(200);

/// Takes the job's orders, before any rank starts. In a job with a seed, the supervisor keeps the
/// time (see [`due`]). A person who watches the job may order more deaths.
pub(super) fn order(world: &'static World, job: &Job, strokes: Vec<Strokes>) {
    let (events, has_seed) = (job.kills.clone(), job.seed.is_some());
    if events.is_empty() && strokes.is_empty() && job.watch.is_none() {
        return;
    }
    if PlannedDeath::new(events.iter().map(|event| event.when.clone())).counts_steps() {
        world.be_careful();
    }
    let has_times = events.iter().any(|event| matches!(event.when, When::Time { .. }));
    let strikers = AtomicUsize::new(strokes.len());
    let (kept, given) = if has_seed { (strokes, vec![]) } else { (vec![], strokes) };
    let orders = Orders {
        world,
        events,
        timed: Mutex::default(),
        has_timed: AtomicBool::new(false),
        birth: Condvar::new(),
        strokes: Mutex::new(kept.into_iter().map(Iterator::peekable).collect()),
        strikers,
    };
    assert!(ORDERS.set(orders).is_ok(), "a job gets its orders once");
    if has_times && !has_seed {
        begin(reap);
    }
    for strokes in given {
        begin(|| strike_all(strokes));
    }
}

fn begin(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().name("reaper".into()).stack_size(128 << 10);
    thread.spawn(work).expect("a job that is to lose ranks has room for one more thread");
}

/// A rank has started: its timed deaths begin to count.
pub(super) fn began(victim: Member) {
    let Some(orders) = ORDERS.get() else { return };
    let events = of(orders, victim.seat, victim.incarnation);
    let mut timed = orders.timed.lock();
    for event in events {
        if let When::Time { after, is_outside } = event.when {
            let when = event.when.clone();
            timed.pending.push(Pending { victim, after, is_outside, when });
            orders.has_timed.store(true, Ordering::Relaxed);
        }
    }
    orders.birth.notify_all();
}

/// Prepares the deaths at calls of an incarnation that has just made its first call. In a job with
/// a trace, the calls of all are counted.
pub fn lead(process: &Process) {
    let who = process.me;
    let orders = ORDERS.get().into_iter();
    let events = orders.flat_map(|orders| of(orders, who.seat, who.incarnation));
    let whens: Vec<When> = events.map(|event| event.when.clone()).collect();
    let is_counted = |when: &When| !matches!(when, When::Time { is_outside: false, .. });
    let is_traced = call_trace::is_on();
    if !is_traced && !whens.iter().any(is_counted) {
        return;
    }
    let fate = process.fate.get_or_init(|| Arc::new(PlannedDeath::new(whens))).clone();
    death_outside::know(&fate);
    let traced = |fate| -> Arc<dyn Steps> { Arc::new(TracedSteps { who, fate }) };
    process.engine.count_steps(if is_traced { traced(fate) } else { fate });
}

fn of(orders: &Orders, seat: usize, incarnation: u32) -> impl Iterator<Item = &Event> {
    let is_meant = move |event: &&Event| event.seat == seat && event.life.is(incarnation);
    orders.events.iter().filter(is_meant)
}

/// The order that killed `rank`. Can be taken only once.
pub(super) fn met(rank: &Rank) -> Option<String> {
    let member = Member { seat: rank.seat, incarnation: rank.incarnation };
    let fate = rank.attached::<Process>().and_then(|process| process.fate.get());
    if let Some(when) = fate.and_then(|fate| fate.met()) {
        return Some(when.to_string());
    }
    let mut timed = ORDERS.get()?.timed.lock();
    let place = timed.met.iter().position(|(victim, _)| *victim == member)?;
    // Earliest first: if several orders match, the first one killed the rank.
    Some(timed.met.remove(place).1)
}

/// Whether deaths are still to come. If so, waiting ranks are not deadlocked.
pub(super) fn is_expecting() -> bool {
    ORDERS.get().is_some_and(|orders| {
        orders.has_timed.load(Ordering::Relaxed) || orders.strikers.load(Ordering::Relaxed) > 0
    })
}

/// Kills ranks when their times come, for as long as the job lasts.
fn reap() {
    let Some(orders) = ORDERS.get() else { return };
    let mut timed = orders.timed.lock();
    loop {
        match timed.reap() {
            Some(left) => drop(orders.birth.wait_for(&mut timed, left)),
            None => {
                orders.has_timed.store(false, Ordering::Relaxed);
                orders.birth.wait(&mut timed);
            }
        }
    }
}

impl Timed {
    /// Kills the ranks whose time has come; returns how long to wait for the next.
    fn reap(&mut self) -> Option<Duration> {
        let mut next: Option<Duration> = None;
        let Timed { pending, met } = self;
        pending.retain(|death| {
            let left = death.left();
            if left == Some(Duration::ZERO) {
                met.push((death.victim, death.when.to_string()));
                life::kill_only(death.victim.seat, death.victim.incarnation);
                return false;
            }
            next = [next, left].into_iter().flatten().min();
            left.is_some()
        });
        next
    }
}

/// Kills the ranks whose time has come; returns when the next dies. For the supervisor, if it keeps
/// the time.
pub(super) fn due() -> Option<Instant> {
    let orders = ORDERS.get()?;
    let reaped = orders.timed.lock().reap();
    orders.has_timed.store(reaped.is_some(), Ordering::Relaxed);
    let (now, begun) = (clock::now(), orders.world.started());
    let mut next = reaped.map(|left| now + left);
    let mut all = orders.strokes.lock();
    all.retain_mut(|strokes| {
        while let Some((at, target)) = strokes.next_if(|(at, _)| begun + *at <= now) {
            strike(orders, at, target);
        }
        let following = strokes.peek().map(|(at, _)| begun + *at);
        next = [next, following].into_iter().flatten().min();
        following.is_some()
    });
    orders.strikers.store(all.len(), Ordering::Relaxed);
    next
}

impl Pending {
    /// How long to wait until this death or the next check; `None` if the victim is gone.
    fn left(&self) -> Option<Duration> {
        let Member { seat, incarnation } = self.victim;
        let rank = life::living(seat).filter(|rank| rank.incarnation == incarnation)?;
        let left = self.after.saturating_sub(rank.age());
        let fate = rank.attached::<Process>().and_then(|process| process.fate.get());
        let is_inside = || fate.is_some_and(|fate| fate.is_in_call());
        Some(if left.is_zero() && self.is_outside && is_inside() { AGAIN } else { left })
    }
}

/// Carries out these deaths, for as long as the job lasts.
fn strike_all(strokes: Strokes) {
    let Some(orders) = ORDERS.get() else { return };
    for (at, target) in strokes {
        std::thread::sleep(at.saturating_sub(orders.world.age()));
        strike(orders, at, target);
    }
    orders.strikers.fetch_sub(1, Ordering::Relaxed);
}

/// Kills the rank in `seat` on a person's request; fails with the reason why it cannot be killed.
pub(super) fn strike_by_hand(seat: usize) -> Result<(), &'static str> {
    let orders = ORDERS.get().expect("a job that is watched has a place for orders");
    let after = Duration::from_millis(orders.world.age().as_millis() as u64);
    let when = When::Time { after, is_outside: false };
    let rank = life::living(seat).ok_or("it is not alive")?;
    if rank.pulse.is_stopping() {
        return Err("it is about to die");
    }
    if has_left(&rank) {
        return Err("it has finalized MPI");
    }
    let victim = Member { seat, incarnation: rank.incarnation };
    orders.timed.lock().met.push((victim, format!("{when} by hand")));
    life::kill_only(seat, rank.incarnation);
    Ok(())
}

/// Whether `rank` has finalized MPI.
pub(super) fn has_left(rank: &Visit) -> bool {
    rank.attached::<Process>().is_some_and(|process| process.phases.has_left())
}

/// Kills the rank at `target`, unless it has finalized MPI.
fn strike(orders: &Orders, at: Duration, target: Target) {
    let when = When::Time { after: at, is_outside: false };
    let (seat, order) = match target {
        Target::Seat(seat) => (seat, when.to_string()),
        Target::Node(node) => {
            let mut berths = orders.world.berths().expect("nodes are those of a machine");
            match berths.node(node) {
                Use::Rank(rank) => {
                    (rank as usize, format!("node {} at {when}", berths.name_of(node)))
                }
                Use::Spare => {
                    berths.fail(node);
                    drop(berths);
                    report::lost_spare(node, orders.world.age());
                    return;
                }
                Use::Failed(_) | Use::Dead => return,
            }
        }
    };
    let is_to_come = life::incarnation(seat).is_none();
    let rank = life::living(seat).filter(|rank| !has_left(rank));
    if !is_to_come && rank.is_none() {
        return;
    }
    let incarnation = rank.as_ref().map_or(0, |rank| rank.incarnation);
    orders.timed.lock().met.push((Member { seat, incarnation }, order));
    match rank {
        Some(rank) => life::kill_only(seat, rank.incarnation),
        None => life::kill(seat),
    }
}
