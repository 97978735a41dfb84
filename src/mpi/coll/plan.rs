//! The plan of a collective operation: a claim that must be equal at all members, the selection of
//! an algorithm, and one implementation for shared memory and one for messages.

use super::claim::Claim;
use super::members::{Members, Wait};
use super::select::{Crowd, Venue};
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;

/// One collective operation, its arguments checked.
pub trait Plan: Send + Sync + 'static {
    /// The algorithms for the members of one group.
    type Algorithm: Copy + Send + Sync;

    /// What must be equal at all members.
    fn claim(&self) -> Claim;

    /// Selects the algorithm, once for each call.
    fn select(&self, crowd: Crowd) -> (Venue, Self::Algorithm);

    /// Does this member's part in shared memory.
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
