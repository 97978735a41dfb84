//! Reductions whose result is dealt out (MPI-5.0 §6.10).

use super::bracket::Bracket;
use super::brisk::Turn;
use super::choice::Combination;
use super::claim::{Claim, Kind};
use super::reduce::{Part, Room, Sum, climb, combine_parts};
use super::rooted::give;
use super::sitting::Sitting;
use super::{Blocks, List, Plan, Terms};
use crate::host::memory::{Region, Span};
use crate::mpi::comm::Comm;
use crate::mpi::datatype::Address;
use crate::mpi::error::{Class, Result};
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;

/// Combines everybody's values; every member gets some of the result.
pub struct ReduceScatter {
    sum: Sum,
    parts: Parts,
    target: Region,
    claim: Claim,
}

/// Where the part of each member begins, and how many items it has.
enum Parts {
    /// So many of everybody.
    Even(i64),
    Each(Vec<Part>),
}

impl ReduceScatter {
    /// The same number of items for everybody.
    pub fn even(comm: &Comm, terms: &Terms) -> Result<ReduceScatter> {
        let (count, members) = (terms.count.clone()?, comm.size());
        let kind = Kind::ReduceScatterBlock;
        if count < 0 || comm.gaps().is_some() {
            let members = usize::try_from(members).expect("a size is not negative");
            return ReduceScatter::of(comm, (kind, terms), vec![count; members]);
        }
        let total = count.checked_mul(members.into());
        let total = total.ok_or_else(|| Class::COUNT.because("recvcount is too large"))?;
        let mine = Part { first: 0, items: count };
        ReduceScatter::with(comm, (kind, terms), total, mine, Parts::Even(count))
    }

    pub fn plan(comm: &Comm, terms: &Terms, counts: &dyn List) -> Result<ReduceScatter> {
        let counts = counts.numbers(comm.size().into())?;
        ReduceScatter::of(comm, (Kind::ReduceScatter, terms), counts)
    }

    fn of(comm: &Comm, terms: (Kind, &Terms), counts: Vec<i64>) -> Result<ReduceScatter> {
        let negative = counts.iter().position(|count| *count < 0);
        let total = counts.iter().try_fold(0_i64, |sum, count| sum.checked_add(*count));
        let (None, Some(total)) = (negative, total) else {
            let place = negative.unwrap_or(0);
            let words = format!("element {place} of recvcounts is {}", counts[place]);
            return Err(Class::COUNT.because(words));
        };
        let rank = usize::try_from(comm.rank).expect("a rank is not negative");
        let mine = Part { first: 0, items: counts[rank] };
        let mut first = 0;
        let part = |items: i64| {
            first += items;
            Part { first: first - items, items }
        };
        let all: Vec<Part> = counts.into_iter().map(part).collect();
        let parts = match comm.gaps() {
            None => all,
            Some(gaps) => gaps.ranks.iter().map(|rank| all[*rank as usize]).collect(),
        };
        ReduceScatter::with(comm, terms, total, mine, Parts::Each(parts))
    }

    /// Of `total` items; `mine` has as many as this member gets.
    fn with(
        comm: &Comm, (kind, terms): (Kind, &Terms), total: i64, mine: Part, parts: Parts,
    ) -> Result<ReduceScatter> {
        let is_in_place = terms.send == Address::IN_PLACE && !comm.is_inter();
        let input = if is_in_place { terms.recv } else { terms.send };
        let sum = Sum::new(terms, input, total)?;
        let target = sum.at(terms.recv, mine)?;
        let claim = Claim::of(kind).sum(terms, total)?;
        Ok(ReduceScatter { sum, parts, target, claim })
    }

    fn part(&self, rank: i32) -> Part {
        match &self.parts {
            Parts::Even(items) => Part { first: i64::from(rank) * items, items: *items },
            Parts::Each(parts) => parts[usize::try_from(rank).expect("a rank is not negative")],
        }
    }

    /// The first member of the group that has all of the result gives everybody its part.
    async fn give_out(&self, lane: &Lane<'_>, values: Option<Room>) -> Result {
        let Some(values) = values else { return lane.recv(0, &self.target).await.map(drop) };
        let parts = (0..lane.size()).map(|rank| self.sum.at(values.buf, self.part(rank)));
        let blocks = Blocks::Each(parts.collect::<Result<_>>()?);
        let sends = give(lane, &blocks)?;
        lane.keep(&blocks.of(0), &self.target)?;
        lane.all(sends).await
    }

    async fn together(
        &self, sitting: Sitting<'_, '_>, combination: Combination, is_at_once: bool,
    ) -> Result {
        let (sum, target, lane) = (&self.sum, &self.target, sitting.lane());
        let (bracket, part) = (sum.bracket(combination, 0)?, self.part(lane.rank()));
        if !is_at_once {
            return sitting.reduce_and_keep(sum, bracket, part, target).await;
        }
        let (last, (offset, bytes)) = (bracket.last(sitting.members()), self.place(part));
        let pick = |results: &dyn Fn(usize) -> Span| results(last).part(offset, bytes);
        sitting.reduce_for_all(sum, bracket, target, pick).await
    }

    /// Where a part lies among all values, and how many bytes it has.
    fn place(&self, Part { first, items }: Part) -> (usize, usize) {
        ((first * self.sum.item()) as usize, (items * self.sum.item()) as usize)
    }

    async fn between(&self, lane: &Lane<'_>) -> Result {
        let (local, sum) = (lane.local(), &self.sum);
        let mut values = climb(&local, sum, 0).await?;
        if let Some(ours) = values.take() {
            let theirs = sum.room(sum.count)?;
            let (give, get) = (sum.in_room(&ours, sum.count)?, sum.in_room(&theirs, sum.count)?);
            lane.exchange(0, &give, 0, &get).await?;
            values = Some(theirs);
        }
        self.give_out(&local, values).await?;
        lane.note(local.verdict())
    }
}

impl Plan for ReduceScatter {
    fn claim(&self) -> Claim {
        self.claim
    }

    async fn carry_out(&self, lane: &Lane<'_>) -> Result {
        if lane.comm().is_inter() {
            return self.between(lane).await;
        }
        let combination = self.sum.combination(lane)?;
        if let Some((sitting, is_at_once)) = self.sum.sit_down(lane, true).await? {
            return self.together(sitting, combination, is_at_once).await;
        }
        if combination == Combination::Tree {
            let values = climb(lane, &self.sum, 0).await?;
            return self.give_out(lane, values).await;
        }
        let (values, sends) = combine_parts(lane, &self.sum, |rank| self.part(rank)).await?;
        // In place, the result lies where others may still read.
        lane.all(sends).await?;
        lane.copy(&self.sum.in_room(&values, self.part(lane.rank()).items)?, &self.target)
    }

    #[inline]
    fn at_once(&self, process: &Process, comm: &Comm) -> Result<bool> {
        let sum = &self.sum;
        let bytes = sum.datatype.bytes(sum.count)?;
        let crowd = Turn::crowd(process, comm).filter(|_| sum.is_plain());
        let crowd = crowd.filter(|crowd| crowd.combines_at_once(bytes));
        let Some(crowd) = crowd else { return Ok(false) };
        let bracket = Bracket::of(crowd.reduction(bytes, sum.count), bytes, 0);
        let (offset, _) = self.place(self.part(comm.rank));
        let (turn, input) = (Turn::next_of_all(process, comm), sum.input(sum.whole())?);
        turn.come(self.claim)?;
        turn.reduce_for_all(|| sum, &input, bracket, (offset, &self.target))?;
        Ok(true)
    }
}
