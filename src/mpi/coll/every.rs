//! From all to all (MPI-5.0 §6.3, §6.7, §6.8).

use super::brisk::Turn;
use super::choice::{Crowd, Exchange};
use super::claim::{Amount, Claim, Kind};
use super::rooted::{collect, give};
use super::sides::{blocks, given};
use super::sitting::Sitting;
use super::tree::{arrive, broadcast, meet};
use super::{Blocks, Offer, Plan, Sides, others};
use crate::host::memory::{Region, Span};
use crate::mpi::comm::Comm;
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use crate::mpi::scratch::Scratch;

/// Returns when all members have called it.
pub struct Barrier(Claim);

impl Barrier {
    pub fn plan() -> Result<Barrier> {
        Ok(Barrier(Claim::of(Kind::Barrier)))
    }

    /// The same at the end of MPI.
    pub(super) fn at_the_end() -> Result<Barrier> {
        Ok(Barrier(Claim::of(Kind::Finalize)))
    }
}

impl Plan for Barrier {
    fn claim(&self) -> Claim {
        self.0
    }

    async fn carry_out(&self, lane: &Lane<'_>) -> Result {
        if !lane.comm().is_inter() {
            return meet(lane).await;
        }
        let local = lane.local();
        arrive(&local).await?;
        if local.rank() == 0 {
            lane.exchange(0, &Region::EMPTY, 0, &Region::EMPTY).await?;
        }
        broadcast(&local, &Region::EMPTY, 0).await
    }

    #[inline]
    fn at_once(&self, process: &Process, comm: &Comm) -> Result<bool> {
        if Turn::crowd(process, comm).is_none() {
            return Ok(false);
        }
        let turn = Turn::next_of_all(process, comm);
        turn.come(self.0)?;
        turn.all(|_| ())?;
        Ok(true)
    }
}

/// What everybody has, in the order of ranks, comes to everybody.
pub struct Allgather {
    mine: Region,
    is_in_place: bool,
    blocks: Blocks,
    claim: Claim,
}

impl Allgather {
    pub fn plan(comm: &Comm, send: &Offer, recv: &dyn Sides) -> Result<Allgather> {
        let blocks = blocks(recv, comm)?;
        let given = if comm.is_inter() { Some(send.region()?) } else { given(send)? };
        let is_in_place = given.is_none();
        let mine = given.unwrap_or_else(|| blocks.of(comm.living().rank));
        let kind = if recv.is_even() { Kind::Allgather } else { Kind::Allgatherv };
        let amount = match comm.is_inter() {
            true => Amount::ANY,
            false if recv.is_even() => recv.each()?,
            false => Amount::bytes(blocks.bytes()),
        };
        let claim = Claim::of(kind).amount(amount);
        Ok(Allgather { mine, is_in_place, blocks, claim })
    }
}

impl Plan for Allgather {
    fn claim(&self) -> Claim {
        self.claim
    }

    async fn carry_out(&self, lane: &Lane<'_>) -> Result {
        let is_inter = lane.comm().is_inter();
        if let Some(sitting) = Sitting::of_all(lane).await? {
            let mine = if self.is_in_place { None } else { Some(&self.mine) };
            return sitting.allgather(mine, &self.blocks).await;
        }
        if !is_inter && Crowd::of(lane).allgather(self.blocks.bytes()) == Exchange::Central {
            let mine = if self.is_in_place { None } else { Some(&self.mine) };
            return gather_and_spread(lane, mine, &self.blocks).await;
        }
        if !is_inter && !self.is_in_place {
            lane.keep(&self.mine, &self.blocks.of(lane.rank()))?;
        }
        // Those whose blocks are listed know that this one is empty, and wait for no message.
        let is_left_out = matches!(self.blocks, Blocks::Each(_)) && self.mine.bytes() == 0;
        to_all(lane, |_| self.mine.clone(), &self.blocks, |_| is_left_out).await
    }

    #[inline]
    fn at_once(&self, process: &Process, comm: &Comm) -> Result<bool> {
        let Blocks::Even { all, each } = &self.blocks else { return Ok(false) };
        let crowd = Turn::crowd(process, comm);
        if !crowd.is_some_and(|crowd| crowd.packs(*each, all.bytes())) {
            return Ok(false);
        }
        let turn = Turn::next_of_all(process, comm);
        turn.come(self.claim)?;
        turn.allgather(&self.mine, self.is_in_place, all, *each)?;
        Ok(true)
    }
}

/// Through the first member, who gets all blocks and sends all to everybody. Without `mine`, this
/// member's block is in place.
pub(super) async fn gather_and_spread(
    lane: &Lane<'_>, mine: Option<&Region>, blocks: &Blocks,
) -> Result {
    if let Some(sitting) = Sitting::of_all(lane).await? {
        return sitting.allgather(mine, blocks).await;
    }
    let mut kept = Scratch::default();
    let (all, parts) = match blocks {
        Blocks::Even { all, .. } => (all.clone(), blocks.clone()),
        Blocks::Each(_) => {
            let room = Region::from(kept.room(blocks.bytes()));
            (room.clone(), blocks.packed(&room))
        }
    };
    if lane.rank() == 0 {
        match (mine, blocks) {
            (None, Blocks::Even { .. }) => {}
            (mine, _) => lane.keep(mine.unwrap_or(&blocks.of(0)), &parts.of(0))?,
        }
        collect(lane, &parts).await?;
    } else {
        let place = blocks.of(lane.rank());
        let mine = mine.unwrap_or(&place);
        lane.must_fit(mine, &place)?;
        lane.send(0, mine).await?;
    }
    broadcast(lane, &all, 0).await?;
    if let Blocks::Each(places) = blocks {
        for (rank, place) in (0..).zip(places) {
            lane.copy(&parts.of(rank), place)?;
        }
    }
    Ok(())
}

/// A message to every peer and one from each, but for those that both ends leave out.
async fn to_all(
    lane: &Lane<'_>, from: impl Fn(i32) -> Region, into: &Blocks, is_left_out: impl Fn(i32) -> bool,
) -> Result {
    let mut doings = Vec::new();
    for rank in others(lane.comm()).filter(|rank| !into.is_left_out(*rank)) {
        doings.push(lane.start_recv(rank, &into.of(rank))?);
    }
    for rank in others(lane.comm()).filter(|rank| !is_left_out(*rank)) {
        doings.push(lane.start_send(rank, &from(rank))?);
    }
    lane.all(doings).await
}

/// Block `i` of rank `j` becomes block `j` of rank `i`.
pub struct Alltoall {
    /// `None`: in place.
    from: Option<Blocks>,
    to: Blocks,
    claim: Claim,
}

impl Alltoall {
    pub fn plan(comm: &Comm, send: &dyn Sides, recv: &dyn Sides) -> Result<Alltoall> {
        let to = blocks(recv, comm)?;
        let is_in_place = send.is_in_place() && !comm.is_inter();
        let from = if is_in_place { None } else { Some(blocks(send, comm)?) };
        let kind = if recv.is_even() { Kind::Alltoall } else { Kind::Alltoallv };
        let amount = if comm.is_inter() { Amount::ANY } else { recv.each()? };
        Ok(Alltoall { from, to, claim: Claim::of(kind).amount(amount) })
    }
}

impl Plan for Alltoall {
    fn claim(&self) -> Claim {
        self.claim
    }

    async fn carry_out(&self, lane: &Lane<'_>) -> Result {
        let mut kept = Scratch::default();
        let from = match &self.from {
            Some(from) => from.clone(),
            None => {
                let packed = self.to.packed(&kept.room(self.to.bytes()).into());
                for rank in 0..lane.size() {
                    lane.copy(&self.to.of(rank), &packed.of(rank))?;
                }
                packed
            }
        };
        if let Some(sitting) = Sitting::of_all(lane).await? {
            return sitting.alltoall(&from, &self.to).await;
        }
        let is_inter = lane.comm().is_inter();
        if let (Blocks::Even { all: given, .. }, Blocks::Even { all: got, each }) =
            (&from, &self.to)
            && !is_inter
            && Crowd::of(lane).alltoall(*each) == Exchange::Central
        {
            return transpose(lane, given, got, *each).await;
        }
        if !is_inter {
            lane.keep(&from.of(lane.rank()), &self.to.of(lane.rank()))?;
        }
        to_all(lane, |rank| from.of(rank), &self.to, |rank| from.is_left_out(rank)).await
    }

    #[inline]
    fn at_once(&self, process: &Process, comm: &Comm) -> Result<bool> {
        let (Some(Blocks::Even { all, .. }), Blocks::Even { all: target, each }) =
            (&self.from, &self.to)
        else {
            return Ok(false);
        };
        let crowd = Turn::crowd(process, comm);
        if !crowd.is_some_and(|crowd| crowd.lays_rows_down(*each)) {
            return Ok(false);
        }
        let turn = Turn::next_of_all(process, comm);
        turn.come(self.claim)?;
        turn.alltoall(all, target, *each)?;
        Ok(true)
    }
}

/// Through the first member, who gets all rows and gives everybody its column.
async fn transpose(lane: &Lane<'_>, given: &Region, got: &Region, each: usize) -> Result {
    if lane.rank() != 0 {
        lane.send(0, given).await?;
        return lane.recv(0, got).await.map(drop);
    }
    let members = usize::try_from(lane.size()).expect("a size is not negative");
    let row = each * members;
    let (mut rows, mut columns) = (vec![0; row * members], vec![0; row * members]);
    let blocks = Blocks::even(Span::of_mut(&mut rows), row);
    lane.keep(given, &blocks.of(0))?;
    collect(lane, &blocks).await?;
    if each != 0 {
        for (from, row) in rows.chunks_exact(row).enumerate() {
            for (to, block) in row.chunks_exact(each).enumerate() {
                let place = (to * members + from) * each;
                columns[place..place + each].copy_from_slice(block);
            }
        }
    }
    let blocks = Blocks::even(Span::of_mut(&mut columns), row);
    let sends = give(lane, &blocks)?;
    lane.keep(&blocks.of(0), got)?;
    lane.all(sends).await
}
