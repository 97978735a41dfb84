//! Memory that is attached to a dynamic window (MPI-5.0 §12.2.4), and the memory of windows that
//! all processes can use directly (§12.2.3).

use crate::host::memory::Span;
use crate::mpi::datatype::Address;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::process::Process;
use crate::mpi::rma::peers::must_be_whole;
use crate::mpi::rma::segment::Segment;
use crate::mpi::rma::shared::Part;
use crate::mpi::rma::win::{Flavor, Win};

/// Lets others access memory by its address.
pub fn attach(process: &Process, win: &Win, base: Address, size: i64) -> Result {
    must_be_dynamic(win)?;
    must_be_whole(process, win)?;
    let bytes = usize::try_from(size)
        .map_err(|_| Class::SIZE.because(format!("size is {size}; it must not be negative")))?;
    let memory = base.span(bytes);
    if bytes > 0 && (base.0 < Address::LOWEST || memory.is_odd()) {
        return Err(refused(memory, "is no memory"));
    }
    let mut attached = win.own_part().attached.write();
    let overlaps = |other: &Span| {
        let end = |span: &Span| span.address() + span.bytes();
        other.address() < end(&memory) && memory.address() < end(other)
    };
    if attached.iter().any(|other| overlaps(other) || *other == memory) {
        return Err(refused(memory, "overlaps with memory that is attached already"));
    }
    attached.push(memory);
    if win.shared.endpoint().is_some() {
        win.own_part().show(memory);
    }
    Ok(())
}

/// Takes memory back.
pub fn detach(process: &Process, win: &Win, base: Address) -> Result {
    must_be_dynamic(win)?;
    must_be_whole(process, win)?;
    let mut attached = win.own_part().attached.write();
    match attached.iter().position(|memory| memory.address() == base.0) {
        Some(place) => drop(attached.swap_remove(place)),
        None => return Err(refused(base.span(0), "is not attached")),
    }
    win.own_part().hide(base.0);
    Ok(())
}

fn must_be_dynamic(win: &Win) -> Result {
    match win.flavor {
        Flavor::Dynamic => Ok(()),
        _ => Err(Class::RMA_FLAVOR.because("win was not created by MPI_Win_create_dynamic")),
    }
}

#[cold]
fn refused(memory: Span, why: &str) -> Failure {
    let (address, bytes) = (memory.address(), memory.bytes());
    Class::RMA_ATTACH.because(format!("the memory of {bytes} bytes at {address:#x} {why}"))
}

/// The memory that a member has specified, and whether this process can use it directly.
fn specified(part: &Part) -> Option<(Segment, bool)> {
    let Some(there) = part.there() else { return Some((*part.segment()?, true)) };
    let (segment, elsewhere) = part.reach(there).ok()?;
    Some((segment, elsewhere.is_none()))
}

/// Memory that this process can use directly: of others, none unless it is mapped here.
fn direct(part: &Part) -> Option<Segment> {
    let (segment, is_here) = specified(part)?;
    let nothing = Segment { memory: Address(0).span(0), ..segment };
    Some(if is_here { segment } else { nothing })
}

/// The memory of the member with this rank, or of the first that has some (MPI-5.0 §12.2.3).
pub fn query(process: &Process, win: &Win, rank: i32) -> Result<Segment> {
    if win.flavor == Flavor::Dynamic {
        return Err(Class::RMA_FLAVOR.because("win was created by MPI_Win_create_dynamic"));
    }
    must_be_whole(process, win)?;
    let segment = match win.comm.target(rank, "rank")? {
        Some(_) => direct(win.shared.part(rank)),
        None => {
            let has_some = |part: &&Part| {
                specified(part).is_some_and(|(segment, _)| segment.memory.bytes() > 0)
            };
            let first = win.shared.parts().iter().find(has_some);
            first.map_or(win.own_part().segment().copied(), direct)
        }
    };
    segment.ok_or_else(|| Class::RANK.because(format!("rank {rank} has no memory in the window")))
}
