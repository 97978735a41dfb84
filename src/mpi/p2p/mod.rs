//! Point-to-point communication (MPI-5.0 §3), blocking calls first.
//!
//! Nonblocking calls return a [`Pending`], which `request` keeps under a handle.

pub mod attached_buffer;
pub mod buffered_send;
pub mod choices;
pub mod eager;
pub mod generalized_request;
pub mod held_messages;
pub mod matched_message;
pub mod outcome;
pub mod partitioned;
pub mod persistent;
pub mod request;
pub mod request_table;
pub mod status;

use crate::engine::{self, ANY_SOURCE, Died, Letter, Outcome, Watch};
use crate::host::memory::Region;
use crate::machine::forced_match::NOTHING;
use crate::mpi::comm::{Comm, Peer, Source};
use crate::mpi::error::{Failure, Result};
use crate::mpi::failure::call_trace;
use crate::mpi::failure::usability::must_stand;
use crate::mpi::p2p::choices::Choice;
use crate::mpi::p2p::outcome::{FROM_NOBODY, Match, Pending, completed, envelope, news, revoked};
use crate::mpi::p2p::status::{Completed, Status};
use crate::mpi::process::Process;
use crate::transport::Envelope;

/// When a send may start and when it is complete (MPI-5.0 §3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Standard,
    Buffered,
    Synchronous,
    /// The receive is there already, so that a standard send does all that is asked for.
    Ready,
}

#[inline]
fn letter(comm: &Comm, peer: Peer, tag: i32) -> Option<Letter<'static>> {
    let Peer::Rank { rank, member } = peer else { return None };
    let envelope = envelope(2 * comm.context(), comm.rank, tag);
    Some(Letter { envelope, to: member, rank, everyone: None })
}

/// What a receive matches, and the ranks whose death ends it; `None` for MPI_PROC_NULL.
#[inline]
fn pattern(comm: &Comm, source: Source, tag: i32) -> Option<(Envelope, Watch)> {
    let context = 2 * comm.context();
    match source {
        Source::One(Peer::Null) => None,
        Source::One(Peer::Rank { rank, member }) => {
            Some((envelope(context, rank, tag), Watch::Peer { rank, member }))
        }
        Source::Any => Some((envelope(context, ANY_SOURCE, tag), Watch::Anyone(comm.roster()))),
    }
}

/// The number of a receive that names its source, or is not traced.
const NAMED: u32 = u32::MAX;

/// Where a receive listens. In a job with a trace, a receive from any source has a number there,
/// and takes messages from one source only if that is ordered.
#[inline]
fn source(process: &Process, comm: &Comm, source: i32, tag: i32) -> Result<(Source, u32)> {
    match comm.source(source)? {
        Source::Any if process.is_counted() => Ok(traced(process, comm, tag)),
        source => Ok((source, NAMED)),
    }
}

#[cold]
fn traced(process: &Process, comm: &Comm, tag: i32) -> (Source, u32) {
    let (number, forced) = call_trace::posts(process.me, 2 * comm.context(), tag);
    let forced = forced.and_then(|source| comm.source(source).ok());
    (forced.unwrap_or(Source::Any), number)
}

/// What communication with MPI_PROC_NULL comes to: it fails on a revoked communicator, as all does.
#[cold]
fn with_nobody(process: &Process, comm: &Comm) -> Result {
    match process.world.tell_whether_revoked(comm.context(), process.me) {
        true => Err(revoked()),
        false => Ok(()),
    }
}

/// Starts a send.
#[inline(always)]
pub fn isend(
    process: &Process, mode: Mode, comm: &Comm, data: &Region, dest: i32, tag: i32,
) -> Result<Pending> {
    must_stand(process, comm)?;
    let Some(letter) = letter(comm, comm.peer(dest)?, tag) else {
        return with_nobody(process, comm).map(|()| Pending::Nothing);
    };
    note_send(process, &letter);
    let completion = match mode {
        Mode::Standard | Mode::Ready => engine::Mode::Standard,
        Mode::Synchronous => engine::Mode::Synchronous,
        Mode::Buffered => {
            if process.world.tell_whether_revoked(comm.context(), process.me) {
                return Err(revoked());
            }
            buffered_send::send(process, comm, letter, data)?;
            process.engine.count_sent(letter.to);
            return Ok(Pending::Nothing);
        }
    };
    let sent = process.engine.send(letter, data, completion)?;
    process.engine.count_sent(letter.to);
    Ok(sent.map_or(Pending::Nothing, Pending::Op))
}

/// Sends, and returns when the data may be overwritten.
#[inline]
pub fn send(
    process: &Process, mode: Mode, comm: &Comm, data: &Region, dest: i32, tag: i32,
) -> Result {
    match isend(process, mode, comm, data, dest, tag)? {
        Pending::Op(op) => news(&process.engine.wait_in_peace(op)?),
        _ => Ok(()),
    }
}

/// Starts a receive.
#[inline]
pub fn irecv(
    process: &Process, comm: &Comm, into: Region, source: i32, tag: i32,
) -> Result<Pending> {
    must_stand(process, comm)?;
    let (source, number) = self::source(process, comm, source, tag)?;
    let Some((pattern, watch)) = pattern(comm, source, tag) else {
        return with_nobody(process, comm).map(|()| Pending::Complete(FROM_NOBODY));
    };
    let op = process.engine.start_receive(pattern, watch, into)?;
    Ok(if number == NAMED { Pending::Op(op) } else { Pending::Wild { op, number } })
}

/// Receives. What came is handed to `end` where it is known, not returned: a status that wanders
/// through memory costs more than all else at the end of a receive.
#[inline(always)]
pub fn recv(
    process: &Process, comm: &Comm, into: &Region, source: i32, tag: i32,
    end: impl Fn(Completed) -> Result,
) -> Result {
    must_stand(process, comm)?;
    let (source, number) = self::source(process, comm, source, tag)?;
    match pattern(comm, source, tag) {
        Some((pattern, watch)) => match &process.engine.receive(pattern, &watch, into) {
            Ok(outcome) => {
                note_match(process, pattern.context, number, outcome);
                end(completed(outcome))
            }
            Err(Died) => Err(Failure::died()),
        },
        None => with_nobody(process, comm).and_then(|()| end(FROM_NOBODY.into())),
    }
}

/// Writes down a message that starts, in a job with a trace.
#[inline]
fn note_send(process: &Process, letter: &Letter) {
    if process.is_counted() {
        call_trace::sends(process.me, letter.envelope, letter.to);
    }
}

/// Writes down which message a receive has matched, in a job with a trace.
#[inline]
fn note_match(process: &Process, context: u32, number: u32, outcome: &Outcome) {
    if process.is_counted() && outcome.mishap.is_none() {
        match number {
            NAMED => call_trace::has_matched(process.me, context, outcome.source, outcome.tag),
            _ => call_trace::fulfils(number, outcome.source, outcome.tag),
        }
    }
}

/// The two sides of MPI_Sendrecv.
pub struct Exchange {
    pub data: Region,
    pub dest: i32,
    pub sendtag: i32,
    pub into: Region,
    pub source: i32,
    pub recvtag: i32,
}

/// Starts a send and a receive as one operation.
pub fn isendrecv(process: &Process, comm: &Comm, both: &Exchange) -> Result<Pending> {
    comm.peer(both.dest)?;
    let recv = irecv(process, comm, both.into.clone(), both.source, both.recvtag)?;
    let send = isend(process, Mode::Standard, comm, &both.data, both.dest, both.sendtag)?;
    Ok(join(process, send, recv))
}

/// Starts an exchange in one buffer: the data to send is copied first (MPI_Isendrecv_replace).
pub fn isendrecv_replace(process: &Process, comm: &Comm, both: &Exchange) -> Result<Pending> {
    must_stand(process, comm)?;
    let letter = letter(comm, comm.peer(both.dest)?, both.sendtag);
    comm.source(both.source)?;
    let send = match letter {
        Some(letter) => {
            note_send(process, &letter);
            process.engine.count_sent(letter.to);
            process.engine.send_copy(letter, &both.data)?
        }
        None => None,
    };
    let recv = irecv(process, comm, both.into.clone(), both.source, both.recvtag)?;
    Ok(join(process, send.map_or(Pending::Nothing, Pending::Op), recv))
}

fn join(process: &Process, send: Pending, recv: Pending) -> Pending {
    let number = recv.number();
    match (send, recv) {
        (Pending::Op(send), Pending::Op(recv) | Pending::Wild { op: recv, .. }) => {
            process.engine.join(send, recv);
            Pending::Two { send, recv, number }
        }
        (Pending::Op(send), recv) => {
            let source = if let Pending::Complete(status) = recv { status } else { Status::PLAIN };
            let outcome = Outcome { source: source.source, tag: source.tag, ..Outcome::default() };
            Pending::Two { send, recv: process.engine.complete(outcome), number }
        }
        (_, recv) => recv,
    }
}

/// Waits for an operation that has no request handle.
pub fn finish(process: &Process, pending: Pending) -> Result<Completed> {
    let engine = &process.engine;
    match pending {
        Pending::Nothing => Ok(Status::PLAIN.into()),
        Pending::Complete(status) => Ok(status.into()),
        Pending::Preposted(_) | Pending::Partitioned(_) => {
            unreachable!("only persistent requests have such")
        }
        Pending::Op(op) | Pending::Run(op) => Ok(completed(&engine.wait_in_peace(op)?)),
        Pending::Wild { op, number } => {
            let outcome = engine.wait_in_peace(op)?;
            note_match(process, 0, number, &outcome);
            Ok(completed(&outcome))
        }
        Pending::Two { send, recv, number } => {
            let outcome = engine.wait_in_peace(recv)?;
            if let Some(number) = number {
                note_match(process, 0, number, &outcome);
            }
            let received = completed(&outcome);
            let sent = engine.wait_in_peace(send)?;
            Ok(Completed { news: received.news.and(news(&sent)), ..received })
        }
    }
}

/// Describes the message that a receive would match now (MPI_Iprobe).
pub fn iprobe(process: &Process, comm: &Comm, source: i32, tag: i32) -> Result<Option<Completed>> {
    must_stand(process, comm)?;
    let Some((pattern, watch)) = pattern(comm, comm.source(source)?, tag) else {
        return Ok(Some(FROM_NOBODY.into()));
    };
    if process.is_counted() {
        let now = |pattern, watch: &Watch| process.engine.peek(pattern, watch);
        let next = |pattern, watch: &Watch| process.engine.probe(pattern, watch);
        let outcome = |seen: &Outcome| seen.mishap.is_none().then_some((seen.source, seen.tag));
        let seen = chosen(process, comm, (pattern, watch), now, next, outcome)?;
        return Ok(seen.as_ref().map(completed));
    }
    Ok(process.engine.peek(pattern, &watch)?.as_ref().map(completed))
}

/// What a probe finds `now`, or waits for as the `next` one because that is ordered; writes it
/// down. `known` tells the source and tag of a message that was found.
#[cold]
fn chosen<T>(
    process: &Process, comm: &Comm, (pattern, watch): (Envelope, Watch),
    now: impl Fn(Envelope, &Watch) -> std::result::Result<Option<T>, Died>,
    next: impl Fn(Envelope, &Watch) -> std::result::Result<T, Died>,
    known: impl Fn(&T) -> Option<(i32, i32)>,
) -> Result<Option<T>> {
    let Some(choice) = Choice::of_messages(process) else { return Ok(now(pattern, &watch)?) };
    let one = |source: i32| self::pattern(comm, comm.source(source).ok()?, pattern.tag);
    let found = match choice.forced {
        Some(NOTHING) => {
            process.engine.poll(|_| None::<()>)?;
            None
        }
        Some(source) if let Some((pattern, watch)) = one(source) => Some(next(pattern, &watch)?),
        _ => now(pattern, &watch)?,
    };
    let source = found.as_ref().and_then(known).map(|(source, _)| source);
    choice.has_found(pattern, source);
    Ok(found)
}

/// Waits for a message that a receive would match, and describes it (MPI_Probe).
pub fn probe(process: &Process, comm: &Comm, source: i32, tag: i32) -> Result<Completed> {
    must_stand(process, comm)?;
    let (source, number) = self::source(process, comm, source, tag)?;
    match pattern(comm, source, tag) {
        Some((pattern, watch)) => {
            let outcome = process.engine.probe(pattern, &watch)?;
            if number != NAMED && outcome.mishap.is_none() {
                call_trace::sees(number, outcome.source, outcome.tag);
            }
            Ok(completed(&outcome))
        }
        None => Ok(FROM_NOBODY.into()),
    }
}

/// Takes out the message that a receive would get now (MPI_Improbe). `Ok(None)` in the match is
/// MPI_MESSAGE_NO_PROC.
pub fn improbe(process: &Process, comm: &Comm, source: i32, tag: i32) -> Result<Option<Match>> {
    must_stand(process, comm)?;
    let Some((pattern, watch)) = pattern(comm, comm.source(source)?, tag) else {
        return Ok(Some(Ok(None)));
    };
    let seized = match process.is_counted() {
        true => {
            let now = |pattern, watch: &Watch| process.engine.seize(pattern, watch);
            let next = |pattern, watch: &Watch| process.engine.seize_next(pattern, watch);
            let context = pattern.context;
            let outcome = |held: &std::result::Result<_, _>| held.as_ref().ok().map(source_and_tag);
            let seized = chosen(process, comm, (pattern, watch), now, next, outcome)?;
            if let Some((source, tag)) = seized.as_ref().and_then(outcome) {
                call_trace::has_matched(process.me, context, source, tag);
            }
            seized
        }
        false => process.engine.seize(pattern, &watch)?,
    };
    Ok(seized.map(|held| held.map(Some).map_err(|outcome| completed(&outcome))))
}

fn source_and_tag(held: &engine::Held) -> (i32, i32) {
    let Outcome { source, tag, .. } = held.outcome();
    (source, tag)
}

/// Waits for a message that a receive would match, and takes it out (MPI_Mprobe).
pub fn mprobe(process: &Process, comm: &Comm, source: i32, tag: i32) -> Result<Match> {
    must_stand(process, comm)?;
    let (source, number) = self::source(process, comm, source, tag)?;
    let Some((pattern, watch)) = pattern(comm, source, tag) else {
        return Ok(Ok(None));
    };
    let held = process.engine.seize_next(pattern, &watch)?;
    if let Ok(held) = &held {
        note_match(process, pattern.context, number, &held.outcome());
    }
    Ok(held.map(Some).map_err(|outcome| completed(&outcome)))
}
