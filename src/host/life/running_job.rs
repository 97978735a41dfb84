//! The job that runs in this process: its seats, and the way to the supervisor.

use super::birth::Arguments;
use super::ground::Plan;
use super::seat::{Pin, Seat, Visit};
use super::{Newcomer, Tenant, limits, threads, units};
use crate::host::fiber::{self, Fiber};
use crate::host::life::supervisor::Supervisor;
use crate::host::loader::{Program, Template};
use crate::host::replay::Wakers;
use crate::host::sched::{self, Bell};
use crate::host::shims::{self, stdio};
use crate::host::{Rank, cores, current, heap, output, replay, signals};
use crate::launch::{Job, RankKind};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use parking_lot::Mutex;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU64, Ordering};
use std::time::Duration;

pub(super) struct RunningJob {
    pub(super) program: Program,
    pub(super) arguments: Arguments,
    pub(super) template: Template,
    pub(super) plan: Plan,
    pub(super) seats: Vec<Seat>,
    /// The fibers of the ranks, by seat; `None`: no rank has started there yet.
    fibers: OnceLock<Mutex<Vec<Option<&'static Fiber>>>>,
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
}

/// A rank that is to die: an incarnation in a seat; `None` is its first life, before it has begun.
type Condemned = (usize, Option<u32>);

static WORLD: OnceLock<RunningJob> = OnceLock::new();

/// Runs `program` as the ranks of `job` until all have ended or `tenant` ends the job.
pub fn run(program: Program, job: Job, tenant: Box<dyn Tenant>) -> ! {
    match prepare(program, &job, tenant) {
        Ok(world) => Supervisor::new(world, &job).work(),
        Err(why) => end_process(2, &format!("ftrun: {why}\n")),
    }
}

fn prepare(
    program: Program, job: &Job, tenant: Box<dyn Tenant>,
) -> Result<&'static RunningJob, String> {
    shims::prepare(job);
    replay::connect(Wakers {
        supervisor: hurry,
        workers: fiber::rouse,
        monitor: fiber::hurry,
    });
    let mut template = Template::of_process(&program, job, shims::function)?;
    let count = sched::cores();
    let arguments = Arguments::of(&program);
    // The arguments do not count against the stack size.
    let stack_bytes = job.stack_bytes.saturating_add(arguments.bytes());
    let plan = lay_out(&mut template, job, stack_bytes, wants_fibers(job, count))?;
    let grounds = plan.reserve(job.ranks).map_err(|error| {
        let gigabytes = ((plan.bytes >> 20) * job.ranks) >> 10;
        format!(
            "{} ranks of this program need {gigabytes} GB of address space: {error}; allow more \
             with `ulimit -v unlimited`, or run fewer ranks",
            job.ranks
        )
    })?;
    if !heap::reserve(job.ranks, job.heap_bytes) {
        return Err(format!(
            "not enough address space for the heaps of {} ranks; run fewer ranks, or use a smaller \
             --heap",
            job.ranks
        ));
    }
    sched::expect_crowd(job.ranks > count);
    let (condemn, condemned) = unbounded();
    let (order, orders) = unbounded();
    let world = RunningJob {
        program,
        arguments,
        template,
        plan,
        seats: grounds.into_iter().map(Seat::new).collect(),
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
    };
    assert!(WORLD.set(world).is_ok(), "one job per process");
    signals::install();
    let world = of_process();
    // Workers are interrupted by signals, which look at the world.
    if choose_kind(job, count)? {
        world.fibers.get_or_init(|| Mutex::new(vec![None; job.ranks]));
        // The supervisor, for which all recovering ranks wait, competes with workers that never
        // rest.
        cores::ask_for_slices_of(cores::PROMPT);
    }
    Ok(world)
}

/// Decides where ranks and their images go, within the mappings that this machine allows.
fn lay_out(
    template: &mut Template, job: &Job, stack_bytes: usize, is_for_fibers: bool,
) -> Result<Plan, String> {
    let mut plan = Plan::new(template, stack_bytes, is_for_fibers);
    if let Err(why) = limits::check(job.ranks, template.maps() + plan.maps()) {
        // Without separate mappings, their number has no limit.
        if template.is_shared || !plan.marks_guards() || !template.flatten() {
            return Err(why);
        }
        plan = Plan::new(template, stack_bytes, is_for_fibers);
        limits::check(job.ranks, template.maps() + plan.maps())?;
        if job.explain {
            eprintln!("ftrun: each rank has its own copy of the code: {why}");
        }
    }
    if template.is_shared {
        let failed = |error| format!("no memory for the image of all ranks: {error}");
        let start = plan.reserve_images(template).map_err(failed)?;
        // SAFETY: the memory was reserved for them, and nothing runs in there yet.
        unsafe { template.make(start, &|_| None) }.map_err(failed)?;
    }
    Ok(plan)
}

/// Whether ranks are to be fibers, if that is possible.
fn wants_fibers(job: &Job, cores: usize) -> bool {
    match job.kind {
        RankKind::Thread => false,
        RankKind::Fiber => true,
        RankKind::Auto => job.ranks > cores,
    }
}

/// Whether ranks are fibers. An error says why not, if fibers were requested.
fn choose_kind(job: &Job, cores: usize) -> Result<bool, String> {
    if !wants_fibers(job, cores) {
        return Ok(false);
    }
    let workers = cores.min(job.ranks);
    let outcome = fiber::start_workers(workers, threads::find_number_in_descriptor, look_again);
    match &outcome {
        Err(why) if job.seed.is_some() => {
            return Err(format!("--seed needs ranks on fibers, which are not available: {why}"));
        }
        Ok(()) if job.explain => eprintln!("ftrun: ranks are fibers on {workers} threads"),
        Err(why) if job.explain || job.kind == RankKind::Fiber => {
            eprintln!("ftrun: ranks are threads, not fibers: {why}");
        }
        _ => {}
    }
    Ok(outcome.is_ok())
}

/// The job that this thread is part of.
pub(super) fn of_process() -> &'static RunningJob {
    found().expect("ranks and the supervisor live in a job")
}

fn found() -> Option<&'static RunningJob> {
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
        condemn(world, seat, place.incarnation());
    }
}

/// Like [`kill`], for one incarnation; does nothing if another one lives there.
pub fn kill_only(seat: usize, incarnation: u32) {
    let Some(world) = found() else { return };
    if living(seat).is_some_and(|rank| rank.incarnation == incarnation) {
        condemn(world, seat, Some(incarnation));
    }
}

fn condemn(world: &'static RunningJob, seat: usize, incarnation: Option<u32>) {
    let rank = world.seats[seat].visit();
    if let Some(rank) = rank.filter(|rank| Some(rank.incarnation) == incarnation) {
        rank.pulse.stop();
    }
    world.condemn.send((seat, incarnation)).expect("the world keeps the other end");
    world.tenant.wake(seat);
    world.call();
}

/// Starts `newcomer` in `seat`, whose last rank has ended. Returns before it runs.
pub fn respawn(seat: usize, newcomer: Newcomer) {
    let Some(world) = found() else { return };
    world.order.send((seat, newcomer)).expect("the world keeps the other end");
    world.call();
}

/// Keeps the memory of an incarnation of the rank in `seat` mapped, as long as the pin is held.
/// `None` when that memory is gone, or about to be freed. Without a job nothing is ever freed.
pub fn pin(seat: usize, incarnation: u32) -> Option<Pin> {
    match found() {
        Some(world) => world.seats.get(seat)?.pin(incarnation),
        None => Some(Pin::idle()),
    }
}

/// The incarnation that lives in `seat`, or did last.
pub fn incarnation(seat: usize) -> Option<u32> {
    found()?.seats.get(seat)?.incarnation()
}

/// Whether an alarm of a rank is pending.
pub fn has_alarms() -> bool {
    found().is_some_and(|world| world.visits().any(|rank| signals::has_alarm(&rank)))
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
    if let Some(own) = crate::host::current().filter(|rank| rank.images.contains(pc)) {
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
    found().map_or(&[], |world| &world.template.harmless_code)
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

    /// The ranks that are to die, once all seats are taken.
    pub(super) fn take_condemned(&self) -> Vec<&'static Rank> {
        let condemned = self.condemned.try_iter();
        let ranks = condemned.filter_map(|(seat, incarnation)| {
            let is_meant = |rank: &&'static Rank| incarnation.unwrap_or(0) == rank.incarnation;
            self.seats[seat].rank().filter(is_meant)
        });
        ranks.inspect(|rank| rank.pulse.stop()).collect()
    }

    /// The fiber of this seat, if ranks are fibers.
    pub(super) fn fiber_of(&self, seat: usize) -> Option<&'static Fiber> {
        let mut fibers = self.fibers.get()?.lock();
        // Neighbours begin on one core.
        let count = fibers.len();
        Some(*fibers[seat].get_or_insert_with(|| Fiber::new(seat, count)))
    }

    /// Abandons the last fiber of this seat.
    pub(super) fn forget_fiber_of(&self, seat: usize) {
        if let Some(fibers) = self.fibers.get() {
            fibers.lock()[seat] = None;
        }
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
    fn visits(&'static self) -> impl Iterator<Item = Visit> {
        self.seats.iter().filter_map(Seat::visit)
    }

    /// The living, or last living, rank of each seat, for the supervisor.
    pub(super) fn ranks(&self) -> impl Iterator<Item = &'static Rank> {
        self.seats.iter().filter_map(Seat::rank)
    }
}

/// Ends the process before the job has begun.
pub fn refuse(why: &str) -> ! {
    output::write(2, format!("ftrun: {why}\n").as_bytes());
    // SAFETY: no rank lives, and nothing of the program has run.
    unsafe { libc::_exit(2) }
}

/// Ends the process, from any thread: first writes a message to stderr, then what libc still holds,
/// if that is possible. Only the first call takes effect; later callers wait for the end.
pub fn end_process(status: i32, last_words: &str) -> ! {
    const UNDECIDED: i32 = i32::MIN;
    static STATUS: AtomicI32 = AtomicI32::new(UNDECIDED);
    /// The thread whose call took effect, by its number in the kernel.
    static SPEAKER: AtomicI32 = AtomicI32::new(0);
    /// The speaker may belong to a rank that dies before it has finished.
    const PATIENCE: Duration = Duration::from_secs(2);
    // SAFETY: has no preconditions.
    let own = unsafe { libc::gettid() };
    let (decided, known) = (Ordering::AcqRel, Ordering::Acquire);
    if STATUS.compare_exchange(UNDECIDED, status, decided, known).is_ok() {
        SPEAKER.store(own, Ordering::Release);
        if let Some(world) = found() {
            world.tenant.closing();
        }
        output::write(2, last_words.as_bytes());
        output::write(2, output::about_losses().as_bytes());
        output::write(2, replay::last_words(output::judged(status)).as_bytes());
        flush();
    } else if SPEAKER.load(Ordering::Acquire) != own {
        std::thread::sleep(PATIENCE);
    }
    // A handler that has interrupted the speaker does not wait for it.
    loop {
        let status = output::judged(STATUS.load(Ordering::Acquire));
        // SAFETY: ends the process.
        unsafe { libc::syscall(libc::SYS_exit_group, status) };
    }
}

/// Flushes what the ranks, libc and Fortran have buffered. Ranks that still run may hold the locks
/// of libc's streams for ever: so a separate thread tries.
fn flush() {
    const LONGEST: Duration = Duration::from_millis(500);
    let (done, is_done) = bounded(0);
    let speaker = current().map(|rank| rank.seat);
    let flush = move || {
        // The output of dead ranks is saved already.
        let ranks = found().into_iter().flat_map(RunningJob::visits);
        let living = ranks.filter(|rank| !rank.life.is_ending()).map(Visit::for_good);
        let mut living: Vec<&'static Rank> = living.collect();
        // The rank that ends the job may do so in the middle of printing, and nothing waits for it.
        living.sort_by_key(|rank| Some(rank.seat) == speaker);
        living.iter().for_each(|rank| stdio::flush_all(&rank.libc));
        // SAFETY: flushes all streams.
        unsafe { libc::fflush(std::ptr::null_mut()) };
        match (units::flusher(), found()) {
            (Some(flusher), Some(_)) => {
                living.iter().for_each(|rank| units::flush(flusher, Some(rank)));
            }
            (Some(flusher), None) => units::flush(flusher, None),
            (None, _) => {}
        }
        living.iter().for_each(|rank| stdio::finish_lines(&rank.libc));
        let _ = done.send(());
    };
    if std::thread::Builder::new().spawn(flush).is_ok() {
        let _: Result<(), RecvTimeoutError> = is_done.recv_timeout(LONGEST);
    }
}
