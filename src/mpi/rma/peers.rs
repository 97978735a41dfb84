//! What a failure means for a window, and how its members wait for each other.

use crate::engine::{Mishap, Outcome, PeerWait, Watch};
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::failure::usability::must_stand;
use crate::mpi::p2p::outcome::{envelope, loss, news};
use crate::mpi::process::Process;
use crate::mpi::rma::epochs::Partners;
use crate::mpi::rma::shared::Part;
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

/// Whether no member is dead.
pub fn all_live(process: &Process, win: &Win) -> bool {
    let is_dead = |part: &Part| process.world.is_dead(part.member);
    process.engine.is_calm() || !win.shared.parts().iter().any(is_dead)
}

/// Fails if the others recover: whoever asks for their doings again and again asks in vain.
pub fn must_not_be_left(process: &Process) -> Result {
    match process.engine.is_called() && process.world.rules().modes().is_some() {
        true => Err(Class::PROC_ABORTED.because("the other ranks are recovering from a failure")),
        false => Ok(()),
    }
}

/// Waits until `is_over`, which the ranks that `watch` names bring about; or until a failure stands
/// against that: also one of which this rank has not heard, and that made a member free the window
/// (`is_left`). `missing` is one that keeps it from ending.
pub fn wait(
    process: &Process, win: &Win, watch: &Watch, missing: i32, is_over: impl Fn() -> bool,
    is_left: impl Fn() -> bool,
) -> Result {
    let envelope = envelope(2 * win.comm.context() + 1, win.comm.rank, 0);
    let wait = PeerWait { envelope, watch, missing };
    let mishap = process.engine.wait_for_peers(&wait, || is_over() || is_left())?;
    news(&Outcome { mishap, ..Outcome::default() })?;
    if is_over() { Ok(()) } else { Err(left(process)) }
}

/// The failure of what needs a member that has freed the window after a failure.
#[cold]
pub fn left(process: &Process) -> Failure {
    match process.world.rules().modes() {
        Some(_) => Class::PROC_ABORTED.because("a member has freed the window after a failure"),
        None => {
            let mishap = Some(Mishap::Revoked);
            news(&Outcome { mishap, ..Outcome::default() }).expect_err("a mishap is a failure")
        }
    }
}

/// The failure of what needs memory that its member no longer shows: that has freed the window
/// after a failure, or is dead. This rank is about to hear which.
#[cold]
pub fn hidden(process: &Process, win: &Win, rank: i32) -> Failure {
    let has_left = || win.shared.has_left(rank);
    let told = wait(process, win, &watch_one(win, rank), rank, has_left, || false);
    told.map_or_else(|failure| failure, |()| left(process))
}

/// Tells the others that this rank has freed the window, since they may wait for it.
pub fn tell_left(process: &Process, win: &Win) {
    for part in win.shared.parts().iter().filter(|part| part.member != process.me) {
        match win.shared.endpoint().filter(|_| part.there().is_some()) {
            Some(endpoint) => endpoint.tell_left(process.world, part.member),
            None => process.world.wake(part.member.seat),
        }
    }
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
