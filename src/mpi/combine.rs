//! What an operation does to two buffers (MPI-5.0 §6.9): named ones element by element, the
//! program's own by calling it. And MPI_Reduce_local, which is nothing else.

use crate::host::memory::{Region, Span};
use crate::mpi::callback::Reduction;
use crate::mpi::coll::{Side, copy_local};
use crate::mpi::datatype::{Address, Datatype};
use crate::mpi::error::Result;
use crate::mpi::memory;
use crate::mpi::op::{Named, Op};
use crate::mpi::process::Process;
use crate::mpi::scratch::Scratch;

/// More items than this go to a function that takes an `int` in several calls.
const MOST_AT_ONCE: i64 = 1 << 30;

/// How much of two buffers of the program's is combined at once: both fit into the nearest cache.
const TILE_BYTES: i64 = 12 << 10;

/// `inout` becomes `input` op `inout`, in memory that is there: `count` items each.
pub fn combine(
    process: &Process, op: &Op, datatype: &Datatype, count: i64, input: Address, inout: Address,
) {
    match op {
        Op::Named(op) => {
            let elements = elements(datatype, count, *op);
            let start = |at: Address| Span::new(std::ptr::with_exposed_provenance(at.0), 0);
            memory::reduce(*op, datatype.shape.element, start(input), start(inout), elements);
        }
        Op::User { function, is_large, .. } => {
            let most = if *is_large { i64::MAX } else { MOST_AT_ONCE };
            let mut done = 0;
            while done < count {
                let offset = isize::try_from(done * datatype.shape.extent);
                let offset = offset.expect("the buffer was measured");
                let items = most.min(count - done);
                let reduction = Reduction {
                    input: input.0.wrapping_add_signed(offset),
                    inout: inout.0.wrapping_add_signed(offset),
                    count: items,
                    datatype: datatype.handle,
                    is_large: *is_large,
                };
                process.program.reduce(*function, reduction);
                done += items;
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

/// Combines `inout` with `input` in this process alone (MPI-5.0 §6.9.7).
pub fn reduce_local(process: &Process, input: &Side, inout: Address, op: &Op) -> Result {
    op.is_defined_on(&input.datatype)?;
    let target = input.datatype.region(inout, input.count)?;
    let source = input.region()?;
    match op {
        Op::Named(_) => in_tiles(process, input, op, &source, &target),
        // A function of the program's gets what the program passed, and touches it itself.
        Op::User { .. } => {
            combine(process, op, &input.datatype, input.count, input.buf, inout);
            Ok(())
        }
    }
}

/// Operands meet in memory of the library's own: where the program's is not there, the copy says so.
fn in_tiles(process: &Process, side: &Side, op: &Op, source: &Region, target: &Region) -> Result {
    let items = (TILE_BYTES / side.datatype.shape.extent.max(1)).clamp(1, side.count.max(1));
    let (mut left, mut right) = (Scratch::default(), Scratch::default());
    let (a, in_a) = left.items(&side.datatype, items)?;
    let (b, in_b) = right.items(&side.datatype, items)?;
    let (mut offset, mut rest) = (0, side.count);
    while rest > 0 && offset < source.bytes() {
        let now = rest.min(items);
        let (from, to) = (source.part(offset, in_a.bytes()), target.part(offset, in_b.bytes()));
        copy_local(process, &from, &in_a)?;
        copy_local(process, &to, &in_b)?;
        combine(process, op, &side.datatype, now, a, b);
        copy_local(process, &in_b.part(0, to.bytes()), &to)?;
        (offset, rest) = (offset + in_a.bytes(), rest - now);
    }
    Ok(())
}
