//! Whether this process, one of several, stands still: nothing happens here until another process
//! does something. `ftrun` asks, and compares the answers of all of them (see its
//! `processes/deadlock.rs`).

use crate::host::{life, tasks};
use crate::job::fault_injection;
use crate::mpi::failure::deadlock_report::lines_of;
use crate::mpi::process::Process;
use crate::transport::Processes;
use crate::wireup::{Still, Traffic};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::OnceLock;

/// The rank of this process, from its first call on.
static RANK: OnceLock<&'static Process> = OnceLock::new();

/// The rank of this process, if it is one of several.
pub fn introduce(process: &'static Process) {
    RANK.get_or_init(|| process);
}

/// The rank of this process, if it is one of several and has made its first call.
pub(super) fn rank() -> Option<&'static Process> {
    RANK.get().copied()
}

/// How this process is, if it stands still; `None`: a thread of it runs or will run by itself, or
/// it has something to look at.
///
/// Where two calls return the same number, nothing has happened here between the end of the first
/// and the beginning of the second: no thread has run, and nothing was sent or taken in.
pub(super) fn look(processes: &Processes) -> Option<Still> {
    if fault_injection::is_expecting() {
        return None;
    }
    let ranks = match processes.are_shared() {
        true => lines_of_company(processes.seats())?,
        false => {
            let process = RANK.get()?;
            let waits = process.engine.waits()?;
            vec![(process.me.seat, lines_of(process, &waits))]
        }
    };
    let frames = processes.stillness()?;
    let traffic = processes.traffic()?;
    let threads = tasks::stillness(|_| false)?;
    let mut turn = DefaultHasher::new();
    (frames, &traffic, threads).hash(&mut turn);
    let traffic = traffic.into_iter();
    let traffic = traffic.map(|one| Traffic { peer: one.peer, sent: one.sent, taken: one.taken });
    Some(Still { turn: turn.finish(), ranks, traffic: traffic.collect() })
}

/// What the ranks of a shared process wait for; `None`: one of them does not, or there is none.
fn lines_of_company(seats: Range<usize>) -> Option<Vec<(usize, Vec<String>)>> {
    if life::has_alarms() {
        return None;
    }
    let living = seats.filter_map(life::living);
    let lines = living.map(|rank| {
        let process = rank.attached::<Process>()?;
        let waits = process.engine.waits()?;
        Some((rank.seat, lines_of(process, &waits)))
    });
    let all = lines.collect::<Option<Vec<_>>>()?;
    (!all.is_empty()).then_some(all)
}
