//! Ends jobs that are stuck: a thread of the library's own looks twice a second whether anybody can
//! still do anything, and says what each rank waits for when nobody can.

use crate::abi::fates;
use crate::abi::start::Gone;
use crate::engine::Waits;
use crate::engine::watchman::{Sight, Watchman};
use crate::host::life::{self, Visit};
use crate::host::tasks;
use crate::mpi::plight::Plight;
use crate::mpi::process::Process;
use std::sync::Arc;
use std::time::Duration;

/// Three looks without a change between them are the end.
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);

/// The exit status of a job that is stuck.
const STUCK: i32 = 123;

/// Starts to watch over a job. `has_limit`: the undertaker waits until a time anyway.
pub(super) fn begin(gone: Arc<Gone>, has_limit: bool) {
    let thread = std::thread::Builder::new().name("watchman".into()).stack_size(128 << 10);
    // Where there is no room for a thread, there is none for ranks, and they say so.
    let _ = thread.spawn(move || watch(&gone, has_limit));
}

fn watch(gone: &Gone, has_limit: bool) {
    let mut watchman = Watchman::default();
    loop {
        std::thread::sleep(BETWEEN_LOOKS);
        if watchman.look(sight(gone, has_limit)) {
            end_job(gone);
        }
    }
}

/// What there is to see. The cheap looks come first: as a rule somebody is not in a call at all.
fn sight(gone: &Gone, has_limit: bool) -> Sight {
    let is_stuck = stuck(gone).is_some_and(|stuck| !stuck.is_empty());
    if !is_stuck || life::has_alarms() || fates::is_expecting() {
        return Sight::Moving;
    }
    let own = tasks::own_number();
    // SAFETY: has no preconditions.
    let undertaker = unsafe { libc::getpid() };
    let is_exempt = |number| number == own || has_limit && number == undertaker;
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
    let mut plight = Plight::default();
    for (rank, waits) in stuck {
        if let Some(process) = rank.for_good().lodger::<Process>() {
            plight.add(process, &waits);
        }
    }
    let whole = "ftrun: deadlock: all ranks wait for each other, and nothing is under way; \
                 the job ends\n";
    life::end_process(STUCK, &format!("{whole}{}", plight.words()));
}
