//! Runs the deadlock detector and ends jobs that are stuck. A thread of the library checks twice a
//! second whether anything in the job can still happen; if not, it reports what each rank waits
//! for. This thread also kills ranks that keep a recovery waiting for longer than the job's
//! patience.

use crate::base::Member;
use crate::engine::{Waits, World};
use crate::fault::{DeadlockDetector, DeadlockReport, Sight};
use crate::host::life::{self, Visit};
use crate::host::{clock, sched, service, tasks};
use crate::job::end::say;
use crate::job::fault_injection;
use crate::job::gone::Gone;
use crate::launch::{Job, STUCK};
use crate::mpi::failure::deadlock_report::lines_of;
use crate::mpi::process::Process;
use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Three checks without a change between them end the job.
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);
/// In a job with a seed one thread runs all ranks, so that a look costs little.
const BETWEEN_SEEDED_LOOKS: Duration = Duration::from_millis(2);

/// What the thread watches for.
struct Duty {
    gone: Arc<Gone>,
    /// Whether to end jobs that are stuck.
    ends_stuck: bool,
    /// Whether the supervisor sleeps until a timeout, which does not count as activity.
    has_limit: bool,
    patience: Option<Patience>,
    between_looks: Duration,
}

/// How long a recovery waits for missing ranks, and which of them were reported.
pub(super) struct Patience {
    world: &'static World,
    length: Duration,
    is_quiet: bool,
    told: Mutex<HashSet<Member>>,
    /// When the supervisor checks again: a rank that it kills dies only later.
    again: Mutex<Option<Instant>>,
}

/// Starts to watch a job if there is something to watch. In a job with a seed, the supervisor keeps
/// the time: then returns the patience for it to apply.
pub(super) fn begin(world: &'static World, gone: Arc<Gone>, job: &Job) -> Option<Patience> {
    let (is_quiet, told, again) = (job.is_quiet, Mutex::default(), Mutex::default());
    let patience = job.patience.map(|length| Patience { world, length, is_quiet, told, again });
    let (patience, left) = if job.seed.is_some() { (None, patience) } else { (patience, None) };
    let between_looks = if job.seed.is_some() { BETWEEN_SEEDED_LOOKS } else { BETWEEN_LOOKS };
    let (ends_stuck, has_limit) = (job.watches, job.timeout.is_some());
    let duty = Duty { gone, ends_stuck, has_limit, patience, between_looks };
    if duty.ends_stuck || duty.patience.is_some() || world.network().is_some() {
        let thread = std::thread::Builder::new().name("detector".into()).stack_size(128 << 10);
        // Without memory for a thread the ranks cannot start either, and they report it.
        let _ = thread.spawn(move || watch(&duty));
    }
    left
}

fn watch(duty: &Duty) {
    const SHORTEST: Duration = Duration::from_millis(1);
    let mut detector = DeadlockDetector::default();
    let longest = duty.between_looks;
    let pause = duty.patience.as_ref().map_or(longest, |patience| patience.length / 4);
    let (pause, mut last) = (pause.clamp(SHORTEST, longest), Instant::now());
    loop {
        std::thread::sleep(pause);
        if let Some(patience) = &duty.patience {
            patience.vote_out();
        }
        if let Some(why) = sched::standstill() {
            life::end_process(STUCK.into(), &format!("ftrun: {why}\n"));
        }
        if duty.ends_stuck && last.elapsed() >= duty.between_looks {
            last = Instant::now();
            if detector.look(sight(&duty.gone, duty.has_limit)) {
                end_job(&duty.gone);
            }
        }
    }
}

impl Patience {
    /// Kills the ranks that have kept a recovery waiting for too long.
    fn vote_out(&self) {
        for member in self.world.latecomers(self.length) {
            let Member { seat, incarnation } = member;
            if self.told.lock().insert(member) && !self.is_quiet {
                let seconds = self.length.as_secs_f64();
                say(&format!("ftrun: rank {seat} has not joined the recovery for {seconds} s"));
            }
            life::kill_only(seat, incarnation);
        }
    }

    /// Kills late ranks if it is time; returns the time of the next check.
    pub(super) fn due(&self) -> Option<Instant> {
        const AGAIN: Duration = Duration::from_millis(1);
        let end = self.world.started() + self.world.awaited_since()? + self.length;
        let mut again = self.again.lock();
        let next = again.map_or(end, |again| again.max(end));
        if next > clock::now() {
            return Some(next);
        }
        *again = Some(clock::now() + AGAIN);
        self.vote_out();
        *again
    }
}

/// Checks for activity, with the cheap checks first: usually some rank is not in a call.
fn sight(gone: &Gone, has_limit: bool) -> Sight {
    if sched::is_moving_by_seed() {
        return Sight::Moving;
    }
    let is_stuck = stuck(gone).is_some_and(|stuck| !stuck.is_empty());
    if !is_stuck || life::has_alarms() || fault_injection::is_expecting() {
        return Sight::Moving;
    }
    let own = service::own_number();
    let supervisor = std::process::id() as i32;
    let is_exempt = |number| number == own || has_limit && number == supervisor;
    tasks::stillness(is_exempt).map_or(Sight::Moving, Sight::Still)
}

/// All living ranks with what they wait for, or `None` if one of them does not wait. Starts at the
/// highest seat: in a large job, the ranks that started last are usually the ones still busy.
fn stuck(gone: &Gone) -> Option<Vec<(Visit, Waits)>> {
    let mut stuck = Vec::new();
    for seat in (0..gone.seats()).rev() {
        match life::living(seat) {
            Some(rank) => {
                let waits = rank.attached::<Process>()?.engine.waits()?;
                stuck.push((rank, waits));
            }
            None if gone.has(seat) => {}
            None => return None,
        }
    }
    stuck.reverse();
    Some(stuck)
}

fn end_job(gone: &Gone) {
    let Some(stuck) = stuck(gone) else { return };
    let mut report = DeadlockReport::default();
    for (rank, waits) in stuck {
        if let Some(process) = rank.for_good().attached::<Process>() {
            report.add(process.me.seat, lines_of(process, &waits));
        }
    }
    life::end_process(STUCK.into(), &format!("ftrun: {}\n", report.words()));
}
