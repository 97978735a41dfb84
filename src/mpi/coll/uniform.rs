//! Rounds that end alike at all members, as those must by which communicators are made.
//!
//! Everybody lays down what it has, and meets. Once all have come, all that anybody needs is there,
//! and no failure comes between any more; until then, a member that a failure ends gives up for
//! all.

use super::sitting::{Sitting, failure, index};
use crate::engine::{Gate, Mishap};
use crate::host::memory::{Region, Span};
use crate::mpi::error::{Failure, Result};
use crate::mpi::lane::Lane;
use std::ops::Range;

/// What all members have laid down.
pub struct Said<'r, 'l, 'a> {
    mine: &'r [u8],
    /// `None`: there is one member only.
    sitting: Option<&'r Sitting<'l, 'a>>,
}

impl Said<'_, '_, '_> {
    /// What the member with this rank has laid down.
    pub fn by(&self, rank: i32) -> Result<Vec<u8>> {
        self.of(rank..rank + 1)
    }

    /// What all have laid down, one after the other.
    pub fn by_all(&self, members: i32) -> Result<Vec<u8>> {
        self.of(0..members)
    }

    fn of(&self, ranks: Range<i32>) -> Result<Vec<u8>> {
        let Some(sitting) = self.sitting else { return Ok(self.mine.to_vec()) };
        let laid = || ranks.clone().map(|rank| sitting.copy_of(index(rank)));
        let mut bytes = vec![0; laid().map(|span| span.bytes()).sum()];
        let (room, mut start) = (Span::of_mut(&mut bytes), 0);
        for span in laid() {
            sitting.copy_span(span, room.part(start, span.bytes()))?;
            start += span.bytes();
        }
        Ok(bytes)
    }
}

/// All members lay down what they have, and each makes of it what `read` does; or all fail alike.
pub async fn unite<T>(
    lane: &Lane<'_>, mine: &[u8], read: impl FnOnce(Said<'_, '_, '_>) -> Result<T>,
) -> Result<T> {
    lane.look_round()?;
    if lane.size() == 1 {
        return read(Said { mine, sitting: None });
    }
    let sitting = Sitting::begin(lane, lane.number().0, true).await?;
    sitting.put(&Region::from(Span::of(mine)))?;
    sitting.all_united().await?;
    let made = read(Said { mine, sitting: Some(&sitting) });
    sitting.leave().await?;
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
    match Sitting::begin(lane, lane.number().0, true).await {
        Ok(sitting) => {
            sitting.all_there_or_none().await?;
            sitting.leave().await
        }
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
    Sitting::at(lane, meeting, meeting.common_round(), lane.number().0).give_up();
}

impl Sitting<'_, '_> {
    /// All come before anybody goes on, or all fail: who gives up does so for all. Nobody goes on
    /// before the last one has said where the next such turn takes place.
    async fn all_united(&self) -> Result {
        let (muster, turn) = (&self.round().muster, self.turn());
        if muster.arrive(turn, self.me()) {
            self.settle();
            self.round().finish(turn);
            self.open(Gate::Done);
            return Ok(self.lane().process().engine.step()?);
        }
        match self.until(Gate::Done).await {
            Err(failure) if !failure.is_death() && !muster.abandon(turn) => Ok(()),
            outcome => outcome,
        }
    }

    /// All come before anybody goes on, or nobody does. What ends some may never be known to
    /// others, so they are told.
    async fn all_there_or_none(&self) -> Result {
        let (muster, turn) = (&self.round().muster, self.turn());
        if muster.arrive(turn, self.me()) {
            self.settle();
            self.meeting().ring_others(self.me());
            return Ok(self.lane().process().engine.step()?);
        }
        match self.until(Gate::Decided).await {
            Err(failure) if failure.is_death() || self.give_up() => Err(failure),
            _ if muster.is_full(turn) => Ok(()),
            _ => Err(self.given_up()),
        }
    }

    /// This member goes no further, and so nobody does; false when all have come.
    fn give_up(&self) -> bool {
        let is_given_up = self.round().muster.abandon(self.turn());
        if is_given_up {
            self.meeting().ring_others(self.me());
        }
        is_given_up
    }

    /// Why another member has given up: somebody has died, which the caller may have yet to notice,
    /// or a communicator is revoked that it is not in.
    #[cold]
    fn given_up(&self) -> Failure {
        let death = self.lane().process().engine.first_dead(&**self.lane().everyone());
        failure(death.map_or(Mishap::Revoked, |rank| Mishap::Lost { rank }))
    }
}
