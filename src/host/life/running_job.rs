//! The job that runs in this process: its seats, and the way to the supervisor.

use super::apps::Ready;
use super::ground::Plan;
use super::seat::{Pin, Seat, Visit};
use super::tenant::Tenant;
use super::verdict::Newcomer;
use crate::host::fiber::Fiber;
use crate::host::loader::Template;
use crate::host::sched::Bell;
use crate::host::{Rank, current, replay};
use crate::launch::Job;
use crossbeam_channel::{Receiver, Sender, unbounded};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

pub(super) struct RunningJob {
    pub(super) job: Job,
    apps: Vec<Ready>,
    /// What ranks run that were spawned, by seat.
    spawned: Mutex<BTreeMap<usize, &'static Ready>>,
    /// All programs that were loaded, by file.
    pub(super) templates: Mutex<Vec<(PathBuf, &'static Template)>>,
    pub(super) plan: Plan,
    pub(super) seats: Vec<Seat>,
    fibers: OnceLock<Fibers>,
    pub(super) tenant: Box<dyn Tenant>,
    /// The process that ranks live in; their forked children are others.
    process: libc::pid_t,
    /// Rung for the supervisor.
    pub(super) bell: Bell,
    /// Ranks that have ended and wait to be buried, linked by their `next`.
    ended: AtomicPtr<Rank>,
    /// Orders to kill, from any thread to the supervisor.
    condemn: Sender<Condemned>,
    condemned: Receiver<Condemned>,
    /// Orders to start incarnations, also from any thread to the supervisor.
    order: Sender<(usize, Newcomer)>,
    pub(super) orders: Receiver<(usize, Newcomer)>,
    /// Signals to the whole process that the supervisor has to pass on, one bit each.
    forwarded: AtomicU64,
    /// Whether signals may wait in the inbox of some thread.
    has_deferred: AtomicBool,
    /// Whether some rank may have set an alarm since the last look.
    has_alarms: AtomicBool,
    /// Whether ranks may begin here though none lives.
    stays: AtomicBool,
}

/// The ranks that are fibers.
struct Fibers {
    seats: Range<usize>,
    /// By place among these seats; `None`: no rank has started there yet.
    all: Mutex<Vec<Option<&'static Fiber>>>,
}

/// A rank that is to die.
pub(super) struct Condemned {
    seat: usize,
    incarnation: u32,
    /// It was ordered, and begins yet if it has not.
    is_to_come: bool,
}

static WORLD: OnceLock<RunningJob> = OnceLock::new();

/// What is decided about a job before it begins.
pub(super) struct Prepared {
    pub(super) job: Job,
    pub(super) apps: Vec<Ready>,
    pub(super) templates: Vec<(PathBuf, &'static Template)>,
    pub(super) plan: Plan,
    pub(super) seats: Vec<Seat>,
    pub(super) tenant: Box<dyn Tenant>,
}

/// The process runs this job from now on.
pub(super) fn begin(prepared: Prepared) -> &'static RunningJob {
    let Prepared { job, apps, templates, plan, seats, tenant } = prepared;
    let (condemn, condemned) = unbounded();
    let (order, orders) = unbounded();
    let stays = job.processes.is_some();
    let world = RunningJob {
        job,
        apps,
        spawned: Mutex::default(),
        templates: Mutex::new(templates),
        plan,
        seats,
        fibers: OnceLock::new(),
        tenant,
        // SAFETY: has no preconditions.
        process: unsafe { libc::getpid() },
        bell: Bell::new(),
        ended: AtomicPtr::default(),
        condemn,
        condemned,
        order,
        orders,
        forwarded: AtomicU64::new(0),
        has_deferred: AtomicBool::new(false),
        has_alarms: AtomicBool::new(false),
        stays: AtomicBool::new(stays),
    };
    assert!(WORLD.set(world).is_ok(), "one job per process");
    of_process()
}

/// The job that this thread is part of.
pub(super) fn of_process() -> &'static RunningJob {
    found().expect("ranks and the supervisor live in a job")
}

pub(super) fn found() -> Option<&'static RunningJob> {
    WORLD.get()
}

/// The process that the ranks live in; 0 if there are none.
pub(super) fn process() -> libc::pid_t {
    found().map_or(0, |world| world.process)
}

/// Hands a rank that has ended to the supervisor. Safe in signal handlers.
pub(super) fn report(rank: &'static Rank) {
    let Some(world) = found() else { return };
    let mut first = world.ended.load(Ordering::Relaxed);
    let own = std::ptr::from_ref(rank).cast_mut();
    loop {
        rank.next.store(first, Ordering::Relaxed);
        let (given, seen) = (Ordering::Release, Ordering::Relaxed);
        match world.ended.compare_exchange_weak(first, own, given, seen) {
            Ok(_) => break,
            Err(now) => first = now,
        }
    }
    world.call();
}

/// Makes the supervisor check again whether what it waits for has happened.
pub(in crate::host) fn look_again() {
    if let Some(world) = found() {
        world.call();
    }
}

/// Makes the supervisor look around now, even in a replay.
pub(in crate::host) fn hurry() {
    if let Some(world) = found() {
        world.bell.unpark();
    }
}

/// Ends the rank in `seat` from outside, wherever it is. Returns before it is dead.
pub fn kill(seat: usize) {
    if let Some((world, place)) = found().and_then(|it| Some((it, it.seats.get(seat)?))) {
        let incarnation = place.incarnation().unwrap_or(0);
        condemn(world, Condemned { seat, incarnation, is_to_come: false });
    }
}

/// Like [`kill`], for one incarnation; does nothing if another one lives there.
pub fn kill_only(seat: usize, incarnation: u32) {
    let Some(world) = found() else { return };
    if living(seat).is_some_and(|rank| rank.incarnation == incarnation) {
        condemn(world, Condemned { seat, incarnation, is_to_come: false });
    }
}

/// Like [`kill`], for a rank that was ordered and may not have begun yet.
pub fn kill_newborn(seat: usize, incarnation: u32) {
    if let Some(world) = found() {
        condemn(world, Condemned { seat, incarnation, is_to_come: true });
    }
}

fn condemn(world: &'static RunningJob, condemned: Condemned) {
    let Condemned { seat, incarnation, .. } = condemned;
    let rank = world.seats[seat].visit();
    if let Some(rank) = rank.filter(|rank| rank.incarnation == incarnation) {
        rank.pulse.stop();
    }
    world.condemn.send(condemned).expect("the world keeps the other end");
    world.tenant.wake(seat);
    world.call();
}

/// Starts `newcomer` in `seat`, whose last rank has ended. Returns before it runs.
pub fn respawn(seat: usize, newcomer: Newcomer) {
    let Some(world) = found() else { return };
    world.order.send((seat, newcomer)).expect("the world keeps the other end");
    world.call();
}

/// Other processes learn where memory of the calling rank is.
pub fn show_memory() {
    if let Some(rank) = current() {
        rank.life.is_shown.store(true, Ordering::Relaxed);
    }
}

/// No rank begins here any more: the process ends when its last rank has.
pub fn dismiss() {
    if let Some(world) = found() {
        world.stays.store(false, Ordering::SeqCst);
        world.call();
    }
}

/// Which of the job's programs the rank in `seat` runs.
pub fn app_of(seat: usize) -> usize {
    found().map_or(0, |world| world.number_of_app(seat))
}

/// Keeps the memory of an incarnation of the rank in `seat` mapped, as long as the pin is held.
/// `None` when that memory is gone, or about to be freed. Without a job nothing is ever freed.
pub fn pin(seat: usize, incarnation: u32) -> Option<Pin> {
    match found() {
        // It is, or was, in another process, where nothing is freed for this one's sake.
        Some(world) if world.stays_out_of(seat) => Some(Pin::idle()),
        Some(world) => world.seats.get(seat)?.pin(incarnation),
        None => Some(Pin::idle()),
    }
}

/// The incarnation that lives in `seat`, or did last.
pub fn incarnation(seat: usize) -> Option<u32> {
    found()?.seats.get(seat)?.incarnation()
}

/// The rank that lives in `seat` now, and has not ended.
pub fn living(seat: usize) -> Option<Visit> {
    found()?.seats.get(seat)?.visit().filter(|rank| !rank.life.is_ending())
}

/// Passes a signal to the whole process on to the supervisor. Safe in signal handlers.
pub(in crate::host) fn forward(number: i32) {
    if let Some(world) = found() {
        world.forwarded.fetch_or(1 << number, Ordering::SeqCst);
        world.bell.unpark();
    }
}

/// A signal waits in the inbox of some thread: the supervisor pokes the thread until it is empty.
/// Safe in signal handlers.
pub(in crate::host) fn defer() {
    if let Some(world) = found() {
        world.has_deferred.store(true, Ordering::SeqCst);
        world.call();
    }
}

/// Lets the code at `pc` run again; false if it belongs to no rank. Safe in handlers.
pub(in crate::host) fn admit(pc: usize) -> bool {
    // A thread that libc started may run a rank's code, too.
    if let Some(own) = current().filter(|rank| rank.images.contains(pc)) {
        return own.images.admit(pc);
    }
    let rank = found().and_then(|world| world.visits().find(|rank| rank.images.contains(pc)));
    rank.is_some_and(|rank| rank.images.admit(pc))
}

/// Some rank has set an alarm, which the supervisor is to ring.
pub(in crate::host) fn expect_alarms() {
    if let Some(world) = found() {
        world.has_alarms.store(true, Ordering::SeqCst);
        world.call();
    }
}

/// Shared code in which a thread holds no lock, so that it may be ended there.
pub(in crate::host) fn harmless_code() -> &'static [Range<usize>] {
    found().map_or(&[], |world| &world.template().harmless_code)
}

/// How far behind the start of this library `address` is, if it is there.
pub(in crate::host) fn own_offset(address: usize) -> Option<usize> {
    let own = &found()?.template().own_code;
    own.contains(&address).then(|| address - own.start)
}

/// The tenant's timed work has changed.
pub fn expect_dues() {
    if replay::is_wanted() {
        look_again();
    }
}

impl RunningJob {
    /// Wakes the supervisor.
    fn call(&self) {
        if !replay::leave_to_supervisor() {
            self.bell.unpark();
        }
    }

    /// The ranks that have ended since the last look, in order.
    pub(super) fn take_ended(&self) -> Vec<&'static Rank> {
        let mut next = self.ended.swap(std::ptr::null_mut(), Ordering::Acquire);
        let mut ended: Vec<&'static Rank> = Vec::new();
        // SAFETY: `report` links records, which stay until their burial has finished.
        while let Some(rank) = unsafe { next.as_ref() } {
            ended.push(rank);
            next = rank.next.load(Ordering::Relaxed);
        }
        ended.reverse();
        ended
    }

    /// The ranks that are to die. Those that have not begun yet stay in `early`.
    pub(super) fn take_condemned(&self, early: &mut Vec<Condemned>) -> Vec<&'static Rank> {
        let waiting = std::mem::take(early);
        let mut ranks = Vec::new();
        for condemned in waiting.into_iter().chain(self.condemned.try_iter()) {
            let place = &self.seats[condemned.seat];
            let has_begun = place.incarnation().is_some_and(|now| now >= condemned.incarnation);
            if condemned.is_to_come && !has_begun {
                early.push(condemned);
                continue;
            }
            ranks.extend(place.rank().filter(|rank| rank.incarnation == condemned.incarnation));
        }
        ranks.iter().for_each(|rank| rank.pulse.stop());
        ranks
    }

    /// What the rank in this seat runs.
    pub(super) fn app_of(&self, seat: usize) -> &Ready {
        match self.apps.get(self.number_of_app(seat)) {
            Some(app) => app,
            None => self.spawned.lock().get(&seat).expect("a rank starts where it is assigned to"),
        }
    }

    /// What the job has started with.
    pub(super) fn apps(&self) -> impl Iterator<Item = &Ready> {
        self.apps.iter()
    }

    /// A rank that is about to start in `seat` runs this.
    pub(super) fn assign(&self, seat: usize, app: &'static Ready) {
        self.spawned.lock().insert(seat, app);
    }

    fn number_of_app(&self, seat: usize) -> usize {
        self.apps.partition_point(|app| app.end <= seat)
    }

    /// The template of a program; all know the shared libraries of the process.
    pub(super) fn template(&self) -> &'static Template {
        self.apps[0].template
    }

    /// From now on, ranks in these seats are fibers.
    pub(super) fn use_fibers(&self, seats: Range<usize>) {
        let all = Mutex::new(vec![None; seats.len()]);
        self.fibers.get_or_init(|| Fibers { seats, all });
    }

    /// The fiber of this seat, if the rank there is one.
    pub(super) fn fiber_of(&self, seat: usize) -> Option<&'static Fiber> {
        let (fibers, place) = self.place_of_fiber(seat)?;
        // Neighbours begin on one core.
        let count = self.job.ranks;
        Some(*fibers.all.lock()[place].get_or_insert_with(|| Fiber::new(seat, count)))
    }

    /// Abandons the last fiber of this seat.
    pub(super) fn forget_fiber_of(&self, seat: usize) {
        if let Some((fibers, place)) = self.place_of_fiber(seat) {
            fibers.all.lock()[place] = None;
        }
    }

    fn place_of_fiber(&self, seat: usize) -> Option<(&Fibers, usize)> {
        let fibers = self.fibers.get()?;
        fibers.seats.contains(&seat).then(|| (fibers, seat - fibers.seats.start))
    }

    /// Whether a seat is in another process, or nobody has lived there yet.
    fn stays_out_of(&self, seat: usize) -> bool {
        let is_empty = |place: &Seat| place.incarnation().is_none();
        self.job.processes.is_some() && self.seats.get(seat).is_some_and(is_empty)
    }

    pub(super) fn stays(&self) -> bool {
        self.stays.load(Ordering::SeqCst)
    }

    pub(super) fn take_deferred(&self) -> bool {
        self.has_deferred.swap(false, Ordering::SeqCst)
    }

    pub(super) fn take_alarms(&self) -> bool {
        self.has_alarms.swap(false, Ordering::SeqCst)
    }

    pub(super) fn take_forwarded(&self) -> u64 {
        self.forwarded.swap(0, Ordering::SeqCst)
    }

    /// The living, or last living, rank of each seat, for any thread.
    pub(super) fn visits(&'static self) -> impl Iterator<Item = Visit> {
        self.seats.iter().filter_map(Seat::visit)
    }

    /// The living, or last living, rank of each seat, for the supervisor.
    pub(super) fn ranks(&self) -> impl Iterator<Item = &'static Rank> {
        self.seats.iter().filter_map(Seat::rank)
    }
}
