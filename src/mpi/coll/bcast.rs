//! Broadcast: the root's buffer goes to every member (MPI-5.0 §6.4), through a copy in shared
//! memory, straight out of the root's memory (single copy), or by messages along a tree.

use super::blocks::Offer;
use super::claim::{Claim, Kind};
use super::members::{Members, Wait, index};
use super::plan::Plan;
use super::role::{Role, others};
use super::select::{Crowd, Rooted, Venue};
use super::take::Share;
use super::tree::Tree;
use crate::host::memory::Region;
use crate::mpi::comm::Comm;
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;

/// The root's buffer goes to every member.
pub struct Bcast {
    role: Role,
    data: Region,
    claim: Claim,
}

impl Bcast {
    #[inline(always)]
    pub fn plan(comm: &Comm, offer: Offer<'_>, root: i32) -> Result<Bcast> {
        let role = Role::of(comm, root)?;
        let claim = Claim::of(Kind::Bcast).root(root, role, comm);
        if role == Role::Nobody {
            return Ok(Bcast { role, data: Region::EMPTY, claim });
        }
        let (data, amount) = offer.measured()?;
        Ok(Bcast { role, data: data.region(), claim: claim.amount(amount) })
    }
}

impl Plan for Bcast {
    type Algorithm = Rooted;

    #[inline(always)]
    fn claim(&self) -> Claim {
        self.claim
    }

    #[inline(always)]
    fn select(&self, crowd: Crowd) -> (Venue, Rooted) {
        match crowd.bcast(self.data.bytes()) {
            Rooted::Wire => (Venue::Wire, Rooted::Wire),
            shared => (Venue::Memory { all: false }, shared),
        }
    }

    async fn together<W: Wait>(&self, algorithm: Rooted, members: &Members<'_, '_, W>) -> Result {
        let (data, root) = (&self.data, index(self.role.root(members.lane())));
        match algorithm {
            Rooted::Buffered if root == members.me() => {
                members.must_be_whole()?;
                members.put(data)?;
                members.show()?;
                Ok(())
            }
            Rooted::Buffered => {
                members.shown_by(root).await?;
                members.take(root, Share::All, data)?;
                Ok(())
            }
            _ => single_copy(members, data, root).await,
        }
    }

    async fn by_messages(&self, _: Rooted, lane: &Lane<'_>) -> Result {
        if !lane.comm().is_inter() {
            return send_down(lane, &self.data, self.role.root(lane)).await;
        }
        match self.role {
            Role::Root => {
                let sends = others(lane.comm()).map(|rank| lane.start_send(rank, &self.data));
                lane.all(sends.collect::<Result<_>>()?).await
            }
            Role::Leaf(root) => lane.recv(root, &self.data).await.map(drop),
            Role::Nobody => lane.look_round(),
        }
    }
}

async fn single_copy<W: Wait>(members: &Members<'_, '_, W>, data: &Region, root: usize) -> Result {
    members.come_to(root).await?;
    if root != members.me() {
        return members.receive(root, Share::All, data).await;
    }
    members.point_at(data);
    members.give().await
}

/// The root's `data` goes to all members, as part of another operation.
pub async fn broadcast(lane: &Lane<'_>, data: &Region, root: i32) -> Result {
    send_down(lane, data, root).await
}

/// Broadcast by messages along a tree.
pub(super) async fn send_down(lane: &Lane<'_>, data: &Region, root: i32) -> Result {
    let tree = Tree::of(lane, root);
    if let Some(parent) = tree.parent() {
        lane.recv(parent, data).await?;
    }
    let mut sends = Vec::new();
    for child in tree.children().rev() {
        sends.push(lane.start_send(child, data)?);
    }
    lane.all(sends).await
}
