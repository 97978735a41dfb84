//! What an operation does to two buffers (MPI-5.0 §6.9): named ones element by element, the
//! program's own by calling it. And MPI_Reduce_local, which is nothing else.

use crate::host::memory::{Span, copy};
use crate::mpi::callback::Reduction;
use crate::mpi::coll::Side;
use crate::mpi::datatype::{Address, Datatype};
use crate::mpi::error::{Failure, Result};
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
    process: &Process, op: &Op, datatype: &Datatype, count: i64, input: Span, inout: Span,
) {
    match op {
        Op::Named(op) => {
            let elements = elements(datatype, count, *op);
            memory::reduce(*op, datatype.shape.element, input, inout, elements);
        }
        Op::User { function, is_large, .. } => {
            let most = if *is_large { i64::MAX } else { MOST_AT_ONCE };
            let mut done = 0;
            while done < count {
                let offset = usize::try_from(done * datatype.shape.extent);
                let offset = offset.expect("the buffer was measured");
                let items = most.min(count - done);
                let reduction = Reduction {
                    input: input.address() + offset,
                    inout: inout.address() + offset,
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
    let target = input.datatype.span(inout, input.count)?;
    let source = input.span()?;
    match op {
        Op::Named(_) => in_tiles(process, input, op, source, target),
        // A function of the program's gets what the program passed, and touches it itself.
        Op::User { .. } => {
            let at = |buf: Address, bytes: usize| {
                Span::new(std::ptr::with_exposed_provenance(buf.0), bytes)
            };
            let (a, b) = (at(input.buf, source.bytes()), at(inout, target.bytes()));
            combine(process, op, &input.datatype, input.count, a, b);
            Ok(())
        }
    }
}

/// Operands meet in memory of the library's own: where the program's is not there, the copy says so.
fn in_tiles(process: &Process, side: &Side, op: &Op, source: Span, target: Span) -> Result {
    let extent = side.datatype.shape.extent.max(1);
    let items = (TILE_BYTES / extent).clamp(1, side.count.max(1));
    let tile_bytes = usize::try_from(items * extent).expect("a tile is no larger than a buffer");
    let (mut left, mut right) = (Scratch::default(), Scratch::default());
    let (a, b) = (left.room(tile_bytes), right.room(tile_bytes));
    let moved = |from: Span, to: Span| {
        copy(from, to).map_err(|fault| Failure::from(process.engine.suffer(fault.address)))
    };
    let (mut offset, mut rest) = (0, side.count);
    while rest > 0 && offset < source.bytes() {
        let now = rest.min(items);
        let (from, to) = (source.part(offset, tile_bytes), target.part(offset, tile_bytes));
        moved(from, a)?;
        moved(to, b)?;
        combine(process, op, &side.datatype, now, a, b);
        moved(b.part(0, to.bytes()), to)?;
        (offset, rest) = (offset + tile_bytes, rest - now);
    }
    Ok(())
}
