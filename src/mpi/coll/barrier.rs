//! Barrier: returns when all members have called it (MPI-5.0 §6.3). In shared memory, by a counter
//! or flags; by messages, a dissemination barrier, or up and down a tree.

use super::bcast::send_down;
use super::claim::{Claim, Kind};
use super::members::{AsRun, InPlace, Members, Wait};
use super::plan::Plan;
use super::select::{self, Crowd, Venue};
use super::tree::Tree;
use crate::host::memory::Region;
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;
use crate::mpi::run::Way;

/// Returns when all members have called it.
pub struct Barrier(Claim);

impl Barrier {
    #[inline(always)]
    pub fn plan() -> Result<Barrier> {
        Ok(Barrier(Claim::of(Kind::Barrier)))
    }

    /// The barrier that another call of all members is.
    pub(in crate::mpi) fn of(kind: Kind) -> Result<Barrier> {
        Ok(Barrier(Claim::of(kind)))
    }
}

impl Plan for Barrier {
    type Algorithm = select::Barrier;

    #[inline(always)]
    fn claim(&self) -> Claim {
        self.0
    }

    #[inline(always)]
    fn select(&self, crowd: Crowd) -> (Venue, select::Barrier) {
        match crowd.barrier() {
            select::Barrier::Memory => (crowd.of_copies(), select::Barrier::Memory),
            select::Barrier::AtFirst => (Venue::Memory { all: false }, select::Barrier::AtFirst),
            by_messages => (Venue::Wire, by_messages),
        }
    }

    async fn together<W: Wait>(
        &self, algorithm: select::Barrier, members: &Members<'_, '_, W>,
    ) -> Result {
        match algorithm {
            select::Barrier::AtFirst => members.meet_at_first().await?,
            _ => members.all(|| ()).await?,
        }
        Ok(())
    }

    async fn by_messages(&self, algorithm: select::Barrier, lane: &Lane<'_>) -> Result {
        if !lane.comm().is_inter() {
            return match algorithm {
                select::Barrier::Dissemination => disseminate(lane).await,
                _ => climb_and_descend(lane).await,
            };
        }
        let local = lane.local();
        climb(&local).await?;
        if local.rank() == 0 {
            lane.exchange(0, &Region::EMPTY, 0, &Region::EMPTY).await?;
        }
        send_down(&local, &Region::EMPTY, 0).await
    }
}

/// Returns when every member has arrived, as part of another operation.
pub async fn meet(lane: &Lane<'_>) -> Result {
    let (plan, crowd) = (Barrier::plan()?, Crowd::of(lane));
    match (plan.select(crowd), lane.way()) {
        ((Venue::Wire, algorithm), _) => plan.by_messages(algorithm, lane).await,
        ((_, algorithm), Way::Blocking) => {
            plan.together(algorithm, &Members::<InPlace>::come(lane, crowd, true, None).await?)
                .await
        }
        ((_, algorithm), Way::Nonblocking(_)) => {
            plan.together(algorithm, &Members::<AsRun>::come(lane, crowd, true, None).await?).await
        }
    }
}

async fn climb_and_descend(lane: &Lane<'_>) -> Result {
    climb(lane).await?;
    send_down(lane, &Region::EMPTY, 0).await
}

/// Returns at the first member when all have arrived; the others may continue earlier.
async fn climb(lane: &Lane<'_>) -> Result {
    let tree = Tree::of(lane, 0);
    for child in tree.children() {
        lane.recv(child, &Region::EMPTY).await?;
    }
    match tree.parent() {
        Some(parent) => lane.send(parent, &Region::EMPTY).await,
        None => Ok(()),
    }
}

async fn disseminate(lane: &Lane<'_>) -> Result {
    let (size, rank) = (lane.size(), lane.rank());
    let mut distance = 1;
    while distance < size {
        let (to, from) = ((rank + distance) % size, (rank + size - distance) % size);
        lane.exchange(to, &Region::EMPTY, from, &Region::EMPTY).await?;
        distance *= 2;
    }
    Ok(())
}
