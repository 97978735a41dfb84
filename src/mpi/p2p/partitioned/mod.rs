//! Partitioned point-to-point communication (MPI-5.0 §4): a persistent message whose parts are sent
//! as they become ready, and are found to have arrived one by one.
//!
//! Between ranks of one process there are no packets. A rank that marks a partition copies it to
//! the receiver's buffer itself once the receiver has started; what was ready before is copied by
//! the receiver when it starts. To another process, each partition travels as a message (`remote`).
//! Waiting is a run of the engine (see `engine::rank::tasks`), which a failure of the peer ends
//! like any receive.

pub mod buffer;
mod channel;
pub(in crate::mpi) mod half;
mod matching;
mod remote;

use crate::base::Member;
use crate::base::slab::Key as Run;
use crate::base::sync::handover::Side;
use crate::engine::{Awaited, Died, Outcome};
use crate::mpi::comm::{Comm, Peer, Source};
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::failure::usability::must_stand;
use crate::mpi::handle_table::Held;
use crate::mpi::p2p::outcome::{FROM_NOBODY, Pending, envelope, revoked, status_of};
use crate::mpi::p2p::request;
use crate::mpi::p2p::request_table::{Attendant, NULL, Request};
use crate::mpi::process::Process;
use crate::transport::Envelope;
use buffer::Buffer;
use channel::End;
use half::{Half, Link, Other};
use matching::{Key, Unmatched};
use remote::{Giving, Taking, Way};
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, OnceLock};
use std::task::Poll;

/// Creates the request of a partitioned send.
pub fn send_init(
    process: &'static Process, comm: &Held<Comm>, buffer: Buffer, dest: i32, tag: i32,
) -> Result<usize> {
    let peer = comm.peer(dest)?;
    keep(process, comm, half(process, comm, Side::Giver, buffer, peer, tag)?)
}

/// Creates the request of a partitioned receive.
pub fn recv_init(
    process: &'static Process, comm: &Held<Comm>, buffer: Buffer, source: i32, tag: i32,
) -> Result<usize> {
    let Source::One(peer) = comm.source(source)? else {
        let words = "source is MPI_ANY_SOURCE; a partitioned receive names its sender";
        return Err(Class::RANK.because(words));
    };
    keep(process, comm, half(process, comm, Side::Taker, buffer, peer, tag)?)
}

fn half(
    process: &'static Process, comm: &Comm, side: Side, buffer: Buffer, peer: Peer, tag: i32,
) -> Result<Half> {
    let partitions = buffer.partitions;
    let Peer::Rank { rank, member } = peer else {
        return Ok(Half { side, partitions, other: Other::Nobody });
    };
    let source = if side == Side::Giver { comm.rank } else { rank };
    let envelope = envelope(2 * comm.context(), source, tag);
    let is_here = process.world.own_seats().is_none_or(|seats| seats.contains(&member.seat));
    if is_here {
        let link = Arc::new(link(process, side, buffer, envelope, (rank, member)));
        return Ok(Half { side, partitions, other: Other::Here(link) });
    }
    let way = Way { engine: &process.engine, envelope, own: comm.rank, rank, peer: member };
    let other = match side {
        Side::Giver => Other::Receiver(Arc::new(Giving::new(process.world, way, buffer)?)),
        Side::Taker => Other::Sender(Taking::new(way, buffer)?),
    };
    Ok(Half { side, partitions, other })
}

/// The way to the other half in this process.
fn link(
    process: &'static Process, side: Side, buffer: Buffer, envelope: Envelope,
    (rank, peer): (i32, Member),
) -> Link {
    let Buffer { data, partitions } = buffer;
    let me = process.me;
    let (sender, receiver) = if side == Side::Giver { (me, peer) } else { (peer, me) };
    let key = Key { context: envelope.context, tag: envelope.tag, sender, receiver };
    let end = End { member: me, data, partitions, fault: OnceLock::new() };
    let channel = process.world.tenant::<Unmatched>().join(process.world, key, side, end);
    let (rounds, is_leaving) = (AtomicU32::new(0), AtomicBool::new(false));
    Link { channel, side, rounds, is_leaving, envelope, rank, peer }
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
    let is_revoked = || process.world.tell_whether_revoked(comm.context(), process.me);
    if !matches!(half.other, Other::Nobody) && is_revoked() {
        return Err(revoked());
    }
    let run = match &half.other {
        Other::Nobody => {
            return Ok(match half.side {
                Side::Giver => Pending::Nothing,
                Side::Taker => Pending::Complete(FROM_NOBODY),
            });
        }
        Other::Here(link) => {
            start_here(process, link)?;
            engine.start_run(|run| Box::pin(finish(process, link.clone(), run)))?
        }
        Other::Receiver(giving) => {
            giving.start()?;
            engine.start_run(|run| Box::pin(giving.clone().finish(run)))?
        }
        Other::Sender(taking) => {
            taking.start();
            engine.start_run(|run| Box::pin(taking.clone().finish(run)))?
        }
    };
    let ended = || Pending::Complete(status_of(&half.outcome()));
    Ok(run.map_or_else(ended, Pending::Partitioned))
}

fn start_here(process: &'static Process, link: &Link) -> Result {
    let (round, engine) = (link.begin(), &process.engine);
    if let Some(sending) = link.channel.sending.get().filter(|_| link.side == Side::Giver) {
        link.channel.start_sending(sending);
        engine.count_sent(link.peer);
    }
    if let Some(receiving) = link.channel.receiving.get().filter(|_| link.side == Side::Taker) {
        let taken = link.channel.start_receiving(receiving, round);
        taken.map_err(|address| engine.suffer(address))?;
    }
    Ok(())
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
    let is_news = match &half.other {
        Other::Here(link) => ready_here(process, link, partition)?,
        Other::Receiver(giving) => giving.ready(partition)?,
        Other::Nobody | Other::Sender(_) => true,
    };
    if is_news {
        return Ok(());
    }
    let words = format!("partition {partition} is ready already");
    process.requests.look_at(handle, |_| Err(Class::ARG.because(words)))
}

/// False if it was ready already.
fn ready_here(process: &'static Process, link: &Link, partition: usize) -> Result<bool> {
    let (round, channel) = (link.round(), &link.channel);
    let parts = &channel.sending.get().expect("a send has its end").parts;
    let is_news = parts.mark(round, partition);
    if is_news {
        let handed = channel.hand_over(round, partition, Side::Giver);
        handed.map_err(|address| process.engine.suffer(address))?;
    }
    Ok(is_news)
}

/// Whether a partition of a receive has arrived. What is not active has arrived (MPI-5.0 §4.2.2).
pub fn has_arrived(process: &'static Process, handle: usize, partition: i32) -> Result<bool> {
    if handle == NULL {
        return Ok(true);
    }
    let (mut has_arrived, attendant) = process.requests.look_at(handle, |request| {
        let half = half_of(request)?;
        half.must_be(Side::Taker)?;
        let index = half.index("partition", partition.into())?;
        let is_active = request.pending.is_some();
        let attendant = if is_active { attendant_of(request) } else { None };
        Ok((!is_active || half.has_surely_arrived(index), attendant))
    })?;
    if !has_arrived {
        has_arrived = arrives(process, handle, partition as usize)?;
    }
    if let Some(attendant) = attendant.filter(|_| has_arrived) {
        attendant.meanwhile();
    }
    Ok(has_arrived)
}

/// Asks for a partition with no request locked, and makes progress if it has not arrived.
#[inline(never)]
fn arrives(process: &'static Process, handle: usize, partition: usize) -> Result<bool> {
    let has_arrived = || {
        let half = process.requests.look_at(handle, |request| {
            let half = half_of(request)?;
            Ok(request.pending.is_some().then(|| half.clone()))
        })?;
        Ok::<_, Failure>(half.is_none_or(|half| half.has_arrived(partition)))
    };
    if has_arrived()? {
        return Ok(true);
    }
    // Nothing comes from a rank that has failed; and where ranks share cores, others run.
    match request::test(process, handle, true)? {
        Some((_, end)) => {
            end.news?;
            has_arrived()
        }
        None => Ok(false),
    }
}
