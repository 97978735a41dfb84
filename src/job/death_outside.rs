//! Deaths that wait until a rank is outside of MPI, in a job of several processes: `ftrun` keeps
//! the time, and the process knows where its rank is.

use crate::host::{life, service};
use crate::job::link::{self, say};
use crate::mpi::failure::planned_death::PlannedDeath;
use crate::wireup::Said;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// What counts the calls of this process's rank.
static FATE: OnceLock<Arc<PlannedDeath>> = OnceLock::new();

/// How often to look where the rank is.
const AGAIN: Duration = Duration::from_micros(200);

/// `fate` counts the calls of the rank that has just made its first one.
pub(super) fn know(fate: &Arc<PlannedDeath>) {
    if link::place().is_some() {
        FATE.get_or_init(|| fate.clone());
    }
}

/// Kills the rank as soon as it is in no call. Until its calls are counted, it is in its first.
pub(super) fn die(order: String) {
    let wait = move || {
        while FATE.get().is_none_or(|fate| fate.is_in_call()) {
            std::thread::sleep(AGAIN);
        }
        say(&Said::Order(order));
        life::kill_process()
    };
    if service::start(Box::new(wait)).is_err() {
        life::kill_process();
    }
}
