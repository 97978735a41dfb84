//! Deterministic replay: a seed repeats a run. Ranks are fibers on one worker, and everything that
//! is usually left to the system is drawn from one seeded generator, or counted.
//!
//! - Who is next: one of those that are ready, by chance ([`draw`]).
//! - Whether a call of MPI lets others go first: by chance ([`pass_door`]).
//! - What time it is: see [`clock`].
//! - When the supervisor works: while no rank runs. The worker gives him the *turn* between two
//!   ranks, as soon as a rank has left him something to do or his next appointment has come, and
//!   waits until he gives it back.
//!
//! What comes from outside is not repeated: files, sockets, signals, other processes. A run is
//! *lost* to its seed when a rank becomes a thread of the system's, or keeps all others from
//! running for long without a call of MPI. It goes on then as other runs do.

use super::{clock, fiber, life, output, sched};
use crate::base::random::Random;
use parking_lot::Mutex;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Whether the seed decides.
static STATE: AtomicU8 = AtomicU8::new(UNSEEDED);

const UNSEEDED: u8 = 0;
const KEPT: u8 = 1;
const LOST: u8 = 2;

/// Whose turn it is; who waits for his own sleeps on this word.
static TURN: AtomicU32 = AtomicU32::new(WORKERS);

const WORKERS: u32 = 0;
const UNDERTAKERS: u32 = 1;

/// A rank has left the supervisor something to do.
static IS_CALLED: AtomicBool = AtomicBool::new(false);
/// When the supervisor wants to look around again, whatever happens.
static APPOINTMENT: Mutex<Option<Instant>> = Mutex::new(None);
/// Whether somebody has died other than in peace.
static HAS_LOSSES: AtomicBool = AtomicBool::new(false);

/// The job is about to end, and its last words are being said.
static IS_OVER: AtomicBool = AtomicBool::new(false);

struct Wish {
    seed: u64,
    is_quiet: bool,
}

static WISH: OnceLock<Wish> = OnceLock::new();
static CHANCE: OnceLock<Mutex<Chance>> = OnceLock::new();

/// What decides.
struct Chance {
    random: Random,
    /// How many of a hundred calls let others go first.
    percent: u64,
}

impl Chance {
    fn new(seed: u64) -> Chance {
        // Some mistakes show where ranks take turns at each call, others where one goes far ahead.
        const TEMPERS: [u64; 4] = [2, 10, 30, 60];
        let mut random = Random::new(seed);
        let percent = TEMPERS[random.below(TEMPERS.len() as u64) as usize];
        Chance { random, percent }
    }
}

/// The job is to be repeated by `seed`. Before all else of the job.
pub fn prepare(seed: u64, is_quiet: bool) {
    assert!(WISH.set(Wish { seed, is_quiet }).is_ok(), "a job has one seed");
    CHANCE.get_or_init(|| Mutex::new(Chance::new(seed)));
    clock::count();
    STATE.store(KEPT, Ordering::SeqCst);
}

/// Whether the job has a seed, lost or not.
#[inline]
pub fn is_wanted() -> bool {
    STATE.load(Ordering::Relaxed) != UNSEEDED
}

/// Whether the seed decides.
#[inline]
pub fn is_in_force() -> bool {
    STATE.load(Ordering::Relaxed) == KEPT
}

/// Whether ranks go on in a run that the seed decides on; then nobody is stuck.
pub fn is_moving() -> bool {
    is_in_force() && !fiber::is_asleep()
}

/// From here on the run is not what the seed repeats; `why` says what a rank does.
pub(super) fn lose(why: &str) {
    let (done, seen) = (Ordering::SeqCst, Ordering::SeqCst);
    if STATE.compare_exchange(KEPT, LOST, done, seen).is_err() {
        return;
    }
    clock::resume();
    give_turn(WORKERS);
    life::hurry();
    fiber::hurry();
    if let Some(Wish { seed, .. }) = WISH.get().filter(|wish| !wish.is_quiet) {
        let line = format!("ftrun: {why}; from here on --seed {seed} does not repeat this run\n");
        output::write(2, line.as_bytes());
    }
}

/// Somebody has died other than in peace.
pub(super) fn note_loss() {
    HAS_LOSSES.store(true, Ordering::Relaxed);
}

/// What is to be said at the end of a job that ends with `status`. Nothing is lost from here on.
pub(super) fn last_words(status: i32) -> String {
    IS_OVER.store(true, Ordering::Relaxed);
    let is_of_interest =
        |wish: &Wish| status != 0 || HAS_LOSSES.load(Ordering::Relaxed) && !wish.is_quiet;
    match WISH.get().filter(|wish| is_in_force() && is_of_interest(wish)) {
        Some(Wish { seed, .. }) => format!("ftrun: --seed {seed} repeats this run\n"),
        None => String::new(),
    }
}

/// Whether a job that the seed decides on says its last words: nobody goes on any more.
pub(super) fn is_closing() -> bool {
    is_in_force() && IS_OVER.load(Ordering::Relaxed)
}

/// Which of so many that are ready goes on: one of the first, so that nobody waits for ever.
pub(super) fn draw(count: usize) -> usize {
    const FIRST: usize = 256;
    if count == 1 { 0 } else { below(count.min(FIRST) as u64) as usize }
}

fn below(bound: u64) -> u64 {
    CHANCE.get().map_or(0, |chance| chance.lock().random.below(bound))
}

/// What a program gets that asks the system for chance; `None` where it is to ask.
pub(super) fn bits() -> Option<u64> {
    CHANCE.get().filter(|_| is_in_force()).map(|chance| chance.lock().random.bits())
}

/// The seed, for what depends on nothing else.
pub(super) fn seed() -> u64 {
    WISH.get().map_or(0, |wish| wish.seed)
}

/// A rank begins a call of MPI: perhaps it lets others go first. It holds nothing.
pub fn pass_door() {
    if !is_in_force() {
        return;
    }
    clock::pass(clock::CALL);
    let makes_room = CHANCE.get().is_some_and(|chance| {
        let mut chance = chance.lock();
        let percent = chance.percent;
        chance.random.chance(percent)
    });
    if makes_room {
        sched::yield_now();
    }
}

/// Leaves the supervisor something to do; false where he is to be called as in other runs.
pub(super) fn leave_to_undertaker() -> bool {
    if !is_in_force() {
        return false;
    }
    IS_CALLED.store(true, Ordering::SeqCst);
    fiber::rouse();
    // Whoever loses the run meanwhile may have called him too early.
    STATE.load(Ordering::SeqCst) == KEPT
}

/// Whether the supervisor has something to do, as soon as he has the turn.
pub(super) fn is_undertaker_called() -> bool {
    IS_CALLED.load(Ordering::SeqCst)
}

/// Whether he has something to do now or later.
pub(super) fn is_undertaker_awaited() -> bool {
    is_undertaker_called() || APPOINTMENT.lock().is_some()
}

/// The worker, which runs nobody, lets the supervisor work if he has something to do.
pub(super) fn let_undertaker_work() {
    let is_time = || APPOINTMENT.lock().is_some_and(|at| at <= clock::now());
    while is_in_force() && (IS_CALLED.swap(false, Ordering::SeqCst) || is_time()) {
        give_turn(UNDERTAKERS);
        life::hurry();
        while TURN.load(Ordering::SeqCst) == UNDERTAKERS && is_in_force() {
            sched::wait_on(&TURN, UNDERTAKERS, None);
        }
    }
}

fn give_turn(to: u32) {
    TURN.store(to, Ordering::SeqCst);
    sched::wake_one_on(&TURN);
}

/// Nobody is ready, and who is first to be is so at `first`: time goes on to that, or to the
/// supervisor's appointment; false when nothing is to come by itself.
pub(super) fn skip_to(first: Option<Instant>) -> bool {
    let next = [first, *APPOINTMENT.lock()].into_iter().flatten().min();
    next.inspect(|next| clock::skip_to(*next)).is_some()
}

/// The supervisor takes the turn before anybody lives, and the seed begins to decide.
pub(super) fn begin() {
    if !is_in_force() {
        return;
    }
    IS_CALLED.store(true, Ordering::SeqCst);
    fiber::rouse();
    while TURN.load(Ordering::SeqCst) != UNDERTAKERS {
        sched::wait_on(&TURN, WORKERS, None);
    }
    // What was tried out before is not part of the run.
    clock::count();
    if let Some((chance, wish)) = CHANCE.get().zip(WISH.get()) {
        *chance.lock() = Chance::new(wish.seed);
    }
}

/// Whether the supervisor has the turn.
pub(super) fn is_undertakers_turn() -> bool {
    TURN.load(Ordering::SeqCst) == UNDERTAKERS
}

/// The supervisor is done for now, until he is called or this time comes.
pub(super) fn give_back(until: Option<Instant>) {
    *APPOINTMENT.lock() = until;
    give_turn(WORKERS);
}

/// Lets the program lie at the same addresses in every run: it begins anew where the system would
/// place it by chance. Comes back where that is so already, or cannot be.
///
/// # Safety
/// `argv` is what the process was started with; nothing of the program has run.
pub unsafe fn fix_addresses(argv: *const *const libc::c_char) {
    const ASK: libc::c_ulong = 0xffff_ffff;
    // SAFETY: asks for a number.
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
