//! Collective communication (MPI-5.0 §6), each call written once as a [`Plan`] that a blocking, a
//! nonblocking and a persistent form carry out.
//!
//! When a member dies, every lane of the communicator fails, so nobody is left waiting for those
//! who gave up. A member that met an error of its own tells its caller, but does its part.

mod bracket;
pub mod brief;
mod brisk;
mod choice;
pub(super) mod claim;
mod combining;
mod every;
mod neighbours;
pub mod reduce;
mod reduce_scatter;
mod rooted;
mod scan;
mod sides;
mod sitting;
mod together;
mod tree;
mod uniform;

pub use every::{Allgather, Alltoall, Barrier};
pub use neighbours::{NeighborAllgather, NeighborAlltoall};
pub use reduce::{Allreduce, Reduce, Terms};
pub use reduce_scatter::ReduceScatter;
pub use rooted::{Bcast, Gather, Scatter};
pub use scan::Scan;
pub use sides::{Blocks, List, Lists, Offer, Side, Sides, Types};
pub use tree::{broadcast, meet};
pub use uniform::{Said, close, give_up, unite, unite_behind};

use crate::host::memory::Span;
use crate::mpi::comm::{Comm, Root};
use crate::mpi::error::Result;
use crate::mpi::handle_table::Held;
use crate::mpi::lane::Lane;
use crate::mpi::p2p::Pending;
use crate::mpi::process::Process;
use crate::mpi::run::{self, Way};
use claim::{Claim, Form, Kind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// One collective operation, its arguments judged.
pub trait Plan: Send + Sync + 'static {
    /// What has to be the same at all members.
    fn claim(&self) -> Claim;

    /// Does this member's part.
    fn carry_out(&self, lane: &Lane<'_>) -> impl Future<Output = Result> + Send;

    /// Does this member's part by a shorter way, where members share cores and each has little;
    /// false: nothing has happened.
    #[inline]
    fn at_once(&self, _process: &Process, _comm: &Comm) -> Result<bool> {
        Ok(false)
    }
}

/// Carries out the next collective operation of `comm`. The tag is drawn even when the arguments
/// are bad: the members stay in step.
#[inline]
pub fn block(process: &Process, comm: &Comm, plan: Result<impl Plan>) -> Result {
    if let Ok(plan) = &plan
        && plan.at_once(process, comm)?
    {
        return Ok(());
    }
    block_for_long(process, comm, plan)
}

/// Apart, since what it needs would cost the shorter way as well.
#[inline(never)]
fn block_for_long(process: &Process, comm: &Comm, plan: Result<impl Plan>) -> Result {
    let tag = comm.next_collective(process);
    let plan = plan?;
    claim::compare(process, comm, tag, plan.claim().form(Form::Blocking))?;
    let lane = Lane::new(process, comm, tag, Way::Blocking).paced().as_turn();
    run::block(perform(&plan, &lane))
}

/// Does this member's part, unless somebody is known to be dead: then nobody does.
async fn perform(plan: &impl Plan, lane: &Lane<'_>) -> Result {
    let outcome = attempt(plan, lane).await;
    match lane.is_atomic() {
        false => outcome,
        true => lane.settle(outcome).await,
    }
}

async fn attempt(plan: &impl Plan, lane: &Lane<'_>) -> Result {
    lane.look_round()?;
    plan.carry_out(lane).await?;
    lane.verdict()
}

/// Starts the next collective operation of `comm`; returns the handle of its request.
pub fn start(
    process: &'static Process, comm: &Held<Comm>, plan: Result<impl Plan>,
) -> Result<usize> {
    let (tag, plan) = (comm.next_collective(process), Arc::new(plan?));
    claim::compare(process, comm, tag, plan.claim().form(Form::Nonblocking))?;
    let pending = launch(process, comm.clone(), (tag, 0), plan)?;
    process.requests.keep(comm, pending)
}

/// Prepares the next collective operation of `comm`; returns the handle of a request that starts
/// it. Members may start several of them in different orders, so the tag is drawn here: the
/// repetitions of one operation have the same, and follow each other.
pub fn persist(
    process: &'static Process, comm: &Held<Comm>, plan: Result<impl Plan>,
) -> Result<usize> {
    let tag = comm.next_collective(process);
    let plan = plan?;
    claim::compare(process, comm, tag, plan.claim().form(Form::Persistent))?;
    let (plan, on, rounds) = (Arc::new(plan), comm.clone(), AtomicU32::new(0));
    let restart = move |_: &Process| {
        let round = rounds.fetch_add(1, Ordering::Relaxed);
        launch(process, on.clone(), (tag, round), plan.clone())
    };
    process.requests.keep_persistent(comm, Arc::new(restart))
}

fn launch(
    process: &'static Process, comm: Held<Comm>, (tag, round): (i32, u32), plan: Arc<impl Plan>,
) -> Result<Pending> {
    run::start(process, |way| async move {
        let lane = Lane::new(process, &comm, tag, way).of_round(round).paced().as_turn();
        perform(&*plan, &lane).await
    })
}

/// A blocking lane for the next collective operation of `comm`, a part of such a call.
pub(super) fn lane<'a>(process: &'a Process, comm: &'a Comm, kind: Kind) -> Result<Lane<'a>> {
    let tag = comm.next_collective(process);
    claim::compare(process, comm, tag, Claim::of(kind))?;
    Ok(Lane::new(process, comm, tag, Way::Blocking))
}

/// Returns when every member has come to the end of MPI.
pub fn part(process: &Process, comm: &Comm) -> Result {
    block(process, comm, Barrier::at_the_end())
}

/// Everybody's bytes of the same length, in the order of ranks, for the library's own agreements.
pub(super) fn share(process: &Process, comm: &Comm, kind: Kind, mine: &[u8]) -> Result<Vec<u8>> {
    let lane = lane(process, comm, kind)?;
    run::block(unite(&lane, mine, |said| said.by_all(lane.size())))
}

/// Everybody's bytes of the same length on a lane of any kind.
pub async fn share_on(lane: &Lane<'_>, mine: &[u8]) -> Result<Vec<u8>> {
    let mut all = vec![0; mine.len() * usize::try_from(lane.size()).expect("sizes are positive")];
    let blocks = Blocks::even(Span::of_mut(&mut all), mine.len());
    every::gather_and_spread(lane, Some(&Span::of(mine).into()), &blocks).await?;
    Ok(all)
}

/// What a member does in an operation with a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Root,
    /// The root is the peer with this rank.
    Leaf(i32),
    /// Not the root, but of its group: only between two groups.
    Nobody,
}

impl Role {
    fn of(comm: &Comm, root: i32) -> Result<Role> {
        if !comm.is_inter() {
            let root = comm.root(root)?;
            return Ok(if root == comm.living().rank { Role::Root } else { Role::Leaf(root) });
        }
        Ok(match comm.root_between(root)? {
            Root::This => Role::Root,
            Root::Nobody => Role::Nobody,
            Root::Rank(rank) => Role::Leaf(rank),
        })
    }

    /// The rank of the root, within a group.
    fn root(self, lane: &Lane<'_>) -> i32 {
        if let Role::Leaf(root) = self { root } else { lane.rank() }
    }
}

/// The peers of an operation but for this member itself, those after it first.
fn others(comm: &Comm) -> impl Iterator<Item = i32> + use<> {
    let size = comm.peers().size();
    let (first, count) = if comm.is_inter() { (0, size) } else { (comm.rank + 1, size - 1) };
    (0..count).map(move |step| (first + step) % size)
}
