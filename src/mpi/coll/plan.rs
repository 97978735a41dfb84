//! What every collective operation has: a claim that must be the same at all members, an algorithm
//! selected for it, and one text for each of the two places where it can be carried out.

use super::claim::Claim;
use super::members::{Members, Wait};
use super::select::{Crowd, Venue};
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;

/// One collective operation, its arguments checked.
pub trait Plan: Send + Sync + 'static {
    /// How the members of one group carry it out.
    type Algorithm: Copy + Send + Sync;

    /// What has to be the same at all members.
    fn claim(&self) -> Claim;

    /// Selects the algorithm, once for each call.
    fn select(&self, crowd: Crowd) -> (Venue, Self::Algorithm);

    /// Does this member's part in memory that all members share.
    fn together<W: Wait>(
        &self, _algorithm: Self::Algorithm, _members: &Members<'_, '_, W>,
    ) -> impl Future<Output = Result> + Send {
        async { unreachable!("it goes by messages") }
    }

    /// Does this member's part by messages.
    fn by_messages(
        &self, algorithm: Self::Algorithm, lane: &Lane<'_>,
    ) -> impl Future<Output = Result> + Send;
}
