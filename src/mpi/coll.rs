//! Collective communication (MPI-5.0 §6): simple correct forms, written over a [`Lane`].
//!
//! When a member dies, every lane of the communicator fails, so nobody is left waiting for those
//! who gave up. A member that received too much tells its caller, but goes through with its part.

use crate::host::memory::{Region, Span, transfer};
use crate::mpi::comm::Comm;
use crate::mpi::datatype::{Address, Datatype};
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use crate::mpi::scratch::Scratch;
use crate::mpi::table::Held;

/// A buffer of a collective: where, how many, of what.
#[derive(Clone)]
pub struct Side {
    pub buf: Address,
    pub count: i64,
    pub datatype: Held<Datatype>,
}

/// A buffer as it was passed: where it is of no significance, it may be anything (MPI-5.0 §6).
pub struct Offer {
    pub buf: Address,
    pub count: Result<i64>,
    pub datatype: Result<Held<Datatype>>,
}

impl Offer {
    fn is_in_place(&self) -> bool {
        self.buf == Address::IN_PLACE
    }

    /// The buffer, now that it matters.
    fn side(&self) -> Result<Side> {
        let (count, datatype) = (self.count.clone()?, self.datatype.clone()?);
        Ok(Side { buf: self.buf, count, datatype })
    }
}

impl Side {
    pub(super) fn is_in_place(&self) -> bool {
        self.buf == Address::IN_PLACE
    }

    pub(super) fn region(&self) -> Result<Region> {
        self.datatype.region(self.buf, self.count)
    }

    /// The memory of `blocks` such buffers in a row.
    fn spans(&self, blocks: i32) -> Result<Blocks> {
        let each = self.datatype.bytes(self.count)?;
        let Some(count) = self.count.checked_mul(i64::from(blocks)) else {
            let words = format!("count is {}; so many items do not fit into memory", self.count);
            return Err(Class::COUNT.because(words));
        };
        Ok(Blocks { all: self.datatype.region(self.buf, count)?, each })
    }
}

/// A run of blocks of the same size, one for each rank.
#[derive(Clone)]
struct Blocks {
    all: Region,
    each: usize,
}

impl Blocks {
    fn of(&self, rank: i32) -> Region {
        let rank = usize::try_from(rank).expect("a rank is not negative");
        self.all.part(rank * self.each, self.each)
    }
}

/// A lane for the next collective operation of `comm`.
pub(super) fn lane<'a>(process: &'a Process, comm: &'a Comm) -> Lane<'a> {
    Lane::new(process, comm, comm.next_collective())
}

/// Copies within this rank; the target is large enough.
pub(super) fn copy_local(process: &Process, from: &Region, to: &Region) -> Result {
    transfer(from, to).map_err(|fault| Failure::from(process.engine.suffer(fault.address)))
}

/// Returns when every member has called it (dissemination: Hensgen, Finkel and Manber 1988).
pub fn barrier(process: &Process, comm: &Comm) -> Result {
    let (lane, size) = (lane(process, comm), comm.size());
    let mut distance = 1;
    while distance < size {
        let to = (comm.rank + distance) % size;
        let from = (comm.rank + size - distance) % size;
        lane.exchange(to, Span::EMPTY, from, Span::EMPTY)?;
        distance *= 2;
    }
    Ok(())
}

/// The root's buffer goes to everybody.
pub fn bcast(process: &Process, comm: &Comm, side: &Side, root: i32) -> Result {
    let root = comm.root(root)?;
    broadcast(&lane(process, comm), comm, &side.region()?, root)
}

/// Broadcast along a binomial tree whose top is `root`.
pub(super) fn broadcast(lane: &Lane<'_>, comm: &Comm, data: &Region, root: i32) -> Result {
    let size = comm.size();
    let place = (comm.rank - root + size) % size;
    let mut bit = 1;
    let mut received = Ok(());
    while bit < size {
        if place & bit != 0 {
            let parent = (place - bit + root) % size;
            received = lane.recv(parent, data.clone()).map(drop);
            break;
        }
        bit *= 2;
    }
    // The children get their message even if it came too long for this one.
    loop {
        bit /= 2;
        if bit == 0 {
            return received;
        }
        if place + bit < size {
            lane.send((place + bit + root) % size, data.clone())?;
        }
    }
}

/// What everybody has, in the order of ranks, comes to the root.
pub fn gather(process: &Process, comm: &Comm, send: &Offer, recv: &Offer, root: i32) -> Result {
    let root = comm.root(root)?;
    let lane = lane(process, comm);
    if comm.rank != root {
        return lane.send(root, send.side()?.region()?);
    }
    let blocks = recv.side()?.spans(comm.size())?;
    let mut kept = Ok(());
    if !send.is_in_place() {
        kept = keep(process, &send.side()?.region()?, &blocks.of(root))?;
    }
    first(kept, collect(&lane, comm, &blocks))?
}

/// The root's part of a gather: a block from everyone else.
fn collect(lane: &Lane<'_>, comm: &Comm, blocks: &Blocks) -> Result {
    let others = (0..comm.size()).filter(|rank| *rank != comm.rank);
    let mut outcome = Ok(());
    for rank in others {
        let received = lane.recv(rank, blocks.of(rank)).map(drop);
        outcome = first(outcome, received)?;
    }
    outcome
}

/// The first bad news of two; what ends this rank ends it at once.
fn first(before: Result, now: Result) -> Result<Result> {
    match (before, now) {
        (_, Err(Failure::Died)) => Err(Failure::Died),
        (Ok(()), now) => Ok(now),
        (before, _) => Ok(before),
    }
}

/// What everybody has, in the order of ranks, comes to everybody.
pub fn allgather(process: &Process, comm: &Comm, send: &Offer, recv: &Side) -> Result {
    let blocks = recv.spans(comm.size())?;
    let mine = blocks.of(comm.rank);
    let lane = lane(process, comm);
    let gathered = if send.is_in_place() {
        if comm.rank == 0 { collect(&lane, comm, &blocks) } else { lane.send(0, mine) }
    } else {
        let data = send.side()?.region()?;
        if comm.rank == 0 {
            let kept = keep(process, &data, &mine)?;
            first(kept, collect(&lane, comm, &blocks))?
        } else {
            lane.send(0, data)
        }
    };
    first(gathered, broadcast(&lane, comm, &blocks.all, 0))?
}

/// The root's blocks go to the ranks, one to each.
pub fn scatter(process: &Process, comm: &Comm, send: &Offer, recv: &Offer, root: i32) -> Result {
    let root = comm.root(root)?;
    let lane = lane(process, comm);
    if comm.rank != root {
        return lane.recv(root, recv.side()?.region()?).map(drop);
    }
    let blocks = send.side()?.spans(comm.size())?;
    let mut kept = Ok(());
    if !recv.is_in_place() {
        kept = keep(process, &blocks.of(root), &recv.side()?.region()?)?;
    }
    let mut others = (0..comm.size()).filter(|rank| *rank != root);
    first(kept, others.try_for_each(|rank| lane.send(rank, blocks.of(rank))))?
}

/// Block `i` of rank `j` becomes block `j` of rank `i`.
pub fn alltoall(process: &Process, comm: &Comm, send: &Offer, recv: &Side) -> Result {
    let to = recv.spans(comm.size())?;
    let mut kept = Scratch::default();
    let from = if send.is_in_place() {
        let all = kept.room(to.all.bytes()).into();
        copy_local(process, &to.all, &all)?;
        Blocks { all, each: to.each }
    } else {
        send.side()?.spans(comm.size())?
    };
    let mut outcome = keep(process, &from.of(comm.rank), &to.of(comm.rank))?;
    let (lane, size) = (lane(process, comm), comm.size());
    for step in 1..size {
        let (next, last) = ((comm.rank + step) % size, (comm.rank + size - step) % size);
        let exchanged = lane.exchange(next, from.of(next), last, to.of(last)).map(drop);
        outcome = first(outcome, exchanged)?;
    }
    outcome
}

/// A rank's message to itself, which is judged like any other: the outer result ends the call, the
/// inner is news for its end, because the others wait for this rank's part.
fn keep(process: &Process, from: &Region, to: &Region) -> Result<Result> {
    if from.bytes() > to.bytes() {
        let (sent, room) = (from.bytes(), to.bytes());
        return Ok(Err(Class::TRUNCATE.because(format!(
            "the message from this rank to itself has {sent} bytes; \
             the receive buffer has room for {room}"
        ))));
    }
    copy_local(process, from, to).map(Ok)
}

/// Everybody's bytes of the same length, in the order of ranks: for the library's own agreements.
pub(super) fn share(process: &Process, comm: &Comm, mine: &[u8]) -> Result<Vec<u8>> {
    let size = usize::try_from(comm.size()).expect("a size is not negative");
    let mut all = vec![0; mine.len() * size];
    let blocks = Blocks { all: Span::of_mut(&mut all).into(), each: mine.len() };
    let lane = lane(process, comm);
    let gathered = match comm.rank {
        0 => {
            copy_local(process, &Span::of(mine).into(), &blocks.of(0))?;
            collect(&lane, comm, &blocks)
        }
        _ => lane.send(0, Span::of(mine)),
    };
    first(gathered, broadcast(&lane, comm, &blocks.all, 0))??;
    Ok(all)
}
