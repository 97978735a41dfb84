//! Neighborhood collectives: collectives among the neighbours of a topology (MPI-5.0 §8.6, §8.7),
//! by messages.

use super::blocks::{Blocks, Offer, Sides};
use super::claim::{Claim, Kind};
use super::plan::Plan;
use super::select::{Crowd, Venue};
use crate::mpi::comm::Comm;
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;
use crate::mpi::topology::Neighbours;

/// The rank of a missing neighbour: MPI_PROC_NULL.
const NO_NEIGHBOUR: i32 = -3;

/// This member's block goes to all of its neighbours.
pub struct NeighborAllgather(Round);

/// A block for each neighbour.
pub struct NeighborAlltoall(Round);

impl NeighborAllgather {
    pub fn plan(comm: &Comm, send: &Offer<'_>, recv: &impl Sides) -> Result<NeighborAllgather> {
        let around = Around::of(comm)?;
        let mine = send.region()?;
        let from = Blocks::Each(vec![mine; around.destinations.len()]);
        let to = recv.blocks(around.sources.len() as i32)?;
        Ok(NeighborAllgather(Round { around, from, to }))
    }
}

impl NeighborAlltoall {
    pub fn plan(comm: &Comm, send: &impl Sides, recv: &impl Sides) -> Result<NeighborAlltoall> {
        let around = Around::of(comm)?;
        let from = send.blocks(around.destinations.len() as i32)?;
        let to = recv.blocks(around.sources.len() as i32)?;
        Ok(NeighborAlltoall(Round { around, from, to }))
    }
}

impl Plan for NeighborAllgather {
    type Algorithm = ();

    fn claim(&self) -> Claim {
        Claim::of(Kind::NeighborAllgather)
    }

    fn select(&self, _: Crowd) -> (Venue, ()) {
        (Venue::Wire, ())
    }

    async fn by_messages(&self, (): (), lane: &Lane<'_>) -> Result {
        self.0.carry_out(lane).await
    }
}

impl Plan for NeighborAlltoall {
    type Algorithm = ();

    fn claim(&self) -> Claim {
        Claim::of(Kind::NeighborAlltoall)
    }

    fn select(&self, _: Crowd) -> (Venue, ()) {
        (Venue::Wire, ())
    }

    async fn by_messages(&self, (): (), lane: &Lane<'_>) -> Result {
        self.0.carry_out(lane).await
    }
}

/// A message to each neighbour, and one from each.
struct Round {
    around: Around,
    from: Blocks,
    to: Blocks,
}

impl Round {
    async fn carry_out(&self, lane: &Lane<'_>) -> Result {
        let mut doings = Vec::new();
        for slot in self.around.slots() {
            if let Some(rank) = neighbour(&self.around.sources, slot) {
                doings.push(lane.start_recv(rank, &self.to.of(slot))?);
            }
        }
        for slot in (0..).take(self.around.destinations.len()) {
            if let Some(rank) = neighbour(&self.around.destinations, slot) {
                doings.push(lane.start_send(rank, &self.from.of(slot))?);
            }
        }
        lane.all(doings).await
    }
}

/// The neighbours of a member.
struct Around {
    sources: Vec<i32>,
    destinations: Vec<i32>,
    is_grid: bool,
}

impl Around {
    fn of(comm: &Comm) -> Result<Around> {
        let Neighbours { mut sources, mut destinations } = comm.neighbours()?;
        if let Some(gaps) = comm.gaps() {
            // A gap that a dead rank left is like the edge of a grid.
            for rank in sources.iter_mut().chain(&mut destinations) {
                *rank = gaps.place(*rank).unwrap_or(NO_NEIGHBOUR);
            }
        }
        Ok(Around { sources, destinations, is_grid: comm.cart().is_ok() })
    }

    /// The sources in the order in which messages of one neighbour are received. In a grid
    /// dimension of one or two places with wraparound, the neighbours before and after are one
    /// rank: what it sends to the one before it arrives from the one after, and it sends that
    /// first.
    fn slots(&self) -> impl Iterator<Item = i32> + use<> {
        let is_grid = self.is_grid;
        (0..).take(self.sources.len()).map(move |slot| if is_grid { slot ^ 1 } else { slot })
    }
}

/// The rank of a neighbour; `None` at the edge of a grid.
fn neighbour(ranks: &[i32], slot: i32) -> Option<i32> {
    let slot = usize::try_from(slot).expect("places are not negative");
    ranks.get(slot).copied().filter(|rank| *rank >= 0)
}
