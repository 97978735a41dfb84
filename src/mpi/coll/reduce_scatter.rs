//! Reduce-scatter: reductions whose result is divided among the members (MPI-5.0 §6.10).

use super::blocks::{Blocks, List};
use super::claim::{Claim, Kind};
use super::members::{Members, Wait};
use super::plan::Plan;
use super::scatter::give;
use super::select::{Crowd, Reduction, Venue};
use super::sum::{Part, Room, Sum, Terms, climb, combine_parts};
use crate::host::memory::Region;
use crate::mpi::comm::Comm;
use crate::mpi::datatype::Address;
use crate::mpi::error::{Class, Result};
use crate::mpi::lane::Lane;

/// Combines all members' values; every member gets a part of the result.
pub struct ReduceScatter {
    sum: Sum,
    /// What each member has.
    bytes: usize,
    parts: Parts,
    target: Region,
    claim: Claim,
}

/// Where the part of each member begins, and how many items it has.
enum Parts {
    /// This many items for every member.
    Even(i64),
    Each(Vec<Part>),
}

impl ReduceScatter {
    /// MPI_Reduce_scatter_block: an equal number of items for every member.
    pub fn even(comm: &Comm, terms: Terms<'_>) -> Result<ReduceScatter> {
        let (count, members) = (terms.count.clone()?, comm.size());
        let kind = Kind::ReduceScatterBlock;
        if count < 0 || comm.gaps().is_some() {
            let members = usize::try_from(members).expect("a size is not negative");
            return ReduceScatter::of(comm, kind, terms, vec![count; members]);
        }
        let total = count.checked_mul(members.into());
        let total = total.ok_or_else(|| Class::COUNT.because("recvcount is too large"))?;
        let mine = Part { first: 0, items: count };
        ReduceScatter::with(comm, kind, terms, total, mine, Parts::Even(count))
    }

    pub fn plan(comm: &Comm, terms: Terms<'_>, counts: &dyn List) -> Result<ReduceScatter> {
        let counts = counts.numbers(comm.size().into())?;
        ReduceScatter::of(comm, Kind::ReduceScatter, terms, counts)
    }

    fn of(comm: &Comm, kind: Kind, terms: Terms<'_>, counts: Vec<i64>) -> Result<ReduceScatter> {
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
        ReduceScatter::with(comm, kind, terms, total, mine, Parts::Each(parts))
    }

    /// Of `total` items; `mine` has as many as this member gets.
    fn with(
        comm: &Comm, kind: Kind, terms: Terms<'_>, total: i64, mine: Part, parts: Parts,
    ) -> Result<ReduceScatter> {
        let Terms { send, recv, .. } = terms;
        let is_in_place = send == Address::IN_PLACE && !comm.is_inter();
        let input = if is_in_place { recv } else { send };
        let sum = terms.check(input, total)?.sum();
        let (bytes, target, claim) = (sum.bytes(), sum.at(recv, mine)?, sum.claim(kind));
        Ok(ReduceScatter { sum, bytes, parts, target, claim })
    }

    fn part(&self, rank: i32) -> Part {
        match &self.parts {
            Parts::Even(items) => Part { first: i64::from(rank) * items, items: *items },
            Parts::Each(parts) => parts[usize::try_from(rank).expect("a rank is not negative")],
        }
    }

    /// The first member of the group, which has all of the result, gives every member its part.
    async fn give_out(&self, lane: &Lane<'_>, values: Option<Room>) -> Result {
        let Some(values) = values else { return lane.recv(0, &self.target).await.map(drop) };
        let parts = (0..lane.size()).map(|rank| self.sum.at(values.buf, self.part(rank)));
        let blocks = Blocks::Each(parts.collect::<Result<_>>()?);
        let sends = give(lane, &blocks)?;
        lane.keep(&blocks.of(0), &self.target)?;
        lane.all(sends).await
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
    type Algorithm = Reduction;

    fn claim(&self) -> Claim {
        self.claim
    }

    #[inline(always)]
    fn select(&self, crowd: Crowd) -> (Venue, Reduction) {
        match crowd.reduce_scatter(self.bytes, self.sum.is_plain()) {
            Reduction::Wire => (Venue::Wire, Reduction::Wire),
            Reduction::Buffered => (crowd.of_copies(), Reduction::Buffered),
            Reduction::AtFirst => (Venue::Memory { all: false }, Reduction::AtFirst),
            shared => (Venue::Memory { all: true }, shared),
        }
    }

    async fn together<W: Wait>(
        &self, algorithm: Reduction, members: &Members<'_, '_, W>,
    ) -> Result {
        let (sum, target, lane) = (&self.sum, &self.target, members.lane());
        let (bracket, part) = (sum.bracket(members.crowd(), 0), self.part(lane.rank()));
        let offset = (part.first * sum.item()) as usize;
        match algorithm {
            Reduction::Buffered => members.reduce_for_all(sum, offset, target).await,
            Reduction::AtFirst => members.reduce_at_first(sum, offset, target).await,
            _ => members.reduce_and_keep(sum, bracket, part, target).await,
        }
    }

    async fn by_messages(&self, _: Reduction, lane: &Lane<'_>) -> Result {
        if lane.comm().is_inter() {
            return self.between(lane).await;
        }
        if !Crowd::of(lane).divides(self.bytes, self.sum.count) {
            let values = climb(lane, &self.sum, 0).await?;
            return self.give_out(lane, values).await;
        }
        let (values, sends) = combine_parts(lane, &self.sum, |rank| self.part(rank)).await?;
        // In place, the result goes where others may still read.
        lane.all(sends).await?;
        lane.copy(&self.sum.in_room(&values, self.part(lane.rank()).items)?, &self.target)
    }
}
