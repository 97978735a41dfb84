//! What stands against an operation in shared memory, as a failure of this member.

use crate::engine::{Gate, MeetingWait, Mishap, Outcome};
use crate::mpi::error::{Failure, Result};
use crate::mpi::failure::usability::must_be_fresh;
use crate::mpi::lane::Lane;
use crate::mpi::p2p::outcome::news;

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
