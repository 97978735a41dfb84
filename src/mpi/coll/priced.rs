//! What collective operations cost in virtual time. Their data move as in any run, in shared
//! memory, which takes no time; the time is that of the messages by which the MPI of the simulated
//! machine would carry them out (see `patterns`). Those are sent indeed, without data: so they meet
//! the same links and the same failures. docs/VIRTUAL.md has a table of the algorithms.

mod patterns;

use super::claim::{Claim, Kind};
use super::select::Crowd;
use crate::host::clock;
use crate::host::sched::{self, Waiting};
use crate::machine::collectives::{Algorithm, Collectives, HardwareTree, Operation};
use crate::mpi::comm::group::Group;
use crate::mpi::error::Result;
use crate::mpi::failure::usability::must_be_fresh;
use crate::mpi::lane::Lane;
use crate::mpi::run;
use crate::transport::{Carriage, Party, SimulatedNetwork};
use std::sync::Arc;

/// One member's part in the messages of an operation.
struct Part<M> {
    mail: M,
    size: i32,
    me: i32,
}

/// How messages without data go between members.
trait Mail {
    /// Expects messages from some members, and sends some to others, which take as long as ones of
    /// so many bytes; by hardware, so long. Ends when all have come.
    async fn exchange(
        &self, from: impl IntoIterator<Item = i32>, to: impl IntoIterator<Item = i32>, bytes: u64,
    ) -> Result;
}

/// What an operation takes on the simulated machine.
struct Price {
    operation: Operation,
    algorithm: Algorithm,
    tree: Option<HardwareTree>,
    root: i32,
    bytes: u64,
}

impl Price {
    /// None if it is not known: if the operation is to be carried out by messages.
    fn of(lane: &Lane<'_>, claim: Claim) -> Option<Price> {
        let (bytes, operation) = (claim.bytes()?, operation(claim)?);
        let (world, size) = (lane.process().world, lane.size());
        let chosen: &Collectives = &world.network()?.overheads().collectives;
        let is_of_all = size as usize == world.ranks();
        let algorithm = chosen.algorithm(operation, bytes, size as u64, is_of_all);
        let tree = chosen.tree.filter(|_| algorithm == Algorithm::Hardware);
        Some(Price { operation, algorithm, tree, root: claim.rank_of_root(), bytes })
    }
}

/// Takes the time that the operation takes on the simulated machine, in a caller that makes
/// progress now and then. False if that is not known.
pub(super) async fn take_time(lane: &Lane<'_>, claim: Claim) -> Result<bool> {
    let Some(price) = Price::of(lane, claim) else { return Ok(false) };
    let lane = lane.unpaced();
    let lane = if price.tree.is_some() { lane.by_hardware() } else { lane };
    Part { size: lane.size(), me: lane.rank(), mail: ByLane(&lane) }.carry_out(&price).await?;
    Ok(true)
}

/// Takes the time that the operation takes on the simulated machine, in a caller that waits until
/// then. False if that is not known.
pub(super) fn spend_time(lane: &Lane<'_>, claim: Claim) -> Result<bool> {
    let process = lane.process();
    let Some((network, waiting)) = process.world.network().zip(Waiting::caller()) else {
        return run::block(take_time(lane, claim));
    };
    if process.engine.makes_own_steps() {
        return run::block(take_time(lane, claim));
    }
    must_be_fresh(process, lane.comm())?;
    let is_over = sched::on_other_stack(|| {
        let price = Price::of(lane, claim)?;
        let (seat, group) = (process.me.seat, lane.comm().group.clone());
        let carriage = Carriage::of((lane.stamp(), lane.number()), price.tree.is_some());
        let me = Party { rank: lane.rank(), seat };
        let mail = ByTokens { network, carriage, group, me };
        let part = Part { mail, size: lane.size(), me: lane.rank() };
        let part = async move { part.carry_out(&price).await.expect("tokens do not fail") };
        Some(network.begin_part(seat, waiting, Box::pin(part)))
    });
    match is_over {
        None => Ok(false),
        Some(true) => Ok(true),
        Some(false) => lane.wait_for_part().map(|()| true),
    }
}

/// By messages of this rank, which it sends and receives itself.
struct ByLane<'l, 'a>(&'l Lane<'a>);

impl Mail for ByLane<'_, '_> {
    async fn exchange(
        &self, from: impl IntoIterator<Item = i32>, to: impl IntoIterator<Item = i32>, bytes: u64,
    ) -> Result {
        let mut doings = Vec::new();
        for rank in from {
            doings.push(self.0.start_empty_recv(rank)?);
        }
        for rank in to {
            doings.push(self.0.start_priced_send(rank, bytes)?);
        }
        self.0.all(doings).await
    }
}

/// By tokens, which others take care of while this rank waits.
struct ByTokens {
    network: &'static SimulatedNetwork,
    carriage: Carriage,
    group: Arc<Group>,
    me: Party,
}

impl ByTokens {
    fn party(&self, rank: i32) -> Party {
        let member = usize::try_from(rank).ok().and_then(|rank| self.group.member(rank));
        Party { rank, seat: member.expect("patterns know the members").seat }
    }
}

impl Mail for ByTokens {
    async fn exchange(
        &self, from: impl IntoIterator<Item = i32>, to: impl IntoIterator<Item = i32>, bytes: u64,
    ) -> Result {
        for rank in from {
            self.network.expect_token(self.carriage, self.party(rank), self.me);
        }
        for rank in to {
            self.network.send_token(self.carriage, self.me, self.party(rank), bytes);
        }
        self.network.all_tokens(self.carriage, self.me.seat).await;
        Ok(())
    }
}

fn operation(claim: Claim) -> Option<Operation> {
    const KINDS: [(Kind, Operation); 15] = [
        (Kind::Barrier, Operation::Barrier),
        (Kind::Finalize, Operation::Barrier),
        (Kind::Disconnect, Operation::Barrier),
        (Kind::WinFence, Operation::Barrier),
        (Kind::WinFree, Operation::Barrier),
        (Kind::Bcast, Operation::Bcast),
        (Kind::Gather, Operation::Gather),
        (Kind::Scatter, Operation::Scatter),
        (Kind::Reduce, Operation::Reduce),
        (Kind::Allreduce, Operation::Allreduce),
        (Kind::Allgather, Operation::Allgather),
        (Kind::Alltoall, Operation::Alltoall),
        (Kind::ReduceScatterBlock, Operation::ReduceScatterBlock),
        (Kind::Scan, Operation::Scan),
        (Kind::Exscan, Operation::Scan),
    ];
    let found = KINDS.iter().find(|(kind, _)| claim.is_of(*kind));
    found.map(|(_, operation)| *operation)
}

/// The crowd of members whose data move without taking time.
pub(super) fn crowd(lane: &Lane<'_>) -> Crowd {
    Crowd::beside_time(lane.size() as u32)
}

impl<M: Mail> Part<M> {
    async fn carry_out(&self, price: &Price) -> Result {
        let Price { operation, algorithm, root, bytes, .. } = *price;
        if let Some(tree) = &price.tree {
            return self.climb(tree, operation, root, bytes).await;
        }
        let each = bytes / self.size as u64;
        match operation {
            Operation::Barrier => self.barrier(algorithm).await,
            Operation::Bcast => self.bcast(algorithm, root, bytes).await,
            Operation::Gather | Operation::Reduce if algorithm == Algorithm::Linear => {
                self.root_receives(root, bytes).await
            }
            Operation::Scatter if algorithm == Algorithm::Linear => {
                self.root_sends(root, bytes).await
            }
            Operation::Gather => self.up(root, |members| bytes * members).await,
            Operation::Scatter => self.down(root, |members| bytes * members).await,
            Operation::Reduce if algorithm == Algorithm::Rabenseifner => {
                self.halve_to_root(root, bytes).await
            }
            Operation::Reduce => self.up(root, |_| bytes).await,
            Operation::Allreduce => self.allreduce(algorithm, bytes).await,
            Operation::Allgather => self.allgather(algorithm, self.me, 0, bytes).await,
            Operation::Alltoall => self.alltoall(algorithm, bytes).await,
            Operation::ReduceScatterBlock if algorithm == Algorithm::Pairwise => {
                self.shifts(each).await
            }
            Operation::ReduceScatterBlock => self.halve_to_blocks(bytes, each).await,
            Operation::Scan if algorithm == Algorithm::Linear => self.chain(bytes).await,
            Operation::Scan => self.prefixes(bytes).await,
        }
    }

    async fn barrier(&self, algorithm: Algorithm) -> Result {
        match algorithm {
            Algorithm::Tree => {
                self.up(0, |_| 0).await?;
                self.down(0, |_| 0).await
            }
            Algorithm::Doubling => self.exchange_all(0).await,
            _ => self.disseminate(1, |_| 0).await,
        }
    }

    async fn bcast(&self, algorithm: Algorithm, root: i32, bytes: u64) -> Result {
        let each = bytes / self.size as u64;
        let rest = match algorithm {
            Algorithm::ScatterDoubling => Algorithm::Doubling,
            Algorithm::ScatterRing => Algorithm::Ring,
            Algorithm::Linear => return self.root_sends(root, bytes).await,
            _ => return self.down(root, |_| bytes).await,
        };
        self.down(root, |members| each * members).await?;
        self.allgather(rest, self.rank(self.me - root), root, each).await
    }

    async fn allreduce(&self, algorithm: Algorithm, bytes: u64) -> Result {
        match algorithm {
            Algorithm::Rabenseifner => self.halve_and_double(bytes).await,
            Algorithm::Ring => {
                let each = bytes / self.size as u64;
                self.ring(each).await?;
                self.ring(each).await
            }
            Algorithm::Tree => {
                self.up(0, |_| bytes).await?;
                self.down(0, |_| bytes).await
            }
            _ => self.exchange_all(bytes).await,
        }
    }

    /// Of blocks of so many bytes; this member's place counts from the root's rank.
    async fn allgather(&self, algorithm: Algorithm, place: i32, root: i32, bytes: u64) -> Result {
        let is_whole = (self.size as u32).is_power_of_two();
        match algorithm {
            Algorithm::Ring => self.ring(bytes).await,
            Algorithm::Doubling if is_whole => {
                for step in 0..self.size.ilog2() {
                    let other = self.rank((place ^ 1 << step) + root);
                    self.shift(other, other, bytes << step).await?;
                }
                Ok(())
            }
            _ => self.disseminate(-1, |blocks| bytes * blocks.as_whole()).await,
        }
    }

    async fn alltoall(&self, algorithm: Algorithm, bytes: u64) -> Result {
        /// How many members a member sends to at a time, as MPICH does.
        const A_FEW: i32 = 32;
        match algorithm {
            Algorithm::Scattered => self.scattered(A_FEW, bytes).await,
            Algorithm::Linear => self.scattered(self.size, bytes).await,
            Algorithm::Pairwise if (self.size as u32).is_power_of_two() => self.pairs(bytes).await,
            Algorithm::Pairwise => self.shifts(bytes).await,
            _ => self.disseminate(1, |blocks| bytes * blocks.with_bit()).await,
        }
    }

    /// By the machine's own tree, which is binary and has all ranks at its ends: the messages of a
    /// binomial tree have as many steps, each of which takes a hop. The data follow the first step
    /// in a stream.
    async fn climb(
        &self, tree: &HardwareTree, operation: Operation, root: i32, bytes: u64,
    ) -> Result {
        let HardwareTree { hop, barrier_hop, byte } = *tree;
        let stream = |is_at_root: bool| {
            if is_at_root {
                clock::pass_picos(bytes.saturating_mul(byte));
            }
        };
        match operation {
            Operation::Barrier => {
                self.up(0, |_| barrier_hop).await?;
                self.down(0, |_| barrier_hop).await
            }
            Operation::Bcast => {
                stream(self.me == root);
                self.down(root, |_| hop).await
            }
            Operation::Reduce => {
                self.up(root, |_| hop).await?;
                stream(self.me == root);
                Ok(())
            }
            _ => {
                self.up(0, |_| hop).await?;
                stream(self.me == 0);
                self.down(0, |_| hop).await
            }
        }
    }
}
