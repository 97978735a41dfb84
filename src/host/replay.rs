//! Deterministic replay: a seed repeats a run. Ranks are fibers on one worker, and everything that
//! is normally left to the system is drawn from one seeded generator, or counted.
//!
//! - Which rank runs next: a random one of those that are ready ([`draw`]).
//! - Whether a call of MPI lets others go first: at random ([`makes_room_at_call`]).
//! - What time it is: see [`clock`].
//! - When the supervisor works: while no rank runs. The worker gives it the *turn* between two
//!   ranks, as soon as a rank has left it something to do or its next appointment is due, and waits
//!   until the supervisor gives the turn back.
//!
//! Input from outside is not repeated: files, sockets, signals, other processes. A run is *lost* to
//! its seed when a rank becomes an OS thread, or keeps all others from running for long without a
//! call of MPI. It then continues as a normal run.

use super::{clock, futex, output};
use crate::base::random::Random;
use parking_lot::Mutex;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Whether the seed is in force.
static STATE: AtomicU8 = AtomicU8::new(UNSEEDED);

const UNSEEDED: u8 = 0;
const KEPT: u8 = 1;
const LOST: u8 = 2;

/// Which side has the turn; the other one sleeps on this word.
static TURN: AtomicU32 = AtomicU32::new(WORKERS);

const WORKERS: u32 = 0;
const UNDERTAKERS: u32 = 1;

/// A rank has left the supervisor something to do.
static IS_CALLED: AtomicBool = AtomicBool::new(false);
/// When the supervisor is to look around again in any case.
static APPOINTMENT: Mutex<Option<Instant>> = Mutex::new(None);
/// When the job exceeds its time limit, which ranks that only wait do not bring nearer.
static LIMIT: OnceLock<Instant> = OnceLock::new();
/// Whether a rank has died abnormally.
static HAS_LOSSES: AtomicBool = AtomicBool::new(false);

/// The job is about to end, and its final messages are being written.
static IS_OVER: AtomicBool = AtomicBool::new(false);

struct Wish {
    seed: u64,
    is_quiet: bool,
}

static WISH: OnceLock<Wish> = OnceLock::new();
static CHANCE: OnceLock<Mutex<Chance>> = OnceLock::new();

/// The random choices of the run.
struct Chance {
    random: Random,
    /// How many percent of the calls let others go first.
    percent: u64,
}

impl Chance {
    fn new(seed: u64) -> Chance {
        // Some bugs show when ranks take turns at each call, others when one rank runs far ahead.
        const TEMPERS: [u64; 4] = [2, 10, 30, 60];
        let mut random = Random::new(seed);
        let percent = TEMPERS[random.below(TEMPERS.len() as u64) as usize];
        Chance { random, percent }
    }
}

/// Makes the job a replay by `seed`. Called before the job begins.
pub fn prepare(seed: u64, is_quiet: bool) {
    assert!(WISH.set(Wish { seed, is_quiet }).is_ok(), "a job has one seed");
    CHANCE.get_or_init(|| Mutex::new(Chance::new(seed)));
    clock::count();
    STATE.store(KEPT, Ordering::SeqCst);
}

/// How the threads are woken between which the turn passes.
pub(super) struct Wakers {
    pub(super) supervisor: fn(),
    /// Workers that sleep.
    pub(super) workers: fn(),
    pub(super) monitor: fn(),
}

static WAKERS: OnceLock<Wakers> = OnceLock::new();

/// From now on, threads are woken like this: called before the first of them is there.
pub(super) fn connect(wakers: Wakers) {
    WAKERS.get_or_init(|| wakers);
}

fn wake(act: impl FnOnce(&Wakers)) {
    WAKERS.get().map(act);
}

/// Whether the job has a seed, lost or not.
#[inline]
pub fn is_wanted() -> bool {
    STATE.load(Ordering::Relaxed) != UNSEEDED
}

/// Whether the seed is in force.
#[inline]
pub fn is_in_force() -> bool {
    STATE.load(Ordering::Relaxed) == KEPT
}

/// From here on the run may differ from what the seed repeats; `why` says what a rank does.
pub(super) fn lose(why: &str) {
    let (done, seen) = (Ordering::SeqCst, Ordering::SeqCst);
    if STATE.compare_exchange(KEPT, LOST, done, seen).is_err() {
        return;
    }
    clock::resume();
    give_turn(WORKERS);
    wake(|wakers| {
        (wakers.supervisor)();
        (wakers.monitor)();
    });
    if let Some(Wish { seed, .. }) = WISH.get().filter(|wish| !wish.is_quiet) {
        let line = format!("ftrun: {why}; from here on --seed {seed} does not repeat this run\n");
        output::write(2, line.as_bytes());
    }
}

/// Records that a rank has died abnormally.
pub(super) fn note_loss() {
    HAS_LOSSES.store(true, Ordering::Relaxed);
}

/// The final message of a job that ends with `status`. The run cannot become lost after this. In
/// virtual time every run repeats itself.
pub(super) fn last_words(status: i32) -> String {
    IS_OVER.store(true, Ordering::Relaxed);
    if clock::is_of_each_rank() {
        return String::new();
    }
    let is_of_interest =
        |wish: &Wish| status != 0 || HAS_LOSSES.load(Ordering::Relaxed) && !wish.is_quiet;
    match WISH.get().filter(|wish| is_in_force() && is_of_interest(wish)) {
        Some(Wish { seed, .. }) => format!("ftrun: --seed {seed} repeats this run\n"),
        None => String::new(),
    }
}

/// Whether a seeded job is writing its final messages: no rank runs any more.
pub(super) fn is_closing() -> bool {
    is_in_force() && IS_OVER.load(Ordering::Relaxed)
}

/// Which of `count` ready ranks runs next: one of the first, so that none waits for ever.
pub(super) fn draw(count: usize) -> usize {
    const FIRST: usize = 256;
    if count == 1 { 0 } else { below(count.min(FIRST) as u64) as usize }
}

fn below(bound: u64) -> u64 {
    CHANCE.get().map_or(0, |chance| chance.lock().random.below(bound))
}

/// Random bits for a program that asks the system for them; `None` if it should ask the system.
pub(super) fn bits() -> Option<u64> {
    CHANCE.get().filter(|_| is_in_force()).map(|chance| chance.lock().random.bits())
}

/// The seed, for choices that depend on nothing else.
pub(super) fn seed() -> u64 {
    WISH.get().map_or(0, |wish| wish.seed)
}

/// A rank begins a call of MPI: whether it is to let others go first.
pub(super) fn makes_room_at_call() -> bool {
    if !is_in_force() {
        return false;
    }
    clock::pass(clock::CALL);
    CHANCE.get().is_some_and(|chance| {
        let mut chance = chance.lock();
        let percent = chance.percent;
        chance.random.chance(percent)
    })
}

/// When the supervisor is to look around in any case.
pub(super) fn appointment() -> Option<Instant> {
    *APPOINTMENT.lock()
}

/// Leaves the supervisor work to do; false if it is to be woken as in other runs.
pub(super) fn leave_to_supervisor() -> bool {
    if !is_in_force() {
        return false;
    }
    IS_CALLED.store(true, Ordering::SeqCst);
    wake(|wakers| (wakers.workers)());
    // A thread that loses the run meanwhile may have called the supervisor too early.
    STATE.load(Ordering::SeqCst) == KEPT
}

/// Whether the supervisor has work to do as soon as it has the turn.
pub(super) fn is_supervisor_called() -> bool {
    IS_CALLED.load(Ordering::SeqCst)
}

/// Whether the supervisor has work to do now or later.
pub(super) fn is_supervisor_awaited() -> bool {
    is_supervisor_called() || APPOINTMENT.lock().is_some()
}

/// The worker, which runs no rank now, lets the supervisor work if it has something to do, or if
/// its time has come.
pub(super) fn let_supervisor_work() {
    let is_time = || APPOINTMENT.lock().is_some_and(|at| at <= clock::now()) || is_late();
    let_supervisor_work_if(is_time);
}

/// Whether the supervisor is to work, whatever its next appointment is.
pub(super) fn is_supervisor_needed() -> bool {
    is_supervisor_called() || is_late()
}

/// The worker, which runs no rank now, lets the supervisor work if it is needed.
pub(super) fn let_needed_supervisor_work() {
    let_supervisor_work_if(is_late);
}

fn let_supervisor_work_if(is_time: impl Fn() -> bool) {
    while is_in_force() && (IS_CALLED.swap(false, Ordering::SeqCst) || is_time()) {
        give_turn(UNDERTAKERS);
        wake(|wakers| (wakers.supervisor)());
        while TURN.load(Ordering::SeqCst) == UNDERTAKERS && is_in_force() {
            futex::wait_on(&TURN, UNDERTAKERS, None);
        }
    }
}

/// Limits the counted time of the job, from now on.
pub(super) fn limit(time: Option<Duration>) {
    if let Some(time) = time.filter(|_| is_in_force()) {
        LIMIT.get_or_init(|| clock::now() + time);
    }
}

/// Whether the counted time exceeds its limit.
pub(super) fn is_late() -> bool {
    is_in_force() && LIMIT.get().is_some_and(|limit| *limit <= clock::now())
}

fn give_turn(to: u32) {
    TURN.store(to, Ordering::SeqCst);
    futex::wake_one_on(&TURN);
}

/// No rank is ready, and the earliest timer is due at `first`: advances the clock to that, or to
/// the supervisor's appointment; false if neither will happen.
pub(super) fn skip_to(first: Option<Instant>) -> bool {
    let next = [first, *APPOINTMENT.lock()].into_iter().flatten().min();
    next.inspect(|next| clock::skip_to(*next)).is_some()
}

/// The supervisor takes the turn before any rank lives, and the seed takes effect.
pub(super) fn begin() {
    if !is_in_force() {
        return;
    }
    IS_CALLED.store(true, Ordering::SeqCst);
    wake(|wakers| (wakers.workers)());
    while TURN.load(Ordering::SeqCst) != UNDERTAKERS {
        futex::wait_on(&TURN, WORKERS, None);
    }
    // Trials before the run are not part of it.
    clock::count();
    if let Some((chance, wish)) = CHANCE.get().zip(WISH.get()) {
        *chance.lock() = Chance::new(wish.seed);
    }
}

/// Whether the supervisor has the turn.
pub(super) fn is_supervisors_turn() -> bool {
    TURN.load(Ordering::SeqCst) == UNDERTAKERS
}

/// The supervisor has finished for now, until it is called or this time is reached.
pub(super) fn give_back(until: Option<Instant>) {
    *APPOINTMENT.lock() = until;
    give_turn(WORKERS);
}

/// Places the program at fixed addresses: restarts it if the system randomizes them. Returns if the
/// addresses are already fixed, or cannot be.
///
/// # Safety
/// `argv` is what the process was started with; no code of the program has run.
pub unsafe fn fix_addresses(argv: *const *const libc::c_char) {
    const ASK: libc::c_ulong = 0xffff_ffff;
    // SAFETY: only queries a number.
    let before = unsafe { libc::personality(ASK) };
    let fixed = libc::ADDR_NO_RANDOMIZE;
    if before < 0 || before & fixed != 0 {
        return;
    }
    let path = std::fs::read_link("/proc/self/exe").ok();
    let path = path.and_then(|path| {
        use std::os::unix::ffi::OsStringExt;
        std::ffi::CString::new(path.into_os_string().into_vec()).ok()
    });
    let Some(path) = path else { return };
    // SAFETY: sets how the next program is laid out; and as our caller promises.
    unsafe {
        if libc::personality((before | fixed) as libc::c_ulong) >= 0 {
            libc::execv(path.as_ptr(), argv);
        }
    }
}

/// How long a rank may keep all others from running before the run is lost.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_alike_each_time_and_seeds_differ_in_temper() {
        let calls = |seed| {
            let mut chance = Chance::new(seed);
            let percent = chance.percent;
            (percent, (0..200).map(|_| chance.random.chance(percent)).collect::<Vec<_>>())
        };
        assert_eq!(calls(3), calls(3));
        let tempers: std::collections::BTreeSet<u64> = (0..20).map(|seed| calls(seed).0).collect();
        assert_eq!(tempers.len(), 4);
    }
}
