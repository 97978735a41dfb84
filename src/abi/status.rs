//! Statuses: reading and setting their fields (MPI-5.0 §3.2.5, §3.8.4, §13.3).

use crate::abi::kinds::*;

mpi!(
    /// The rank of the sender.
    #[fortran(mpi_status_get_source_)]
    #[season(Always)]
    fn MPI_Status_get_source(process: &Process, status: InStatus, source: OutInt) {
        source.set(status.source);
        Ok(())
    }
);

mpi!(
    /// The tag of the message.
    #[fortran(mpi_status_get_tag_)]
    #[season(Always)]
    fn MPI_Status_get_tag(process: &Process, status: InStatus, tag: OutInt) {
        tag.set(status.tag);
        Ok(())
    }
);

mpi!(
    /// The error code of the operation.
    #[fortran(mpi_status_get_error_)]
    #[season(Always)]
    fn MPI_Status_get_error(process: &Process, status: InStatus, error: OutInt) {
        error.set(status.error);
        Ok(())
    }
);

mpi!(
    /// Whether the operation was cancelled.
    #[fortran(mpi_test_cancelled_)]
    fn MPI_Test_cancelled(process: &Process, status: InStatus, flag: OutFlag) {
        flag.set(status.is_cancelled());
        Ok(())
    }
);

mpi!(
    /// Sets the rank of the sender.
    #[fortran(mpi_status_set_source_)]
    #[season(Always)]
    fn MPI_Status_set_source(process: &Process, status: VarStatus, source: Int) {
        status.change(|status| status.source = source);
        Ok(())
    }
);

mpi!(
    /// Sets the tag of the message.
    #[fortran(mpi_status_set_tag_)]
    #[season(Always)]
    fn MPI_Status_set_tag(process: &Process, status: VarStatus, tag: Int) {
        status.change(|status| status.tag = tag);
        Ok(())
    }
);

mpi!(
    /// Sets the error code of the operation.
    #[fortran(mpi_status_set_error_)]
    #[season(Always)]
    fn MPI_Status_set_error(process: &Process, status: VarStatus, error: Int) {
        status.change(|status| status.error = error);
        Ok(())
    }
);

mpi!(
    /// Sets whether the operation was cancelled.
    #[fortran(mpi_status_set_cancelled_)]
    #[season(Always)]
    fn MPI_Status_set_cancelled(process: &Process, status: VarStatus, flag: Logical) {
        status.change(|status| status.set_cancelled(flag));
        Ok(())
    }
);
