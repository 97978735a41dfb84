//! Members in several processes agree to meet in memory that these share, without messages.
//!
//! MPI_COMM_WORLD has a room there from the start. Other communicators get one when they have been
//! used for some operations: their members tell each other which room each has taken, and either
//! all of them hear that, or none does.

use super::claim::Claim;
use super::told::hear_all;
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;
use crate::mpi::run;
use crate::transport::Reservation;

/// A communicator that is used less often is not worth an exchange through `ftrun`.
const OFTEN: u32 = 16;

/// Agrees, if this is the time for it: all members count operations alike.
/// `claim`: what this member has called.
pub(super) fn agree(lane: &Lane<'_>, claim: impl FnOnce() -> Claim) -> Result {
    let (turn, _) = lane.number();
    if turn < OFTEN {
        return Ok(());
    }
    let Some(offer) = lane.offer_room() else { return Ok(()) };
    let called = lane.unpaced().calling(claim().call());
    let all = run::block(hear_all(&called, &offer.told))?;
    lane.comm().meet_afar(lane.process(), offer, Reservation::heard(&all));
    Ok(())
}
