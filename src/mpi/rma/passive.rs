//! Passive target synchronization (MPI-5.0 §12.5.3): lock, unlock, flush.
//!
//! A lock is granted by its target's queue, without the target. What was accessed is complete when
//! the calls return, so flush and unlock have nothing to wait for. What is done at once, without a
//! queue, is in `at_once`.

use crate::base::sync::lock_queue::{Lock, LockQueue};
use crate::engine::{Engine, Watch};
use crate::host::sched;
use crate::mpi::error::{Class, Failure, Result, is_death};
use crate::mpi::p2p::outcome::loss;
use crate::mpi::process::Process;
use crate::mpi::rma::peers::{must_be_whole, must_live, wait, watch_one};
use crate::mpi::rma::remote::endpoint::Endpoint;
use crate::mpi::rma::remote::handler::hand_over;
use crate::mpi::rma::traffic::Traffic;
use crate::mpi::rma::win::Win;
use std::cell::Cell;
use std::iter::once;
use std::sync::atomic::{Ordering, fence};

pub const NOCHECK: i32 = 1024;
pub const NOPRECEDE: i32 = 2048;
pub const NOPUT: i32 = 4096;
pub const NOSTORE: i32 = 8192;
pub const NOSUCCEED: i32 = 16384;

/// Fails if `assert` has other bits than those of `known`.
pub fn must_be_known(assert: i32, known: i32) -> Result {
    if assert & !known == 0 {
        return Ok(());
    }
    let words = format!("assert is {assert}; bits {:#x} mean nothing here", assert & !known);
    Err(Class::ASSERT.because(words))
}

/// MPI_LOCK_EXCLUSIVE or MPI_LOCK_SHARED.
#[inline]
pub fn lock_of_type(lock_type: i32) -> Option<Lock> {
    match lock_type {
        301 => Some(Lock::Exclusive),
        302 => Some(Lock::Shared),
        _ => None,
    }
}

#[cold]
fn no_lock_type(lock_type: i32) -> Failure {
    let words = "it must be MPI_LOCK_EXCLUSIVE or MPI_LOCK_SHARED";
    Class::LOCKTYPE.because(format!("lock_type is {lock_type}; {words}"))
}

/// Begins an epoch at the member with this rank.
pub fn lock(process: &Process, win: &Win, lock_type: i32, rank: i32, assert: i32) -> Result {
    let lock = lock_of_type(lock_type).ok_or_else(|| no_lock_type(lock_type))?;
    must_be_known(assert, NOCHECK)?;
    must_be_whole(process, win)?;
    process.engine.step()?;
    if win.comm.target(rank, "rank")?.is_none() {
        return Ok(());
    }
    win.epochs.may_lock(rank)?;
    let is_queued = assert & NOCHECK == 0;
    if is_queued {
        take(process, win, lock, rank)?;
    }
    win.epochs.locked(rank, is_queued);
    Ok(())
}

/// Locks the member with this rank, as part of locking all.
pub fn lock_one_of_all(process: &Process, win: &Win, rank: i32) -> Result {
    take(process, win, Lock::Shared, rank)?;
    win.epochs.locked_of_all(rank);
    Ok(())
}

/// Gets the lock of a member. In virtual time it is asked for, and granted there.
fn take(process: &Process, win: &Win, lock: Lock, rank: i32) -> Result {
    let target = win.traffic_to(rank);
    if let Some((traffic, seat)) = target {
        traffic.reach(&process.engine, once(seat))?;
    }
    take_there(process, win, lock, rank)?;
    if let Some((traffic, seat)) = target {
        traffic.hear(&process.engine, once(seat))?;
    }
    Ok(())
}

/// Gets the lock of a member, if need be when others have given it up.
fn take_there(process: &Process, win: &Win, lock: Lock, rank: i32) -> Result {
    /// It is held for as long as a short access takes; a place in the queue costs more than that,
    /// and a queue, once it is there, stays as long as all come again.
    const LOOKS: u32 = 64;
    must_live(process, win, rank)?;
    let part = win.shared.part(rank);
    if win.shared.starving().is_none()
        && part.there().is_none()
        && part.lock.take_soon(win.comm.rank, lock, LOOKS)
    {
        return Ok(());
    }
    let has_locks = process.windows.table.has(|win: &Win| win.epochs.has_locks());
    if !has_locks {
        let_starving_go_first(win, rank);
    }
    wait_for_lock(process, win, (lock, has_locks), rank)
}

/// Stands back for a while if an exclusive lock of another member starves, so that it is granted
/// when those are gone who hold that lock. Not for longer: one of these may wait for this rank.
fn let_starving_go_first(win: &Win, rank: i32) {
    const TURNS: u32 = 1000;
    let is_starving = |_: &u32| win.shared.starving().is_some_and(|starving| starving != rank);
    (0..TURNS).take_while(is_starving).for_each(|_| sched::yield_now());
}

/// Asks for the lock of a member, and waits for it.
fn wait_for_lock(
    process: &Process, win: &Win, (lock, has_locks): (Lock, bool), rank: i32,
) -> Result {
    let (part, me) = (win.shared.part(rank), win.comm.rank);
    if let Some(endpoint) = win.shared.endpoint().filter(|_| part.there().is_some()) {
        return wait_for_lock_there(process, win, endpoint, (lock, has_locks), rank);
    }
    let (is_granted, missing) = win.shared.with_queue(rank, |queue| {
        let is_granted = queue.ask(me, lock, has_locks);
        (is_granted, queue.first_before(me).unwrap_or(rank))
    });
    if is_granted {
        return Ok(());
    }
    hand_over(process.world, &win.shared, &[]);
    let seen = Cell::new(None);
    // The wait asks again after it has ended.
    let has_it = Cell::new(false);
    let looks = || {
        let grants = Some(part.lock.grants());
        if seen.replace(grants) != grants && part.lock.queue().holds(me) {
            return true;
        }
        // The dead do not give up their locks themselves.
        if process.engine.is_calm() {
            return false;
        }
        let is_dead = |rank| process.world.is_dead(win.shared.part(rank).member);
        pass_on(process, win, rank, |queue| queue.bury(is_dead)).contains(&me)
    };
    let is_over = || {
        has_it.set(has_it.get() || looks());
        has_it.get()
    };
    let is_left = || win.shared.has_left(rank);
    let taken = wait(process, win, &watch(process, win, rank), missing, is_over, is_left);
    // A rank that dies here leaves the queue as one of the dead.
    if taken.is_err() && !is_death(&taken) {
        leave(process, win, rank);
    }
    taken
}

/// Asks a member in another process for its lock, and waits for it.
fn wait_for_lock_there(
    process: &Process, win: &Win, endpoint: &Endpoint, (lock, has_locks): (Lock, bool), rank: i32,
) -> Result {
    let (world, member) = (process.world, win.shared.part(rank).member);
    endpoint.ask_for_lock(world, member, lock == Lock::Exclusive, has_locks);
    // The wait asks again after it has ended.
    let is_granted = Cell::new(false);
    let is_over = || {
        is_granted.set(is_granted.get() || endpoint.take_grant(rank));
        is_granted.get()
    };
    let is_left = || win.shared.has_left(rank);
    let taken = wait(process, win, &watch(process, win, rank), rank, is_over, is_left);
    if taken.is_err() && !is_death(&taken) {
        endpoint.give_lock_up(world, member);
    }
    taken
}

/// Takes ranks out of the queue of a member, and wakes those that have the lock now.
fn pass_on(
    process: &Process, win: &Win, rank: i32, take_out: impl FnOnce(&mut LockQueue) -> Vec<i32>,
) -> Vec<i32> {
    let granted = win.shared.with_queue(rank, take_out);
    hand_over(process.world, &win.shared, &granted);
    granted
}

/// Whose death ends a wait for a lock: the target's. A wait for the own lock ends when the rules
/// allow no more calls on the window.
fn watch(process: &Process, win: &Win, rank: i32) -> Watch {
    match rank == win.comm.rank && process.world.rules().modes().is_some() {
        false => watch_one(win, rank),
        true => Watch::Everyone { rank, member: process.me, roster: win.comm.everyone() },
    }
}

/// Gives up the lock of a member, or the place in its queue.
fn leave(process: &Process, win: &Win, rank: i32) {
    let part = win.shared.part(rank);
    if let Some(endpoint) = win.shared.endpoint().filter(|_| part.there().is_some()) {
        return endpoint.give_lock_up(process.world, part.member);
    }
    pass_on(process, win, rank, |queue| queue.release(win.comm.rank));
}

/// Gives up the locks of members that are held. In virtual time, when the accesses have come.
fn leave_all(process: &Process, win: &Win, ranks: &[i32]) -> Result {
    let (engine, traffic) = (&process.engine, &win.traffic);
    let seats = ranks.iter().map(|rank| win.shared.part(*rank).member.seat);
    traffic.iter().try_for_each(|traffic| traffic.reach(engine, seats.clone()))?;
    ranks.iter().for_each(|rank| leave(process, win, *rank));
    traffic.iter().try_for_each(|traffic| traffic.hear(engine, seats.clone()))
}

/// Ends the epoch at the member with this rank.
pub fn unlock(process: &Process, win: &Win, rank: i32) -> Result {
    process.engine.step()?;
    if win.comm.target(rank, "rank").is_ok_and(|target| target.is_none()) {
        return Ok(());
    }
    match win.epochs.unlock(rank)? {
        true => leave_all(process, win, &[rank])?,
        false => complete(process, win, rank, Traffic::complete)?,
    }
    process.engine.give_way();
    must_be_whole(process, win)?;
    must_live(process, win, rank)
}

/// Begins an epoch at all members. Each is locked when it is accessed first.
pub fn lock_all(process: &Process, win: &Win, assert: i32) -> Result {
    must_be_known(assert, NOCHECK)?;
    must_be_whole(process, win)?;
    process.engine.step()?;
    win.epochs.lock_all(assert & NOCHECK == 0)
}

/// Ends the epoch at all members.
pub fn unlock_all(process: &Process, win: &Win) -> Result {
    process.engine.step()?;
    let taken = win.epochs.unlock_all()?;
    leave_all(process, win, &taken)?;
    win.traffic.iter().try_for_each(|traffic| traffic.complete(&process.engine, None))?;
    must_be_whole(process, win)?;
    all_must_live(process, win)
}

/// Completes all accesses to the member with this rank, or to all.
pub fn flush(process: &Process, win: &Win, rank: Option<i32>) -> Result {
    flush_by(process, win, rank, Traffic::complete)
}

/// The same at this end.
pub fn flush_local(process: &Process, win: &Win, rank: Option<i32>) -> Result {
    flush_by(process, win, rank, Traffic::complete_here)
}

/// Waits for accesses in virtual time: to one target, or all.
type Complete = fn(&Traffic, &Engine, Option<usize>) -> Result;

fn flush_by(process: &Process, win: &Win, rank: Option<i32>, by: Complete) -> Result {
    must_be_whole(process, win)?;
    process.engine.step()?;
    process.engine.give_way();
    let Some(rank) = rank else {
        win.epochs.must_be_passive(None)?;
        sync();
        win.traffic.iter().try_for_each(|traffic| by(traffic, &process.engine, None))?;
        return all_must_live(process, win);
    };
    if win.comm.target(rank, "rank")?.is_none() {
        return Ok(());
    }
    win.epochs.must_be_passive(Some(rank))?;
    sync();
    complete(process, win, rank, by)?;
    must_live(process, win, rank)
}

fn complete(process: &Process, win: &Win, rank: i32, by: Complete) -> Result {
    let traffic = win.traffic_to(rank);
    traffic.map_or(Ok(()), |(traffic, seat)| by(traffic, &process.engine, Some(seat)))
}

/// MPI_Win_sync: there is one copy of everything, so only the order counts.
pub fn synchronize(process: &Process, win: &Win) -> Result {
    must_be_whole(process, win)?;
    process.engine.give_way();
    sync();
    Ok(())
}

/// Orders the loads and stores of this process before and after.
pub fn sync() {
    fence(Ordering::SeqCst);
}

fn all_must_live(process: &Process, win: &Win) -> Result {
    if process.engine.is_calm() {
        return Ok(());
    }
    match process.engine.first_dead(&*win.comm.everyone()) {
        None => Ok(()),
        Some(rank) => Err(loss(rank)),
    }
}
