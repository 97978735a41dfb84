//! Active target synchronization (MPI-5.0 §12.5.1, §12.5.2): fence, and post, start, complete and
//! wait.
//!
//! A target that posts, and an origin that completes, put their names into the other's mail. The
//! wait for such mail ends when a partner dies.

use crate::base::Member;
use crate::engine::World;
use crate::mpi::coll::claim::Kind;
use crate::mpi::coll::{self, Barrier};
use crate::mpi::comm::group::Group;
use crate::mpi::error::{Class, Result};
use crate::mpi::process::Process;
use crate::mpi::rma::epochs::Partners;
use crate::mpi::rma::passive::{
    NOCHECK, NOPRECEDE, NOPUT, NOSTORE, NOSUCCEED, must_be_known, sync,
};
use crate::mpi::rma::peers::{self, must_be_whole, must_live};
use crate::mpi::rma::remote::endpoint::Endpoint;
use crate::mpi::rma::shared::{Mail, Shared};
use crate::mpi::rma::win::Win;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Ends an epoch of all members, and begins another unless none succeeds.
pub fn fence(process: &Process, win: &Win, assert: i32) -> Result {
    must_be_known(assert, NOSTORE | NOPUT | NOPRECEDE | NOSUCCEED)?;
    win.epochs.may_fence()?;
    must_be_whole(process, win)?;
    sync();
    win.traffic.iter().try_for_each(|traffic| traffic.complete(&process.engine, None))?;
    coll::block(process, &win.comm, &Barrier::of(Kind::WinFence))?;
    win.epochs.fenced(assert & NOSUCCEED == 0);
    Ok(())
}

/// The members of a group that the program names, by their ranks in the window.
fn partners(process: &Process, win: &Win, group: &Group) -> Result<Partners> {
    let rank = |member| {
        win.comm.group.rank_of(member).ok_or_else(|| {
            let words = format!("group holds process {}, which is not in the window", member.seat);
            Class::GROUP.because(words)
        })
    };
    let ranks: Arc<[i32]> = group.members().map(rank).collect::<Result<_>>()?;
    let group = Arc::new(process.derive_group(&win.comm.group, group.members().collect()));
    Ok(Partners { ranks, group })
}

/// Exposes the own memory to `group`.
pub fn post(process: &Process, win: &Win, group: &Group, assert: i32) -> Result {
    must_be_known(assert, NOCHECK | NOSTORE | NOPUT)?;
    must_be_whole(process, win)?;
    process.engine.step()?;
    let partners = partners(process, win, group)?;
    win.epochs.post(partners.clone())?;
    sync();
    if assert & NOCHECK == 0 {
        tell(process, win, &partners, |mail| &mut mail.posted, Endpoint::tell_posted);
    }
    Ok(())
}

/// Begins to access `group`, once its members have posted.
pub fn start(process: &Process, win: &Win, group: &Group, assert: i32) -> Result {
    must_be_known(assert, NOCHECK)?;
    must_be_whole(process, win)?;
    process.engine.step()?;
    win.epochs.may_start()?;
    let partners = partners(process, win, group)?;
    if assert & NOCHECK == 0 {
        hear(process, win, &partners, |mail| &mut mail.posted)?;
    }
    win.epochs.started(partners)
}

/// Ends the accesses that start began.
pub fn complete(process: &Process, win: &Win) -> Result {
    process.engine.step()?;
    let partners = win.epochs.complete()?;
    sync();
    // After a failure that forbids accesses, some of the epoch's may be missing: whoever waits for
    // them hears of that failure.
    if must_be_whole(process, win).is_ok() {
        tell(process, win, &partners, |mail| &mut mail.completed, Endpoint::tell_completed);
    }
    let mut targets = partners.ranks.iter().filter_map(|rank| win.traffic_to(*rank));
    targets.try_for_each(|(traffic, seat)| traffic.complete_here(&process.engine, Some(seat)))?;
    must_be_whole(process, win)?;
    partners.ranks.iter().try_for_each(|rank| must_live(process, win, *rank))
}

/// Returns when all to whom the own memory was exposed have completed.
pub fn wait(process: &Process, win: &Win) -> Result {
    let partners = win.epochs.exposure()?;
    process.engine.step()?;
    let ended = must_be_whole(process, win)
        .and_then(|()| hear(process, win, &partners, |mail| &mut mail.completed));
    win.epochs.unexpose();
    sync();
    ended
}

/// Whether all to whom the own memory was exposed have completed; if so, that has ended.
pub fn test(process: &Process, win: &Win) -> Result<bool> {
    let partners = win.epochs.exposure()?;
    must_be_whole(process, win)?;
    // Lets other ranks run where they share cores.
    process.engine.poll(|_| None::<()>)?;
    if !take(win, &partners, |mail| &mut mail.completed) {
        let lost = partners.ranks.iter().try_for_each(|rank| must_live(process, win, *rank));
        let lost = lost.and_then(|()| peers::must_not_be_left(process));
        let lost = lost.and_then(|()| match is_left(win, &partners, |mail| &mut mail.completed) {
            true => Err(peers::left(process)),
            false => Ok(()),
        });
        if lost.is_err() {
            win.epochs.unexpose();
        }
        return lost.map(|()| false);
    }
    win.epochs.unexpose();
    sync();
    Ok(true)
}

type Names = fn(&mut Mail) -> &mut BTreeSet<i32>;

/// Puts the own rank into a box of each partner.
fn tell(
    process: &Process, win: &Win, partners: &Partners, of: Names,
    write: fn(&Endpoint, &World, Member),
) {
    for rank in partners.ranks.iter() {
        let part = win.shared.part(*rank);
        if let Some(endpoint) = win.shared.endpoint().filter(|_| part.there().is_some()) {
            write(endpoint, process.world, part.member);
            continue;
        }
        let (world, rank, me) = (process.world, *rank, win.comm.rank);
        let note = move |shared: &Shared| {
            let part = shared.part(rank);
            of(&mut part.mail.lock()).insert(me);
            world.wake(part.member.seat);
        };
        let Some((traffic, seat)) = win.traffic_to(rank) else {
            note(&win.shared);
            continue;
        };
        let shared = win.shared.clone();
        traffic.tell(seat, move || note(&shared));
    }
}

/// Waits until all partners are in the own box, and takes them out.
fn hear(process: &Process, win: &Win, partners: &Partners, of: Names) -> Result {
    if take(win, partners, of) {
        return Ok(());
    }
    let is_in = |rank: &&i32| !of(&mut win.own_part().mail.lock()).contains(rank);
    let missing = partners.ranks.iter().find(is_in).copied().unwrap_or(win.comm.rank);
    let watch = peers::watch(process, win, partners);
    // The wait asks again after it has ended; the names are gone by then.
    let are_taken = Cell::new(false);
    let is_over = || {
        are_taken.set(are_taken.get() || take(win, partners, of));
        are_taken.get()
    };
    peers::wait(process, win, &watch, missing, is_over, || is_left(win, partners, of))
}

/// Whether a partner that is not in the own box has freed the window after a failure.
fn is_left(win: &Win, partners: &Partners, of: Names) -> bool {
    // What one has told before it left is there when that is seen.
    let has_left = |rank: &&i32| win.shared.has_left(**rank);
    let is_out = |rank: &i32| !of(&mut win.own_part().mail.lock()).contains(rank);
    partners.ranks.iter().filter(has_left).any(is_out)
}

/// Takes the partners out of the own box if all are there.
fn take(win: &Win, partners: &Partners, of: Names) -> bool {
    let mut mail = win.own_part().mail.lock();
    let names = of(&mut mail);
    let are_all_there = partners.ranks.iter().all(|rank| names.contains(rank));
    if are_all_there {
        for rank in partners.ranks.iter() {
            names.remove(rank);
        }
    }
    are_all_there
}
