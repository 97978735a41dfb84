//! Partitioned point-to-point communication (MPI-5.0 §4): a persistent message whose parts are sent
//! as they become ready, and are found to have arrived one by one.
//!
//! Both ranks share one process, so there are no packets. A rank that marks a partition copies it
//! to the receiver's buffer itself once the receiver has started; what was ready before is copied
//! by the receiver when it starts. Waiting is a run of the engine (see `engine::rank::tasks`),
//! which a failure of the peer ends like any receive.

mod channel;
pub(in crate::mpi) mod half;
mod matching;

use crate::base::slab::Key as Run;
use crate::base::sync::handover::Side;
use crate::engine::{Awaited, Died, Outcome};
use crate::host::memory::Region;
use crate::mpi::comm::{Comm, Peer, Source};
use crate::mpi::error::{Class, Result};
use crate::mpi::failure::usability::must_stand;
use crate::mpi::handle_table::Held;
use crate::mpi::p2p::outcome::{FROM_NOBODY, Pending, envelope, revoked, status_of};
use crate::mpi::p2p::request;
use crate::mpi::p2p::request_table::{Attendant, NULL, Request};
use crate::mpi::process::Process;
use channel::End;
use half::{Half, Link};
use matching::{Key, Unmatched};
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::Poll;

/// The buffer of a partitioned message.
pub struct Buffer {
    pub data: Region,
    pub partitions: usize,
}

/// How many elements `partitions` of `count` elements have together.
pub fn elements(partitions: i64, count: i64) -> Result<i64> {
    partitions.checked_mul(count).ok_or_else(|| {
        let words =
            format!("{partitions} partitions of {count} elements are more than there can be");
        Class::COUNT.because(words)
    })
}

/// Creates the request of a partitioned send.
pub fn send_init(
    process: &'static Process, comm: &Held<Comm>, buffer: Buffer, dest: i32, tag: i32,
) -> Result<usize> {
    let peer = comm.peer(dest)?;
    comm.must_share_memory(process, "a partitioned message")?;
    keep(process, comm, half(process, comm, Side::Giver, buffer, peer, tag))
}

/// Creates the request of a partitioned receive.
pub fn recv_init(
    process: &'static Process, comm: &Held<Comm>, buffer: Buffer, source: i32, tag: i32,
) -> Result<usize> {
    let Source::One(peer) = comm.source(source)? else {
        let words = "source is MPI_ANY_SOURCE; a partitioned receive names its sender";
        return Err(Class::RANK.because(words));
    };
    comm.must_share_memory(process, "a partitioned message")?;
    keep(process, comm, half(process, comm, Side::Taker, buffer, peer, tag))
}

fn half(
    process: &'static Process, comm: &Comm, side: Side, buffer: Buffer, peer: Peer, tag: i32,
) -> Half {
    let Buffer { data, partitions } = buffer;
    let Peer::Rank { rank, member: peer } = peer else {
        return Half { side, partitions, link: None };
    };
    let me = process.me;
    let (sender, receiver, source) = match side {
        Side::Giver => (me, peer, comm.rank),
        Side::Taker => (peer, me, rank),
    };
    let key = Key { context: comm.context(), tag, sender, receiver };
    let end = End { member: me, data, partitions, fault: OnceLock::new() };
    let channel = process.world.tenant::<Unmatched>().join(process.world, key, side, end);
    let envelope = envelope(2 * comm.context(), source, tag);
    let (rounds, is_leaving) = (AtomicU32::new(0), AtomicBool::new(false));
    let link = Link { channel, side, rounds, is_leaving, envelope, rank, peer };
    Half { side, partitions, link: Some(Arc::new(link)) }
}

fn keep(process: &'static Process, comm: &Held<Comm>, half: Half) -> Result<usize> {
    let half = Arc::new(half);
    let (on, own) = (comm.clone(), half.clone());
    let restart = move || start(process, &on, &own);
    process.requests.keep_partitioned(comm, Arc::new(restart), half)
}

/// Starts the next round.
fn start(process: &'static Process, comm: &Comm, half: &Arc<Half>) -> Result<Pending> {
    must_stand(process, comm)?;
    let engine = &process.engine;
    engine.step()?;
    let Some(link) = &half.link else {
        return Ok(match half.side {
            Side::Giver => Pending::Nothing,
            Side::Taker => Pending::Complete(FROM_NOBODY),
        });
    };
    if process.world.tell_whether_revoked(comm.context(), process.me) {
        return Err(revoked());
    }
    let round = link.rounds.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
    if let Some(sending) = link.channel.sending.get().filter(|_| half.side == Side::Giver) {
        link.channel.start_sending(sending);
        engine.count_sent(link.peer);
    }
    if let Some(receiving) = link.channel.receiving.get().filter(|_| half.side == Side::Taker) {
        let taken = link.channel.start_receiving(receiving, round);
        taken.map_err(|address| engine.suffer(address))?;
    }
    let run = engine.start_run(|run| Box::pin(finish(process, link.clone(), run)))?;
    Ok(run.map_or_else(|| Pending::Complete(status_of(&link.outcome())), Pending::Partitioned))
}

/// Waits until the round is complete, or until a failure ends it.
async fn finish(
    process: &'static Process, link: Arc<Link>, run: Run,
) -> std::result::Result<Outcome, Died> {
    let (engine, watch) = (&process.engine, link.watch());
    poll_fn(|_| {
        if let Some(address) = link.fault() {
            return Poll::Ready(Err(engine.suffer(address)));
        }
        // What the peer has brought about before it died counts.
        if !link.is_complete()
            && let Some(mishap) = engine.objection_to(link.envelope, &watch)
            && link.leave()
            && !link.is_complete()
        {
            return Poll::Ready(Ok(link.failed(mishap)));
        }
        if link.is_complete() {
            return Poll::Ready(Ok(link.outcome()));
        }
        engine.call_back(run, Awaited::Event(link.clone()));
        Poll::Pending
    })
    .await
}

/// Marks partitions of a send as ready: those from `low` to `high`.
pub fn ready_range(process: &'static Process, handle: usize, low: i32, high: i32) -> Result {
    let half = sending(process, handle, |half| {
        half.index("partition_low", low.into())?;
        half.index("partition_high", high.into())?;
        match low <= high {
            true => Ok(()),
            false => {
                let words = format!("partition_low is {low}, above partition_high, {high}");
                Err(Class::ARG.because(words))
            }
        }
    })?;
    (low..=high).try_for_each(|partition| ready(process, handle, &half, partition as usize))
}

/// Marks the listed partitions of a send as ready.
pub fn ready_list(process: &'static Process, handle: usize, partitions: &[i64]) -> Result {
    let half = sending(process, handle, |half| {
        let name = "an element of array_of_partitions";
        partitions.iter().try_for_each(|partition| half.index(name, *partition).map(drop))
    })?;
    let mut indices = partitions.iter().map(|partition| *partition as usize);
    indices.try_for_each(|partition| ready(process, handle, &half, partition))
}

/// Marks one partition of a send as ready.
pub fn ready_one(process: &'static Process, handle: usize, partition: i32) -> Result {
    let check = |half: &Half| half.index("partition", partition.into()).map(drop);
    let half = sending(process, handle, check)?;
    ready(process, handle, &half, partition as usize)
}

/// The half of an active send.
fn sending(
    process: &'static Process, handle: usize, check: impl FnOnce(&Half) -> Result,
) -> Result<Arc<Half>> {
    process.engine.step()?;
    let (half, attendant) = process.requests.look_at(handle, |request| {
        let half = half_of(request)?;
        half.must_be(Side::Giver)?;
        if request.pending.is_none() {
            return Err(Class::REQUEST.because("request is not active; start it first"));
        }
        check(half)?;
        Ok((half.clone(), attendant_of(request)))
    })?;
    if let Some(attendant) = attendant {
        attendant.before();
    }
    Ok(half)
}

fn attendant_of(request: &Request) -> Option<Arc<dyn Attendant>> {
    request.more.as_ref()?.attendant.clone()
}

fn half_of(request: &Request) -> Result<&Arc<Half>> {
    let half = request.more.as_ref().and_then(|more| more.half.as_ref());
    half.ok_or_else(|| Class::REQUEST.because("request is not of a partitioned message"))
}

fn ready(process: &'static Process, handle: usize, half: &Half, partition: usize) -> Result {
    let Some(link) = &half.link else { return Ok(()) };
    let (round, channel) = (link.round(), &link.channel);
    let parts = &channel.sending.get().expect("a send has its end").parts;
    if !parts.mark(round, partition) {
        let words = format!("partition {partition} is ready already");
        return process.requests.look_at(handle, |_| Err(Class::ARG.because(words)));
    }
    let handed = channel.hand_over(round, partition, Side::Giver);
    handed.map_err(|address| process.engine.suffer(address).into())
}

/// Whether a partition of a receive has arrived. What is not active has arrived (MPI-5.0 §4.2.2).
pub fn has_arrived(process: &'static Process, handle: usize, partition: i32) -> Result<bool> {
    if handle == NULL {
        return Ok(true);
    }
    let arrived = |request: &mut Request| {
        let half = half_of(request)?;
        half.must_be(Side::Taker)?;
        let index = half.index("partition", partition.into())?;
        let is_active = request.pending.is_some();
        let attendant = if is_active { attendant_of(request) } else { None };
        Ok((!is_active || half.has_arrived(index), attendant))
    };
    let (mut has_arrived, attendant) = process.requests.look_at(handle, arrived)?;
    // Nothing comes from a rank that has failed; and where ranks share cores, others run.
    if !has_arrived && let Some((_, end)) = request::test(process, handle, true)? {
        end.news?;
        has_arrived = process.requests.look_at(handle, arrived)?.0;
    }
    if let Some(attendant) = attendant.filter(|_| has_arrived) {
        attendant.meanwhile();
    }
    Ok(has_arrived)
}
