//! From one to all, and from all to one (MPI-5.0 §6.4 to §6.6).

use super::brisk::Turn;
use super::choice::Crowd;
use super::claim::{Amount, Claim, Kind};
use super::sides::{blocks, given};
use super::sitting::{Sitting, index};
use super::tree::broadcast;
use super::{Blocks, Offer, Plan, Role, Sides, others};
use crate::host::memory::Region;
use crate::mpi::comm::Comm;
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use crate::mpi::run::Way;

/// The root's buffer goes to everybody.
pub struct Bcast {
    role: Role,
    data: Region,
    claim: Claim,
}

impl Bcast {
    pub fn plan(comm: &Comm, offer: &Offer, root: i32) -> Result<Bcast> {
        let role = Role::of(comm, root)?;
        let data = if role == Role::Nobody { Region::EMPTY } else { offer.region()? };
        let amount = match role {
            Role::Nobody => Amount::ANY,
            _ => Amount::of_offer(offer)?,
        };
        let claim = Claim::of(Kind::Bcast).role(role, comm).amount(amount);
        Ok(Bcast { role, data, claim })
    }
}

impl Plan for Bcast {
    fn claim(&self) -> Claim {
        self.claim
    }

    async fn carry_out(&self, lane: &Lane<'_>) -> Result {
        if !lane.comm().is_inter() {
            return broadcast(lane, &self.data, self.role.root(lane)).await;
        }
        match self.role {
            Role::Root => {
                let sends = others(lane.comm()).map(|rank| lane.start_send(rank, &self.data));
                lane.all(sends.collect::<Result<_>>()?).await
            }
            Role::Leaf(root) => lane.recv(root, &self.data).await.map(drop),
            Role::Nobody => lane.look_round(),
        }
    }

    #[inline]
    fn at_once(&self, process: &Process, comm: &Comm) -> Result<bool> {
        let crowd = Turn::crowd(process, comm);
        if !crowd.is_some_and(|crowd| crowd.broadcasts_at_once(self.data.bytes())) {
            return Ok(false);
        }
        let root = index(if let Role::Leaf(root) = self.role { root } else { comm.rank });
        let turn = Turn::next(process, comm);
        turn.come(self.claim)?;
        turn.broadcast(root, &self.data)?;
        Ok(true)
    }
}

/// Whether members meet for a block of each; `is_plain`: these are all so long as the own one, and
/// the operation blocks.
fn meets(crowd: Crowd, is_plain: bool, blocks: Option<&Blocks>, mine: Option<&Region>) -> bool {
    let each = || blocks.map_or_else(|| mine.map_or(0, Region::bytes), Blocks::largest);
    if is_plain { crowd.meets_for_equal_blocks(each()) } else { crowd.meets_for_blocks() }
}

/// What there is in each block, if all are equal: at the root, and of the others.
fn block(
    role: Role, is_even: bool, at_root: impl Fn() -> Result<Amount>, mine: &Offer,
) -> Result<Amount> {
    match role {
        _ if !is_even => Ok(Amount::ANY),
        Role::Root => at_root(),
        Role::Leaf(_) => Amount::of_offer(mine),
        Role::Nobody => Ok(Amount::ANY),
    }
}

/// What everybody has, in the order of ranks, comes to the root.
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
    pub fn plan(comm: &Comm, send: &Offer, recv: &dyn Sides, root: i32) -> Result<Gather> {
        let role = Role::of(comm, root)?;
        let mine = match role {
            Role::Root if comm.is_inter() => None,
            Role::Root => given(send)?,
            Role::Leaf(_) => Some(send.region()?),
            Role::Nobody => None,
        };
        let blocks = if role == Role::Root { Some(blocks(recv, comm)?) } else { None };
        let is_even = recv.is_even();
        let kind = if is_even { Kind::Gather } else { Kind::Gatherv };
        let amount = block(role, is_even, || recv.each(), send)?;
        let claim = Claim::of(kind).role(role, comm).amount(amount);
        Ok(Gather { role, mine, blocks, is_even, claim })
    }

    /// Whether members meet for that.
    fn meets(&self, crowd: Crowd, is_blocking: bool) -> bool {
        meets(crowd, self.is_even && is_blocking, self.blocks.as_ref(), self.mine.as_ref())
    }

    /// The root's part.
    fn collect_at_once(&self, process: &Process, comm: &Comm, crowd: Crowd) -> Result<bool> {
        let Some(Blocks::Even { all, each }) = &self.blocks else { return Ok(false) };
        let mine = self.mine.as_ref();
        let fits = |mine: &Region| mine.bytes() == *each;
        if !crowd.lays_down_for_one(*each) || !mine.is_none_or(fits) {
            return Ok(false);
        }
        let turn = Turn::next(process, comm);
        turn.come(self.claim)?;
        turn.collect(mine, all, *each)?;
        Ok(true)
    }
}

impl Plan for Gather {
    fn claim(&self) -> Claim {
        self.claim
    }

    async fn carry_out(&self, lane: &Lane<'_>) -> Result {
        if self.meets(Crowd::of(lane), lane.way() == Way::Blocking)
            && let Some(sitting) = Sitting::of(lane).await?
        {
            let root = self.role.root(lane);
            return sitting.gather(self.mine.as_ref(), self.blocks.as_ref(), root).await;
        }
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

    #[inline]
    fn at_once(&self, process: &Process, comm: &Comm) -> Result<bool> {
        let Some(crowd) = Turn::crowd(process, comm).filter(|crowd| self.meets(*crowd, true))
        else {
            return Ok(false);
        };
        let (Role::Leaf(root), Some(mine)) = (self.role, &self.mine) else {
            return if self.is_even {
                self.collect_at_once(process, comm, crowd)
            } else {
                Ok(false)
            };
        };
        if !crowd.lays_down_for_one(mine.bytes()) {
            return Ok(false);
        }
        let turn = Turn::next(process, comm);
        turn.come(self.claim)?;
        turn.bring(mine, index(root))?;
        Ok(true)
    }
}

/// The root's part of a gather: a block from everyone else.
pub(super) async fn collect(lane: &Lane<'_>, blocks: &Blocks) -> Result {
    for rank in others(lane.comm()) {
        lane.recv(rank, &blocks.of(rank)).await?;
    }
    Ok(())
}

/// The root's blocks go to the ranks, one to each.
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
    pub fn plan(comm: &Comm, send: &dyn Sides, recv: &Offer, root: i32) -> Result<Scatter> {
        let role = Role::of(comm, root)?;
        let blocks = if role == Role::Root { Some(blocks(send, comm)?) } else { None };
        let mine = match role {
            Role::Root if comm.is_inter() => None,
            Role::Root => given(recv)?,
            Role::Leaf(_) => Some(recv.region()?),
            Role::Nobody => None,
        };
        let is_even = send.is_even();
        let kind = if is_even { Kind::Scatter } else { Kind::Scatterv };
        let amount = block(role, is_even, || send.each(), recv)?;
        let claim = Claim::of(kind).role(role, comm).amount(amount);
        Ok(Scatter { role, blocks, mine, is_even, claim })
    }

    /// Whether members meet for that.
    fn meets(&self, crowd: Crowd, is_blocking: bool) -> bool {
        meets(crowd, self.is_even && is_blocking, self.blocks.as_ref(), self.mine.as_ref())
    }
}

impl Plan for Scatter {
    fn claim(&self) -> Claim {
        self.claim
    }

    async fn carry_out(&self, lane: &Lane<'_>) -> Result {
        if self.meets(Crowd::of(lane), lane.way() == Way::Blocking)
            && let Some(sitting) = Sitting::of(lane).await?
        {
            let root = self.role.root(lane);
            return sitting.scatter(self.blocks.as_ref(), self.mine.as_ref(), root).await;
        }
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

    /// Where the root lays all blocks down.
    #[inline]
    fn at_once(&self, process: &Process, comm: &Comm) -> Result<bool> {
        let Some(crowd) = Turn::crowd(process, comm) else { return Ok(false) };
        if !self.is_even {
            return Ok(false);
        }
        match (self.role, &self.blocks, &self.mine) {
            (Role::Root, Some(Blocks::Even { all, each }), mine) => {
                let fits = |mine: &Region| mine.bytes() == *each;
                if !crowd.scatters_at_once(*each) || !mine.as_ref().is_none_or(fits) {
                    return Ok(false);
                }
                let turn = Turn::next(process, comm);
                turn.come(self.claim)?;
                turn.hand_out(all, *each, mine.as_ref())?;
            }
            (Role::Leaf(root), _, Some(mine)) if crowd.scatters_at_once(mine.bytes()) => {
                let turn = Turn::next(process, comm);
                turn.come(self.claim)?;
                turn.receive_block(index(root), mine)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// The root's part of a scatter: a block for everyone else.
pub(super) fn give<'l, 'a>(
    lane: &'l Lane<'a>, blocks: &Blocks,
) -> Result<Vec<crate::mpi::lane::Doing<'l, 'a>>> {
    others(lane.comm()).map(|rank| lane.start_send(rank, &blocks.of(rank))).collect()
}
