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

use super::select::Crowd;
use crate::base::sync::cache::comes_soon;
use crate::engine::{
    Awaited, Board, Enrolment, Gate, Laid, Line, Meeting, MeetingWait, Mishap, Outcome, Round,
    Series,
};
use crate::host::memory::{Fault, Region, Span};
use crate::mpi::error::{Failure, Result};
use crate::mpi::failure::usability::must_be_fresh;
use crate::mpi::lane::Lane;
use crate::mpi::p2p::outcome::news;
use crate::mpi::run::{AtOnce, Way};
use std::future::poll_fn;
use std::marker::PhantomData;
use std::sync::Arc;
use std::task::Poll;

/// How often one of few members polls before it waits in the ordinary way: for a step that others
/// do at once, and for one that takes as long as a copy.
const LOOKS: u32 = 64;
const LONG_LOOKS: u32 = 1024;

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
    wait: PhantomData<W>,
}

/// How a member waits, and which round it takes for an operation.
pub trait Wait: Sized + Send + Sync + 'static {
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
        AtOnce(
            #[inline(always)]
            move || match gate {
                Some(gate) if !members.round.is_open(gate, members.turn) => members.wait_here(gate),
                _ => members.step(),
            },
        )
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

    #[inline(never)]
    fn wait_here(&self, gate: Gate) -> Result {
        let (engine, wait) = (&self.lane.process().engine, self.wait(gate));
        if self.is_small() && gate != Gate::Room {
            // The others are about as busy as this member.
            let looks = if gate.is_after_copies() { LONG_LOOKS } else { LOOKS };
            if comes_soon(looks, || wait.is_over()) && !engine.is_stopping() {
                return self.step();
            }
        }
        let mishap = match self.crowd.is_crowded() {
            true => engine.sleep_at_gate(&wait)?,
            false => engine.wait_at_gate(&wait)?,
        };
        mishap.map_or(Ok(()), |mishap| Err(failure(mishap)))
    }
}

impl Members<'_, '_, AsRun> {
    async fn wait_for_call(&self, gate: Gate) -> Result {
        let (wait, turn) = (self.wait(gate), self.turn);
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
    /// Arrives at the operation of `lane`; `for_all`: all members wait for all others.
    #[inline(always)]
    pub(super) async fn come(
        lane: &'l Lane<'a>, crowd: Crowd, for_all: bool,
    ) -> Result<Members<'l, 'a, W>> {
        Members::begin(lane, crowd, for_all && !crowd.is_small()).await
    }

    /// Arrives at the operation of `lane`; `is_common`: in the round kept for operations in which
    /// all wait for all.
    #[inline(always)]
    pub(super) async fn begin(
        lane: &'l Lane<'a>, crowd: Crowd, is_common: bool,
    ) -> Result<Members<'l, 'a, W>> {
        if !lane.is_undisturbed() {
            object_at_first(lane)?;
        }
        let meeting = lane.comm().meeting(lane.process());
        let members = Members::join(lane, meeting, crowd, is_common);
        W::enter(&members).await?;
        Ok(members)
    }

    /// Joins the members after the caller has found no failure; the caller enters next.
    #[inline(always)]
    pub(super) fn join(
        lane: &'l Lane<'a>, meeting: &'a Meeting, crowd: Crowd, is_common: bool,
    ) -> Members<'l, 'a, W> {
        let me = index(lane.rank());
        let (round, turn) = W::come(lane, meeting, me, is_common);
        Members { lane, meeting, round, turn, me, crowd, is_common, wait: PhantomData }
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

    /// All members meet. Few members each look at what the others have shown; otherwise the last
    /// member to arrive runs `finish` before the others continue.
    #[inline(always)]
    pub(super) fn all(&self, finish: impl FnOnce()) -> impl Future<Output = Result> + Send {
        self.until_any(match self.is_small() {
            true => {
                self.round.line(self.me).show(self.turn);
                W::ring_few(self);
                Some(Gate::AllShown)
            }
            false => self.arrive(finish),
        })
    }

    /// All members meet; the last member to arrive runs `finish` before the others continue.
    #[inline]
    pub(super) fn all_behind(&self, finish: impl FnOnce()) -> impl Future<Output = Result> + Send {
        self.until_any(self.arrive(finish))
    }

    #[inline(always)]
    pub(super) fn arrive(&self, finish: impl FnOnce()) -> Option<Gate> {
        if !self.round.arrivals.arrive(self.turn, self.me) {
            return Some(Gate::Done);
        }
        W::settle(self);
        finish();
        self.round.finish(self.turn);
        W::open(self, Gate::Done);
        None
    }

    /// All members arrive before any continues; what they point at stays there until
    /// [`Members::end_reading`]. On failure no member reads it.
    pub(super) async fn all_there(&self) -> Result {
        let mut gate = Some(Gate::Full);
        if self.round.arrivals.arrive(self.turn, self.me) {
            W::settle(self);
            W::open(self, Gate::Full);
            gate = None;
        }
        match self.until_any(gate).await {
            Err(failure) if !failure.is_death() && !self.round.arrivals.abandon(self.turn) => {
                // All members have arrived after all, and may read.
                Ok(())
            }
            outcome => outcome,
        }
    }

    /// Tells `root` that a copy of what this member has is published; `root` waits for all of them.
    #[inline(always)]
    pub(super) fn all_at(&self, root: usize) -> impl Future<Output = Result> + Send {
        self.until_any(match self.is_small() {
            true if root == self.me => {
                self.round.line(self.me).show_here(self.turn);
                Some(Gate::AllShown)
            }
            true => {
                self.round.line(self.me).show(self.turn);
                self.tell_root(root, true, Gate::AllShown)
            }
            false => self.arrive_at(root),
        })
    }

    /// Tells the member at `root` that this member has arrived; the root waits for all.
    #[inline(always)]
    pub(super) fn come_to(&self, root: usize) -> impl Future<Output = Result> + Send {
        self.until_any(self.arrive_at(root))
    }

    #[inline(always)]
    fn arrive_at(&self, root: usize) -> Option<Gate> {
        let is_last = self.round.arrivals.arrive(self.turn, self.me);
        self.tell_root(root, is_last, Gate::Full)
    }

    #[inline(always)]
    fn tell_root(&self, root: usize, is_news: bool, gate: Gate) -> Option<Gate> {
        if root == self.me {
            return Some(gate);
        }
        if is_news {
            W::ring_one(self, root);
        }
        None
    }

    /// Shows what this member has to all others, which may arrive later.
    #[inline(always)]
    pub(super) fn show(&self) -> Result {
        self.round.line(self.me).show(self.turn);
        W::open(self, Gate::Shown { place: self.me });
        self.step()
    }

    /// Waits until the member at `root` has shown what it has.
    #[inline(always)]
    pub(super) fn shown_by(&self, root: usize) -> impl Future<Output = Result> + Send {
        self.until(Gate::Shown { place: root })
    }

    /// Waits until the member at `previous` has passed on what it published for this member alone.
    #[inline(always)]
    pub(super) fn passed_by(&self, previous: usize) -> impl Future<Output = Result> + Send {
        self.until(Gate::Passed { place: previous })
    }

    /// Passes on what this member has to the next one, if there is one.
    #[inline]
    pub(super) fn pass(&self) -> Result {
        self.round.line(self.me).show(self.turn);
        W::pass(self);
        self.step()
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

#[cold]
pub(super) fn failure(mishap: Mishap) -> Failure {
    let outcome = Outcome { mishap: Some(mishap), ..Outcome::default() };
    news(&outcome).expect_err("a mishap is a failure")
}

/// Fails if a failure forbids a new operation of `lane`.
#[cold]
#[inline(never)]
pub(super) fn object_at_first(lane: &Lane<'_>) -> Result {
    must_be_fresh(lane.process(), lane.comm())?;
    // Any round will do: it only says which operation asks.
    let meeting = lane.comm().meeting(lane.process());
    let (round, (turn, _)) = (meeting.common_round(), lane.number());
    let (envelope, everyone) = (lane.own_envelope(), lane);
    let series = &meeting.blocking;
    let wait = MeetingWait { meeting, series, round, gate: Gate::Room, turn, envelope, everyone };
    let objection = lane.process().engine.objection_at_first(&wait);
    objection.map_or(Ok(()), |mishap| Err(failure(mishap)))
}

#[inline]
pub(super) fn index(rank: i32) -> usize {
    usize::try_from(rank).expect("ranks and sizes are not negative")
}
