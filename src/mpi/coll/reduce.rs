//! Reductions (MPI-5.0 §6.9). The program's memory is only copied from and to; operands meet in
//! memory of the library's own.

use crate::host::memory::Span;
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
    let target = if is_root { input.datatype.span(recv, input.count)? } else { Span::EMPTY };
    let mut kept = Scratch::default();
    let top = if op.commutes() { root } else { 0 };
    let values = climb(process, comm, &lane, Climb { input: &input, op, top }, &mut kept)?;
    if top == root {
        return if is_root { copy_local(process, values, target) } else { Ok(()) };
    }
    match comm.rank {
        0 => lane.send(root, values),
        _ if is_root => lane.recv(0, target).map(drop),
        _ => Ok(()),
    }
}

/// Combines everybody's values; the result goes to everybody's `recv`.
pub fn allreduce(process: &Process, comm: &Comm, send: Side, recv: Address, op: &Op) -> Result {
    let input = if send.is_in_place() { Side { buf: recv, ..send } } else { send };
    let target = input.datatype.span(recv, input.count)?;
    let lane = lane(process, comm);
    let mut kept = Scratch::default();
    let values = climb(process, comm, &lane, Climb { input: &input, op, top: 0 }, &mut kept)?;
    if comm.rank == 0 {
        copy_local(process, values, target)?;
    }
    broadcast(&lane, comm, target, 0)
}

/// Combines `inout` with `input` in this process alone (MPI-5.0 §6.9.7).
pub fn reduce_local(process: &Process, input: &Side, inout: Address, op: &Op) -> Result {
    let target = input.datatype.span(inout, input.count)?;
    let source = input.span()?;
    is_defined(op, &input.datatype)?;
    let (mut left, mut right) = (Scratch::default(), Scratch::default());
    let (a, b) = (left.room(source.bytes()), right.room(target.bytes()));
    copy_local(process, source, a)?;
    copy_local(process, target, b)?;
    combine(process, op, input, a, b);
    copy_local(process, b, target)
}

/// One way up the tree.
struct Climb<'a> {
    input: &'a Side,
    op: &'a Op,
    top: i32,
}

/// Combines along a binomial tree up to `top`, in the order of ranks counted from there: each
/// member's values come from the left of those of its children. Returns where the values lie.
fn climb(
    process: &Process, comm: &Comm, lane: &Lane<'_>, climb: Climb<'_>, kept: &mut Scratch,
) -> Result<Span> {
    let Climb { input, op, top } = climb;
    is_defined(op, &input.datatype)?;
    let source = input.span()?;
    let mut other = Scratch::default();
    let (mut mine, mut theirs) = (kept.room(source.bytes()), other.room(source.bytes()));
    copy_local(process, source, mine)?;
    let size = comm.size();
    let place = (comm.rank - top + size) % size;
    let mut bit = 1;
    while bit < size {
        if place & bit != 0 {
            lane.send((place - bit + top) % size, mine)?;
            break;
        }
        if place + bit < size {
            let child = (place + bit + top) % size;
            short(lane.recv(child, theirs)?, theirs)?;
            combine(process, op, input, mine, theirs);
            std::mem::swap(&mut mine, &mut theirs);
        }
        bit *= 2;
    }
    if mine.address() != kept.span(source.bytes()).address() {
        *kept = other;
    }
    Ok(mine)
}

/// `inout` becomes `input` op `inout`.
fn combine(process: &Process, op: &Op, side: &Side, input: Span, inout: Span) {
    match op {
        Op::Named(op) => {
            let elements = elements(&side.datatype, side.count, *op);
            memory::reduce(*op, side.datatype.shape.element, input, inout, elements);
        }
        Op::User { function, is_large, .. } => {
            let most = if *is_large { i64::MAX } else { MOST_AT_ONCE };
            let mut done = 0;
            while done < side.count {
                let offset = usize::try_from(done * side.datatype.shape.extent);
                let offset = offset.expect("the buffer was measured");
                let count = most.min(side.count - done);
                let reduction = Reduction {
                    input: input.address() + offset,
                    inout: inout.address() + offset,
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
fn short(received: usize, expected: Span) -> Result {
    if received == expected.bytes() {
        return Ok(());
    }
    let words = format!("a member brought {received} bytes, this one {}", expected.bytes());
    Err(Class::COUNT.because(words))
}
