//! Allgather: each member's block goes to every member (MPI-5.0 §6.7). Short blocks travel through
//! copies in shared memory, longer ones straight out of their owners' memory; by messages, the
//! blocks go through the first member or pairwise.

use super::bcast::send_down;
use super::blocks::{Blocks, Offer, Sides, Spot, at_living, check, given};
use super::claim::{Amount, Claim, Kind};
use super::gather::collect;
use super::members::{Members, Wait};
use super::plan::Plan;
use super::role::others;
use super::select::{Crowd, Exchange, Venue};
use super::take::Share;
use crate::engine::Round;
use crate::host::memory::{Region, copy};
use crate::mpi::comm::Comm;
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;
use crate::mpi::scratch::Scratch;

/// Each member's block goes to every member, in rank order.
pub struct Allgather {
    /// `None`: in place.
    given: Option<Region>,
    blocks: Blocks,
    claim: Claim,
}

impl Allgather {
    #[inline(always)]
    pub fn plan<S: Sides>(comm: &Comm, send: &Offer<'_>, recv: &S) -> Result<Allgather> {
        let given = if comm.is_inter() { Some(send.spot()?) } else { given(send)? };
        let each = if recv.is_even() && !comm.is_inter() { recv.each()? } else { Amount::ANY };
        let blocks = at_living::<S>(check(recv, comm)?, comm);
        let kind = if recv.is_even() { Kind::Allgather } else { Kind::Allgatherv };
        let amount = match comm.is_inter() {
            true => Amount::ANY,
            false if recv.is_even() => each,
            false => Amount::bytes(blocks.bytes()),
        };
        let claim = Claim::of(kind).amount(amount);
        Ok(Allgather { given: given.map(Spot::region), blocks, claim })
    }

    /// The block that the member with this rank gives.
    pub(super) fn mine(&self, rank: i32) -> Region {
        self.given.clone().unwrap_or_else(|| self.blocks.of(rank))
    }

    pub(super) fn is_in_place(&self) -> bool {
        self.given.is_none()
    }

    pub(super) fn blocks(&self) -> &Blocks {
        &self.blocks
    }
}

impl Plan for Allgather {
    type Algorithm = Exchange;

    #[inline(always)]
    fn claim(&self) -> Claim {
        self.claim
    }

    #[inline(always)]
    fn select(&self, crowd: Crowd) -> (Venue, Exchange) {
        let is_even = matches!(self.blocks, Blocks::Even { .. });
        match crowd.allgather(self.blocks.largest(), self.blocks.bytes(), is_even) {
            Exchange::Buffered => (crowd.of_copies(), Exchange::Buffered),
            Exchange::SingleCopy => (Venue::Memory { all: true }, Exchange::SingleCopy),
            Exchange::AtFirst => (Venue::Memory { all: false }, Exchange::AtFirst),
            wire => (Venue::Wire, wire),
        }
    }

    async fn together<W: Wait>(&self, algorithm: Exchange, members: &Members<'_, '_, W>) -> Result {
        let (blocks, bytes) = (&self.blocks, self.blocks.bytes());
        match (algorithm, blocks) {
            (Exchange::Buffered, _) => {}
            (Exchange::AtFirst, Blocks::Even { all, .. }) => {
                return members.allgather_at_first(self, all).await;
            }
            _ => return single_copy(members, self).await,
        }
        members.put(&self.mine(members.lane().rank()))?;
        members.all(|| pack(members.round(), blocks)).await?;
        match (blocks, members.round().packed(bytes)) {
            (Blocks::Even { all, .. }, Some(packed)) if !members.is_small() => {
                members.copy(packed, all)?;
            }
            _ => members.take_all(Share::All, blocks, self.is_in_place())?,
        }
        Ok(())
    }

    async fn by_messages(&self, algorithm: Exchange, lane: &Lane<'_>) -> Result {
        let (is_inter, blocks) = (lane.comm().is_inter(), &self.blocks);
        if !is_inter && algorithm == Exchange::Central {
            return gather_and_spread(lane, self.given.as_ref(), blocks).await;
        }
        if let (Some(given), false) = (&self.given, is_inter) {
            lane.keep(given, &blocks.of(lane.rank()))?;
        }
        match (algorithm, blocks) {
            _ if is_inter => {}
            (Exchange::Doubling, Blocks::Even { each, .. }) => {
                return double(lane, blocks, *each).await;
            }
            (Exchange::Doubling | Exchange::Ring, _) => return pass_round(lane, blocks).await,
            _ => {}
        }
        let mine = self.mine(lane.rank());
        // If block sizes are listed, the other members know that this block is empty, and wait for
        // no message.
        let is_left_out = matches!(blocks, Blocks::Each(_)) && mine.bytes() == 0;
        to_all(lane, |_| mine.clone(), blocks, |_| is_left_out).await
    }
}

async fn single_copy<W: Wait>(members: &Members<'_, '_, W>, plan: &Allgather) -> Result {
    members.point_at(&plan.mine(members.lane().rank()));
    members.all_there().await?;
    members.exchange(Share::All, &plan.blocks, plan.is_in_place()).await
}

/// Packs the published blocks in a row, if they have the expected length.
fn pack(round: &Round, blocks: &Blocks) {
    match blocks {
        Blocks::Even { each, .. } if *each > 0 && round.equal_bytes() == Some(*each) => {
            round.pack(blocks.bytes(), |room| {
                for (place, line) in round.lines().iter().enumerate() {
                    // The library owns both.
                    let _ = copy(line.copy(), room.part(place * each, *each));
                }
            });
        }
        _ => round.pack_nothing(),
    }
}

/// Allgather through the first member, which collects all blocks and broadcasts them. Without
/// `mine`, this member's block is in place.
async fn gather_and_spread(lane: &Lane<'_>, mine: Option<&Region>, blocks: &Blocks) -> Result {
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
    send_down(lane, &all, 0).await?;
    if let Blocks::Each(places) = blocks {
        for (rank, place) in (0..).zip(places) {
            lane.copy(&parts.of(rank), place)?;
        }
    }
    Ok(())
}

/// Allgather of blocks that are in place, each of the same length: in every step a member has twice
/// as many, in a row that begins with its own.
async fn double(lane: &Lane<'_>, blocks: &Blocks, each: usize) -> Result {
    let (size, rank) = (lane.size(), lane.rank());
    let mut kept = Scratch::default();
    let room = kept.room(each * size as usize);
    let part = |from: i32, count: i32| {
        Region::from(room.part(from as usize * each, count as usize * each))
    };
    lane.copy(&blocks.of(rank), &part(0, 1))?;
    let mut have = 1;
    while have < size {
        let more = have.min(size - have);
        let (from, to) = ((rank + have) % size, (rank - have + size) % size);
        let arrival = lane.start_recv(from, &part(have, more))?;
        let sent = lane.start_send(to, &part(0, more))?;
        lane.all(vec![arrival, sent]).await?;
        have += more;
    }
    for place in 1..size {
        lane.copy(&part(place, 1), &blocks.of((rank + place) % size))?;
    }
    Ok(())
}

/// Allgather of blocks that are in place: each member passes on what it got last.
async fn pass_round(lane: &Lane<'_>, blocks: &Blocks) -> Result {
    let (size, rank) = (lane.size(), lane.rank());
    let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
    for step in 0..size - 1 {
        let (given, got) = ((rank - step + size) % size, (previous - step + size) % size);
        let arrival = lane.start_recv(previous, &blocks.of(got))?;
        let sent = lane.start_send(next, &blocks.of(given))?;
        lane.all(vec![arrival, sent]).await?;
    }
    Ok(())
}

/// Pairwise exchange: a message to every peer and one from each, except those that both ends leave
/// out.
pub(super) async fn to_all(
    lane: &Lane<'_>, from: impl Fn(i32) -> Region, into: &Blocks, is_left_out: impl Fn(i32) -> bool,
) -> Result {
    let across = 1 - lane.rank();
    if lane.size() == 2
        && !lane.comm().is_inter()
        && !into.is_left_out(across)
        && !is_left_out(across)
    {
        return lane.exchange(across, &from(across), across, &into.of(across)).await.map(drop);
    }
    let mut doings = Vec::new();
    for rank in others(lane.comm()).filter(|rank| !into.is_left_out(*rank)) {
        doings.push(lane.start_recv(rank, &into.of(rank))?);
    }
    for rank in others(lane.comm()).filter(|rank| !is_left_out(*rank)) {
        doings.push(lane.start_send(rank, &from(rank))?);
    }
    lane.all(doings).await
}
