//! Alltoall: block `i` of rank `j` becomes block `j` of rank `i` (MPI-5.0 §6.8). Short blocks
//! travel through copies in shared memory, longer ones by single copy; by messages, pairwise or
//! through the first member.

use super::allgather::to_all;
use super::blocks::{Blocks, Sides, blocks};
use super::claim::{Amount, Claim, Kind};
use super::gather::collect;
use super::members::{Members, Wait};
use super::plan::Plan;
use super::scatter::give;
use super::select::{Crowd, Exchange, Venue};
use super::take::Share;
use crate::host::memory::{self, Region, Span};
use crate::mpi::comm::Comm;
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;
use crate::mpi::scratch::Scratch;

/// Block `i` of rank `j` becomes block `j` of rank `i`.
pub struct Alltoall {
    /// `None`: in place.
    from: Option<Blocks>,
    to: Blocks,
    claim: Claim,
}

impl Alltoall {
    #[inline(always)]
    pub fn plan(comm: &Comm, send: &impl Sides, recv: &impl Sides) -> Result<Alltoall> {
        let to = blocks(recv, comm)?;
        let is_in_place = send.is_in_place() && !comm.is_inter();
        let from = if is_in_place { None } else { Some(blocks(send, comm)?) };
        let kind = if recv.is_even() { Kind::Alltoall } else { Kind::Alltoallv };
        let amount = if comm.is_inter() { Amount::ANY } else { recv.each()? };
        Ok(Alltoall { from, to, claim: Claim::of(kind).amount(amount) })
    }

    /// The length of each block, if all are equal.
    #[inline(always)]
    fn each(&self) -> Option<usize> {
        let is_even = !matches!(self.from, Some(Blocks::Each(_)));
        match &self.to {
            Blocks::Even { each, .. } if is_even => Some(*each),
            _ => None,
        }
    }

    /// Where this member's blocks are. Blocks in place are copied first, because results overwrite
    /// them.
    fn from(&self, lane: &Lane<'_>, kept: &mut Scratch) -> Result<Blocks> {
        if let Some(from) = &self.from {
            return Ok(from.clone());
        }
        let packed = self.to.packed(&kept.room(self.to.bytes()).into());
        for rank in 0..lane.size() {
            lane.copy(&self.to.of(rank), &packed.of(rank))?;
        }
        Ok(packed)
    }
}

impl Plan for Alltoall {
    type Algorithm = Exchange;

    #[inline(always)]
    fn claim(&self) -> Claim {
        self.claim
    }

    #[inline(always)]
    fn select(&self, crowd: Crowd) -> (Venue, Exchange) {
        match crowd.alltoall(self.each()) {
            wire @ (Exchange::Central | Exchange::Pairwise) => (Venue::Wire, wire),
            Exchange::Buffered => (crowd.of_copies(), Exchange::Buffered),
            shared => (Venue::Memory { all: true }, shared),
        }
    }

    async fn together<W: Wait>(&self, algorithm: Exchange, members: &Members<'_, '_, W>) -> Result {
        let (Exchange::Buffered, Blocks::Even { all: target, each }) = (algorithm, &self.to) else {
            return single_copy(members, self).await;
        };
        match &self.from {
            Some(Blocks::Even { all, .. }) => members.put(all)?,
            // A copy is published, so the blocks may be in place.
            _ => members.put(target)?,
        }
        members.all(|| members.round().agree_on_bytes(members.round().equal_bytes())).await?;
        let agreed = match members.is_small() {
            true => members.round().equal_bytes(),
            false => members.round().agreed_bytes(),
        };
        match target.span() {
            Some(target) if agreed == Some(target.bytes()) => take_column(members, *each, target)?,
            _ => members.take_all(Share::Mine, &self.to, false)?,
        }
        Ok(())
    }

    async fn by_messages(&self, algorithm: Exchange, lane: &Lane<'_>) -> Result {
        let mut kept = Scratch::default();
        let from = self.from(lane, &mut kept)?;
        let is_inter = lane.comm().is_inter();
        if let (Blocks::Even { all: given, .. }, Blocks::Even { all: got, each }) =
            (&from, &self.to)
            && !is_inter
            && algorithm == Exchange::Central
        {
            return transpose(lane, given, got, *each).await;
        }
        if !is_inter {
            lane.keep(&from.of(lane.rank()), &self.to.of(lane.rank()))?;
        }
        to_all(lane, |rank| from.of(rank), &self.to, |rank| from.is_left_out(rank)).await
    }
}

async fn single_copy<W: Wait>(members: &Members<'_, '_, W>, plan: &Alltoall) -> Result {
    let mut kept = Scratch::default();
    members.point_at_all(&plan.from(members.lane(), &mut kept)?);
    members.all_there().await?;
    members.exchange(Share::Mine, &plan.to, false).await
}

/// Takes this member's blocks out of all members' rows, which have the expected length.
fn take_column(members: &Members<'_, '_, impl Wait>, each: usize, target: Span) -> Result {
    let mine = each * members.me();
    let blocks = members.lines().iter().map(|line| line.copy().part(mine, each));
    members.judge(memory::line_up(blocks, each, target))
}

/// Alltoall through the first member, which collects all rows and gives each member its column.
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
