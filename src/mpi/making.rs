//! How communicators are made and unmade (MPI-5.0 §7.4).
//!
//! The leader of those who make one draws the context, and all get it from the leader: two threads
//! of a process may make communicators at once.

use crate::base::Member;
use crate::host::memory::Span;
use crate::mpi::attr::Attributes;
use crate::mpi::coll::{broadcast, lane, share};
use crate::mpi::comm::{Comm, SUBSET_TAGS};
use crate::mpi::error::{Class, Result};
use crate::mpi::group::Group;
use crate::mpi::info::Info;
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use std::sync::Arc;

const UNDEFINED: i32 = -32766;
const TYPE_SHARED: i32 = 221;
const TYPE_HW_UNGUIDED: i32 = 222;
const TYPE_HW_GUIDED: i32 = 223;
const TYPE_RESOURCE_GUIDED: i32 = 224;

/// A communicator like `comm` with a context of its own; returns its handle.
pub fn duplicate(process: &Process, comm: &Comm, info: Option<&Info>) -> Result<usize> {
    let context = agree(process, comm)?;
    let attributes = comm.attributes.copy(process, comm.handle)?;
    let plan = Plan { context, group: comm.group.clone(), attributes, parent: comm };
    let made = plan.make(process)?;
    made.set_info(info);
    Ok(made.handle)
}

/// One communicator for each color, ranks in the order of keys; none for MPI_UNDEFINED.
pub fn split(process: &Process, comm: &Comm, color: i32, key: i32) -> Result<Option<usize>> {
    if color < 0 && color != UNDEFINED {
        let words = format!("color is {color}; it must not be negative, or be MPI_UNDEFINED");
        return Err(Class::ARG.because(words));
    }
    let drawn = if comm.rank == 0 { process.world.fresh_context() } else { 0 };
    let mine = [color.to_ne_bytes(), key.to_ne_bytes(), drawn.to_ne_bytes()].concat();
    let all = share(process, comm, &mine)?;
    let number = |entry: &[u8], field: usize| {
        let bytes = entry[4 * field..][..4].try_into().expect("four bytes");
        i32::from_ne_bytes(bytes)
    };
    // Disjoint communicators may share a context: no process is in two of them.
    let context = number(&all[..12], 2) as u32;
    if color == UNDEFINED {
        return Ok(None);
    }
    let entries = (0i32..).zip(all.chunks_exact(12));
    let alike = entries.filter(|(_, entry)| number(entry, 0) == color);
    let mut chosen: Vec<(i32, i32)> = alike.map(|(rank, entry)| (number(entry, 1), rank)).collect();
    chosen.sort_unstable();
    let members = chosen.into_iter().map(|(_, rank)| comm.member(rank)).collect();
    let group = Arc::new(Group::of(members, process.me));
    let plan = Plan { context, group, attributes: Attributes::new(), parent: comm };
    plan.make(process).map(|made| Some(made.handle))
}

/// One communicator for each part of the machine: all ranks share one memory.
pub fn split_type(process: &Process, comm: &Comm, kind: i32, key: i32) -> Result<Option<usize>> {
    let color = match kind {
        TYPE_SHARED => 0,
        UNDEFINED => UNDEFINED,
        TYPE_HW_UNGUIDED | TYPE_HW_GUIDED | TYPE_RESOURCE_GUIDED => {
            let words =
                "split_type asks for parts of the hardware, which this library does not know yet";
            return Err(Class::UNSUPPORTED_OPERATION.because(words));
        }
        _ => {
            let words =
                format!("split_type is {kind}; it must be one of the MPI_COMM_TYPE constants");
            return Err(Class::ARG.because(words));
        }
    };
    split(process, comm, color, key)
}

/// A communicator of `group`, made by all of `comm`; those outside get none.
pub fn create(process: &Process, comm: &Comm, group: &Group) -> Result<Option<usize>> {
    is_subset(comm, group)?;
    let context = agree(process, comm)?;
    found(process, comm, group, context)
}

/// A communicator of `group`, made by its members alone.
pub fn create_group(
    process: &Process, comm: &Comm, group: &Group, tag: i32,
) -> Result<Option<usize>> {
    comm.must_be_intra()?;
    is_subset(comm, group)?;
    let Some(rank) = group.rank() else { return Ok(None) };
    let members = Arc::new(Group::of(group.members().collect(), process.me));
    let lane = Lane::among(process, comm, members, SUBSET_TAGS | (tag % SUBSET_TAGS));
    let in_comm = |member: Member| comm.group.rank_of(member).expect("the group is a subset");
    let mut bytes = process.world.fresh_context().to_ne_bytes();
    if rank == 0 {
        for member in group.members().skip(1) {
            lane.send(in_comm(member), Span::of(&bytes))?;
        }
    } else {
        let leader = group.member(0).expect("a group with members has a first");
        lane.recv(in_comm(leader), Span::of_mut(&mut bytes))?;
    }
    found(process, comm, group, u32::from_ne_bytes(bytes))
}

/// Frees the communicator behind `handle`. What is under way on it goes on to its end.
pub fn free(process: &'static Process, handle: usize) -> Result {
    let comm = process.comm(handle, "comm")?;
    if comm.is_predefined() {
        let words = format!("comm is {}, which cannot be freed", comm.title());
        return Err(Class::COMM.because(words));
    }
    comm.attributes.clear(process, handle)?;
    process.comms.remove(handle);
    Ok(())
}

/// A communicator that is about to be.
struct Plan<'a> {
    context: u32,
    group: Arc<Group>,
    attributes: Attributes,
    parent: &'a Comm,
}

impl Plan<'_> {
    fn make(self, process: &Process) -> Result<Arc<Comm>> {
        let made = process.comms.insert_with(|handle| {
            let comm = Comm::new(handle, self.context, self.group, "");
            Arc::new(comm.inherit(self.parent, self.attributes))
        });
        let made = made.map(|(_, comm)| comm);
        made.ok_or_else(|| Class::OTHER.because("there is no room for another communicator"))
    }
}

fn found(process: &Process, comm: &Comm, group: &Group, context: u32) -> Result<Option<usize>> {
    if group.rank().is_none() {
        return Ok(None);
    }
    let group = Arc::new(Group::of(group.members().collect(), process.me));
    let plan = Plan { context, group, attributes: Attributes::new(), parent: comm };
    plan.make(process).map(|made| Some(made.handle))
}

/// A context that all of `comm` know.
fn agree(process: &Process, comm: &Comm) -> Result<u32> {
    let drawn = if comm.rank == 0 { process.world.fresh_context() } else { 0 };
    let mut bytes = drawn.to_ne_bytes();
    broadcast(&lane(process, comm), comm, Span::of_mut(&mut bytes), 0)?;
    Ok(u32::from_ne_bytes(bytes))
}

fn is_subset(comm: &Comm, group: &Group) -> Result {
    match group.members().find(|member| comm.group.rank_of(*member).is_none()) {
        None => Ok(()),
        Some(member) => {
            let words = format!("group holds process {}, which is not in comm", member.seat);
            Err(Class::GROUP.because(words))
        }
    }
}
