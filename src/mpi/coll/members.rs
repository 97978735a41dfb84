//! One member's part in a shared-memory collective: each member publishes what it has, waits for
//! the others, and copies or combines.
//!
//! Short data are published as a copy (buffered copy), so a member can leave at once when a death
//! ends the operation. Of long data the member publishes the address (single copy), and stays until
//! all living members have read them; if a death keeps the members from meeting, it first makes
//! sure that no member will begin to read.
//!
//! A blocking operation and one that the engine carries on differ only in how a member waits
//! ([`Wait`]).

use super::claim::{Claim, compare_at};
use super::objection::{failure, object_at_first};
use super::select::Crowd;
use crate::base::sync::cache::comes_soon;
use crate::engine::{
    Awaited, Board, Enrolment, Gate, Laid, Line, Mark, Meeting, MeetingWait, Round, Series,
};
use crate::host::memory::{Fault, Region, Span};
use crate::mpi::error::{Failure, Result};
use crate::mpi::lane::Lane;
use crate::mpi::run::{AtOnce, Over, Way};
use std::future::poll_fn;
use std::marker::PhantomData;
use std::sync::Arc;
use std::task::Poll;

/// How often one of few members polls before it waits in the ordinary way: for a step that others
/// do at once, and for one that takes as long as a copy.
const LOOKS: u32 = 64;
const LONG_LOOKS: u32 = 1024;

/// How often it polls, for a step that others do at once, before the call that started a
/// nonblocking operation returns: that takes less time than to carry the operation on later.
const FEW_LOOKS: u32 = 12;

/// One member's part in one shared-memory collective. Each step ends with at most one wait, done as
/// `W` says.
pub struct Members<'l, 'a, W: Wait> {
    lane: &'l Lane<'a>,
    meeting: &'a Meeting,
    round: &'a Round,
    turn: u32,
    me: usize,
    crowd: Crowd,
    /// Whether all members wait for all others, in a round kept for that.
    is_common: bool,
    /// What it has called, if it has not been compared yet.
    claim: Option<Claim>,
    wait: PhantomData<W>,
}

/// How a member waits, and which round it takes for an operation.
pub trait Wait: Sized + Send + Sync + 'static {
    /// As which of those that arrive in its round a member counts.
    #[inline(always)]
    fn counts_as(_: &Meeting, me: usize) -> usize {
        me
    }

    /// The last member to arrive hears what others have published that do not arrive in its round.
    /// If it does not hear them, it waits like all others, and learns why.
    #[inline(always)]
    fn hears_others(_: &Members<'_, '_, Self>) -> bool {
        true
    }

    /// Arrives at the operation of `lane`; returns its round, and the number of the turn there.
    fn come<'a>(
        lane: &Lane<'a>, meeting: &'a Meeting, me: usize, is_common: bool,
    ) -> (&'a Round, u32);

    /// The series that the operation is part of.
    fn series<'a>(members: &Members<'_, 'a, Self>) -> &'a Series;

    /// Waits until no member needs the round's previous contents.
    fn enter(members: &Members<'_, '_, Self>) -> impl Future<Output = Result> + Send;

    /// Waits at this gate, if there is one.
    fn wait(
        members: &Members<'_, '_, Self>, gate: Option<Gate>,
    ) -> impl Future<Output = Result> + Send;

    /// The gate that others wait for has opened: wakes them.
    fn open(members: &Members<'_, '_, Self>, gate: Gate);

    /// Wakes all others, which are few, after a SeqCst read-modify-write has published the news.
    fn ring_few(members: &Members<'_, '_, Self>);

    /// Wakes the member at `place` for news published in that way.
    fn ring_one(members: &Members<'_, '_, Self>, place: usize) {
        members.meeting.ring(place);
    }

    /// Wakes the member after this one, for which alone it has published something.
    fn pass(members: &Members<'_, '_, Self>) {
        members.meeting.ring_next(members.me);
    }

    /// All members have arrived: later turns may reuse the memory of earlier ones.
    fn settle(_: &Members<'_, '_, Self>) {}

    /// This member will soon write to its line of a later turn.
    fn make_ready(_: &Members<'_, '_, Self>) {}
}

/// A wait in the calling thread, for a blocking call of the program. Operations follow one another,
/// and each takes its round by rotation, or one of two when all wait for all. A member that arrives
/// at the next turn has left this one.
pub(super) enum InPlace {}

impl Wait for InPlace {
    #[inline(always)]
    fn come<'a>(
        lane: &Lane<'a>, meeting: &'a Meeting, me: usize, is_common: bool,
    ) -> (&'a Round, u32) {
        let (turn, _) = lane.number();
        let round = if is_common { meeting.common_round() } else { meeting.blocking.round(turn) };
        meeting.come(turn, me);
        (round, turn)
    }

    #[inline(always)]
    fn series<'a>(members: &Members<'_, 'a, InPlace>) -> &'a Series {
        &members.meeting.blocking
    }

    #[inline(always)]
    fn enter(members: &Members<'_, '_, InPlace>) -> impl Future<Output = Result> + Send {
        AtOnce(
            #[inline(always)]
            || members.enter_here(),
        )
    }

    #[inline(always)]
    fn wait(
        members: &Members<'_, '_, InPlace>, gate: Option<Gate>,
    ) -> impl Future<Output = Result> + Send {
        // At once, for a gate that is known where the wait is written costs less than one that is
        // carried in a future.
        Over(match gate {
            Some(gate) if !members.round.is_open(gate, members.turn) => members.wait_here(gate),
            _ => members.step(),
        })
    }

    #[inline(always)]
    fn open(members: &Members<'_, '_, InPlace>, gate: Gate) {
        members.meeting.open(members.round, gate, members.turn, members.me);
    }

    #[inline(always)]
    fn ring_few(members: &Members<'_, '_, InPlace>) {
        members.meeting.ring_few(members.me);
    }

    #[inline(always)]
    fn ring_one(members: &Members<'_, '_, InPlace>, place: usize) {
        members.meeting.ring_unfenced(place);
    }

    #[inline(always)]
    fn settle(members: &Members<'_, '_, InPlace>) {
        match members.is_common {
            true => members.meeting.blocking.settle_common(members.turn),
            false => members.meeting.blocking.settle(members.turn),
        }
    }

    #[inline(always)]
    fn make_ready(members: &Members<'_, '_, InPlace>) {
        if !members.is_common {
            members.meeting.blocking.make_ready(members.turn.wrapping_add(2), members.me);
        }
    }
}

/// A wait in a run that the engine carries on. Several may be under way, and end in any order: they
/// take rounds of another series. A member leaves when the run ends.
pub(super) enum AsRun {}

impl Wait for AsRun {
    fn come<'a>(lane: &Lane<'a>, _: &'a Meeting, _: usize, _: bool) -> (&'a Round, u32) {
        let drawn = lane.drawn();
        (drawn.come(), drawn.turn())
    }

    fn series<'a>(members: &Members<'_, 'a, AsRun>) -> &'a Series {
        members.lane.drawn().series()
    }

    async fn enter(members: &Members<'_, '_, AsRun>) -> Result {
        members.step()?;
        match members.lane.drawn().lacks() {
            Some(needed) => members.wait_for_release(needed).await,
            None => Ok(()),
        }
    }

    async fn wait(members: &Members<'_, '_, AsRun>, gate: Option<Gate>) -> Result {
        match gate.filter(|gate| !members.round.is_open(*gate, members.turn)) {
            None => members.step(),
            Some(gate) => members.wait_for_call(gate).await,
        }
    }

    /// The operation is one of many that its members may have under way.
    fn open(members: &Members<'_, '_, AsRun>, _: Gate) {
        members.meeting.ring_others(members.me);
    }

    fn ring_few(members: &Members<'_, '_, AsRun>) {
        members.meeting.ring_few(members.me);
    }
}

impl Members<'_, '_, InPlace> {
    /// Waits until no member needs the round's previous contents.
    #[inline(always)]
    pub(super) fn enter_here(&self) -> Result {
        self.step()?;
        match self.is_common || self.meeting.blocking.has_room(self.turn) {
            true => Ok(()),
            false => self.wait_long_for_room(),
        }
    }

    #[inline(never)]
    fn wait_long_for_room(&self) -> Result {
        let _ahead = self.meeting.blocking.wait_for_room(self.turn, self.me);
        self.wait_here(Gate::Room)
    }
}

impl<W: Wait> Members<'_, '_, W> {
    #[inline(never)]
    pub(super) fn wait_here(&self, mut gate: Gate) -> Result {
        let engine = &self.lane.process().engine;
        if self.is_small() && gate != Gate::Room {
            // The others are about as busy as this member.
            let looks = if gate.is_after_copies() { LONG_LOOKS } else { LOOKS };
            let is_open = || self.round.is_open(gate, self.turn);
            if comes_soon(looks, is_open) && !engine.is_stopping() {
                return self.step();
            }
            gate = self.compare(gate)?;
        }
        let wait = self.wait(gate);
        let mishap = match self.crowd.is_crowded() {
            true => engine.sleep_at_gate(&wait)?,
            false => engine.wait_at_gate(&wait)?,
        };
        mishap.map_or(Ok(()), |mishap| Err(failure(mishap)))
    }

    /// What others show does not come, or not with this member's mark: compares the calls, if they
    /// are still to be. Returns the gate to wait for.
    #[inline(never)]
    fn compare(&self, gate: Gate) -> Result<Gate> {
        let (Some(claim), Gate::AllShown { mark }) = (self.claim, gate) else { return Ok(gate) };
        let (lane, number) = (self.lane, self.lane.number().0 as i32);
        compare_at(self.meeting, lane.process(), lane.comm(), number, claim)?;
        let mark = mark.compared();
        self.round.line(self.me).show(self.turn, mark);
        W::ring_few(self);
        Ok(Gate::AllShown { mark })
    }
}

impl Members<'_, '_, AsRun> {
    async fn wait_for_call(&self, mut gate: Gate) -> Result {
        let turn = self.turn;
        if self.is_small() {
            if comes_soon(FEW_LOOKS, || self.round.is_open(gate, turn)) {
                return self.step();
            }
            gate = self.compare(gate)?;
        }
        let wait = self.wait(gate);
        let awaited = |enrolment| Awaited::Gate { enrolment, gate, turn, envelope: wait.envelope };
        self.wait_until(&wait, || wait.is_over(), awaited).await
    }

    /// Waits until all members have released what was in the round.
    async fn wait_for_release(&self, needed: u32) -> Result {
        let (series, wait) = (AsRun::series(self), self.wait(Gate::Room));
        let _ahead = series.wait_for(needed, self.me);
        let awaited = |enrolment| Awaited::Room { enrolment, needed, envelope: wait.envelope };
        self.wait_until(&wait, || series.are_as_far(needed), awaited).await
    }

    async fn wait_until(
        &self, wait: &MeetingWait<'_>, is_over: impl Fn() -> bool,
        awaited: impl Fn(Arc<Enrolment>) -> Awaited,
    ) -> Result {
        let Way::Nonblocking(run) = self.lane.way() else { unreachable!("a run does not block") };
        let engine = &self.lane.process().engine;
        let mishap = poll_fn(|_| {
            if is_over() {
                return Poll::Ready(None);
            }
            if let Some(mishap) = engine.objection(wait) {
                return Poll::Ready(Some(mishap));
            }
            engine.call_back(run, awaited(self.lane.drawn().enrolment().clone()));
            Poll::Pending
        });
        mishap.await.map_or(Ok(()), |mishap| Err(failure(mishap)))
    }
}

impl<'l, 'a, W: Wait> Members<'l, 'a, W> {
    /// Arrives at the operation of `lane`; `for_all`: all members wait for all others; `claim`:
    /// what it has called, if that is still to be compared.
    #[inline(always)]
    pub(super) async fn come(
        lane: &'l Lane<'a>, crowd: Crowd, for_all: bool, claim: Option<Claim>,
    ) -> Result<Members<'l, 'a, W>> {
        Members::begin(lane, crowd, for_all && !crowd.is_small(), claim).await
    }

    /// Arrives at the operation of `lane`; `is_common`: in the round kept for operations in which
    /// all wait for all.
    #[inline(always)]
    pub(super) async fn begin(
        lane: &'l Lane<'a>, crowd: Crowd, is_common: bool, claim: Option<Claim>,
    ) -> Result<Members<'l, 'a, W>> {
        if !lane.is_undisturbed() {
            object_at_first(lane)?;
        }
        let meeting = lane.comm().meeting(lane.process());
        let members = Members::join(lane, meeting, crowd, is_common, claim);
        W::enter(&members).await?;
        Ok(members)
    }

    /// Joins the members after the caller has found no failure; the caller enters next. `claim`:
    /// what it has called, if that is still to be compared.
    #[inline(always)]
    pub(super) fn join(
        lane: &'l Lane<'a>, meeting: &'a Meeting, crowd: Crowd, is_common: bool,
        claim: Option<Claim>,
    ) -> Members<'l, 'a, W> {
        let me = index(lane.rank());
        let (round, turn) = W::come(lane, meeting, me, is_common);
        Members { lane, meeting, round, turn, me, crowd, is_common, claim, wait: PhantomData }
    }

    /// The calling thread has made a step of its call.
    #[inline(always)]
    pub(super) fn step(&self) -> Result {
        Ok(self.lane.process().engine.step()?)
    }

    /// Waits until this gate is open.
    #[inline(always)]
    pub(super) fn until(&self, gate: Gate) -> impl Future<Output = Result> + Send {
        W::wait(self, Some(gate))
    }

    /// Waits until this gate is open, if there is a gate to wait for.
    #[inline(always)]
    pub(super) fn until_any(&self, gate: Option<Gate>) -> impl Future<Output = Result> + Send {
        W::wait(self, gate)
    }

    /// Fails if a member is known to be dead: for a member that gives without waiting for another.
    #[inline(always)]
    pub(super) fn must_be_whole(&self) -> Result {
        let engine = &self.lane.process().engine;
        if engine.is_calm() {
            return Ok(());
        }
        let objection = engine.objection_by_now(&self.wait(Gate::Room));
        objection.map_or(Ok(()), |mishap| Err(failure(mishap)))
    }

    #[inline(always)]
    pub(super) fn me(&self) -> usize {
        self.me
    }

    #[inline(always)]
    pub(super) fn lane(&self) -> &'l Lane<'a> {
        self.lane
    }

    #[inline(always)]
    pub(super) fn crowd(&self) -> Crowd {
        self.crowd
    }

    /// How many members there are.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        self.crowd.members()
    }

    /// Whether few members have cores of their own: then each polls what the others have published,
    /// and none waits for one that acts for all.
    #[inline(always)]
    pub(super) fn is_small(&self) -> bool {
        self.crowd.is_small()
    }

    /// Whether all members wait for all others.
    pub(super) fn is_common(&self) -> bool {
        self.is_common
    }

    /// Publishes a copy of what this member has.
    #[inline(always)]
    pub(super) fn put(&self, data: &Region) -> Result {
        W::make_ready(self);
        self.judge(self.round.put(self.me, data))
    }

    /// Publishes a copy of a block for each member.
    pub(super) fn put_blocks(&self, blocks: &[Region]) -> Result {
        self.judge(self.round.put_blocks(self.me, blocks))
    }

    /// Publishes the address of what this member has.
    pub(super) fn point_at(&self, data: &Region) {
        self.round.point_at(self.me, data);
    }

    /// Publishes the addresses of a block for each member.
    pub(super) fn point_at_blocks(&self, blocks: Vec<Region>) {
        self.round.point_at_blocks(self.me, blocks.into());
    }

    /// The copy that the member at `place` has published.
    #[inline(always)]
    pub(super) fn copy_of(&self, place: usize) -> Span {
        self.round.line(place).copy()
    }

    /// What the member at `place` has published.
    pub(super) fn laid(&self, place: usize) -> Laid {
        self.round.laid(place)
    }

    /// What all members have published.
    #[inline]
    pub(super) fn lines(&self) -> &[Line] {
        self.round.lines()
    }

    /// What it shows with its data: a fingerprint of what it has called, if that is still to be
    /// compared.
    #[inline(always)]
    pub(super) fn mark(&self) -> Mark {
        self.claim.map_or(Mark::NONE, |claim| claim.call().mark())
    }

    /// Ends this member on a fault: the unmapped memory is its own.
    #[inline(always)]
    pub(super) fn judge(&self, copied: std::result::Result<(), Fault>) -> Result {
        copied.map_err(|fault| self.suffer(fault.address))
    }

    #[cold]
    pub(super) fn suffer(&self, address: usize) -> Failure {
        self.lane.process().engine.suffer(address).into()
    }

    #[inline(always)]
    pub(super) fn meeting(&self) -> &'a Meeting {
        self.meeting
    }

    #[inline(always)]
    pub(super) fn turn(&self) -> u32 {
        self.turn
    }

    /// The round of this operation.
    #[inline(always)]
    pub(super) fn round(&self) -> &Round {
        self.round
    }

    /// The board to which the members write the parts that they combine.
    pub(super) fn board(&self, bytes: usize) -> Arc<Board> {
        self.meeting.board(self.round, self.turn, bytes)
    }

    /// This member no longer needs the board.
    pub(super) fn put_away(&self, board: Arc<Board>) {
        self.meeting.put_away(self.round, board);
    }

    #[inline(always)]
    pub(super) fn wait(&self, gate: Gate) -> MeetingWait<'_> {
        let (envelope, everyone) = (self.lane.own_envelope(), self.lane);
        MeetingWait {
            meeting: self.meeting,
            series: W::series(self),
            round: self.round,
            gate,
            turn: self.turn,
            envelope,
            everyone,
        }
    }
}

#[inline]
pub(super) fn index(rank: i32) -> usize {
    usize::try_from(rank).expect("ranks and sizes are not negative")
}
