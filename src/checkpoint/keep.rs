//! What a program has in hand: makes it, tells it what to keep, and asks how safe that is.

use super::layout::Layout;
use super::memory::{Item, Memory};
use super::scheme::Scheme;
use crate::mpi::comm::{Comm, WORLD};
use crate::mpi::datatype::{Address, Datatype, Element};
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::process::Process;
use crate::mpi::table::Held;
use parking_lot::Mutex;
use std::sync::Arc;

/// Checkpoints of one scheme. All that is kept here dies with the rank.
pub struct Checkpoint {
    pub(super) scheme: Scheme,
    pub(super) memory: Mutex<Memory>,
}

/// How safe the last whole checkpoint is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Safety {
    pub version: i64,
    /// How many more ranks may die, whoever they are; none where data are lost already.
    pub failures: Option<usize>,
    /// The same for each rank of the communicator: of those whose data its own are coded with.
    pub each: Vec<Option<usize>>,
    /// Decimal digits that the last restoration has lost.
    pub digits: i32,
}

/// Makes one for the members of `comm`; returns its handle. Nobody waits for anybody: replacements
/// make theirs when the others have theirs.
pub fn create(process: &'static Process, comm: &Held<Comm>, scheme: &[u8]) -> Result<usize> {
    comm.must_be_intra()?;
    let scheme = Scheme::parse(&String::from_utf8_lossy(scheme));
    let scheme = scheme.map_err(|reason| Class::ARG.because(reason))?;
    let comm = handle_of(process, comm);
    let is_new = process.me.incarnation > 0;
    let memory = Mutex::new(Memory { comm, is_new, ..Memory::default() });
    let made: Arc<Checkpoint> = Arc::new(Checkpoint { scheme, memory });
    let kept = process.checkpoints.insert(Arc::new(Box::new(made)));
    kept.ok_or_else(|| Class::OTHER.because("there is no room for another checkpoint"))
}

/// The one that an argument called `name` names.
pub fn find(process: &Process, handle: usize, name: &str) -> Result<Arc<Checkpoint>> {
    let found = process.checkpoints.find(handle);
    let found = found.and_then(|tenant| tenant.downcast_ref::<Arc<Checkpoint>>().cloned());
    found.ok_or_else(|| {
        let words = format!("{name} is {handle:#x}, which is no checkpoint (was it freed?)");
        Class::ARG.because(words)
    })
}

/// Forgets what is kept.
pub fn free(process: &Process, handle: usize) {
    drop(process.checkpoints.remove(handle));
}

/// From now on the members of `comm` keep each other's data, who are those who are left.
pub fn move_to(process: &'static Process, keep: &Checkpoint, comm: &Held<Comm>) -> Result {
    comm.must_be_intra()?;
    let mut memory = keep.memory.lock();
    must_be_idle(&memory)?;
    memory.comm = handle_of(process, comm);
    Ok(())
}

/// The world has another handle after each recovery, and stays what it is.
fn handle_of(process: &'static Process, comm: &Held<Comm>) -> usize {
    if comm.is_alias_of(&process.world_comm()) { WORLD } else { comm.handle }
}

/// From now on, `count` items at `buf` are kept under `id`.
pub fn register(
    keep: &Checkpoint, id: i32, buf: Address, count: i64, datatype: &Datatype,
) -> Result {
    let region = datatype.region(buf, count)?;
    let element = datatype.shape.element;
    let is_double = matches!(element, Element::Float(8) | Element::Complex(16));
    let mut memory = keep.memory.lock();
    must_be_idle(&memory)?;
    memory.items.insert(id, Item { region, is_double });
    Ok(())
}

/// What is registered under `id` is kept no more.
pub fn unregister(keep: &Checkpoint, id: i32) -> Result {
    let mut memory = keep.memory.lock();
    must_be_idle(&memory)?;
    let removed = memory.items.remove(&id);
    removed.map(drop).ok_or_else(|| Class::ARG.because(format!("nothing is registered as {id}")))
}

/// How safe the last whole checkpoint is, by what this rank knows of deaths.
pub fn safety(process: &'static Process, keep: &Checkpoint) -> Option<Safety> {
    let memory = keep.memory.lock();
    let (slot, entry) = memory.last()?;
    let is_gone = |member: &Option<_>| member.is_none_or(|member| process.world.is_dead(member));
    let gone: Vec<bool> = slot.members.iter().map(is_gone).collect();
    let layout = Layout::new(&keep.scheme, gone.len());
    let layout = layout.expect("a checkpoint was taken by it");
    let each = layout.tolerance(&gone);
    // `None`, where data are lost, is the least.
    let failures = each.iter().min().copied().flatten();
    Some(Safety { version: entry.version, failures, each, digits: memory.digits })
}

/// Ranks that are there no more, whose data this one has in its care since the last restoration.
pub fn orphans(keep: &Checkpoint) -> Vec<i32> {
    keep.memory.lock().orphans.iter().map(|orphan| orphan.rank).collect()
}

/// Copies what `rank`, who is there no more, had registered under `id`.
pub fn adopt(
    process: &'static Process, keep: &Checkpoint, (rank, id): (i32, i32), buf: Address, count: i64,
    datatype: &Datatype,
) -> Result {
    let region = datatype.region(buf, count)?;
    let memory = keep.memory.lock();
    let orphan = memory.orphans.iter().find(|orphan| orphan.rank == rank);
    let Some(orphan) = orphan else {
        return Err(Class::RANK.because(format!("this rank does not have the data of rank {rank}")));
    };
    let Some(saved) = orphan.item(id) else {
        let words = format!("rank {rank} had nothing registered as {id}");
        return Err(Class::ARG.because(words));
    };
    if saved.len() != region.bytes() {
        let (had, asked) = (saved.len(), region.bytes());
        let words = format!("rank {rank} had {had} bytes as {id}; there is room for {asked}");
        return Err(Class::TRUNCATE.because(words));
    }
    let saved = crate::host::memory::Span::of(saved);
    crate::host::memory::transfer(&saved.into(), &region)
        .map_err(|fault| Failure::from(process.engine.suffer(fault.address)))
}

/// Waits until no checkpoint is under way: the others wait for this rank in the next one.
pub(super) fn await_idle(process: &'static Process, keep: &Checkpoint) -> Result {
    let is_idle = || !keep.memory.lock().is_busy;
    if !is_idle() {
        process.engine.wait_for(|_| is_idle().then_some(()))?;
    }
    Ok(())
}

pub(super) fn must_be_idle(memory: &Memory) -> Result {
    match memory.is_busy {
        false => Ok(()),
        true => Err(Class::PENDING.because("a checkpoint is under way; wait for its request")),
    }
}
