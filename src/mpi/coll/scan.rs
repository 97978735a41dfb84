//! Prefix reductions (MPI-5.0 §6.11), along the chain of ranks. Each member publishes a copy of a
//! short partial result for the next one; a long one the next member reads in place. Messages carry
//! it in segments that fit into packets, so that each member sleeps once and the segments of a long
//! vector form a pipeline.

use super::bracket::Bracket;
use super::claim::{Claim, Kind};
use super::combine::{combine_all, disagreement};
use super::members::{Members, Wait};
use super::plan::Plan;
use super::select::{Chain, Crowd, SEGMENT, Venue};
use super::sum::{Part, Sum, Terms, receive};
use crate::host::memory::{Region, Span};
use crate::mpi::comm::Comm;
use crate::mpi::datatype::Address;
use crate::mpi::error::{Result, is_death};
use crate::mpi::lane::Lane;
use crate::mpi::op::kernels::Missing;

/// Prefix reduction: each member gets the combined values of all members up to it, or before it.
pub struct Scan {
    sum: Sum,
    recv: Address,
    /// `None`: no result is for this member.
    target: Option<Region>,
    is_exclusive: bool,
}

impl Scan {
    pub fn inclusive(comm: &Comm, terms: Terms<'_>) -> Result<Scan> {
        Scan::plan(comm, terms, false)
    }

    pub fn exclusive(comm: &Comm, terms: Terms<'_>) -> Result<Scan> {
        Scan::plan(comm, terms, true)
    }

    #[inline(always)]
    fn plan(comm: &Comm, terms: Terms<'_>, is_exclusive: bool) -> Result<Scan> {
        comm.must_be_intra()?;
        let Terms { send, recv, .. } = terms;
        let input = if send == Address::IN_PLACE { recv } else { send };
        let count = terms.count()?;
        let terms = terms.check(input, count)?;
        let has_result = !is_exclusive || comm.living().rank != 0;
        let target = if has_result { Some(terms.target(recv, count)?) } else { None };
        let target = target.map(|place| terms.region(place));
        Ok(Scan { sum: terms.sum(), recv, target, is_exclusive })
    }

    #[inline(always)]
    fn chain(&self, crowd: Crowd) -> Chain {
        let is_in_one_piece = !self.is_exclusive && self.sum.is_in_one_piece();
        crowd.scan(self.sum.bytes(), self.sum.is_plain(), is_in_one_piece)
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
            // The program's function may have left its left operand unchanged.
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

impl Plan for Scan {
    type Algorithm = Chain;

    #[inline(always)]
    fn claim(&self) -> Claim {
        self.sum.claim(if self.is_exclusive { Kind::Exscan } else { Kind::Scan })
    }

    #[inline(always)]
    fn select(&self, crowd: Crowd) -> (Venue, Chain) {
        let chain = self.chain(crowd);
        let venue = match chain {
            Chain::Buffered | Chain::SingleCopy => Venue::Memory { all: false },
            Chain::Central => Venue::Memory { all: true },
            Chain::Pipeline => Venue::Wire,
        };
        (venue, chain)
    }

    async fn together<W: Wait>(&self, algorithm: Chain, members: &Members<'_, '_, W>) -> Result {
        let (sum, target) = (&self.sum, self.target.as_ref());
        match (algorithm, target) {
            (Chain::Buffered, target) => members.scan_copies(sum, target, self.is_exclusive).await,
            (Chain::SingleCopy, Some(target)) => members.scan_where_it_lies(sum, target).await,
            (_, target) => members.scan_for_all(sum, target, self.is_exclusive).await,
        }
    }

    async fn by_messages(&self, _: Chain, lane: &Lane<'_>) -> Result {
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
}

impl<W: Wait> Members<'_, '_, W> {
    /// Combines the values, which are short, of all members up to this one, or before it, for its
    /// `target` if it has one. Each member waits only for the one before it, and publishes the
    /// partial result for the one after it.
    #[inline]
    pub(super) async fn scan_copies(
        &self, sum: &Sum, target: Option<&Region>, is_exclusive: bool,
    ) -> Result {
        let (me, is_last) = (self.me(), self.me() + 1 == self.count());
        self.put(sum.values())?;
        let (mine, mut before) = (self.copy_of(me), Span::EMPTY);
        if let Some(previous) = me.checked_sub(1) {
            self.passed_by(previous).await?;
            before = self.copy_of(previous);
            if before.bytes() != mine.bytes() {
                let news = disagreement(previous, before.bytes(), mine.bytes());
                self.lane().note(Err(news))?;
                self.pass()?;
                return Ok(());
            }
            if !(is_last && is_exclusive) {
                sum.combiner(self.lane().process()).combine(before, mine);
            }
        }
        if !is_last {
            self.pass()?;
        }
        if let Some(target) = target {
            self.copy(if is_exclusive { before } else { mine }, target)?;
        }
        Ok(())
    }

    /// The last member to arrive combines for all; this member's result goes to its `target` if it
    /// has one.
    pub(super) async fn scan_for_all(
        &self, sum: &Sum, target: Option<&Region>, is_exclusive: bool,
    ) -> Result {
        let input = sum.values();
        self.put(input)?;
        let (process, one_by_one) = (self.lane().process(), Bracket::one_by_one(self.count()));
        self.all_behind(|| _ = combine_all(process, self.round(), sum, one_by_one)).await?;
        if self.round().agreed_bytes() != Some(input.bytes()) {
            self.note_disagreement(input.bytes())?;
        } else if let Some(target) = target {
            self.copy(self.copy_of(self.me() - usize::from(is_exclusive)), target)?;
        }
        Ok(())
    }

    /// For longer values: each member combines the partial result of the member before it, in that
    /// member's memory, with its own values.
    pub(super) async fn scan_where_it_lies(&self, sum: &Sum, target: &Region) -> Result {
        let (me, input) = (self.me(), sum.values().clone());
        let previous = me.checked_sub(1);
        self.point_at(if previous.is_none() { &input } else { target });
        self.all_there().await?;
        let bytes = input.bytes();
        if self.sizes().any(|size| size != bytes) {
            self.note_disagreement(bytes)?;
            return Ok(());
        }
        if let Some(previous) = previous {
            let combined = match self.passed_by(previous).await {
                Ok(()) => self.combine_with(previous, sum, &input, target),
                failed => failed,
            };
            self.end_reading_of(previous);
            // A member that passes nothing on has no reader.
            combined?;
        }
        self.pass()?;
        let kept = match previous {
            None => self.lane().keep(&input, target),
            Some(_) => Ok(()),
        };
        if is_death(&kept) {
            return kept;
        }
        if me + 1 < self.count() {
            self.read_by(me + 1).await?;
        }
        kept?;
        Ok(())
    }

    fn combine_with(&self, previous: usize, sum: &Sum, input: &Region, target: &Region) -> Result {
        let before = self.laid(previous).span();
        let (Some(before), Some(right), Some(into)) = (before, input.span(), target.span()) else {
            unreachable!("plain values lie in one piece");
        };
        let pin = self.pin(previous).ok_or_else(|| self.lost(previous))?;
        let combined = sum.combiner(self.lane().process()).combine_into(before, right, into);
        drop(pin);
        combined.map_err(|missing| match missing {
            Missing::Left(address) => self.missed(previous, address),
            Missing::Right(address) | Missing::Into(address) => self.missed(self.me(), address),
        })
    }
}
