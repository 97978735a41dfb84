//! Uniform rounds: all members succeed or all fail. Communicator creation needs that.
//!
//! Every member publishes what it has, and meets the others. Once all have arrived, everything that
//! any member needs is there, and no failure can intervene; until then, a member that a failure
//! ends gives up for all.

use super::members::{AsRun, InPlace, Members, Wait, index};
use super::objection::failure;
use super::select::Crowd;
use super::told::{self, HEAD, hear_all};
use crate::engine::{Everyone, Gate, Line, Meeting, Mishap, Round};
use crate::host::memory::{Region, Span, copy};
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::lane::Lane;
use crate::mpi::run::Way;
use std::ops::Range;

/// What all members have published.
pub struct Said<'r> {
    by: Words<'r>,
}

enum Words<'r> {
    /// There is only one member.
    Mine(&'r [u8]),
    /// Each begins with this, unless its member has called something else.
    Lines([u8; HEAD], &'r [Line]),
    /// They share no memory.
    Heard(&'r [Vec<u8>]),
}

impl Said<'_> {
    /// What the member with this rank has published.
    pub fn by(&self, rank: i32) -> Result<Vec<u8>> {
        self.of(rank..rank + 1)
    }

    /// What all members have published, one after the other.
    pub fn by_all(&self, members: i32) -> Result<Vec<u8>> {
        self.of(0..members)
    }

    fn of(&self, ranks: Range<i32>) -> Result<Vec<u8>> {
        let (head, lines) = match self.by {
            Words::Mine(mine) => return Ok(mine.to_vec()),
            Words::Heard(all) => return Ok(all[index(ranks.start)..index(ranks.end)].concat()),
            Words::Lines(head, lines) => (head, lines),
        };
        let laid = || lines[index(ranks.start)..index(ranks.end)].iter().map(Line::copy);
        let mut bytes = vec![0; laid().map(|span| span.bytes().saturating_sub(HEAD)).sum()];
        let (room, mut start) = (Span::of_mut(&mut bytes), 0);
        for span in laid() {
            let mut begins = [0; HEAD];
            let length = span.bytes().checked_sub(HEAD).ok_or_else(unlike)?;
            let its_head = (span.part(0, HEAD), Span::of_mut(&mut begins));
            for (from, to) in [its_head, (span.part(HEAD, length), room.part(start, length))] {
                copy(from, to).expect("both are the library's own");
            }
            if begins != head {
                return Err(unlike());
            }
            start += length;
        }
        Ok(bytes)
    }
}

/// All members publish what they have, and each applies `read` to it; or all fail alike.
pub async fn unite<T>(
    lane: &Lane<'_>, mine: &[u8], read: impl FnOnce(Said<'_>) -> Result<T>,
) -> Result<T> {
    lane.look_round()?;
    if lane.size() == 1 {
        return read(Said { by: Words::Mine(mine) });
    }
    if lane.process().world.is_of_several_processes() {
        let all = hear_all(lane, mine).await?;
        return read(Said { by: Words::Heard(&all) });
    }
    let crowd = Crowd::of(lane);
    match lane.way() {
        Way::Blocking => {
            unite_as(Members::<InPlace>::begin(lane, crowd, true, None).await?, mine, read).await
        }
        Way::Nonblocking(_) => {
            unite_as(Members::<AsRun>::begin(lane, crowd, true, None).await?, mine, read).await
        }
    }
}

async fn unite_as<T>(
    members: Members<'_, '_, impl Wait>, mine: &[u8], read: impl FnOnce(Said<'_>) -> Result<T>,
) -> Result<T> {
    // A member that leaves MPI arrives, too, but says nothing: its line has what it said before.
    let head = told::head_of_turn(members.lane());
    let said = [&head[..], mine].concat();
    members.put(&Region::from(Span::of(&said)))?;
    members.all_or_none().await?;
    read(Said { by: Words::Lines(head, members.lines()) })
}

/// The first member's `bytes` go to all members, or to none.
pub async fn unite_behind(lane: &Lane<'_>, bytes: &mut [u8]) -> Result {
    let mine = if lane.rank() == 0 { bytes.to_vec() } else { Vec::new() };
    let told = unite(lane, &mine, |said| said.by(0)).await?;
    if told.len() != bytes.len() {
        return Err(unlike());
    }
    bytes.copy_from_slice(&told);
    Ok(())
}

/// All members' bytes, of equal length and in rank order.
pub async fn unite_alike(lane: &Lane<'_>, mine: &[u8]) -> Result<Vec<u8>> {
    let all = unite(lane, mine, |said| said.by_all(lane.size())).await?;
    if all.len() != mine.len() * index(lane.size()) { Err(unlike()) } else { Ok(all) }
}

/// Members have called different things, and nobody has compared that.
#[cold]
fn unlike() -> Failure {
    Class::NOT_SAME.because("another member has called something else")
}

/// Waits until all members have arrived, or one has given up: all get one outcome. For members that
/// may be ended by a failure of which the others never hear.
pub async fn close(lane: &Lane<'_>) -> Result {
    if lane.process().world.is_of_several_processes() {
        return hear_all(lane, &[]).await.map(drop);
    }
    match Members::<InPlace>::begin(lane, Crowd::of(lane), true, None).await {
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
    if lane.process().world.is_of_several_processes() {
        return lane.let_nobody_hear();
    }
    let meeting = lane.comm().meeting(lane.process());
    let (turn, _) = lane.number();
    abandon(meeting, meeting.common_round(), turn, index(lane.rank()));
}

impl<W: Wait> Members<'_, '_, W> {
    /// All members arrive before any continues, or all fail: a member that gives up does so for
    /// all. No member continues before the last one has said where the next such turn takes place.
    pub(super) async fn all_or_none(&self) -> Result {
        match self.until_any(self.arrive(|| ())).await {
            Err(failure) if !failure.is_death() && !self.round().arrivals.abandon(self.turn()) => {
                Ok(())
            }
            outcome => outcome,
        }
    }

    /// Meets, and tells all members of a failure: what ends some may never become known to others.
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

    /// This member gives up, and so no member continues; false when all have arrived.
    fn give_up(&self) -> bool {
        abandon(self.meeting(), self.round(), self.turn(), self.me())
    }

    /// Why another member has given up: a member has died, which the caller may not have noticed
    /// yet, or a communicator is revoked that the caller is not in.
    #[cold]
    fn given_up(&self) -> Failure {
        let death = self.lane().process().engine.first_dead(&*Everyone::roster(self.lane()));
        failure(death.map_or(Mishap::Revoked, |rank| Mishap::Lost { rank }))
    }
}

/// The member at `place` gives up, and so no member continues; false when all have arrived.
fn abandon(meeting: &Meeting, round: &Round, turn: u32, place: usize) -> bool {
    let is_given_up = round.arrivals.abandon(turn);
    if is_given_up {
        meeting.ring_others(place);
    }
    is_given_up
}
