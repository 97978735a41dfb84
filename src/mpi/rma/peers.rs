//! What a failure means for a window, and how its members wait for each other.

use crate::engine::{Outcome, PeerWait, Watch};
use crate::mpi::error::{Class, Result};
use crate::mpi::failure::usability::must_stand;
use crate::mpi::p2p::outcome::{envelope, loss, news};
use crate::mpi::process::Process;
use crate::mpi::rma::epochs::Partners;
use crate::mpi::rma::win::Win;

/// Fails where a failure allows no call on the window: it was created before a recovery, or the
/// rules forbid communication among its members. Ends a process whose memory is not there.
#[inline]
pub fn must_be_whole(process: &Process, win: &Win) -> Result {
    match win.own_part().fault() {
        None => must_stand(process, &win.comm),
        Some(address) => Err(process.engine.suffer(address).into()),
    }
}

/// Fails if the member with this rank is dead.
#[inline]
pub fn must_live(process: &Process, win: &Win, rank: i32) -> Result {
    match process.engine.is_calm() || !process.world.is_dead(win.shared.part(rank).member) {
        true => Ok(()),
        false => Err(loss(rank)),
    }
}

/// Fails if the others recover: whoever asks for their doings again and again asks in vain.
pub fn must_not_be_left(process: &Process) -> Result {
    match process.engine.is_called() && process.world.rules().modes().is_some() {
        true => Err(Class::PROC_ABORTED.because("the other ranks are recovering from a failure")),
        false => Ok(()),
    }
}

/// Waits until `is_over`, which the ranks that `watch` names bring about; or until a failure stands
/// against that. `missing` is one that keeps it from ending.
pub fn wait(
    process: &Process, win: &Win, watch: &Watch, missing: i32, is_over: impl Fn() -> bool,
) -> Result {
    let envelope = envelope(2 * win.comm.context() + 1, win.comm.rank, 0);
    let wait = PeerWait { envelope, watch, missing };
    let mishap = process.engine.wait_for_peers(&wait, is_over)?;
    news(&Outcome { mishap, ..Outcome::default() })
}

/// The death of any partner ends a wait for them.
pub fn watch(process: &Process, win: &Win, partners: &Partners) -> Watch {
    match *partners.ranks {
        [rank] => watch_one(win, rank),
        _ => {
            let (rank, member) = (win.comm.rank, process.me);
            Watch::Everyone { rank, member, roster: partners.group.clone() }
        }
    }
}

/// The death of this one ends a wait for it.
pub fn watch_one(win: &Win, rank: i32) -> Watch {
    Watch::Peer { rank, member: win.shared.part(rank).member }
}
