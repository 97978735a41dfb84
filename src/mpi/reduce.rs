//! Reductions (MPI-5.0 §6.9). The program's memory is only copied from and to; operands meet in
//! memory of the library's own.

use crate::host::memory::{Region, Span};
use crate::mpi::coll::{Side, broadcast, copy_local, lane};
use crate::mpi::combine::combine;
use crate::mpi::comm::Comm;
use crate::mpi::datatype::Address;
use crate::mpi::error::{Class, Result};
use crate::mpi::lane::Lane;
use crate::mpi::op::Op;
use crate::mpi::process::Process;
use crate::mpi::scratch::Scratch;

/// Combines everybody's values; the result goes to the root's `recv`.
pub fn reduce(
    process: &Process, comm: &Comm, send: Side, recv: Address, op: &Op, root: i32,
) -> Result {
    let root = comm.root(root)?;
    let is_root = comm.rank == root;
    let input = if is_root && send.is_in_place() { Side { buf: recv, ..send } } else { send };
    let lane = lane(process, comm);
    // Whoever does not get the result may leave `recv` undefined.
    let target = if is_root { input.datatype.region(recv, input.count)? } else { Region::EMPTY };
    let top = if op.commutes() { root } else { 0 };
    let values = climb(process, comm, &lane, Climb { input: &input, op, top })?;
    if top == root {
        return if is_root { copy_local(process, &values.data, &target) } else { Ok(()) };
    }
    match comm.rank {
        0 => lane.send(root, values.data.clone()),
        _ if is_root => lane.recv(0, target).map(drop),
        _ => Ok(()),
    }
}

/// Combines everybody's values; the result goes to everybody's `recv`.
pub fn allreduce(process: &Process, comm: &Comm, send: Side, recv: Address, op: &Op) -> Result {
    let input = if send.is_in_place() { Side { buf: recv, ..send } } else { send };
    let target = input.datatype.region(recv, input.count)?;
    let lane = lane(process, comm);
    let values = climb(process, comm, &lane, Climb { input: &input, op, top: 0 })?;
    if comm.rank == 0 {
        copy_local(process, &values.data, &target)?;
    }
    broadcast(&lane, comm, &target, 0)
}

/// Values in memory of the library's own, laid out as those of the program are.
struct Operand {
    /// Only held: the data lie in there.
    _room: Scratch,
    address: Address,
    data: Region,
}

impl Operand {
    fn new(like: &Side) -> Result<Operand> {
        let mut room = Scratch::default();
        let (address, data) = room.items(&like.datatype, like.count)?;
        Ok(Operand { _room: room, address, data })
    }

    /// What `combine` works on.
    fn items(&self) -> Span {
        Span::new(std::ptr::with_exposed_provenance(self.address.0), self.data.bytes())
    }
}

/// One way up the tree.
struct Climb<'a> {
    input: &'a Side,
    op: &'a Op,
    top: i32,
}

/// Combines along a binomial tree up to `top`, in the order of ranks counted from there: each
/// member's values come from the left of those of its children.
fn climb(process: &Process, comm: &Comm, lane: &Lane<'_>, climb: Climb<'_>) -> Result<Operand> {
    let Climb { input, op, top } = climb;
    op.is_defined_on(&input.datatype)?;
    let source = input.region()?;
    let (mut mine, mut theirs) = (Operand::new(input)?, Operand::new(input)?);
    copy_local(process, &source, &mine.data)?;
    let size = comm.size();
    let place = (comm.rank - top + size) % size;
    let mut bit = 1;
    while bit < size {
        if place & bit != 0 {
            lane.send((place - bit + top) % size, mine.data.clone())?;
            break;
        }
        if place + bit < size {
            let child = (place + bit + top) % size;
            short(lane.recv(child, theirs.data.clone())?, &theirs.data)?;
            combine(process, op, &input.datatype, input.count, mine.items(), theirs.items());
            std::mem::swap(&mut mine, &mut theirs);
        }
        bit *= 2;
    }
    Ok(mine)
}

/// A message with fewer values than all others bring.
fn short(received: usize, expected: &Region) -> Result {
    if received == expected.bytes() {
        return Ok(());
    }
    let words = format!("a member brought {received} bytes, this one {}", expected.bytes());
    Err(Class::COUNT.because(words))
}
