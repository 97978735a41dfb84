//! Prefix reductions (MPI-5.0 §6.11): along the chain of ranks, in segments that fit into packets,
//! so that each member sleeps once and long vectors are on their way at all members at once. Of
//! little, each member lays down for the next one what all up to itself have come to; of much, the
//! next one reads that in its memory.

use super::bracket::Bracket;
use super::brisk::Turn;
use super::choice::{Crowd, SEGMENT};
use super::claim::{Claim, Kind};
use super::reduce::{Part, Sum, receive};
use super::sitting::Sitting;
use super::{Plan, Terms};
use crate::host::memory::{Region, Span};
use crate::mpi::comm::Comm;
use crate::mpi::datatype::Address;
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use crate::mpi::run::Way;

/// Every member gets what those up to it, or before it, have when it is combined.
pub struct Scan {
    sum: Sum,
    recv: Address,
    is_exclusive: bool,
    claim: Claim,
}

impl Scan {
    pub fn inclusive(comm: &Comm, terms: &Terms) -> Result<Scan> {
        Scan::plan(comm, terms, false)
    }

    pub fn exclusive(comm: &Comm, terms: &Terms) -> Result<Scan> {
        Scan::plan(comm, terms, true)
    }

    fn plan(comm: &Comm, terms: &Terms, is_exclusive: bool) -> Result<Scan> {
        comm.must_be_intra()?;
        let input = if terms.send == Address::IN_PLACE { terms.recv } else { terms.send };
        let sum = Sum::new(terms, input, terms.count.clone()?)?;
        if !is_exclusive || comm.living().rank != 0 {
            sum.at(terms.recv, Part { first: 0, items: sum.count })?;
        }
        let kind = if is_exclusive { Kind::Exscan } else { Kind::Scan };
        let claim = Claim::of(kind).sum(terms, sum.count)?;
        Ok(Scan { sum, recv: terms.recv, is_exclusive, claim })
    }

    async fn segment(&self, lane: &Lane<'_>, part: Part) -> Result {
        let (sum, items, rank) = (&self.sum, part.items, lane.rank());
        let is_last = rank + 1 == lane.size();
        let (before, mut mine) = (sum.room(items)?, sum.room(items)?);
        lane.copy(&sum.input(part)?, &sum.in_room(&mine, items)?)?;
        if rank > 0 {
            let left = sum.in_room(&before, items)?;
            receive(lane, rank - 1, &left).await?;
            if !self.is_exclusive || !is_last {
                sum.combine(lane, &before, &mut mine, items)?;
            }
            // The function of the program's may have changed nothing on its left.
            if self.is_exclusive {
                lane.copy(&left, &sum.at(self.recv, part)?)?;
            }
        }
        let values = sum.in_room(&mine, items)?;
        if !self.is_exclusive {
            lane.copy(&values, &sum.at(self.recv, part)?)?;
        }
        if is_last { Ok(()) } else { lane.send(rank + 1, &values).await }
    }
}

impl Scan {
    /// Everybody's values are combined one after the other: each result is somebody's.
    async fn together(&self, sitting: Sitting<'_, '_>) -> Result {
        let one_by_one = Bracket::one_by_one(sitting.members());
        let (place, target) = self.mine(sitting.me())?;
        let pick = |results: &dyn Fn(usize) -> Span| place.map_or(Span::EMPTY, results);
        let target = target.unwrap_or(Region::EMPTY);
        sitting.reduce_for_all(&self.sum, one_by_one, &target, pick).await
    }

    /// Whose result is that of the member at `me`, if there is one for it, and where it goes.
    fn mine(&self, me: usize) -> Result<(Option<usize>, Option<Region>)> {
        let place = if self.is_exclusive { me.checked_sub(1) } else { Some(me) };
        let target = || self.sum.at(self.recv, self.sum.whole());
        Ok((place, place.map(|_| target()).transpose()?))
    }
}

impl Plan for Scan {
    fn claim(&self) -> Claim {
        self.claim
    }

    async fn carry_out(&self, lane: &Lane<'_>) -> Result {
        let bytes = self.sum.datatype.bytes(self.sum.count)?;
        if Crowd::of(lane).passes_on(bytes)
            && let Some((sitting, _)) = self.sum.sit_down(lane, false).await?
        {
            // Who does something else meanwhile is not to hand on what others wait for.
            if lane.way() != Way::Blocking {
                return self.together(sitting).await;
            }
            let (_, target) = self.mine(sitting.me())?;
            return sitting.scan(&self.sum, target.as_ref(), self.is_exclusive).await;
        }
        if Crowd::of(lane).passes_on_much(bytes)
            && lane.way() == Way::Blocking
            && !self.is_exclusive
            && self.sum.is_in_one_piece()
            && let Some(sitting) = Sitting::of(lane).await?
        {
            let target = self.sum.at(self.recv, self.sum.whole())?;
            return sitting.scan_where_it_lies(&self.sum, &target).await;
        }
        let item = self.sum.datatype.bytes(1)?.max(1);
        let segment = i64::try_from(SEGMENT / item).unwrap_or(1).max(1);
        let mut first = 0;
        loop {
            let items = segment.min(self.sum.count - first);
            self.segment(lane, Part { first, items }).await?;
            first += items;
            if first >= self.sum.count {
                return Ok(());
            }
        }
    }

    #[inline]
    fn at_once(&self, process: &Process, comm: &Comm) -> Result<bool> {
        let bytes = self.sum.datatype.bytes(self.sum.count)?;
        let fits = |crowd: Crowd| crowd.passes_on(bytes);
        if !self.sum.is_plain() || !Turn::crowd(process, comm).is_some_and(fits) {
            return Ok(false);
        }
        let (turn, input) = (Turn::next(process, comm), self.sum.input(self.sum.whole())?);
        turn.come(self.claim)?;
        let (_, target) = self.mine(turn.me())?;
        turn.scan(&self.sum, &input, target.as_ref(), self.is_exclusive)?;
        Ok(true)
    }
}
