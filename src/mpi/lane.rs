//! Messages of collective operations: separate from those of the program, and ended as soon as any
//! member of the communicator has died, because the others will not complete the operation.
//!
//! An error at this member alone (a message that is too long, a bad argument) is noted and reported
//! at the end: the others wait for this rank's part. So an error that a lane returns has met every
//! member.

use crate::base::Member;
use crate::base::member::Roster;
use crate::base::slab::Key;
use crate::engine::shared::rules::{CollMode, Rules};
use crate::engine::{
    Call, Drawn, Everyone, Letter, Matter, Mishap, Mode, Outcome, Outside, PeerWait, Purpose, Watch,
};
use crate::fault::Value;
use crate::host::memory::{Fault, Region, copy, transfer, transfer_start};
use crate::host::sched;
use crate::mpi::comm::Comm;
use crate::mpi::comm::meeting::RoomOffer;
use crate::mpi::error::{Class, Failure, Result, is_death};
use crate::mpi::failure::attributes;
use crate::mpi::failure::usability::{must_be_fresh, must_stand};
use crate::mpi::p2p::outcome::{envelope, news, revoked};
use crate::mpi::process::Process;
use crate::mpi::run::Way;
use crate::transport::{Envelope, Hall};
use std::future::poll_fn;
use std::sync::{Arc, OnceLock};
use std::task::Poll;

/// Tags from here down: clear of MPI_ANY_TAG.
pub(super) const LOCAL_TAGS: i32 = -10;

/// After this many operations, senders wait for receivers.
const PACE: u32 = 32;

/// A communicator, by its context and its first member, and the number of an operation on it.
pub type Stamp = (u32, Member, i32);

/// What a member has called, and on which communicator.
#[derive(Clone, Copy)]
pub(super) struct Called<'a> {
    pub(super) call: Call,
    pub(super) comm: &'a Comm,
}

/// The messages of one collective operation.
pub struct Lane<'a> {
    process: &'a Process,
    comm: &'a Comm,
    /// The communicator as passed, with the gaps that dead ranks have left.
    asked: &'a Comm,
    /// The members whose death ends the operation; found when first needed.
    roster: OnceLock<Arc<dyn Roster>>,
    tag: i32,
    way: Way,
    mode: Mode,
    /// Which repetition of a persistent operation this is.
    round: u32,
    /// Whether it is a turn of all members of one group (see [`Lane::is_for_shared_memory`]).
    is_turn: bool,
    /// Its number among those that the engine carries on.
    drawn: Option<&'a Drawn>,
    /// The call of the program that it is for, where members in other processes have to know that.
    called: Option<Called<'a>>,
    /// The first error at this member alone.
    trouble: OnceLock<Failure>,
}

impl<'a> Lane<'a> {
    /// A lane for one operation. Tags separate phases that could be mistaken for each other.
    #[inline(always)]
    pub fn new(process: &'a Process, comm: &'a Comm, tag: i32, way: Way) -> Lane<'a> {
        Lane {
            process,
            comm: comm.living(),
            asked: comm,
            roster: OnceLock::new(),
            tag,
            way,
            mode: Mode::Standard,
            round: 0,
            is_turn: false,
            drawn: None,
            called: None,
            trouble: OnceLock::new(),
        }
    }

    /// A lane for the members of `roster` only: the others need not live.
    pub fn among(
        process: &'a Process, comm: &'a Comm, roster: Arc<dyn Roster>, tag: i32, way: Way,
    ) -> Lane<'a> {
        Lane { roster: OnceLock::from(roster), ..Lane::new(process, comm, tag, way) }
    }

    fn roster(&self) -> &Arc<dyn Roster> {
        self.roster.get_or_init(|| self.asked.everyone())
    }

    /// A lane for a call of the program: one turn of all members, repeated `round` times before.
    /// Now and then, a member that only sends waits until its messages are received, so that no
    /// member gets further ahead than memory allows.
    #[inline(always)]
    pub fn of_call(
        process: &'a Process, comm: &'a Comm, tag: i32, round: u32, way: Way,
    ) -> Lane<'a> {
        let waits = (tag as u32).wrapping_add(round) % PACE == PACE - 1;
        // Written once, field by field: changing a lane afterwards would copy it.
        Lane {
            process,
            comm: comm.living(),
            asked: comm,
            roster: OnceLock::new(),
            tag,
            way,
            mode: if waits { Mode::Synchronous } else { Mode::Standard },
            round,
            is_turn: !comm.is_inter(),
            drawn: None,
            called: None,
            trouble: OnceLock::new(),
        }
    }

    /// This lane as a turn that all members do together: each publishes what it has, and takes what
    /// it needs, once.
    #[inline(always)]
    pub fn into_turn(self) -> Lane<'a> {
        Lane { is_turn: !self.comm.is_inter(), ..self }
    }

    /// Whether all members must get one outcome.
    #[inline(always)]
    pub fn is_atomic(&self) -> bool {
        let modes = || attributes::modes(self.process, self.comm);
        self.process.world.charter().has_modes()
            && modes().is_some_and(|modes| modes.coll == CollMode::Atomic)
    }

    /// Agrees with all members on the outcome: an error at any member becomes an error at every
    /// member.
    pub async fn settle(&self, outcome: Result) -> Result {
        if is_death(&outcome) {
            return outcome;
        }
        let members: Vec<Member> = self.comm.union().group.members().collect();
        let number = u64::from(self.round) << 32 | u64::from(self.tag as u32);
        let matter = Matter { purpose: Purpose::Outcome, of: self.comm.matter(), number };
        let value = Value { flags: u64::from(outcome.is_ok()), ..Value::NEUTRAL };
        let engine = &self.process.engine;
        let op = engine.start_agreement(matter, &members, value)?;
        self.judge(&Doing { lane: self, op: Some(op) }.outcome().await?)?;
        let decision = engine.decision(matter)?;
        outcome?;
        if decision.value.flags & 1 == 1 && decision.dead.is_empty() && decision.left.is_empty() {
            return Ok(());
        }
        let words = "the operation failed at another process, and therefore at all";
        Err(Class::PROC_ABORTED.because(words))
    }

    /// A lane for the local group's part in an intercommunicator operation. Its tags are below
    /// those that the local group draws for its own agreements.
    pub fn local(&self) -> Lane<'a> {
        let (comm, roster) = (self.comm.local(), self.roster().clone());
        let lane = Lane::among(self.process, comm, roster, LOCAL_TAGS - self.tag, self.way);
        Lane { mode: self.mode, ..lane }
    }

    /// This operation's lane for the members of both groups together, in an order that all of them
    /// compute. For an intracommunicator, these are its members.
    pub fn union(&self) -> Lane<'a> {
        let (comm, roster) = (self.comm.union(), self.roster().clone());
        let lane = Lane::among(self.process, comm, roster, self.tag, self.way);
        let Lane { mode, round, drawn, called, .. } = *self;
        Lane { mode, round, drawn, called, ..lane }
    }

    /// This lane for an operation with that number, which the engine carries on.
    pub fn drawn_as(self, drawn: Option<&'a Drawn>) -> Lane<'a> {
        Lane { drawn, ..self }
    }

    /// This lane as that of a call which all members make.
    pub(super) fn calling(self, call: Call) -> Lane<'a> {
        Lane { called: Some(Called { call, comm: self.comm }), ..self }
    }

    pub(super) fn called(&self) -> Option<Called<'a>> {
        self.called
    }

    /// The number of an operation that the engine carries on and the members do together.
    pub(super) fn drawn(&self) -> &'a Drawn {
        self.drawn.expect("whoever starts an operation whose members may meet draws a number")
    }

    /// Whether members that share memory may do this operation there.
    #[inline(always)]
    pub(super) fn is_for_shared_memory(&self) -> bool {
        self.is_turn && !self.is_atomic()
    }

    /// Where its members, in several processes, can do this operation without messages.
    pub(super) fn hall(&self) -> Option<&'a Hall> {
        let hall = || self.comm.hall(self.process).filter(|_| !self.is_atomic());
        self.may_meet_afar().then(hall).flatten()
    }

    fn may_meet_afar(&self) -> bool {
        self.is_turn && self.asked.is_whole() && self.way == Way::Blocking
    }

    /// A room for this communicator in the memory that processes share, if it could have one, and
    /// its members have not agreed on that yet.
    pub(super) fn offer_room(&self) -> Option<RoomOffer> {
        let take = || self.comm.offer_room(self.process).filter(|_| !self.is_atomic());
        self.may_meet_afar().then(take).flatten()
    }

    /// What [`Lane::hall`] finds, where it is known to be there.
    pub(super) fn known_hall(&self) -> &'a Hall {
        self.comm.hall(self.process).expect("only members that have one come there")
    }

    /// Whether what it takes is that of another machine, in virtual time.
    pub(super) fn is_priced(&self) -> bool {
        self.is_turn && self.process.world.network().is_some() && !self.is_atomic()
    }

    /// This lane without members that wait for receivers now and then.
    pub(super) fn unpaced(&self) -> Lane<'a> {
        let lane = Lane::new(self.process, self.asked, self.tag, self.way);
        Lane { round: self.round, ..lane }
    }

    /// This lane for messages that the machine's tree carries.
    pub(super) fn by_hardware(&self) -> Lane<'a> {
        let tag = self.tag | Envelope::BY_HARDWARE;
        let lane = Lane::new(self.process, self.asked, tag, self.way);
        Lane { round: self.round, ..lane }
    }

    /// Starts to send a message without data that takes as long as one of so many bytes; by
    /// hardware, so long.
    pub(super) fn start_priced_send(&self, to: i32, bytes: u64) -> Result<Doing<'_, 'a>> {
        let send = || self.start_send(to, &Region::EMPTY);
        match self.process.world.network() {
            Some(network) => sched::on_other_stack(|| network.priced(bytes, send)),
            None => send(),
        }
    }

    /// Waits until this member's part in an operation is over, which others carry on.
    pub(super) fn wait_for_part(&self) -> Result {
        let rank = self.comm.rank;
        let (envelope, watch) = (self.own_envelope(), self.watch(rank));
        let wait = PeerWait { envelope, watch: &watch, missing: rank };
        let mishap = self.process.engine.wait_for_part(&wait)?;
        news(&Outcome { mishap, ..Outcome::default() })
    }

    /// Starts to receive a message without data.
    pub(super) fn start_empty_recv(&self, from: i32) -> Result<Doing<'_, 'a>> {
        self.start_recv(from, &Region::EMPTY)
    }

    /// All members say something, and hear what all have said, in the order of their ranks: or none
    /// does. For members that share no memory (see [`crate::mpi::coll::hear_all`]).
    pub(super) async fn hear_all(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        must_be_fresh(self.process, self.comm)?;
        let engine = &self.process.engine;
        let (matter, members) = self.exchange_matter();
        let op = engine.start_exchange(matter, members, bytes.to_vec())?;
        Doing { lane: self, op: Some(op) }.outcome().await?;
        let Some(all) = engine.heard(matter) else {
            let death = engine.first_dead(&**self.roster());
            let world = self.process.world;
            // Who gives up for a revocation may do so before the others hear of that.
            let is_revoked = world.is_revoked(self.comm.context(), self.process.me)
                || death.is_none() && world.rules() == Rules::Ulfm;
            let mishap = match death {
                _ if is_revoked => Mishap::Revoked,
                Some(rank) => Mishap::Lost { rank },
                None => Mishap::Interrupted,
            };
            let mishap = Some(mishap);
            let outcome = Outcome { mishap, ..Outcome::default() };
            return Err(news(&outcome).expect_err("a mishap is a failure"));
        };
        Ok(all)
    }

    /// Makes sure that no member hears anything under the number of this operation.
    pub(super) fn let_nobody_hear(&self) {
        let (matter, members) = self.exchange_matter();
        self.process.engine.say_nothing(matter, members);
    }

    fn exchange_matter(&self) -> (Matter, Vec<Member>) {
        let number = u64::from(self.round) << 32 | u64::from(self.tag as u32);
        let matter = Matter { purpose: Purpose::Exchange, of: self.comm.matter(), number };
        (matter, self.comm.group.members().collect())
    }

    /// The number of this operation, and which repetition of it this is.
    #[inline]
    pub(super) fn number(&self) -> (u32, u32) {
        (self.tag as u32, self.round)
    }

    #[inline(always)]
    pub fn way(&self) -> Way {
        self.way
    }

    /// The envelope of this rank's messages.
    #[inline]
    pub(super) fn own_envelope(&self) -> Envelope {
        self.pattern(self.comm.rank)
    }

    #[inline]
    pub fn process(&self) -> &'a Process {
        self.process
    }

    #[inline]
    pub fn comm(&self) -> &'a Comm {
        self.comm
    }

    /// The communicator and the number of this operation: unique. Disjoint communicators may share
    /// a context, but no member is first in two of them.
    pub fn stamp(&self) -> Stamp {
        (self.comm.context(), self.comm.member(0), self.tag)
    }

    /// The rank of this process in its group.
    #[inline]
    pub fn rank(&self) -> i32 {
        self.comm.rank
    }

    /// The size of its group.
    #[inline]
    pub fn size(&self) -> i32 {
        self.comm.size()
    }

    /// Whether nothing has happened of which members would have to learn.
    #[inline(always)]
    pub(super) fn is_undisturbed(&self) -> bool {
        let engine = &self.process.engine;
        engine.is_calm() && self.comm.generation >= engine.generation()
    }

    /// Fails when a member is dead, for members that have nothing to send or to receive.
    #[inline(always)]
    pub fn look_round(&self) -> Result {
        must_stand(self.process, self.comm)?;
        if self.process.engine.is_calm() { Ok(()) } else { self.look_closely() }
    }

    #[cold]
    fn look_closely(&self) -> Result {
        let engine = &self.process.engine;
        if self.process.world.is_revocation_heard(self.comm.context(), self.process.me) {
            return Err(revoked());
        }
        let mishap = engine.first_dead(&**self.roster()).map(|rank| Mishap::Lost { rank });
        news(&Outcome { mishap, ..Outcome::default() })
    }

    /// The failure for the death of the member with this rank, whatever else is known of it.
    pub fn loss(&self, rank: i32) -> Failure {
        let mishap = Some(Mishap::Lost { rank });
        let outcome = Outcome { mishap, ..Outcome::default() };
        news(&outcome).expect_err("a mishap is a failure")
    }

    /// Keeps an error at this member alone for the end. An error that ends this rank is returned at
    /// once.
    pub fn note(&self, outcome: Result) -> Result {
        match outcome {
            Err(failure) if failure.is_death() => Err(failure),
            Err(failure) => {
                self.trouble.get_or_init(|| failure);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// The first error at this member alone.
    #[inline(always)]
    pub fn verdict(&self) -> Result {
        match self.trouble.get() {
            None => Ok(()),
            Some(failure) => Err(again(failure)),
        }
    }

    /// Whether it has no error to report and nothing to drop.
    #[inline(always)]
    pub(super) fn is_bare(&self) -> bool {
        self.trouble.get().is_none() && self.roster.get().is_none()
    }

    /// Sends `data` to the member with rank `to`; it may be overwritten afterwards.
    #[inline]
    pub async fn send(&self, to: i32, data: &Region) -> Result {
        self.start_send(to, data)?.end().await.map(drop)
    }

    /// Receives from the member with rank `from`; returns how many bytes arrived.
    #[inline]
    pub async fn recv(&self, from: i32, into: &Region) -> Result<usize> {
        if self.way == Way::Blocking {
            must_be_fresh(self.process, self.comm)?;
            let watch = self.watch(from);
            let outcome = self.process.engine.receive(self.pattern(from), &watch, into)?;
            return self.judge(&outcome);
        }
        self.start_recv(from, into)?.end().await
    }

    /// Sends and receives at the same time, as all members do: so none gets far ahead. What is sent
    /// at once needs nobody's receive: the member then waits for one message only.
    pub async fn exchange(
        &self, to: i32, data: &Region, from: i32, into: &Region,
    ) -> Result<usize> {
        let send = self.start_send_as(Mode::Standard, to, data)?;
        if send.op.is_none() {
            return self.recv(from, into).await;
        }
        let recv = self.start_recv(from, into)?;
        send.end().await?;
        recv.end().await
    }

    /// Starts to send.
    #[inline]
    pub fn start_send(&self, to: i32, data: &Region) -> Result<Doing<'_, 'a>> {
        self.start_send_as(self.mode, to, data)
    }

    #[inline]
    fn start_send_as(&self, mode: Mode, to: i32, data: &Region) -> Result<Doing<'_, 'a>> {
        let envelope = envelope(2 * self.comm.context() + 1, self.comm.rank, self.tag);
        must_be_fresh(self.process, self.comm)?;
        let everyone = Some(self.roster());
        let letter = Letter { envelope, to: self.comm.member(to), rank: to, everyone };
        let op = self.process.engine.send(letter, data, mode)?;
        Ok(Doing { lane: self, op })
    }

    /// Starts to receive.
    pub fn start_recv(&self, from: i32, into: &Region) -> Result<Doing<'_, 'a>> {
        must_be_fresh(self.process, self.comm)?;
        let (pattern, watch) = (self.pattern(from), self.watch(from));
        let op = self.process.engine.start_receive(pattern, watch, into.clone())?;
        Ok(Doing { lane: self, op: Some(op) })
    }

    /// Starts to wait for an event outside the engine, which reports it to the engine; like
    /// everything else here, a failure ends the wait.
    pub fn start_outside(&self) -> Result<(Doing<'_, 'a>, Outside)> {
        must_be_fresh(self.process, self.comm)?;
        let (envelope, watch) = (self.own_envelope(), self.watch(self.comm.rank));
        let outside = self.process.engine.go_outside(envelope, watch);
        Ok((Doing { lane: self, op: Some(outside.op) }, outside))
    }

    /// Waits for all started messages.
    pub async fn all(&self, doings: Vec<Doing<'_, 'a>>) -> Result {
        for doing in doings {
            doing.end().await?;
        }
        Ok(())
    }

    /// Copies within this rank. The target is large enough.
    pub fn copy(&self, from: &Region, to: &Region) -> Result {
        transfer(from, to).map_err(|fault| self.suffer(fault))
    }

    /// A message from this rank to itself, checked like any other.
    #[inline(always)]
    pub fn keep(&self, from: &Region, to: &Region) -> Result {
        match (from.span(), to.span()) {
            (Some(from), Some(to)) if from.bytes() <= to.bytes() => {
                copy(from, to).map_err(|fault| self.suffer(fault))
            }
            _ => self.keep_with_care(from, to),
        }
    }

    #[inline(never)]
    fn keep_with_care(&self, from: &Region, to: &Region) -> Result {
        self.must_fit(from, to)?;
        transfer_start(from, to, from.bytes().min(to.bytes())).map_err(|fault| self.suffer(fault))
    }

    /// Ends this member: the unmapped memory is its own.
    #[cold]
    fn suffer(&self, fault: Fault) -> Failure {
        self.process.engine.suffer(fault.address).into()
    }

    /// Notes that the message from this rank to itself is too long, if it is.
    pub fn must_fit(&self, from: &Region, to: &Region) -> Result {
        let (sent, room) = (from.bytes(), to.bytes());
        if sent <= room {
            return Ok(());
        }
        self.note(Err(Class::TRUNCATE.because(format!(
            "the message from this rank to itself has {sent} bytes; \
             the receive buffer has room for {room}"
        ))))
    }

    /// How many bytes arrived with a message.
    #[inline]
    fn judge(&self, outcome: &Outcome) -> Result<usize> {
        match outcome.mishap {
            None => {}
            Some(Mishap::Truncated { .. }) => self.note(news(outcome))?,
            Some(_) => news(outcome)?,
        }
        Ok(outcome.bytes)
    }

    fn pattern(&self, from: i32) -> Envelope {
        envelope(2 * self.comm.context() + 1, from, self.tag)
    }

    fn watch(&self, rank: i32) -> Watch {
        let (member, roster) = (self.comm.member(rank), self.roster().clone());
        Watch::Everyone { rank, member, roster }
    }
}

#[cold]
fn again(failure: &Failure) -> Failure {
    failure.clone()
}

impl Everyone for Lane<'_> {
    fn roster(&self) -> Arc<dyn Roster> {
        Lane::roster(self).clone()
    }
}

/// A message under way. If dropped before its end, it is cancelled, or waited for: its memory is
/// the program's.
pub struct Doing<'l, 'a> {
    lane: &'l Lane<'a>,
    /// `None`: it has ended.
    op: Option<Key>,
}

impl Doing<'_, '_> {
    /// Waits for its end; returns how many bytes arrived.
    #[inline]
    pub async fn end(self) -> Result<usize> {
        let lane = self.lane;
        if self.op.is_none() {
            return Ok(0);
        }
        lane.judge(&self.outcome().await?)
    }

    /// Waits for its end, and leaves its outcome to the caller.
    #[inline]
    async fn outcome(mut self) -> Result<Outcome> {
        let op = self.op.expect("it has not ended");
        let engine = &self.lane.process.engine;
        let outcome = match self.lane.way {
            Way::Blocking => engine.wait(op)?,
            Way::Nonblocking(run) => {
                poll_fn(|_| engine.ended_for(op, run).map_or(Poll::Pending, Poll::Ready)).await
            }
        };
        self.op = None;
        Ok(outcome)
    }
}

impl Drop for Doing<'_, '_> {
    fn drop(&mut self) {
        let Some(op) = self.op else { return };
        self.lane.process.engine.cancel(op);
        // A rank that is told to die meanwhile will not touch the memory again.
        let _ended = self.lane.process.engine.wait(op);
    }
}
