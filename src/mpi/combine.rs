//! What an operation does to two buffers (MPI-5.0 §6.9): named ones element by element, the
//! program's own by calling it. And MPI_Reduce_local, which is nothing else.

use crate::host::memory::Span;
use crate::mpi::callback::Reduction;
use crate::mpi::coll::Side;
use crate::mpi::datatype::{Address, Datatype};
use crate::mpi::error::Result;
use crate::mpi::memory;
use crate::mpi::op::{Named, Op};
use crate::mpi::process::Process;

/// More items than this go to a function that takes an `int` in several calls.
const MOST_AT_ONCE: i64 = 1 << 30;

/// `inout` becomes `input` op `inout`, in memory that is there: `count` items each, the first of
/// which have the addresses of the spans.
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
                let offset = (done * datatype.shape.extent) as isize;
                let items = most.min(count - done);
                let reduction = Reduction {
                    input: input.address().wrapping_add_signed(offset),
                    inout: inout.address().wrapping_add_signed(offset),
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

/// Combines `inout` with `input` in this process alone (MPI-5.0 §6.9.7), where the program has
/// them: memory that is not there is this rank's death, and it holds no lock.
pub fn reduce_local(process: &Process, input: &Side, inout: Address, op: &Op) -> Result {
    op.is_defined_on(&input.datatype)?;
    let bytes = input.datatype.region(inout, input.count)?.bytes();
    input.region()?;
    let at = |buf: Address| Span::new(std::ptr::with_exposed_provenance(buf.0), bytes);
    combine(process, op, &input.datatype, input.count, at(input.buf), at(inout));
    Ok(())
}
