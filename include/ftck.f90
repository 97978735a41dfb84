! Diskless checkpoints: what ftck.h says, for Fortran. Handles of MPI are integers, as in the module
! mpi; with mpi_f08, pass their component MPI_VAL. A scheme is a text such as 'rs:2'. What is
! registered is contiguous: of a section with strides the compiler would pass a copy, which is gone
! when the call returns.
MODULE ftck
  IMPLICIT NONE
  PUBLIC
  INTEGER, PARAMETER :: FTCK_NULL=0
  ! What FTCK_Restore says where there is nothing to restore.
  INTEGER, PARAMETER :: FTCK_NONE=-1
  ! More ranks have failed than the scheme makes up for.
  INTEGER, PARAMETER :: FTCK_ERR_LOST=2002
  INTERFACE
    SUBROUTINE FTCK_Create(comm, scheme, ck, ierror)
      INTEGER, INTENT(IN) :: comm
      CHARACTER(LEN=*), INTENT(IN) :: scheme
      INTEGER, INTENT(OUT) :: ck
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE FTCK_Register(ck, id, buf, count, datatype, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      INTEGER, INTENT(IN) :: ck
      INTEGER, INTENT(IN) :: id
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE FTCK_Unregister(ck, id, ierror)
      INTEGER, INTENT(IN) :: ck
      INTEGER, INTENT(IN) :: id
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE FTCK_Checkpoint(ck, version, ierror)
      INTEGER, INTENT(IN) :: ck
      INTEGER, INTENT(IN) :: version
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE FTCK_Icheckpoint(ck, version, request, ierror)
      INTEGER, INTENT(IN) :: ck
      INTEGER, INTENT(IN) :: version
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE FTCK_Restore(ck, version, ierror)
      INTEGER, INTENT(IN) :: ck
      INTEGER, INTENT(OUT) :: version
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE FTCK_Status(ck, version, failures, digits, ierror)
      INTEGER, INTENT(IN) :: ck
      INTEGER, INTENT(OUT) :: version
      INTEGER, INTENT(OUT) :: failures
      INTEGER, INTENT(OUT) :: digits
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE FTCK_Tolerances(ck, maxranks, failures, ierror)
      INTEGER, INTENT(IN) :: ck
      INTEGER, INTENT(IN) :: maxranks
      INTEGER, INTENT(OUT) :: failures(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE FTCK_Orphans(ck, maxranks, ranks, count, ierror)
      INTEGER, INTENT(IN) :: ck
      INTEGER, INTENT(IN) :: maxranks
      INTEGER, INTENT(OUT) :: ranks(*)
      INTEGER, INTENT(OUT) :: count
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE FTCK_Adopt(ck, rank, id, buf, count, datatype, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      INTEGER, INTENT(IN) :: ck
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: id
      TYPE(*), DIMENSION(*) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE FTCK_Set_comm(ck, comm, ierror)
      INTEGER, INTENT(IN) :: ck
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE FTCK_Set_disk(ck, directory, every, ierror)
      INTEGER, INTENT(IN) :: ck
      CHARACTER(LEN=*), INTENT(IN) :: directory
      INTEGER, INTENT(IN) :: every
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE FTCK_Set_node(ck, node, ierror)
      INTEGER, INTENT(IN) :: ck
      INTEGER, INTENT(IN) :: node
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE FTCK_Due(ck, flag, ierror)
      INTEGER, INTENT(IN) :: ck
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE FTCK_Set_mttf(ck, mttf, ierror)
      INTEGER, INTENT(IN) :: ck
      CHARACTER(LEN=*), INTENT(IN) :: mttf
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE FTCK_Free(ck, ierror)
      INTEGER, INTENT(INOUT) :: ck
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE
END MODULE ftck
