! User Level Failure Mitigation, by the module that programs for Open MPI use for it. The module
! mpi_f08 has all of it as well.
MODULE mpi_f08_ext
  USE mpi_f08, ONLY: &
    MPIX_FT, &
    MPI_FT, &
    MPIX_ERR_PROC_FAILED, &
    MPIX_ERR_PROC_FAILED_PENDING, &
    MPIX_ERR_REVOKED, &
    MPI_ERR_PROC_FAILED, &
    MPI_ERR_PROC_FAILED_PENDING, &
    MPI_ERR_REVOKED, &
    MPIX_Comm_ack_failed, &
    MPIX_Comm_agree, &
    MPIX_Comm_failure_ack, &
    MPIX_Comm_failure_get_acked, &
    MPIX_Comm_get_failed, &
    MPIX_Comm_iagree, &
    MPIX_Comm_is_revoked, &
    MPIX_Comm_ishrink, &
    MPIX_Comm_revoke, &
    MPIX_Comm_shrink, &
    PMPIX_Comm_ack_failed, &
    PMPIX_Comm_agree, &
    PMPIX_Comm_failure_ack, &
    PMPIX_Comm_failure_get_acked, &
    PMPIX_Comm_get_failed, &
    PMPIX_Comm_iagree, &
    PMPIX_Comm_is_revoked, &
    PMPIX_Comm_ishrink, &
    PMPIX_Comm_revoke, &
    PMPIX_Comm_shrink
  IMPLICIT NONE
  PUBLIC
END MODULE mpi_f08_ext
