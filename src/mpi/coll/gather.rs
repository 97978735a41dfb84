//! Gather: each member's block goes to the root (MPI-5.0 §6.5). In shared memory, members publish
//! short blocks as copies and leave, and the root reads long blocks in place; by messages, each
//! member sends its block straight to the root.

use super::blocks::{Blocks, Offer, Sides, Spot, at_living, check, part};
use super::claim::{Claim, Kind};
use super::members::{Members, Wait, index};
use super::plan::Plan;
use super::role::{Role, others};
use super::select::{Crowd, Rooted, Venue};
use super::take::Share;
use crate::engine::Line;
use crate::host::memory::Region;
use crate::mpi::comm::Comm;
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;

/// Each member's block goes to the root, in rank order.
pub struct Gather {
    role: Role,
    /// `None`: in place.
    mine: Option<Region>,
    /// At the root.
    blocks: Option<Blocks>,
    is_even: bool,
    claim: Claim,
}

impl Gather {
    #[inline(always)]
    pub fn plan<S: Sides>(comm: &Comm, send: &Offer<'_>, recv: &S, root: i32) -> Result<Gather> {
        let role = Role::of(comm, root)?;
        let (mine, amount) = part(comm, role, recv, send)?;
        let is_even = recv.is_even();
        let kind = if is_even { Kind::Gather } else { Kind::Gatherv };
        let claim = Claim::of(kind).root(root, role, comm).amount(amount);
        let blocks = if role == Role::Root { Some(check(recv, comm)?) } else { None };
        let blocks = blocks.map(|blocks| at_living::<S>(blocks, comm));
        Ok(Gather { role, mine: mine.map(Spot::region), blocks, is_even, claim })
    }
}

impl Plan for Gather {
    type Algorithm = Rooted;

    #[inline(always)]
    fn claim(&self) -> Claim {
        self.claim
    }

    #[inline(always)]
    fn select(&self, crowd: Crowd) -> (Venue, Rooted) {
        let mine = || self.mine.as_ref().map_or(0, Region::bytes);
        let each = || self.blocks.as_ref().map_or_else(mine, Blocks::largest);
        match crowd.gather(self.is_even.then(each)) {
            Rooted::Wire => (Venue::Wire, Rooted::Wire),
            shared => (Venue::Memory { all: false }, shared),
        }
    }

    async fn together<W: Wait>(&self, algorithm: Rooted, members: &Members<'_, '_, W>) -> Result {
        let root = index(self.role.root(members.lane()));
        let mine = self.mine.as_ref().unwrap_or(&Region::EMPTY);
        match (&self.blocks, algorithm) {
            (Some(blocks), Rooted::Buffered) => {
                members.all_at(root).await?;
                self.collect_copies(members, blocks)?;
            }
            (None, Rooted::Buffered) => {
                members.put(mine)?;
                members.all_at(root).await?;
            }
            (Some(blocks), _) => {
                members.come_to(root).await?;
                collect_here(members, self.mine.as_ref(), blocks)?;
            }
            (None, _) if members.crowd().buffers_for_root(mine.bytes()) => {
                members.put(mine)?;
                members.come_to(root).await?;
            }
            (None, _) => return bring_single_copy(members, mine, root).await,
        }
        Ok(())
    }

    async fn by_messages(&self, _: Rooted, lane: &Lane<'_>) -> Result {
        match (self.role, &self.blocks) {
            (Role::Leaf(root), _) => {
                lane.send(root, self.mine.as_ref().unwrap_or(&Region::EMPTY)).await
            }
            (Role::Root, Some(blocks)) => {
                if let Some(mine) = &self.mine {
                    lane.keep(mine, &blocks.of(lane.rank()))?;
                }
                collect(lane, blocks).await
            }
            _ => lane.look_round(),
        }
    }
}

impl Gather {
    /// The root's part once all others have published copies.
    fn collect_copies(&self, members: &Members<'_, '_, impl Wait>, blocks: &Blocks) -> Result {
        if let Some(mine) = &self.mine {
            members.lane().keep(mine, &blocks.at(members.me()))?;
        }
        members.take_all(Share::All, blocks, true)
    }
}

/// The root's part in shared memory, once all members have arrived.
fn collect_here(
    members: &Members<'_, '_, impl Wait>, mine: Option<&Region>, blocks: &Blocks,
) -> Result {
    if let Some(mine) = mine {
        members.lane().keep(mine, &blocks.at(members.me()))?;
    }
    // A member that has published a copy waits for nothing.
    let points =
        |(place, line): (usize, &Line)| place != members.me() && line.whole_copy().is_none();
    let is_awaited = members.lines().iter().enumerate().any(points);
    let taken = members.take_all(Share::All, blocks, true);
    if is_awaited {
        members.end_reading_of_all();
    }
    taken
}

async fn bring_single_copy<W: Wait>(
    members: &Members<'_, '_, W>, mine: &Region, root: usize,
) -> Result {
    members.point_at(mine);
    members.come_to(root).await?;
    members.read_by(root).await?;
    Ok(())
}

/// The root's part by messages: receives a block from every other member.
pub(super) async fn collect(lane: &Lane<'_>, blocks: &Blocks) -> Result {
    for rank in others(lane.comm()) {
        lane.recv(rank, &blocks.of(rank)).await?;
    }
    Ok(())
}
