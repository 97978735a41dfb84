//! Allreduce: combines all members' values; every member gets the result (MPI-5.0 §6.9.6).

use super::bcast::send_down;
use super::claim::{Claim, Kind};
use super::members::{Members, Wait};
use super::plan::Plan;
use super::role::others;
use super::select::{Combination, Crowd, Reduction, Venue};
use super::sum::{Part, Sum, Terms, check, climb, combine_parts};
use crate::host::memory::Region;
use crate::mpi::comm::Comm;
use crate::mpi::datatype::Address;
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;

/// Combines all members' values; the result goes to every member's `recv`.
pub struct Allreduce {
    sum: Sum,
    recv: Address,
    target: Region,
}

impl Allreduce {
    #[inline(always)]
    pub fn plan(comm: &Comm, terms: Terms<'_>) -> Result<Allreduce> {
        let Terms { send, recv, .. } = terms;
        let is_in_place = send == Address::IN_PLACE && !comm.is_inter();
        let input = if is_in_place { recv } else { send };
        let count = terms.count()?;
        let terms = terms.check(input, count)?;
        let target = terms.target(recv, count)?;
        Ok(Allreduce { sum: terms.sum(), recv, target: terms.region(target) })
    }

    #[inline(always)]
    fn reduction(&self, crowd: Crowd) -> Reduction {
        // The result has no gaps that the input does not have.
        crowd.allreduce(self.target.bytes(), self.sum.is_plain())
    }

    async fn between(&self, lane: &Lane<'_>) -> Result {
        let local = lane.local();
        if let Some(values) = climb(&local, &self.sum, 0).await? {
            let values = self.sum.in_room(&values, self.sum.count)?;
            lane.exchange(0, &values, 0, &self.target).await?;
        }
        send_down(&local, &self.target, 0).await?;
        lane.note(local.verdict())
    }

    /// In each step a member gets the values of as many as it has already. In the end each combines
    /// all of them, in the order of their ranks.
    async fn by_doubling(&self, lane: &Lane<'_>) -> Result {
        let (sum, count) = (&self.sum, self.sum.count);
        let (size, rank) = (lane.size(), lane.rank());
        let room = sum.room(count * i64::from(size))?;
        let row = |place: i32, members: i32| {
            let (first, items) = (i64::from(place) * count, i64::from(members) * count);
            sum.at(room.buf, Part { first, items })
        };
        // Pairs exchange what they have, if that brings everything to everybody: then messages
        // acknowledge each other. Else a row begins with the own values.
        let are_pairs = size.count_ones() == 1;
        let place = |member: i32| if are_pairs { member } else { (member - rank + size) % size };
        lane.copy(sum.values(), &row(place(rank), 1)?)?;
        let mut have = 1;
        while have < size {
            let more = have.min(size - have);
            let (to, from, given, got) = if are_pairs {
                let (across, first) = (rank ^ have, rank & -have);
                (across, across, first, first ^ have)
            } else {
                ((rank - have + size) % size, (rank + have) % size, 0, have)
            };
            let bytes = lane.exchange(to, &row(given, more)?, from, &row(got, more)?).await?;
            check(lane, from, bytes / more as usize, &row(0, 1)?)?;
            have += more;
        }
        let combiner = sum.combiner(lane.process());
        for member in 1..size {
            let [left, right] = [member - 1, member].map(|it| sum.span_at(&room, place(it)));
            combiner.combine(left, right);
        }
        lane.copy(&row(place(size - 1), 1)?, &self.target)
    }

    async fn by_parts(&self, lane: &Lane<'_>) -> Result {
        let (sum, size) = (&self.sum, lane.size());
        let parts = |rank| sum.part(rank, size);
        let (values, mut doings) = combine_parts(lane, sum, parts).await?;
        let mine = parts(lane.rank());
        let values = sum.in_room(&values, mine.items)?;
        // A member that sends its result has read all that it needs of the input, in place or not.
        for rank in others(lane.comm()) {
            doings.push(lane.start_recv(rank, &sum.at(self.recv, parts(rank))?)?);
        }
        for rank in others(lane.comm()) {
            doings.push(lane.start_send(rank, &values)?);
        }
        lane.copy(&values, &sum.at(self.recv, mine)?)?;
        lane.all(doings).await
    }
}

impl Plan for Allreduce {
    type Algorithm = Reduction;

    #[inline(always)]
    fn claim(&self) -> Claim {
        self.sum.claim(Kind::Allreduce)
    }

    #[inline(always)]
    fn select(&self, crowd: Crowd) -> (Venue, Reduction) {
        match self.reduction(crowd) {
            Reduction::Wire => (Venue::Wire, Reduction::Wire),
            Reduction::Buffered => (crowd.of_copies(), Reduction::Buffered),
            Reduction::AtFirst => (Venue::Memory { all: false }, Reduction::AtFirst),
            shared => (Venue::Memory { all: true }, shared),
        }
    }

    async fn together<W: Wait>(
        &self, algorithm: Reduction, members: &Members<'_, '_, W>,
    ) -> Result {
        let (sum, target) = (&self.sum, &self.target);
        let bracket = || sum.bracket(members.crowd(), 0);
        match algorithm {
            Reduction::Buffered => members.reduce_for_all(sum, 0, target).await,
            Reduction::AtFirst => members.reduce_at_first(sum, 0, target).await,
            Reduction::Replicated => members.reduce_for_both(sum, bracket(), target).await,
            _ => members.reduce_by_parts(sum, bracket(), Some(target)).await,
        }
    }

    async fn by_messages(&self, _: Reduction, lane: &Lane<'_>) -> Result {
        if lane.comm().is_inter() {
            return self.between(lane).await;
        }
        match self.sum.combination(Crowd::of(lane)) {
            Combination::Parts => self.by_parts(lane).await,
            Combination::Tree if self.sum.is_exchanged(Crowd::of(lane)) => {
                self.by_doubling(lane).await
            }
            Combination::Tree => {
                if let Some(values) = climb(lane, &self.sum, 0).await? {
                    let values = self.sum.in_room(&values, self.sum.count)?;
                    lane.copy(&values, &self.target)?;
                }
                send_down(lane, &self.target, 0).await
            }
        }
    }
}
