//! What an operation does to two buffers (MPI-5.0 §6.9): named ones element by element, the
//! program's own by calling it. And MPI_Reduce_local, which is nothing else.

use crate::host::memory::Span;
use crate::mpi::callback::Callback;
use crate::mpi::coll::Side;
use crate::mpi::datatype::{Address, Datatype};
use crate::mpi::error::Result;
use crate::mpi::op::kernels::{self, Kernel, Missing};
use crate::mpi::op::{Named, Op};
use crate::mpi::process::Process;
use crate::mpi::program::Reduction;

/// More items than this go to a function that takes an `int` in several calls.
const MOST_AT_ONCE: i64 = 1 << 30;

/// What combines one run of items with another.
pub struct Combiner<'a> {
    process: &'a Process,
    datatype: &'a Datatype,
    count: i64,
    way: Way,
}

enum Way {
    /// So many elements, by the library's own operation.
    Named(Kernel, usize),
    User(Callback, bool),
    /// The operation is not defined on the type, and this was not checked before.
    Nothing,
}

impl<'a> Combiner<'a> {
    /// For this many items of this type.
    #[inline]
    pub fn new(process: &'a Process, op: &Op, datatype: &'a Datatype, count: i64) -> Combiner<'a> {
        let way = match op {
            Op::Named(op) => {
                let kernel = kernels::kernel(*op, datatype.shape.element);
                kernel.map_or(Way::Nothing, |it| Way::Named(it, elements(datatype, count, *op)))
            }
            Op::User { function, is_large, .. } => Way::User(*function, *is_large),
        };
        Combiner { process, datatype, count, way }
    }

    /// `inout` becomes `input` op `inout`, in memory that is there: the first items have the
    /// addresses of the spans.
    #[inline]
    pub fn combine(&self, input: Span, inout: Span) {
        match self.way {
            Way::Named(kernel, elements) => kernel.run(input, inout, elements),
            Way::User(function, is_large) => self.call(function, is_large, input, inout),
            Way::Nothing => {}
        }
    }

    /// Of runs of `each` bytes in a row, each but the first becomes the one before it op itself,
    /// from the first on; by an operation of the library's own.
    pub fn combine_row(&self, row: Span, each: usize) {
        let others = row.bytes() - each;
        match self.way {
            Way::Named(kernel, elements) => {
                let elements = elements * (others / each);
                kernel.run(row.part(0, others), row.part(each, others), elements);
            }
            _ => unreachable!("only what is plain is combined where it lies"),
        }
    }

    /// The results of the library's own operation go to `into`, which is apart from both operands.
    #[inline]
    pub fn combine_apart(&self, left: Span, right: Span, into: Span) {
        match self.way {
            Way::Named(kernel, elements) => kernel.run_apart(left, right, into, elements),
            _ => unreachable!("only what is plain is combined where it lies"),
        }
    }

    /// Like [`Combiner::combine_apart`], but `into` may also be `right`, and memory may not be
    /// there.
    #[inline]
    pub fn combine_into(
        &self, left: Span, right: Span, into: Span,
    ) -> std::result::Result<(), Missing> {
        match self.way {
            Way::Named(kernel, elements) => kernel.try_run(left, right, into, elements),
            _ => unreachable!("only what is plain is combined where it lies"),
        }
    }

    fn call(&self, function: Callback, is_large: bool, input: Span, inout: Span) {
        let most = if is_large { i64::MAX } else { MOST_AT_ONCE };
        let mut done = 0;
        while done < self.count {
            let offset = (done * self.datatype.shape.extent) as isize;
            let items = most.min(self.count - done);
            let reduction = Reduction {
                input: input.address().wrapping_add_signed(offset),
                inout: inout.address().wrapping_add_signed(offset),
                count: items,
                datatype: self.datatype.handle,
                is_large,
            };
            self.process.program.reduce(function, reduction);
            done += items;
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
    Combiner::new(process, op, &input.datatype, input.count).combine(at(input.buf), at(inout));
    Ok(())
}
