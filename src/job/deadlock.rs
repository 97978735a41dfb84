//! Ends jobs that are stuck: a thread of the library's own looks twice a second whether anybody can
//! still do anything, and says what each rank waits for when nobody can. The same thread votes
//! those out who keep a recovery waiting for longer than the job has patience.

use crate::base::Member;
use crate::engine::shared::deadlock_detector::{DeadlockDetector, Sight};
use crate::engine::{Waits, World};
use crate::host::life::{self, Visit};
use crate::host::{clock, replay, service, tasks};
use crate::job::end::say;
use crate::job::fault_injection;
use crate::job::gone::Gone;
use crate::launch::Job;
use crate::mpi::failure::deadlock_report::DeadlockReport;
use crate::mpi::process::Process;
use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Three looks without a change between them are the end.
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);

/// The exit status of a job that is stuck.
const STUCK: i32 = 123;

/// What to watch over.
struct Duty {
    gone: Arc<Gone>,
    /// Whether jobs that are stuck are to end.
    ends_stuck: bool,
    /// The supervisor waits until a time anyway.
    has_limit: bool,
    patience: Option<Patience>,
}

/// How long those who recover wait for others, and who was told of already.
pub(super) struct Patience {
    world: &'static World,
    length: Duration,
    is_quiet: bool,
    told: Mutex<HashSet<Member>>,
    /// When the supervisor looks again, since whoever he kills dies only after that.
    again: Mutex<Option<Instant>>,
}

/// Starts to watch over a job, where there is something to watch. Hands back what is left to the
/// supervisor, who keeps time where a seed decides.
pub(super) fn begin(world: &'static World, gone: Arc<Gone>, job: &Job) -> Option<Patience> {
    let (is_quiet, told, again) = (job.is_quiet, Mutex::default(), Mutex::default());
    let patience = job.patience.map(|length| Patience { world, length, is_quiet, told, again });
    let (patience, left) = if job.seed.is_some() { (None, patience) } else { (patience, None) };
    let duty = Duty { gone, ends_stuck: job.watches, has_limit: job.timeout.is_some(), patience };
    if duty.ends_stuck || duty.patience.is_some() {
        let thread = std::thread::Builder::new().name("watchman".into()).stack_size(128 << 10);
        // Where there is no room for a thread, there is none for ranks, and they say so.
        let _ = thread.spawn(move || watch(&duty));
    }
    left
}

fn watch(duty: &Duty) {
    const SHORTEST: Duration = Duration::from_millis(1);
    let mut watchman = DeadlockDetector::default();
    let pause = duty.patience.as_ref().map_or(BETWEEN_LOOKS, |patience| patience.length / 4);
    let (pause, mut last) = (pause.clamp(SHORTEST, BETWEEN_LOOKS), Instant::now());
    loop {
        std::thread::sleep(pause);
        if let Some(patience) = &duty.patience {
            patience.vote_out();
        }
        if duty.ends_stuck && last.elapsed() >= BETWEEN_LOOKS {
            last = Instant::now();
            if watchman.look(sight(&duty.gone, duty.has_limit)) {
                end_job(&duty.gone);
            }
        }
    }
}

impl Patience {
    /// Kills who has kept those who recover waiting for too long.
    fn vote_out(&self) {
        for member in self.world.latecomers(self.length) {
            let Member { seat, incarnation } = member;
            if self.told.lock().insert(member) && !self.is_quiet {
                let seconds = self.length.as_secs_f64();
                say(&format!("ftrun: rank {seat} has not come to the recovery for {seconds} s"));
            }
            life::kill_only(seat, incarnation);
        }
    }

    /// Does so where it is time; when it will be.
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

/// What there is to see. The cheap looks come first: as a rule somebody is not in a call at all.
fn sight(gone: &Gone, has_limit: bool) -> Sight {
    if replay::is_moving() {
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

/// All ranks that are there, with what they wait for; `None` when one of them does not wait. The
/// last to be born is asked first: of thousands it is the one who is late, as a rule.
fn stuck(gone: &Gone) -> Option<Vec<(Visit, Waits)>> {
    let mut stuck = Vec::new();
    for seat in (0..gone.seats()).rev() {
        match life::living(seat) {
            Some(rank) => {
                let waits = rank.lodger::<Process>()?.engine.waits()?;
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
        if let Some(process) = rank.for_good().lodger::<Process>() {
            report.add(process, &waits);
        }
    }
    let whole = "ftrun: deadlock: all ranks wait for each other, and nothing is under way; \
                 the job ends\n";
    life::end_process(STUCK, &format!("{whole}{}", report.words()));
}
