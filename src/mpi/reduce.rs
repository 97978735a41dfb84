//! Reductions (MPI-5.0 §6.9). The program's memory is only copied from and to; operands meet in
//! memory of the library's own.

use crate::host::memory::{Region, Span};
use crate::mpi::callback::Reduction;
use crate::mpi::coll::{Side, broadcast, copy_local, lane};
use crate::mpi::comm::Comm;
use crate::mpi::datatype::{Address, Datatype};
use crate::mpi::error::{Class, Result};
use crate::mpi::lane::Lane;
use crate::mpi::memory;
use crate::mpi::named;
use crate::mpi::op::{Named, Op};
use crate::mpi::process::Process;
use crate::mpi::scratch::Scratch;

/// More elements than this go to a function that takes an `int` in several calls.
const MOST_AT_ONCE: i64 = 1 << 30;

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

/// Combines `inout` with `input` in this process alone (MPI-5.0 §6.9.7).
pub fn reduce_local(process: &Process, input: &Side, inout: Address, op: &Op) -> Result {
    let target = input.datatype.region(inout, input.count)?;
    let source = input.region()?;
    is_defined(op, &input.datatype)?;
    let (a, b) = (Operand::new(input)?, Operand::new(input)?);
    copy_local(process, &source, &a.data)?;
    copy_local(process, &target, &b.data)?;
    combine(process, op, input, &a, &b);
    copy_local(process, &b.data, &target)
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

    /// Where the item with this number is.
    fn item(&self, index: i64, extent: i64) -> usize {
        self.address.0.wrapping_add_signed((index * extent) as isize)
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
    is_defined(op, &input.datatype)?;
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
            combine(process, op, input, &mine, &theirs);
            std::mem::swap(&mut mine, &mut theirs);
        }
        bit *= 2;
    }
    Ok(mine)
}

/// `inout` becomes `input` op `inout`.
fn combine(process: &Process, op: &Op, side: &Side, input: &Operand, inout: &Operand) {
    match op {
        Op::Named(op) => {
            let elements = elements(&side.datatype, side.count, *op);
            let start = |operand: &Operand| {
                let start = std::ptr::with_exposed_provenance(operand.address.0);
                Span::new(start, operand.data.bytes())
            };
            let element = side.datatype.shape.element;
            memory::reduce(*op, element, start(input), start(inout), elements);
        }
        Op::User { function, is_large, .. } => {
            let most = if *is_large { i64::MAX } else { MOST_AT_ONCE };
            let mut done = 0;
            while done < side.count {
                let count = most.min(side.count - done);
                let extent = side.datatype.shape.extent;
                let reduction = Reduction {
                    input: input.item(done, extent),
                    inout: inout.item(done, extent),
                    count,
                    datatype: side.datatype.handle,
                    is_large: *is_large,
                };
                process.program.reduce(*function, reduction);
                done += count;
            }
        }
    }
}

/// How many elements the operation sees: a pair is one.
fn elements(datatype: &Datatype, count: i64, op: Named) -> usize {
    let each = match op {
        Named::Minloc | Named::Maxloc => datatype.shape.elements / 2,
        _ => datatype.shape.elements,
    };
    usize::try_from(count * each).expect("the buffer was measured")
}

/// Fails unless `op` works on such elements.
fn is_defined(op: &Op, datatype: &Datatype) -> Result {
    let Op::Named(op) = op else { return Ok(()) };
    let is_named = named::name(datatype.handle).is_some();
    let nothing = Span::EMPTY;
    if is_named && memory::reduce(*op, datatype.shape.element, nothing, nothing, 0) {
        return Ok(());
    }
    let name = named::name(datatype.handle).unwrap_or("a datatype that the program made");
    Err(Class::OP.because(format!("op is {}, which is not defined on {name}", op.title())))
}

/// A message with fewer values than all others bring.
fn short(received: usize, expected: &Region) -> Result {
    if received == expected.bytes() {
        return Ok(());
    }
    let words = format!("a member brought {received} bytes, this one {}", expected.bytes());
    Err(Class::COUNT.because(words))
}
