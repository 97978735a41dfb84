//! What every collective operation has: what has to be the same at all members, where it is carried
//! out, and one text for each of the two places.

use super::claim::Claim;
use super::members::{AsRun, InPlace, Members, Wait};
use super::select::{Crowd, Venue};
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;
use crate::mpi::run::Way;

/// One collective operation, its arguments judged.
pub trait Plan: Send + Sync + 'static {
    /// What has to be the same at all members.
    fn claim(&self) -> Claim;

    /// Where the members of one group carry it out.
    fn venue(&self, _crowd: Crowd) -> Venue {
        Venue::Wire
    }

    /// Does this member's part in memory that all share.
    fn together<W: Wait>(
        &self, _members: &Members<'_, '_, W>,
    ) -> impl Future<Output = Result> + Send {
        async { unreachable!("it goes by messages") }
    }

    /// Does this member's part by messages.
    fn by_messages(&self, lane: &Lane<'_>) -> impl Future<Output = Result> + Send;
}

/// Does this member's part in the next operation of `lane`.
pub(super) async fn carry_out(plan: &impl Plan, lane: &Lane<'_>) -> Result {
    let crowd = Crowd::of(lane);
    match (plan.venue(crowd), lane.way()) {
        (Venue::Wire, _) => plan.by_messages(lane).await,
        (Venue::Memory { all }, Way::Blocking) => {
            plan.together(&Members::<InPlace>::come(lane, crowd, all)?).await
        }
        (Venue::Memory { all }, Way::Nonblocking(_)) => {
            plan.together(&Members::<AsRun>::come(lane, crowd, all)?).await
        }
    }
}
