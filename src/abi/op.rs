//! Reduction operations: defining, freeing and applying them (MPI-5.0 §6.9).

use crate::abi::kinds::*;
use crate::mpi::coll::Side;
use crate::mpi::op::Op;
use crate::mpi::op::combine;

mpi!(
    /// Creates a reduction operation from a function of the program.
    #[large(MPI_Op_create_c)]
    #[fortran(mpi_op_create_)]
    fn MPI_Op_create(process: &Process, user_fn: UserFunction, commute: Logical, op: Var<MPI_Op>) {
        let (function, commutes) = (user_fn, commute);
        op.set(process.keep_op(Op::User {
            function,
            commutes,
            is_large: UserFunction::IS_LARGE,
        })?);
        Ok(())
    }
);

mpi!(
    /// Frees an operation.
    #[fortran(mpi_op_free_)]
    fn MPI_Op_free(process: &Process, op: Var<MPI_Op>) {
        process.free_op(op.key())?;
        op.set_null();
        Ok(())
    }
);

mpi!(
    /// Whether `op` is commutative.
    #[fortran(mpi_op_commutative_)]
    fn MPI_Op_commutative(process: &Process, op: MPI_Op, commute: OutFlag) {
        commute.set(op.commutes());
        Ok(())
    }
);

mpi!(
    /// Combines two local buffers.
    #[large(MPI_Reduce_local_c)]
    #[fortran(mpi_reduce_local_)]
    fn MPI_Reduce_local(
        process: &Process, inbuf: InBuf, inoutbuf: OutBuf, count: Count, datatype: MPI_Datatype,
        op: MPI_Op,
    ) {
        combine::reduce_local(process, &Side { buf: inbuf, count, datatype }, inoutbuf, &op)
    }
);
