//! One collective operation's way through the meeting of its communicator: all members lay down
//! what they have, and take what they need, without messages.
//!
//! What lies in a meeting is the library's own memory. So whoever is ended by a death leaves at once,
//! and nobody is harmed: what others find there is whole, or they are ended, too.

use super::choice::Crowd;
use crate::engine::{Gate, Line, Meeting, Mishap, Outcome, Round, Vigil};
use crate::host::memory::{Region, Span, transfer_start};
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::judgement::must_be_fresh;
use crate::mpi::lane::Lane;
use crate::mpi::pt2pt::news;

/// One member's part in one turn of a meeting.
pub(super) struct Sitting<'l, 'a> {
    pub(super) lane: &'l Lane<'a>,
    meeting: &'a Meeting,
    round: &'a Round,
    turn: u32,
    place: usize,
    members: usize,
    is_small: bool,
}

impl<'l, 'a> Sitting<'l, 'a> {
    /// Comes to the turn of this operation. `None`: the operation goes by messages.
    pub(super) async fn of(lane: &'l Lane<'a>) -> Result<Option<Sitting<'l, 'a>>> {
        let crowd = Crowd::of(lane);
        let Some(turn) = lane.turn().filter(|_| crowd.meets()) else { return Ok(None) };
        must_be_fresh(lane.process(), lane.comm())?;
        let meeting = lane.comm().meeting(lane.process());
        let (place, members) = (index(lane.rank()), index(lane.size()));
        let (round, is_small) = (meeting.round(turn), crowd.looks_round());
        let sitting = Sitting { lane, meeting, round, turn, place, members, is_small };
        sitting.come().await?;
        Ok(Some(sitting))
    }

    async fn come(&self) -> Result {
        let process = self.lane.process();
        if let Some(mishap) = process.engine.objection(&self.vigil(Gate::Room)) {
            return Err(failure(mishap));
        }
        self.meeting.come(self.turn, self.place);
        process.engine.step()?;
        if self.meeting.has_room(self.turn) {
            return Ok(());
        }
        let _ahead = self.meeting.wait_for_room(self.place);
        self.until(Gate::Room).await
    }

    /// How many members there are.
    pub(super) fn members(&self) -> usize {
        self.members
    }

    /// Lays down what this member has.
    #[inline]
    pub(super) fn put(&self, data: &Region) -> Result {
        let put = self.round.put(self.place, data);
        put.map_err(|fault| Failure::from(self.lane.process().engine.suffer(fault.address)))
    }

    /// What the member with this rank has laid down.
    #[inline]
    pub(super) fn found(&self, rank: i32) -> Span {
        self.found_at(index(rank))
    }

    /// The same for the member at this place.
    #[inline]
    pub(super) fn found_at(&self, place: usize) -> Span {
        self.round.line(place).found()
    }

    fn line(&self, rank: i32) -> &'a Line {
        self.round.line(index(rank))
    }

    /// All meet; whoever comes last does `finish` before the others go on.
    #[inline]
    pub(super) async fn all(&self, finish: impl FnOnce(&Sitting<'l, 'a>)) -> Result {
        if self.round.muster.arrive(self.turn, self.place) {
            self.meeting.settle(self.turn);
            finish(self);
            self.round.finish(self.turn);
            self.meeting.ring_others(self.place);
            return Ok(self.lane.process().engine.step()?);
        }
        self.until(Gate::Done).await
    }

    /// Whether few members have cores of their own: then each looks at what the others have, and
    /// nobody waits for one who does something for all.
    pub(super) fn is_small(&self) -> bool {
        self.is_small
    }

    /// Says that what this member has is there, and waits for the same of all others. For few.
    pub(super) async fn all_shown(&self) -> Result {
        self.show()?;
        self.until(Gate::AllShown).await
    }

    /// Says to `root` that what this member has is there; `root` waits for the same of all others.
    pub(super) async fn all_at(&self, root: i32) -> Result {
        let is_root = root == self.lane.rank();
        if self.is_small {
            self.line(self.lane.rank()).show(self.turn);
            if is_root {
                return self.until(Gate::AllShown).await;
            }
            self.meeting.ring(index(root));
            return Ok(());
        }
        let is_last = self.round.muster.arrive(self.turn, self.place);
        if is_root {
            return self.until(Gate::Full).await;
        }
        if is_last {
            self.meeting.ring(index(root));
        }
        Ok(())
    }

    /// Says that what this member has is there, for all others, who may come later.
    pub(super) fn show(&self) -> Result {
        self.line(self.lane.rank()).show(self.turn);
        self.meeting.ring_others(self.place);
        Ok(self.lane.process().engine.step()?)
    }

    /// Waits until `root` has shown what it has, and finds it.
    pub(super) async fn shown_by(&self, root: i32) -> Result<Span> {
        self.until(Gate::Shown { place: index(root) }).await?;
        Ok(self.found(root))
    }

    /// This member needs nothing any more of what others have laid down.
    pub(super) fn leave(self) {
        self.meeting.let_go(self.turn, self.place);
    }

    /// Copies what `rank` has laid down, which is judged like a message.
    pub(super) fn take(&self, rank: i32, from: Span, into: &Region) -> Result {
        let (sent, room) = (from.bytes(), into.bytes());
        if sent > room {
            self.lane.note(news(&Outcome {
                source: rank,
                mishap: Some(Mishap::Truncated { sent, room }),
                ..Outcome::default()
            }))?;
        }
        self.copy(from, into)
    }

    /// Copies as much as fits.
    pub(super) fn copy(&self, from: Span, into: &Region) -> Result {
        transfer_start(&from.into(), into, from.bytes().min(into.bytes()))
            .map_err(|fault| Failure::from(self.lane.process().engine.suffer(fault.address)))
    }

    /// Notes that the members disagree on how much there is to be combined.
    #[cold]
    pub(super) fn note_disagreement(&self, mine: usize) -> Result {
        let ranks = 0..self.lane.size();
        let other = ranks.map(|rank| (rank, self.found(rank).bytes())).find(|(_, n)| *n != mine);
        let (rank, bytes) = other.unwrap_or((self.lane.rank(), mine));
        let words = format!("rank {rank} reduces {bytes} bytes where this rank reduces {mine}");
        self.lane.note(Err(Class::COUNT.because(words)))
    }

    /// How many bytes each has laid down, if all have as many.
    pub(super) fn equal_bytes(&self) -> Option<usize> {
        let lines = self.round.lines();
        let bytes = lines[0].found().bytes();
        lines.iter().all(|line| line.found().bytes() == bytes).then_some(bytes)
    }

    /// Tells all what [`Sitting::equal_bytes`] says.
    pub(super) fn agree_on_bytes(&self, bytes: Option<usize>) {
        self.round.agree_on_bytes(bytes);
    }

    /// What whoever came last found about that.
    pub(super) fn agreed_bytes(&self) -> Option<usize> {
        self.round.agreed_bytes()
    }

    #[inline]
    async fn until(&self, gate: Gate) -> Result {
        let engine = &self.lane.process().engine;
        let is_open = || self.meeting.is_open(self.round, gate, self.turn);
        match engine.keep_vigil(&self.vigil(gate), is_open)? {
            None => Ok(()),
            Some(mishap) => Err(failure(mishap)),
        }
    }

    fn vigil(&self, gate: Gate) -> Vigil<'_> {
        let (envelope, everyone) = (self.lane.own_envelope(), self.lane.everyone());
        Vigil { meeting: self.meeting, gate, turn: self.turn, envelope, everyone }
    }
}

#[cold]
fn failure(mishap: Mishap) -> Failure {
    let outcome = Outcome { mishap: Some(mishap), ..Outcome::default() };
    news(&outcome).err().expect("a mishap is a failure")
}

fn index(rank: i32) -> usize {
    usize::try_from(rank).expect("ranks and sizes are not negative")
}
