//! One collective operation's way through the meeting of its communicator: all members lay down
//! what they have, and take what they need, without messages.
//!
//! Small things are copied into the meeting's memory: whoever is ended by a death leaves at once,
//! and nobody is harmed. Of large things the meeting knows where they are. Their owner stays until
//! all who live have read them; if somebody's death keeps the members from coming together, he
//! makes sure first that nobody will begin to read.

use super::choice::Crowd;
use crate::base::Member;
use crate::engine::{Awaited, Gate, Hall, Laid, Meeting, Mishap, Outcome, Round, Vigil};
use crate::host::life::{self, Pin};
use crate::host::memory::{self, Fault, Region, Span, transfer_start};
use crate::mpi::error::{Class, Failure, Result, is_death};
use crate::mpi::failure::usability::must_be_fresh;
use crate::mpi::lane::Lane;
use crate::mpi::p2p::news;
use crate::mpi::run::Way;
use std::future::poll_fn;
use std::ops::Deref;
use std::sync::Arc;
use std::task::Poll;

/// How often one of few members looks before it waits in the ordinary way.
const LOOKS: u32 = 4096;

/// One member's part in one turn of a meeting.
pub(super) struct Sitting<'l, 'a> {
    lane: &'l Lane<'a>,
    meeting: &'a Meeting,
    place: Place<'a>,
    turn: u32,
    me: usize,
    members: usize,
    is_small: bool,
}

/// Which round it is.
enum Place<'a> {
    /// By rotation.
    Next(&'a Round),
    /// Where all wait for all.
    Common(&'a Round),
    /// Of its own.
    Apart(Hall),
}

impl Deref for Place<'_> {
    type Target = Round;
    #[inline]
    fn deref(&self) -> &Round {
        match self {
            Place::Next(round) | Place::Common(round) => round,
            Place::Apart(hall) => &hall.round,
        }
    }
}

impl<'l, 'a> Sitting<'l, 'a> {
    /// Comes to the turn of this operation, in which some only give. `None`: the operation goes by
    /// messages.
    #[inline]
    pub(super) fn of(lane: &'l Lane<'a>) -> impl Future<Output = Result<Option<Sitting<'l, 'a>>>> {
        Sitting::next(lane, false)
    }

    /// The same for an operation in which all wait for all.
    #[inline]
    pub(super) fn of_all(
        lane: &'l Lane<'a>,
    ) -> impl Future<Output = Result<Option<Sitting<'l, 'a>>>> {
        Sitting::next(lane, true)
    }

    /// The one or the other.
    pub(super) async fn next(
        lane: &'l Lane<'a>, is_for_all: bool,
    ) -> Result<Option<Sitting<'l, 'a>>> {
        let crowd = Crowd::of(lane);
        let Some(turn) = lane.turn().filter(|_| crowd.meets()) else { return Ok(None) };
        let is_common = is_for_all && !crowd.looks_round();
        Sitting::begin(lane, turn, is_common).await.map(Some)
    }

    /// The same, whatever the operation would go by.
    pub(super) async fn begin(
        lane: &'l Lane<'a>, turn: u32, is_common: bool,
    ) -> Result<Sitting<'l, 'a>> {
        must_be_fresh(lane.process(), lane.comm())?;
        let meeting = lane.comm().meeting(lane.process());
        let (me, members) = (index(lane.rank()), index(lane.size()));
        let is_small = Crowd::of(lane).looks_round();
        // Who goes apart gets a round of its own, and needs none of those by rotation.
        let is_apart = lane.way() != Way::Blocking;
        let place = match is_apart || is_common {
            true => Place::Common(meeting.common_round()),
            false => Place::Next(meeting.round(turn)),
        };
        let mut sitting = Sitting { lane, meeting, place, turn, me, members, is_small };
        sitting.come().await?;
        Ok(sitting)
    }

    /// The member of `lane`, which has come to this turn in another way.
    pub(super) fn at(
        lane: &'l Lane<'a>, meeting: &'a Meeting, round: &'a Round, turn: u32,
    ) -> Sitting<'l, 'a> {
        let (me, members) = (index(lane.rank()), index(lane.size()));
        let (place, is_small) = (Place::Next(round), Crowd::of(lane).looks_round());
        Sitting { lane, meeting, place, turn, me, members, is_small }
    }

    /// Fails where somebody is known to be dead: for who gives without waiting for anybody.
    pub(super) fn must_be_whole(&self) -> Result {
        let objection = self.lane.process().engine.objection_by_now(&self.vigil(Gate::Room));
        objection.map_or(Ok(()), |mishap| Err(failure(mishap)))
    }

    async fn come(&mut self) -> Result {
        let engine = &self.lane.process().engine;
        if let Some(mishap) = engine.objection_at_first(&self.vigil(Gate::Room)) {
            return Err(failure(mishap));
        }
        if self.lane.way() != Way::Blocking {
            let hall = self.meeting.come_apart(self.lane.number(), self.me);
            self.turn = hall.turn;
            self.place = Place::Apart(hall);
            return Ok(engine.step()?);
        }
        self.meeting.come(self.turn, self.me);
        engine.step()?;
        if matches!(self.place, Place::Common(_)) || self.meeting.has_room(self.turn) {
            return Ok(());
        }
        let _ahead = self.meeting.wait_for_room(self.turn, self.me);
        self.until(Gate::Room).await
    }

    pub(super) fn me(&self) -> usize {
        self.me
    }

    pub(super) fn lane(&self) -> &'l Lane<'a> {
        self.lane
    }

    /// How many members there are.
    pub(super) fn members(&self) -> usize {
        self.members
    }

    /// Whether few members have cores of their own: then each looks at what the others have, and
    /// nobody waits for one who does something for all.
    pub(super) fn is_small(&self) -> bool {
        self.is_small
    }

    /// Lays down a copy of what this member has.
    #[inline]
    pub(super) fn put(&self, data: &Region) -> Result {
        self.place.put(self.me, data).map_err(|fault| self.suffer(fault.address))
    }

    /// The same for a block for each member.
    pub(super) fn put_blocks(&self, blocks: &[Region]) -> Result {
        self.place.put_blocks(self.me, blocks).map_err(|fault| self.suffer(fault.address))
    }

    /// Says where what this member has is.
    pub(super) fn point_at(&self, data: &Region) {
        self.place.point_at(self.me, data);
    }

    /// The same for a block for each member.
    pub(super) fn point_at_blocks(&self, blocks: Vec<Region>) {
        self.place.point_at_blocks(self.me, blocks.into());
    }

    /// The copy that the member at `place` has laid down.
    #[inline]
    pub(super) fn copy_of(&self, place: usize) -> Span {
        self.place.line(place).copy()
    }

    /// What the member at `place` has laid down.
    pub(super) fn laid(&self, place: usize) -> Laid {
        self.place.laid(place)
    }

    /// All meet; whoever comes last does `finish` before the others go on.
    #[inline]
    pub(super) async fn all(&self, finish: impl FnOnce(&Sitting<'l, 'a>)) -> Result {
        if self.place.muster.arrive(self.turn, self.me) {
            self.settle();
            finish(self);
            self.place.finish(self.turn);
            self.open(Gate::Done);
            return Ok(self.lane.process().engine.step()?);
        }
        self.until(Gate::Done).await
    }

    /// All come before anybody goes on; what they point at is there from then on until
    /// [`Sitting::end_reading`]. On failure nobody reads it.
    pub(super) async fn all_there(&self) -> Result {
        if self.place.muster.arrive(self.turn, self.me) {
            self.settle();
            self.open(Gate::Full);
            return Ok(self.lane.process().engine.step()?);
        }
        match self.until(Gate::Full).await {
            Err(failure) if !failure.is_death() && !self.place.muster.abandon(self.turn) => {
                // All have come after all, and may read.
                Ok(())
            }
            outcome => outcome,
        }
    }

    pub(super) fn settle(&self) {
        match self.place {
            Place::Next(_) => self.meeting.settle(self.turn),
            Place::Common(_) => self.meeting.settle_common(self.turn),
            Place::Apart(_) => {}
        }
    }

    /// Says that what this member has is there, and waits for the same of all others. For few.
    pub(super) async fn all_shown(&self) -> Result {
        self.show()?;
        self.until(Gate::AllShown).await
    }

    /// Says to `root` that a copy of what this member has is there; `root` waits for all of them.
    pub(super) async fn all_at(&self, root: usize) -> Result {
        let is_root = root == self.me;
        if !self.is_small {
            return self.come_to(root).await;
        }
        self.place.line(self.me).show(self.turn);
        if is_root {
            return self.until(Gate::AllShown).await;
        }
        self.meeting.ring(root);
        Ok(self.lane.process().engine.step()?)
    }

    /// Tells the one at `root` that this member has come; that one waits for all.
    pub(super) async fn come_to(&self, root: usize) -> Result {
        let is_root = root == self.me;
        let is_last = self.place.muster.arrive(self.turn, self.me);
        if is_root {
            return self.until(Gate::Full).await;
        }
        if is_last {
            self.meeting.ring(root);
        }
        Ok(self.lane.process().engine.step()?)
    }

    /// Says that what this member has is there, for all others, who may come later.
    pub(super) fn show(&self) -> Result {
        self.place.line(self.me).show(self.turn);
        self.open(Gate::Shown { place: self.me });
        Ok(self.lane.process().engine.step()?)
    }

    /// Waits until the one at `root` has shown what it has.
    pub(super) async fn shown_by(&self, root: usize) -> Result {
        self.until(Gate::Shown { place: root }).await
    }

    /// The same for what the member at `previous` has laid down for this one alone.
    pub(super) async fn passed_by(&self, previous: usize) -> Result {
        self.until(Gate::Passed { place: previous }).await
    }

    /// Says that what this member has is there for the one after it, if there is one.
    pub(super) fn pass(&self) -> Result {
        self.place.line(self.me).show(self.turn);
        self.meeting.ring_next(self.me);
        Ok(self.lane.process().engine.step()?)
    }

    /// Reads nothing of others any more.
    pub(super) fn end_reading(&self) {
        if self.place.end_reading(self.turn, self.me) {
            self.open(Gate::AllRead);
        }
        // Whoever waits and knows of a death looks who is left.
        if !self.lane.process().engine.is_calm() {
            self.meeting.ring_others(self.me);
        }
    }

    /// The same for the one at `place` only, who waits for that.
    pub(super) fn end_reading_of(&self, place: usize) {
        self.place.end_reading(self.turn, self.me);
        self.meeting.ring(place);
    }

    /// The same for the one that all who point at something wait for.
    pub(super) fn end_reading_of_all(&self) {
        self.place.end_reading(self.turn, self.me);
        self.open(Gate::Read { place: self.me });
    }

    /// What others wait for has happened: they go on.
    #[inline]
    pub(super) fn open(&self, gate: Gate) {
        match &self.place {
            Place::Next(round) | Place::Common(round) => {
                self.meeting.open(round, gate, self.turn, self.me);
            }
            // The operation is one of many that its members may have under way.
            Place::Apart(_) => self.meeting.ring_others(self.me),
        }
    }

    /// Waits until all who live read nothing any more. When somebody has died before, that is told.
    pub(super) async fn all_have_read(&self) -> Result<Option<Failure>> {
        let outcome = self.until(Gate::AllRead).await;
        if is_death(&outcome) {
            return Err(Failure::died());
        }
        if outcome.is_err() {
            let nobody = || (0..self.members).all(|place| self.reads_nothing(place));
            self.lane.process().engine.sit_out(&self.vigil(Gate::AllRead), nobody)?;
        }
        self.take_back()?;
        Ok(outcome.err())
    }

    /// Waits until the one at `root` has read what this member points at.
    pub(super) async fn read_by(&self, root: usize) -> Result {
        let gate = Gate::Read { place: root };
        let outcome = self.until(gate).await;
        if is_death(&outcome) {
            return outcome;
        }
        if outcome.is_err() {
            // Unless all have come, nobody will read.
            if self.place.muster.abandon(self.turn) {
                return outcome;
            }
            let engine = &self.lane.process().engine;
            engine.sit_out(&self.vigil(gate), || self.reads_nothing(root))?;
        }
        self.take_back()?;
        if self.place.has_read(self.turn, root) { Ok(()) } else { outcome }
    }

    /// What was not there is this member's own fault.
    fn take_back(&self) -> Result {
        self.place.take_back(self.me).map_or(Ok(()), |address| Err(self.suffer(address)))
    }

    /// Whether the one at `place` does not read any more, or never will.
    fn reads_nothing(&self, place: usize) -> bool {
        self.place.has_read(self.turn, place)
            || self.lane.process().world.is_dead(self.member(place))
    }

    fn member(&self, place: usize) -> Member {
        self.lane.comm().member(i32::try_from(place).expect("ranks fit an int"))
    }

    /// This member needs nothing any more of what others have laid down, and has nothing there that
    /// others might still want.
    pub(super) async fn leave(self) -> Result {
        self.keep_pace().await?;
        match &self.place {
            Place::Next(_) | Place::Common(_) => self.meeting.let_go(self.turn, self.me),
            Place::Apart(_) => self.meeting.leave_apart(self.lane.number()),
        }
        Ok(())
    }

    /// Now and then those who need not wait for others do, lest they come too far ahead.
    async fn keep_pace(&self) -> Result {
        if !self.lane.is_paced() || !matches!(self.place, Place::Apart(_)) {
            return Ok(());
        }
        if !self.place.has_read(self.turn, self.me) {
            self.end_reading();
        }
        self.until(Gate::AllRead).await
    }

    /// Copies `bytes` of what is laid down at `place`, from `offset` on. False when the memory went
    /// with its owner.
    pub(super) fn fetch(
        &self, from: &Laid, place: usize, part: Part, into: &Region,
    ) -> Result<bool> {
        let Part { offset, bytes } = part;
        let (source, is_own) = match from {
            Laid::Copy(span) => (Region::from(span.part(offset, bytes)), true),
            Laid::Copies(blocks) => (blocks[self.me].part(offset, bytes), true),
            Laid::There(region) => (region.part(offset, bytes), place == self.me),
            Laid::Blocks(blocks) => (blocks[self.me].part(offset, bytes), place == self.me),
        };
        let pin = if is_own { None } else { Some(self.pin(place)) };
        if let Some(None) = pin {
            return Ok(false);
        }
        match transfer_start(&source, into, bytes) {
            Ok(()) => Ok(true),
            Err(Fault { address, in_source: true }) if !is_own => {
                self.place.blame(place, address);
                Ok(false)
            }
            Err(fault) => Err(self.suffer(fault.address)),
        }
    }

    /// Keeps the memory of the member at `place` where it is, if it is there.
    pub(super) fn pin(&self, place: usize) -> Option<Pin> {
        let Member { seat, incarnation } = self.member(place);
        life::pin(seat, incarnation)
    }

    /// What to say of memory of the member at `place` that is not there: this member's own is its
    /// end.
    #[cold]
    pub(super) fn missed(&self, place: usize, address: usize) -> Failure {
        if place == self.me {
            return self.suffer(address);
        }
        self.place.blame(place, address);
        self.lost(place)
    }

    /// Takes what the member at `place` has for this one: a share of it where all get equal ones,
    /// which is judged like a message.
    pub(super) fn take(&self, place: usize, share: Share, into: &Region) -> Result {
        let from = self.laid(place);
        let (offset, sent) = match (&from, share) {
            (Laid::Blocks(blocks) | Laid::Copies(blocks), _) => (0, blocks[self.me].bytes()),
            (from, Share::All) => (0, from.bytes()),
            (from, Share::Mine) => {
                let each = from.bytes() / self.members;
                (each * self.me, each)
            }
        };
        let room = into.bytes();
        if sent > room {
            let mishap = Some(Mishap::Truncated { sent });
            let outcome = Outcome { bytes: room, mishap, ..Outcome::default() };
            self.lane.note(news(&outcome))?;
        }
        let part = Part { offset, bytes: sent.min(room) };
        match self.fetch(&from, place, part, into)? {
            true => Ok(()),
            false => Err(self.lost(place)),
        }
    }

    /// The news that the member at `place` is dead, with what it had.
    pub(super) fn lost(&self, place: usize) -> Failure {
        self.lane.loss(i32::try_from(place).expect("ranks fit an int"))
    }

    /// Copies a part of the meeting's own memory.
    pub(super) fn copy(&self, from: Span, into: &Region) -> Result {
        transfer_start(&from.into(), into, from.bytes().min(into.bytes()))
            .map_err(|fault| self.suffer(fault.address))
    }

    /// The same to memory in one piece.
    #[inline]
    pub(super) fn copy_span(&self, from: Span, to: Span) -> Result {
        memory::copy(from, to).map_err(|fault| self.suffer(fault.address))
    }

    fn suffer(&self, address: usize) -> Failure {
        self.lane.process().engine.suffer(address).into()
    }

    /// Notes that the members disagree on how much there is to be combined.
    #[cold]
    pub(super) fn note_disagreement(&self, mine: usize) -> Result {
        let sizes = (0..self.members).map(|place| (place, self.laid(place).bytes()));
        let (rank, bytes) = sizes.into_iter().find(|(_, n)| *n != mine).unwrap_or((self.me, mine));
        self.lane.note(Err(disagreement(rank, bytes, mine)))
    }

    /// How many bytes each has laid down, if all have as many.
    pub(super) fn equal_bytes(&self) -> Option<usize> {
        self.place.equal_bytes()
    }

    pub(super) fn meeting(&self) -> &'a Meeting {
        self.meeting
    }

    pub(super) fn turn(&self) -> u32 {
        self.turn
    }

    /// The round itself.
    pub(super) fn round(&self) -> &Round {
        &self.place
    }

    /// Memory for what all combine.
    pub(super) fn board(&self, bytes: usize) -> Arc<crate::engine::Board> {
        self.meeting.board(&self.place, self.turn, bytes)
    }

    /// This member is done with it.
    pub(super) fn put_away(&self, board: Arc<crate::engine::Board>) {
        self.meeting.put_away(&self.place, board);
    }

    #[inline]
    pub(super) async fn until(&self, gate: Gate) -> Result {
        let (engine, vigil) = (&self.lane.process().engine, self.vigil(gate));
        let mishap = match (self.lane.way(), &self.place) {
            (Way::Nonblocking(run), Place::Apart(hall)) => {
                poll_fn(|_| {
                    if vigil.is_over() {
                        return Poll::Ready(None);
                    }
                    if let Some(mishap) = engine.objection(&vigil) {
                        return Poll::Ready(Some(mishap));
                    }
                    let (hall, envelope) = (hall.clone(), vigil.envelope);
                    engine.call_back(run, Awaited { hall, gate, envelope });
                    Poll::Pending
                })
                .await
            }
            // The others are busy with as much as this one.
            _ if self.is_small && (0..LOOKS).any(|_| vigil.is_over()) => {
                return Ok(engine.step()?);
            }
            _ => engine.keep_vigil(&vigil)?,
        };
        mishap.map_or(Ok(()), |mishap| Err(failure(mishap)))
    }

    #[inline]
    fn vigil(&self, gate: Gate) -> Vigil<'_> {
        let (envelope, everyone) = (self.lane.own_envelope(), self.lane.everyone());
        let (meeting, round, turn) = (self.meeting, &*self.place, self.turn);
        Vigil { meeting, round, gate, turn, envelope, everyone }
    }
}

/// Some of what is laid down.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) offset: usize,
    pub(super) bytes: usize,
}

/// How much of what another member has is for this one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Share {
    All,
    Mine,
}

/// The news that somebody could not do his part, because of a death.
#[cold]
pub(super) fn spoilt() -> Failure {
    Class::PROC_ABORTED.because("a member has died before the others had read what it gave")
}

/// The news that the member with this rank has so many bytes, and this one others.
#[cold]
pub(super) fn disagreement(rank: usize, bytes: usize, mine: usize) -> Failure {
    let words = format!("rank {rank} reduces {bytes} bytes where this rank reduces {mine}");
    Class::COUNT.because(words)
}

#[cold]
pub(super) fn failure(mishap: Mishap) -> Failure {
    let outcome = Outcome { mishap: Some(mishap), ..Outcome::default() };
    news(&outcome).expect_err("a mishap is a failure")
}

pub(super) fn index(rank: i32) -> usize {
    usize::try_from(rank).expect("ranks and sizes are not negative")
}
