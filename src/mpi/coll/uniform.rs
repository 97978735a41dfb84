//! Rounds that end alike at all members, as those must by which communicators are made.
//!
//! Everybody lays down what it has, and meets. Once all have come, all that anybody needs is there,
//! and no failure comes between any more; until then, a member that a failure ends gives up for
//! all.

use super::members::{AsRun, InPlace, Members, Wait, failure, index};
use super::select::Crowd;
use crate::engine::{Everyone, Gate, Line, Meeting, Mishap, Round};
use crate::host::memory::{Region, Span, copy};
use crate::mpi::error::{Failure, Result};
use crate::mpi::lane::Lane;
use crate::mpi::run::Way;
use std::ops::Range;

/// What all members have laid down.
pub struct Said<'r> {
    mine: &'r [u8],
    /// `None`: there is one member only.
    lines: Option<&'r [Line]>,
}

impl Said<'_> {
    /// What the member with this rank has laid down.
    pub fn by(&self, rank: i32) -> Result<Vec<u8>> {
        self.of(rank..rank + 1)
    }

    /// What all have laid down, one after the other.
    pub fn by_all(&self, members: i32) -> Result<Vec<u8>> {
        self.of(0..members)
    }

    fn of(&self, ranks: Range<i32>) -> Result<Vec<u8>> {
        let Some(lines) = self.lines else { return Ok(self.mine.to_vec()) };
        let laid = || lines[index(ranks.start)..index(ranks.end)].iter().map(Line::copy);
        let mut bytes = vec![0; laid().map(|span| span.bytes()).sum()];
        let (room, mut start) = (Span::of_mut(&mut bytes), 0);
        for span in laid() {
            copy(span, room.part(start, span.bytes())).expect("both are the library's own");
            start += span.bytes();
        }
        Ok(bytes)
    }
}

/// All members lay down what they have, and each makes of it what `read` does; or all fail alike.
pub async fn unite<T>(
    lane: &Lane<'_>, mine: &[u8], read: impl FnOnce(Said<'_>) -> Result<T>,
) -> Result<T> {
    lane.look_round()?;
    if lane.size() == 1 {
        return read(Said { mine, lines: None });
    }
    let crowd = Crowd::of(lane);
    match lane.way() {
        Way::Blocking => unite_as(Members::<InPlace>::begin(lane, crowd, true)?, mine, read).await,
        Way::Nonblocking(_) => {
            unite_as(Members::<AsRun>::begin(lane, crowd, true)?, mine, read).await
        }
    }
}

async fn unite_as<T>(
    members: Members<'_, '_, impl Wait>, mine: &[u8], read: impl FnOnce(Said<'_>) -> Result<T>,
) -> Result<T> {
    members.put(&Region::from(Span::of(mine)))?;
    members.all_or_none().await?;
    let made = read(Said { mine, lines: Some(members.lines()) });
    members.leave().await?;
    made
}

/// What the first member has in `bytes` comes to all members, or to none.
pub async fn unite_behind(lane: &Lane<'_>, bytes: &mut [u8]) -> Result {
    let mine = if lane.rank() == 0 { bytes.to_vec() } else { Vec::new() };
    let told = unite(lane, &mine, |said| said.by(0)).await?;
    bytes.copy_from_slice(&told);
    Ok(())
}

/// Waits until all members have come, or one has given up: all are told alike. For members who may
/// be ended by what the others never hear of.
pub async fn close(lane: &Lane<'_>) -> Result {
    match Members::<InPlace>::begin(lane, Crowd::of(lane), true) {
        Ok(members) => members.all_told_or_none().await,
        Err(failure) if failure.is_death() => Err(failure),
        Err(failure) => {
            give_up(lane);
            Err(failure)
        }
    }
}

/// Gives up for all.
pub fn give_up(lane: &Lane<'_>) {
    let meeting = lane.comm().meeting(lane.process());
    let (turn, _) = lane.number();
    abandon(meeting, meeting.common_round(), turn, index(lane.rank()));
}

impl<W: Wait> Members<'_, '_, W> {
    /// All come before anybody goes on, or all fail: who gives up does so for all. Nobody goes on
    /// before the last one has said where the next such turn takes place.
    pub(super) async fn all_or_none(&self) -> Result {
        match self.until_any(self.arrive(|| ())).await {
            Err(failure) if !failure.is_death() && !self.round().arrivals.abandon(self.turn()) => {
                Ok(())
            }
            outcome => outcome,
        }
    }

    /// The same, and all hear of it. What ends some may never be known to others, so they are told.
    pub(super) async fn all_told_or_none(&self) -> Result {
        if self.round().arrivals.arrive(self.turn(), self.me()) {
            W::settle(self);
            self.meeting().ring_others(self.me());
            return self.step();
        }
        match self.until(Gate::Decided).await {
            Err(failure) if failure.is_death() || self.give_up() => Err(failure),
            _ if self.round().arrivals.is_full(self.turn()) => Ok(()),
            _ => Err(self.given_up()),
        }
    }

    /// This member goes no further, and so nobody does; false when all have come.
    fn give_up(&self) -> bool {
        abandon(self.meeting(), self.round(), self.turn(), self.me())
    }

    /// Why another member has given up: somebody has died, which the caller may have yet to notice,
    /// or a communicator is revoked that it is not in.
    #[cold]
    fn given_up(&self) -> Failure {
        let death = self.lane().process().engine.first_dead(&*Everyone::roster(self.lane()));
        failure(death.map_or(Mishap::Revoked, |rank| Mishap::Lost { rank }))
    }
}

/// The member at `place` goes no further, and so nobody does; false when all have come.
fn abandon(meeting: &Meeting, round: &Round, turn: u32, place: usize) -> bool {
    let is_given_up = round.arrivals.abandon(turn);
    if is_given_up {
        meeting.ring_others(place);
    }
    is_given_up
}
