//! Reduce: combines all members' values for the root (MPI-5.0 §6.9.1).

use super::blocks::Blocks;
use super::claim::{Claim, Kind};
use super::gather::collect;
use super::members::{Members, Wait, index};
use super::plan::Plan;
use super::role::Role;
use super::select::{Combination, Crowd, Reduction, Venue};
use super::sum::{Sum, Terms, climb, combine_parts};
use crate::host::memory::Region;
use crate::mpi::comm::Comm;
use crate::mpi::datatype::Address;
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;

/// Combines all members' values; the result goes to the root's `recv`.
pub struct Reduce {
    role: Role,
    /// `None` if this member gives nothing: in the root's group of an intercommunicator.
    sum: Option<Sum>,
    /// What each member has.
    bytes: usize,
    /// At the root.
    target: Option<(Address, Region)>,
    claim: Claim,
}

impl Reduce {
    #[inline(always)]
    pub fn plan(comm: &Comm, terms: Terms<'_>, root: i32) -> Result<Reduce> {
        let role = Role::of(comm, root)?;
        if comm.is_inter() {
            return Reduce::between(comm, terms, root, role);
        }
        let Terms { send, recv, .. } = terms;
        let is_root = role == Role::Root;
        let input = if is_root && send == Address::IN_PLACE { recv } else { send };
        let count = terms.count()?;
        let terms = terms.check(input, count)?;
        let target = if is_root { Some(terms.target(recv, count)?) } else { None };
        let claim = terms.claim(Kind::Reduce).root(root, role, comm);
        let target = target.map(|place| (recv, terms.region(place)));
        Ok(Reduce { role, bytes: terms.bytes(), sum: Some(terms.sum()), target, claim })
    }

    #[inline(never)]
    fn between(comm: &Comm, terms: Terms<'_>, root: i32, role: Role) -> Result<Reduce> {
        let claim = Claim::of(Kind::Reduce).root(root, role, comm);
        if role == Role::Nobody {
            return Ok(Reduce { role, sum: None, bytes: 0, target: None, claim });
        }
        let Terms { send, recv, .. } = terms;
        let is_root = role == Role::Root;
        let count = terms.count()?;
        let sum = terms.check(if is_root { recv } else { send }, count)?.sum();
        let target = if is_root { Some((recv, sum.at(recv, sum.whole())?)) } else { None };
        let claim = sum.claim(Kind::Reduce).root(root, role, comm);
        let (bytes, sum) = (sum.bytes(), Some(sum).filter(|_| !is_root));
        Ok(Reduce { role, sum, bytes, target, claim })
    }

    #[inline(always)]
    fn reduction(&self, crowd: Crowd) -> Reduction {
        self.sum.as_ref().map_or(Reduction::Wire, |sum| crowd.reduce(self.bytes, sum.is_plain()))
    }

    async fn within(&self, lane: &Lane<'_>, sum: &Sum, root: i32) -> Result {
        if sum.combination(Crowd::of(lane)) == Combination::Parts {
            return self.by_parts(lane, sum, root).await;
        }
        let top = if sum.op.commutes() { root } else { 0 };
        let values = climb(lane, sum, top).await?;
        match (values, &self.target) {
            (Some(values), Some((_, target))) => {
                lane.copy(&sum.in_room(&values, sum.count)?, target)
            }
            (Some(values), None) => lane.send(root, &sum.in_room(&values, sum.count)?).await,
            (None, Some((_, target))) => lane.recv(top, target).await.map(drop),
            (None, None) => Ok(()),
        }
    }

    /// Each member combines a part, and sends it to the root.
    async fn by_parts(&self, lane: &Lane<'_>, sum: &Sum, root: i32) -> Result {
        let size = lane.size();
        let parts = |rank| sum.part(rank, size);
        let (values, sends) = combine_parts(lane, sum, parts).await?;
        let mine = parts(lane.rank());
        match &self.target {
            None => lane.send(root, &sum.in_room(&values, mine.items)?).await?,
            Some((recv, _)) => {
                let places = (0..size).map(|rank| sum.at(*recv, parts(rank)));
                collect(lane, &Blocks::Each(places.collect::<Result<_>>()?)).await?;
                lane.copy(&sum.in_room(&values, mine.items)?, &sum.at(*recv, mine)?)?;
            }
        }
        lane.all(sends).await
    }
}

impl Plan for Reduce {
    type Algorithm = Reduction;

    #[inline(always)]
    fn claim(&self) -> Claim {
        self.claim
    }

    #[inline(always)]
    fn select(&self, crowd: Crowd) -> (Venue, Reduction) {
        match self.reduction(crowd) {
            Reduction::Wire => (Venue::Wire, Reduction::Wire),
            shared => (Venue::Memory { all: false }, shared),
        }
    }

    async fn together<W: Wait>(
        &self, algorithm: Reduction, members: &Members<'_, '_, W>,
    ) -> Result {
        let Some(sum) = &self.sum else { unreachable!("within a group, all give") };
        let root = index(self.role.root(members.lane()));
        let target = self.target.as_ref().map(|(_, target)| target);
        let bracket = || sum.bracket(members.crowd(), root);
        match algorithm {
            Reduction::Buffered => members.reduce_at(sum, target, root).await,
            Reduction::Replicated => members.reduce_replicated(sum, bracket(), target).await,
            _ => members.reduce_by_parts(sum, bracket(), target).await,
        }
    }

    async fn by_messages(&self, _: Reduction, lane: &Lane<'_>) -> Result {
        let root = self.role.root(lane);
        match (&self.sum, &self.target) {
            (Some(sum), _) if !lane.comm().is_inter() => self.within(lane, sum, root).await,
            (Some(sum), _) => match climb(&lane.local(), sum, 0).await? {
                Some(values) => lane.send(root, &sum.in_room(&values, sum.count)?).await,
                None => Ok(()),
            },
            (None, Some((_, target))) => lane.recv(0, target).await.map(drop),
            (None, None) => lane.look_round(),
        }
    }
}
