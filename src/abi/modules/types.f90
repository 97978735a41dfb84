MODULE mpi_f08_types
  ! What the modules mpi and mpi_f08 have in common
  IMPLICIT NONE

  ! A status; the rest is the library's
  TYPE, BIND(C) :: MPI_Status
    INTEGER :: MPI_SOURCE
    INTEGER :: MPI_TAG
    INTEGER :: MPI_ERROR
    INTEGER, PRIVATE :: FTMPI_REST(5)
  END TYPE

  ! Handles: MPI_VAL is what the module mpi has for them
@TYPES@
  INTERFACE
    SUBROUTINE MPI_Status_f2f08(f_status, f08_status, ierror)
      IMPORT :: MPI_Status
      INTEGER, INTENT(IN) :: f_status(8)
      TYPE(MPI_Status), INTENT(OUT) :: f08_status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Status_f082f(f08_status, f_status, ierror)
      IMPORT :: MPI_Status
      TYPE(MPI_Status), INTENT(IN) :: f08_status
      INTEGER, INTENT(OUT) :: f_status(8)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Status_f2f08(f_status, f08_status, ierror)
      IMPORT :: MPI_Status
      INTEGER, INTENT(IN) :: f_status(8)
      TYPE(MPI_Status), INTENT(OUT) :: f08_status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Status_f082f(f08_status, f_status, ierror)
      IMPORT :: MPI_Status
      TYPE(MPI_Status), INTENT(IN) :: f08_status
      INTEGER, INTENT(OUT) :: f_status(8)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  ! Tells the compiler that a call may have changed a buffer
  INTERFACE
    SUBROUTINE MPI_F_sync_reg(buf)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
    END SUBROUTINE
    SUBROUTINE PMPI_F_sync_reg(buf)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
    END SUBROUTINE
  END INTERFACE
END MODULE mpi_f08_types
