//! What collective operations cost in virtual time. Their data move as in any run, in shared
//! memory, which takes no time; the time is that of the messages by which the MPI of the simulated
//! machine would carry them out (see `patterns`). Those are sent indeed, without data: so they meet
//! the same links and the same failures. docs/VIRTUAL.md has a table of the algorithms.

mod patterns;

use super::claim::{Claim, Kind};
use super::select::Crowd;
use crate::host::clock;
use crate::machine::collectives::{Algorithm, Collectives, HardwareTree, Operation};
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;

/// One member's part in the messages of an operation.
struct Part<'l, 'a> {
    lane: &'l Lane<'a>,
    size: i32,
    me: i32,
}

/// Takes the time that the operation takes on the simulated machine. False if that is not known: if
/// it is to be carried out by messages.
pub(super) async fn take_time(lane: &Lane<'_>, claim: Claim) -> Result<bool> {
    let lane = lane.unpaced();
    let (size, me) = (lane.size(), lane.rank());
    let (Some(bytes), Some(operation)) = (claim.bytes(), operation(claim)) else {
        return Ok(false);
    };
    let world = lane.process().world;
    let Some(network) = world.network() else { return Ok(false) };
    let chosen: &Collectives = &network.overheads().collectives;
    let is_of_all = size as usize == world.ranks();
    let algorithm = chosen.algorithm(operation, bytes, size as u64, is_of_all);
    let root = claim.rank_of_root();
    match (algorithm, &chosen.tree) {
        (Algorithm::Hardware, Some(tree)) => {
            let part = Part { lane: &lane.by_hardware(), size, me };
            part.climb(tree, operation, root, bytes).await?;
        }
        _ => Part { lane: &lane, size, me }.carry_out(operation, algorithm, root, bytes).await?,
    }
    Ok(true)
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

impl Part<'_, '_> {
    async fn carry_out(
        &self, operation: Operation, algorithm: Algorithm, root: i32, bytes: u64,
    ) -> Result {
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
