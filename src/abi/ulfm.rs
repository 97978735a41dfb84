//! User Level Failure Mitigation, declared in `include/mpi-ext.h`. Calls that later drafts name
//! without the X have both names.

use crate::abi::kinds::*;
use crate::mpi::error::Class;
use crate::mpi::failure::ulfm;

/// Declares one call under both names.
macro_rules! mpix {
    (
        #[doc = $doc:literal]
        #[names($($name:ident $fortran:ident),*)]
        fn $params:tt $body:block
    ) => {
        $(mpix!(@one $doc, $name $fortran $params $body);)*
    };
    (
        @one $doc:literal, $name:ident $fortran:ident
        ($process:ident: &Process, $on:ident: $of:ty $(, $param:ident: $kind:ty)*) $body:block
    ) => {
        mpi!(
            #[doc = $doc]
            #[fortran($fortran)]
            #[raises_on($on)]
            fn $name($process: &Process, $on: $of, $($param: $kind),*) $body
        );
    };
}

mpix!(
    /// Revokes `comm` for all of its members.
    #[names(MPIX_Comm_revoke mpix_comm_revoke_, MPI_Comm_revoke mpi_comm_revoke_)]
    fn (process: &Process, comm: MPI_Comm) {
        comm.revoke(process.world, process.me);
        Ok(())
    }
);

mpix!(
    /// Whether `comm` has been revoked.
    #[names(
        MPIX_Comm_is_revoked mpix_comm_is_revoked_, MPI_Comm_is_revoked mpi_comm_is_revoked_
    )]
    fn (process: &Process, comm: MPI_Comm, flag: OutFlag) {
        flag.set(ulfm::is_revoked(process, &comm));
        Ok(())
    }
);

mpix!(
    /// Creates a communicator of the living members of `comm`.
    #[names(MPIX_Comm_shrink mpix_comm_shrink_, MPI_Comm_shrink mpi_comm_shrink_)]
    fn (process: &Process, comm: MPI_Comm, newcomm: Var<MPI_Comm>) {
        newcomm.set(ulfm::shrink(process, &comm)?);
        Ok(())
    }
);

mpix!(
    /// Starts creating a communicator of the living members of `comm`.
    #[names(MPIX_Comm_ishrink mpix_comm_ishrink_, MPI_Comm_ishrink mpi_comm_ishrink_)]
    fn (process: &Process, comm: MPI_Comm, newcomm: Var<MPI_Comm>, request: Var<MPI_Request>) {
        let (made, started) = ulfm::start_shrink(process, &comm)?;
        newcomm.set(made);
        request.set(started);
        Ok(())
    }
);

mpix!(
    /// Agrees on the AND of all members' flags. The flag is set even when the call fails.
    #[names(MPIX_Comm_agree mpix_comm_agree_, MPI_Comm_agree mpi_comm_agree_)]
    fn (process: &Process, comm: MPI_Comm, flag: InOutInt) {
        let (agreed, verdict) = ulfm::agree(process, &comm, flag.value())?;
        flag.set(agreed);
        verdict
    }
);

mpix!(
    /// Starts an agreement.
    #[names(MPIX_Comm_iagree mpix_comm_iagree_, MPI_Comm_iagree mpi_comm_iagree_)]
    fn (process: &Process, comm: MPI_Comm, flag: InOutInt, request: Var<MPI_Request>) {
        request.set(ulfm::start_agree(process, &comm, flag.value(), flag.region())?);
        Ok(())
    }
);

mpix!(
    /// The failed members of `comm`, in an order that is consistent across ranks.
    #[names(MPIX_Comm_get_failed mpix_comm_get_failed_, MPI_Comm_get_failed mpi_comm_get_failed_)]
    fn (process: &Process, comm: MPI_Comm, failedgrp: Var<MPI_Group>) {
        failedgrp.set(ulfm::failed(process, &comm)?);
        Ok(())
    }
);

mpix!(
    /// Acknowledges the first `num_to_ack` failures in `comm`, as far as they are known.
    #[names(MPIX_Comm_ack_failed mpix_comm_ack_failed_, MPI_Comm_ack_failed mpi_comm_ack_failed_)]
    fn (process: &Process, comm: MPI_Comm, num_to_ack: Int, num_acked: OutInt) {
        let count = usize::try_from(num_to_ack).map_err(|_| {
            Class::ARG.because(format!("num_to_ack is {num_to_ack}; it must not be negative"))
        })?;
        num_acked.set(ulfm::acknowledge(process, &comm, count) as i32);
        Ok(())
    }
);

mpix!(
    /// Acknowledges all known failures in `comm`.
    #[names(MPIX_Comm_failure_ack mpix_comm_failure_ack_)]
    fn (process: &Process, comm: MPI_Comm) {
        ulfm::acknowledge(process, &comm, usize::MAX);
        Ok(())
    }
);

mpix!(
    /// The members of `comm` whose failures are acknowledged.
    #[names(MPIX_Comm_failure_get_acked mpix_comm_failure_get_acked_)]
    fn (process: &Process, comm: MPI_Comm, failedgrp: Var<MPI_Group>) {
        failedgrp.set(ulfm::acknowledged(process, &comm)?);
        Ok(())
    }
);
