//! Generalized requests: operations that the program performs itself (MPI-5.0 §13.2).

use crate::abi::kinds::*;
use crate::mpi::p2p::generalized_request::General;
use crate::mpi::p2p::request;

mpi!(
    /// Creates a request for work that the program does.
    #[fortran(mpi_grequest_start_)]
    fn MPI_Grequest_start(
        process: &Process, query_fn: QueryFunction, free_fn: FreeFunction,
        cancel_fn: CancelFunction, extra_state: ExtraState, request: Var<MPI_Request>,
    ) {
        let general = General::new(query_fn, free_fn, cancel_fn, extra_state);
        request.set(request::start_general(process, general)?);
        Ok(())
    }
);

mpi!(
    /// Marks the work of a generalized request as done.
    #[fortran(mpi_grequest_complete_)]
    fn MPI_Grequest_complete(process: &Process, request: MPI_Request) {
        request::complete(process, request)
    }
);
