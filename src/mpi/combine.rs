//! What an operation does to two buffers (MPI-5.0 §6.9): named ones element by element, the
//! program's own by calling it. And MPI_Reduce_local, which is nothing else.

use crate::host::memory::{Region, Span, transfer};
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
    let target = input.datatype.region(inout, input.count)?;
    let source = input.region()?;
    match op {
        Op::Named(_) => in_tiles(process, input, op, &source, &target),
        // A function of the program's gets what the program passed, and touches it itself.
        Op::User { .. } => {
            let (a, b) = (items_at(input.buf), items_at(inout));
            combine(process, op, &input.datatype, input.count, a, b);
            Ok(())
        }
    }
}

/// Operands meet in memory of the library's own: where the program's is not there, the copy says so.
fn in_tiles(process: &Process, side: &Side, op: &Op, source: &Region, target: &Region) -> Result {
    let datatype = &side.datatype;
    let extent = datatype.shape.extent.max(1);
    let items = (TILE_BYTES / extent).clamp(1, side.count.max(1));
    let tile = datatype.bytes(items)?;
    let (mut left, mut right) = (Scratch::default(), Scratch::default());
    let ((a, a_data), (b, b_data)) = (left.items(datatype, items)?, right.items(datatype, items)?);
    let moved = |from: &Region, to: &Region| {
        transfer(from, to).map_err(|fault| Failure::from(process.engine.suffer(fault.address)))
    };
    let (mut offset, mut rest) = (0, side.count);
    while rest > 0 && offset < source.bytes() {
        let now = rest.min(items);
        let (from, to) = (source.part(offset, tile), target.part(offset, tile));
        moved(&from, &a_data)?;
        moved(&to, &b_data)?;
        combine(process, op, datatype, now, items_at(a), items_at(b));
        moved(&b_data.part(0, to.bytes()), &to)?;
        (offset, rest) = (offset + tile, rest - now);
    }
    Ok(())
}

/// Items that begin here; how far they reach, their type says.
fn items_at(buf: Address) -> Span {
    Span::new(std::ptr::with_exposed_provenance(buf.0), 0)
}
