//! What collective operations cost in virtual time. Their data move as in any run, in shared
//! memory, which takes no time; the time is that of the messages by which the MPI of the simulated
//! machine would carry them out. Those are sent indeed, without data: so they meet the same links
//! and the same failures. docs/VIRTUAL.md has a table of the algorithms.

use super::claim::{Claim, Kind};
use super::select::Crowd;
use crate::host::clock;
use crate::machine::collectives::{Algorithm, Collectives, HardwareTree, Operation};
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;

/// From how many bytes on the algorithms for long vectors are used, and for alltoall of how many
/// for each member.
const LONG: u64 = 12 << 10;
const LONG_BLOCK: u64 = 256;

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
    let Collectives { tree, .. } = &network.overheads().collectives;
    let is_of_all = size as usize == world.ranks();
    let chosen = network.overheads().collectives.algorithm(operation, bytes, is_of_all);
    let algorithm = chosen.unwrap_or_else(|| usual(operation, bytes, size as u64));
    let root = claim.rank_of_root();
    match (algorithm, tree) {
        (Algorithm::Hardware, Some(tree)) => {
            let part = Part { lane: &lane.by_hardware(), size, me };
            part.climb(tree, operation, root, bytes).await?;
        }
        _ => Part { lane: &lane, size, me }.carry_out(operation, algorithm, root, bytes).await?,
    }
    Ok(true)
}

fn operation(claim: Claim) -> Option<Operation> {
    const KINDS: [(Kind, Operation); 13] = [
        (Kind::Barrier, Operation::Barrier),
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

/// The algorithm for an operation of `size` members on so many bytes, where the file of the machine
/// chooses none.
fn usual(operation: Operation, bytes: u64, size: u64) -> Algorithm {
    let is_long = bytes >= LONG;
    match operation {
        Operation::Bcast if is_long && size >= 8 => Algorithm::ScatterRing,
        Operation::Reduce | Operation::Allreduce if is_long => Algorithm::Rabenseifner,
        Operation::Allgather if bytes * size >= 4 * LONG => Algorithm::Ring,
        Operation::Alltoall if bytes >= LONG_BLOCK || size < 8 => Algorithm::Pairwise,
        _ => operation.algorithms()[0],
    }
}

/// The crowd of members whose data move without taking time.
pub(super) fn crowd(lane: &Lane<'_>) -> Crowd {
    Crowd::beside_time(lane.size() as usize)
}

impl Part<'_, '_> {
    async fn carry_out(
        &self, operation: Operation, algorithm: Algorithm, root: i32, bytes: u64,
    ) -> Result {
        let size = self.size as u64;
        let (all, each) = (bytes * size, bytes / size);
        match (operation, algorithm) {
            (Operation::Barrier, Algorithm::Tree) => {
                self.up(0, |_| 0).await?;
                self.down(0, |_| 0).await
            }
            (Operation::Barrier, _) => self.doubling(|_| 0).await,
            (Operation::Bcast, Algorithm::ScatterRing) => {
                self.down(root, |members| each * members).await?;
                self.ring(each).await
            }
            (Operation::Bcast | Operation::Scatter, Algorithm::Linear) => {
                self.root_sends(root, bytes).await
            }
            (Operation::Bcast, _) => self.down(root, |_| bytes).await,
            (Operation::Gather, Algorithm::Linear) => self.root_receives(root, bytes).await,
            (Operation::Gather, _) => self.up(root, |members| bytes * members).await,
            (Operation::Scatter, _) => self.down(root, |members| bytes * members).await,
            (Operation::Reduce, Algorithm::Rabenseifner) => {
                self.halving(bytes).await?;
                self.up(root, |members| each * members).await
            }
            (Operation::Reduce, _) => self.up(root, |_| bytes).await,
            (Operation::Allreduce, Algorithm::Rabenseifner) => {
                self.halving(bytes).await?;
                self.doubling(|members| bytes * members / size).await
            }
            (Operation::Allreduce, Algorithm::Ring) => {
                self.ring(each).await?;
                self.ring(each).await
            }
            (Operation::Allreduce, Algorithm::Tree) => {
                self.up(0, |_| bytes).await?;
                self.down(0, |_| bytes).await
            }
            (Operation::Allreduce, _) => self.exchanging(|_| bytes).await,
            (Operation::Allgather, Algorithm::Ring) => self.ring(bytes).await,
            (Operation::Allgather, _) => self.doubling(|members| bytes * members).await,
            (Operation::Alltoall | Operation::ReduceScatterBlock, Algorithm::Pairwise) => {
                self.pairwise(bytes).await
            }
            (Operation::Alltoall, _) => self.doubling(|_| all / 2).await,
            (Operation::ReduceScatterBlock, _) => self.halving(all).await,
            (Operation::Scan, Algorithm::Linear) => self.chain(bytes).await,
            (Operation::Scan, _) => self.prefixes(bytes).await,
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

    fn rank(&self, place: i32) -> i32 {
        place.rem_euclid(self.size)
    }

    /// So many bytes go to a member, while as many come from one.
    async fn shift(&self, to: i32, from: i32, bytes: u64) -> Result {
        let arrival = self.lane.start_empty_recv(from)?;
        let sent = self.lane.start_priced_send(to, bytes)?;
        self.lane.all(vec![arrival, sent]).await
    }

    /// Messages to the members at distances 1, 2, 4 ...; `bytes` of the blocks of so many members.
    async fn doubling(&self, bytes: impl Fn(u64) -> u64) -> Result {
        let mut distance = 1;
        while distance < self.size {
            let blocks = distance.min(self.size - distance) as u64;
            let (to, from) = (self.rank(self.me + distance), self.rank(self.me - distance));
            self.shift(to, from, bytes(blocks)).await?;
            distance = distance.saturating_mul(2);
        }
        Ok(())
    }

    /// Exchanges with the members whose ranks differ in one bit. Members beyond the last power of
    /// two give theirs to another one before, and get the result after.
    async fn exchanging(&self, bytes: impl Fn(u64) -> u64) -> Result {
        let whole = 1 << self.size.ilog2();
        let beyond = self.size - whole;
        if self.me >= whole {
            self.lane.start_priced_send(self.me - whole, bytes(1))?.end().await?;
            return self.lane.start_empty_recv(self.me - whole)?.end().await.map(drop);
        }
        if self.me < beyond {
            self.lane.start_empty_recv(self.me + whole)?.end().await?;
        }
        let mut distance = 1;
        while distance < whole {
            let other = self.me ^ distance;
            self.shift(other, other, bytes(distance as u64)).await?;
            distance *= 2;
        }
        if self.me < beyond {
            self.lane.start_priced_send(self.me + whole, bytes(1))?.end().await?;
        }
        Ok(())
    }

    /// Half of a vector goes to another member, then a quarter, and so on.
    async fn halving(&self, bytes: u64) -> Result {
        let size = self.size as u64;
        self.doubling(|members| bytes * members / size).await
    }

    /// To the next member and from the one before, until a block has been everywhere.
    async fn ring(&self, bytes: u64) -> Result {
        for _ in 1..self.size {
            self.shift(self.rank(self.me + 1), self.rank(self.me - 1), bytes).await?;
        }
        Ok(())
    }

    async fn pairwise(&self, bytes: u64) -> Result {
        for distance in 1..self.size {
            let (to, from) = (self.rank(self.me + distance), self.rank(self.me - distance));
            self.shift(to, from, bytes).await?;
        }
        Ok(())
    }

    /// From the root to each member, one after another.
    async fn root_sends(&self, root: i32, bytes: u64) -> Result {
        if self.me != root {
            return self.lane.start_empty_recv(root)?.end().await.map(drop);
        }
        let others = (1..self.size).map(|distance| self.rank(root + distance));
        let sends = others.map(|rank| self.lane.start_priced_send(rank, bytes));
        self.lane.all(sends.collect::<Result<_>>()?).await
    }

    /// From each member to the root.
    async fn root_receives(&self, root: i32, bytes: u64) -> Result {
        if self.me != root {
            return self.lane.start_priced_send(root, bytes)?.end().await.map(drop);
        }
        let others = (1..self.size).map(|distance| self.rank(root + distance));
        let arrivals = others.map(|rank| self.lane.start_empty_recv(rank));
        self.lane.all(arrivals.collect::<Result<_>>()?).await
    }

    /// From each member to the next one.
    async fn chain(&self, bytes: u64) -> Result {
        if self.me > 0 {
            self.lane.start_empty_recv(self.me - 1)?.end().await?;
        }
        if self.me + 1 < self.size {
            self.lane.start_priced_send(self.me + 1, bytes)?.end().await?;
        }
        Ok(())
    }

    /// Each member's value goes to those above it at distances 1, 2, 4 ...
    async fn prefixes(&self, bytes: u64) -> Result {
        let mut distance = 1;
        while distance < self.size {
            let mut doings = Vec::new();
            if self.me >= distance {
                doings.push(self.lane.start_empty_recv(self.me - distance)?);
            }
            if self.me + distance < self.size {
                doings.push(self.lane.start_priced_send(self.me + distance, bytes)?);
            }
            self.lane.all(doings).await?;
            distance = distance.saturating_mul(2);
        }
        Ok(())
    }

    /// This member's place in a binomial tree: below it are the places up to this distance.
    fn place(&self, root: i32) -> (i32, i32) {
        let place = self.rank(self.me - root);
        let reach = if place == 0 { i32::MAX } else { 1 << place.trailing_zeros() };
        (place, reach)
    }

    /// How many members are at a place and below, if its reach is this.
    fn below(&self, place: i32, reach: i32) -> u64 {
        reach.min(self.size - place) as u64
    }

    /// Down a binomial tree, the largest subtrees first; `bytes` for so many members.
    async fn down(&self, root: i32, bytes: impl Fn(u64) -> u64) -> Result {
        let (place, reach) = self.place(root);
        if place != 0 {
            let parent = self.rank(place - reach + root);
            self.lane.start_empty_recv(parent)?.end().await?;
        }
        let mut doings = Vec::new();
        let mut distance = 1 << (self.size.max(2) - 1).ilog2();
        while distance > 0 {
            if distance < reach && place + distance < self.size {
                let members = self.below(place + distance, distance);
                let child = self.rank(place + distance + root);
                doings.push(self.lane.start_priced_send(child, bytes(members))?);
            }
            distance /= 2;
        }
        self.lane.all(doings).await
    }

    /// Up a binomial tree, the smallest subtrees first.
    async fn up(&self, root: i32, bytes: impl Fn(u64) -> u64) -> Result {
        let (place, reach) = self.place(root);
        let mut distance = 1;
        while distance < reach && place + distance < self.size {
            let child = self.rank(place + distance + root);
            self.lane.start_empty_recv(child)?.end().await?;
            distance = distance.saturating_mul(2);
        }
        if place != 0 {
            let (parent, members) = (self.rank(place - reach + root), self.below(place, reach));
            self.lane.start_priced_send(parent, bytes(members))?.end().await?;
        }
        Ok(())
    }
}
