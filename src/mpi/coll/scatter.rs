//! Scatter: the root's blocks go to the members, one to each (MPI-5.0 §6.6). In shared memory, the
//! root publishes short blocks as a copy and leaves, and members read long blocks in place; by
//! messages, the root sends each member its block.

use super::blocks::{Blocks, Offer, Sides, Spot, at_living, check, part};
use super::claim::{Claim, Kind};
use super::members::{Members, Wait, index};
use super::plan::Plan;
use super::role::{Role, others};
use super::select::{Crowd, Venue};
use super::take::Share;
use crate::host::memory::Region;
use crate::mpi::comm::Comm;
use crate::mpi::error::Result;
use crate::mpi::lane::{Doing, Lane};

/// The root's blocks go to the members, one to each.
pub struct Scatter {
    role: Role,
    /// At the root.
    blocks: Option<Blocks>,
    /// `None`: in place.
    mine: Option<Region>,
    is_even: bool,
    claim: Claim,
}

impl Scatter {
    #[inline(always)]
    pub fn plan<S: Sides>(comm: &Comm, send: &S, recv: &Offer<'_>, root: i32) -> Result<Scatter> {
        let role = Role::of(comm, root)?;
        let (mine, amount) = part(comm, role, send, recv)?;
        let is_even = send.is_even();
        let kind = if is_even { Kind::Scatter } else { Kind::Scatterv };
        let claim = Claim::of(kind).root(root, role, comm).amount(amount);
        let blocks = if role == Role::Root { Some(check(send, comm)?) } else { None };
        let blocks = blocks.map(|blocks| at_living::<S>(blocks, comm));
        Ok(Scatter { role, blocks, mine: mine.map(Spot::region), is_even, claim })
    }
}

impl Plan for Scatter {
    type Algorithm = ();

    #[inline(always)]
    fn claim(&self) -> Claim {
        self.claim
    }

    #[inline(always)]
    fn select(&self, crowd: Crowd) -> (Venue, ()) {
        let mine = || self.mine.as_ref().map_or(0, Region::bytes);
        let each = || self.blocks.as_ref().map_or_else(mine, Blocks::largest);
        (crowd.scatter(self.is_even.then(each)), ())
    }

    async fn together<W: Wait>(&self, (): (), members: &Members<'_, '_, W>) -> Result {
        let (root, crowd) = (index(self.role.root(members.lane())), members.crowd());
        if let Some(blocks) = &self.blocks {
            if let Some(mine) = &self.mine {
                members.lane().keep(&blocks.at(members.me()), mine)?;
            }
            if crowd.buffers_blocks(blocks.bytes()) {
                match blocks {
                    Blocks::Even { all, .. } => members.put(all)?,
                    Blocks::Each(blocks) => members.put_blocks(blocks)?,
                }
                members.show()?;
                return Ok(());
            }
            return give_single_copy(members, blocks, root).await;
        }
        let mine = self.mine.as_ref().unwrap_or(&Region::EMPTY);
        // If all blocks are equal, all members know how much the root has.
        if self.is_even && crowd.buffers_blocks(mine.bytes() * members.count()) {
            members.shown_by(root).await?;
            members.take(root, Share::Mine, mine)?;
            return Ok(());
        }
        receive_single_copy(members, mine, root).await
    }

    async fn by_messages(&self, (): (), lane: &Lane<'_>) -> Result {
        match (self.role, &self.blocks) {
            (Role::Leaf(root), _) => {
                lane.recv(root, self.mine.as_ref().unwrap_or(&Region::EMPTY)).await.map(drop)
            }
            (Role::Root, Some(blocks)) => {
                let sends = give(lane, blocks)?;
                if let Some(mine) = &self.mine {
                    lane.keep(&blocks.of(lane.rank()), mine)?;
                }
                lane.all(sends).await
            }
            _ => lane.look_round(),
        }
    }
}

async fn give_single_copy<W: Wait>(
    members: &Members<'_, '_, W>, blocks: &Blocks, root: usize,
) -> Result {
    members.come_to(root).await?;
    members.point_at_all(blocks);
    members.give().await
}

async fn receive_single_copy<W: Wait>(
    members: &Members<'_, '_, W>, mine: &Region, root: usize,
) -> Result {
    members.come_to(root).await?;
    members.receive(root, Share::Mine, mine).await
}

/// The root's part by messages: sends a block to every other member.
pub(super) fn give<'l, 'a>(lane: &'l Lane<'a>, blocks: &Blocks) -> Result<Vec<Doing<'l, 'a>>> {
    others(lane.comm()).map(|rank| lane.start_send(rank, &blocks.of(rank))).collect()
}
