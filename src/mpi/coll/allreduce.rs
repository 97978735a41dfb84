//! Allreduce: combines all members' values; every member gets the result (MPI-5.0 §6.9.6).

use super::bcast::send_down;
use super::claim::{Claim, Kind};
use super::members::{Members, Wait};
use super::plan::Plan;
use super::role::others;
use super::select::{Combination, Crowd, Reduction, Venue};
use super::sum::{Sum, Terms, check, climb, combine_parts};
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

    /// Two members exchange their values; at both, the left operand is that of the first member.
    async fn by_exchange(&self, lane: &Lane<'_>) -> Result {
        let (sum, count, across) = (&self.sum, self.sum.count, 1 - lane.rank());
        let (mut mine, mut theirs) = (sum.room(count)?, sum.room(count)?);
        let (give, get) = (sum.in_room(&mine, count)?, sum.in_room(&theirs, count)?);
        lane.copy(sum.values(), &give)?;
        check(lane, across, lane.exchange(across, &give, across, &get).await?, &get)?;
        let result = match across {
            0 => {
                sum.combine(lane, &theirs, &mut mine, count)?;
                mine
            }
            _ => {
                sum.combine(lane, &mine, &mut theirs, count)?;
                theirs
            }
        };
        lane.copy(&sum.in_room(&result, count)?, &self.target)
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
            Combination::Tree if Crowd::of(lane).exchanges() => self.by_exchange(lane).await,
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
