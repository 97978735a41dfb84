//! A program's checkpoint object: creates it, registers data, and tells how many failures it
//! survives.

use super::code;
use super::disk::Disk;
use super::leeway::Leeway;
use super::memory::Memory;
use super::pace::Pace;
use super::scheme::Scheme;
use super::slot::{Item, Slot};
use crate::machine::units;
use crate::mpi::comm::{Comm, WORLD};
use crate::mpi::datatype::{Address, Datatype, Element};
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::handle_table::Held;
use crate::mpi::process::Process;
use parking_lot::Mutex;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// Checkpoints of one scheme. What is kept here dies with the rank.
pub struct Checkpoint {
    pub(super) scheme: Scheme,
    pub(super) memory: Mutex<Memory>,
}

/// How safe the last complete checkpoint is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Safety {
    pub version: i64,
    /// How many more ranks may die, in any combination; `None` if data are lost already.
    pub failures: Option<usize>,
    /// Decimal digits that the last restoration lost.
    pub digits: i32,
}

/// Creates a checkpoint object for the members of `comm`; returns its handle. No rank waits for
/// another: replacements create theirs long after the others.
pub fn create(process: &'static Process, comm: &Held<Comm>, scheme: &[u8]) -> Result<usize> {
    comm.must_be_intra()?;
    let scheme = Scheme::parse(&String::from_utf8_lossy(scheme));
    let scheme = scheme.map_err(|reason| Class::ARG.because(reason))?;
    code::prepare(scheme.code, scheme.spares);
    let comm = handle_of(process, comm);
    let is_new = process.me.incarnation > process.engine.home().first();
    let memory = Mutex::new(Memory { comm, is_new, ..Memory::default() });
    let made: Arc<Checkpoint> = Arc::new(Checkpoint { scheme, memory });
    let kept = process.checkpoints.insert(Arc::new(Box::new(made)));
    kept.ok_or_else(|| {
        Class::OTHER.because("too many objects: no handle is left for another checkpoint")
    })
}

/// The checkpoint object with this handle, which was passed as the argument `name`.
pub fn find(process: &Process, handle: usize, name: &str) -> Result<Arc<Checkpoint>> {
    let found = process.checkpoints.find(handle);
    let found = found.and_then(|tenant| tenant.downcast_ref::<Arc<Checkpoint>>().cloned());
    found.ok_or_else(|| {
        let words = format!("{name} is {handle:#x}, which is not a checkpoint (was it freed?)");
        Class::ARG.because(words)
    })
}

/// Frees a checkpoint object and all that it keeps.
pub fn free(process: &Process, handle: usize) {
    drop(process.checkpoints.remove(handle));
}

/// From now on, the members of `comm`, the survivors, keep each other's data.
pub fn move_to(process: &'static Process, keep: &Checkpoint, comm: &Held<Comm>) -> Result {
    comm.must_be_intra()?;
    let mut memory = keep.memory.lock();
    must_be_idle(&memory)?;
    memory.comm = handle_of(process, comm);
    Ok(())
}

/// From the next checkpoint on, this rank is on that node, and shares no group with other ranks
/// there.
pub fn sit_on(keep: &Checkpoint, node: u32) -> Result {
    let mut memory = keep.memory.lock();
    must_be_idle(&memory)?;
    memory.node = Some(node);
    Ok(())
}

/// Sets the mean time between failures, as the program tells it.
pub fn expect_failures(keep: &Checkpoint, mttf: &[u8]) -> Result {
    let text = String::from_utf8_lossy(mttf);
    let mttf = units::time(&text).map_err(|why| Class::ARG.because(why))? as f64 * 1e-12;
    if mttf == 0.0 {
        return Err(Class::ARG.because("the mean time between failures must be more than 0"));
    }
    keep.memory.lock().pace.mttf = Some(mttf);
    Ok(())
}

/// Whether a checkpoint is due, for a program that asks before each iteration. All ranks get one
/// answer.
pub fn is_due(process: &'static Process, keep: &Checkpoint) -> Result<bool> {
    let mut memory = keep.memory.lock();
    if mttf(process, &memory.pace) == 0.0 {
        let words =
            "the mean time between failures is unknown; call FTCK_Set_mttf, or use ftrun --mttf";
        return Err(Class::ARG.because(words));
    }
    Ok(memory.pace.is_due())
}

/// Seconds between failures: from the program, or else from the job's options; 0 if unknown.
pub(super) fn mttf(process: &'static Process, pace: &Pace) -> f64 {
    let ordered = || process.world.mean_time().map(|mean| mean.as_secs_f64());
    pace.mttf.or_else(ordered).unwrap_or(0.0)
}

/// From now on, each `every`th checkpoint is also written into files of `directory`; 0: none is.
pub fn keep_on_disk(keep: &Checkpoint, directory: &[u8], every: u64) -> Result {
    let directory = Path::new(OsStr::from_bytes(directory));
    // Absolute, since the program may change its working directory.
    let directory = std::path::absolute(directory)
        .map_err(|error| Class::ARG.because(format!("{}: {error}", directory.display())))?;
    let mut memory = keep.memory.lock();
    must_be_idle(&memory)?;
    let disk = Disk { directory, every, written: None, damage: Default::default() };
    memory.disk = (every > 0).then_some(disk);
    Ok(())
}

/// The world gets another handle in each recovery, so it is stored as `WORLD`.
fn handle_of(process: &'static Process, comm: &Held<Comm>) -> usize {
    if comm.is_alias_of(&process.world_comm()) { WORLD } else { comm.handle }
}

/// Registers `count` items at `buf` under `id`: later checkpoints contain them.
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

/// Removes what is registered under `id`.
pub fn unregister(keep: &Checkpoint, id: i32) -> Result {
    let mut memory = keep.memory.lock();
    must_be_idle(&memory)?;
    let removed = memory.items.remove(&id);
    removed.map(drop).ok_or_else(|| Class::ARG.because(format!("nothing is registered as {id}")))
}

/// How safe the last complete checkpoint is, given the deaths that this rank knows of.
pub fn safety(process: &'static Process, keep: &Checkpoint) -> Option<Safety> {
    let mut memory = keep.memory.lock();
    let (slot, entry) = memory.last()?;
    let (leeway, version, digits) = (Leeway::of(process, slot), entry.version, memory.digits);
    let failures = leeway.least;
    memory.leeway = Some(leeway);
    Some(Safety { version, failures, digits })
}

/// How many failures each rank of the communicator tolerates, among the ranks whose data are coded
/// with its own. A rank without a part in the checkpoint has nothing to lose.
pub fn tolerances(process: &'static Process, keep: &Checkpoint) -> Vec<Option<usize>> {
    let memory = keep.memory.lock();
    let told = |(slot, _): (&Slot, _)| {
        by_ranks(process, memory.comm, slot, &Leeway::of(process, slot).each)
    };
    memory.last().map_or_else(Vec::new, told)
}

/// Turns values of the places of a checkpoint into values of the members' present ranks. A dead
/// member keeps its rank unless another member has it. Ranks without a part in the checkpoint have
/// nothing to lose.
fn by_ranks(
    process: &'static Process, comm: usize, slot: &Slot, places: &[Option<usize>],
) -> Vec<Option<usize>> {
    let Ok(comm) = process.comm(comm, "the communicator of ck") else { return places.to_vec() };
    let mut told = vec![None; comm.group.len()];
    let now = |place: usize| slot.members[place].and_then(|member| comm.group.rank_of(member));
    for (place, value) in places.iter().enumerate() {
        if let Some(told) = now(place).and_then(|rank| told.get_mut(rank as usize)) {
            *told = Some(*value);
        }
    }
    for (place, value) in places.iter().enumerate().filter(|(place, _)| now(*place).is_none()) {
        if let Some(told) = told.get_mut(slot.heads.ranks[place] as usize) {
            told.get_or_insert(*value);
        }
    }
    told.into_iter().map(|told| told.unwrap_or(Some(usize::MAX))).collect()
}

/// Former ranks that no longer exist, whose data the last restoration gave to this rank.
pub fn orphans(keep: &Checkpoint) -> Vec<i32> {
    keep.memory.lock().orphans.iter().map(|orphan| orphan.rank).collect()
}

/// Copies what `rank`, which no longer exists, had registered under `id`.
pub fn adopt(
    process: &'static Process, keep: &Checkpoint, rank: i32, id: i32, buf: Address, count: i64,
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
    let saved = crate::host::memory::Span::of(&saved);
    crate::host::memory::transfer(&saved.into(), &region)
        .map_err(|fault| Failure::from(process.engine.suffer(fault.address)))
}

/// Waits until no checkpoint is under way: in the next one, the others wait for this rank.
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
