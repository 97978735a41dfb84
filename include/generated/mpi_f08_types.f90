! Written from the doors of the library by tools/write-modules: change them.

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
  TYPE, BIND(C) :: MPI_Comm
    INTEGER :: MPI_VAL
  END TYPE

  TYPE, BIND(C) :: MPI_Datatype
    INTEGER :: MPI_VAL
  END TYPE

  TYPE, BIND(C) :: MPI_Errhandler
    INTEGER :: MPI_VAL
  END TYPE

  TYPE, BIND(C) :: MPI_File
    INTEGER :: MPI_VAL
  END TYPE

  TYPE, BIND(C) :: MPI_Group
    INTEGER :: MPI_VAL
  END TYPE

  TYPE, BIND(C) :: MPI_Info
    INTEGER :: MPI_VAL
  END TYPE

  TYPE, BIND(C) :: MPI_Message
    INTEGER :: MPI_VAL
  END TYPE

  TYPE, BIND(C) :: MPI_Op
    INTEGER :: MPI_VAL
  END TYPE

  TYPE, BIND(C) :: MPI_Request
    INTEGER :: MPI_VAL
  END TYPE

  TYPE, BIND(C) :: MPI_Session
    INTEGER :: MPI_VAL
  END TYPE

  TYPE, BIND(C) :: MPI_Win
    INTEGER :: MPI_VAL
  END TYPE

  INTERFACE OPERATOR(==)
    FUNCTION MPI_Comm_eq(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
    FUNCTION MPI_Datatype_eq(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_Datatype
      TYPE(MPI_Datatype), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
    FUNCTION MPI_Errhandler_eq(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_Errhandler
      TYPE(MPI_Errhandler), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
    FUNCTION MPI_File_eq(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_File
      TYPE(MPI_File), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
    FUNCTION MPI_Group_eq(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
    FUNCTION MPI_Info_eq(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
    FUNCTION MPI_Message_eq(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_Message
      TYPE(MPI_Message), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
    FUNCTION MPI_Op_eq(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_Op
      TYPE(MPI_Op), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
    FUNCTION MPI_Request_eq(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_Request
      TYPE(MPI_Request), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
    FUNCTION MPI_Session_eq(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_Session
      TYPE(MPI_Session), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
    FUNCTION MPI_Win_eq(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
  END INTERFACE

  INTERFACE OPERATOR(/=)
    FUNCTION MPI_Comm_ne(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
    FUNCTION MPI_Datatype_ne(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_Datatype
      TYPE(MPI_Datatype), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
    FUNCTION MPI_Errhandler_ne(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_Errhandler
      TYPE(MPI_Errhandler), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
    FUNCTION MPI_File_ne(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_File
      TYPE(MPI_File), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
    FUNCTION MPI_Group_ne(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
    FUNCTION MPI_Info_ne(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
    FUNCTION MPI_Message_ne(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_Message
      TYPE(MPI_Message), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
    FUNCTION MPI_Op_ne(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_Op
      TYPE(MPI_Op), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
    FUNCTION MPI_Request_ne(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_Request
      TYPE(MPI_Request), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
    FUNCTION MPI_Session_ne(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_Session
      TYPE(MPI_Session), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
    FUNCTION MPI_Win_ne(lhs, rhs) RESULT(answer)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: lhs, rhs
      LOGICAL :: answer
    END FUNCTION
  END INTERFACE

  INTERFACE MPI_Sizeof
    SUBROUTINE MPI_Sizeof_i1(x, size, ierror)
      INTEGER(KIND=1), DIMENSION(..), INTENT(IN) :: x
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Sizeof_i2(x, size, ierror)
      INTEGER(KIND=2), DIMENSION(..), INTENT(IN) :: x
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Sizeof_i4(x, size, ierror)
      INTEGER(KIND=4), DIMENSION(..), INTENT(IN) :: x
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Sizeof_i8(x, size, ierror)
      INTEGER(KIND=8), DIMENSION(..), INTENT(IN) :: x
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Sizeof_i16(x, size, ierror)
      INTEGER(KIND=16), DIMENSION(..), INTENT(IN) :: x
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Sizeof_l1(x, size, ierror)
      LOGICAL(KIND=1), DIMENSION(..), INTENT(IN) :: x
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Sizeof_l2(x, size, ierror)
      LOGICAL(KIND=2), DIMENSION(..), INTENT(IN) :: x
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Sizeof_l4(x, size, ierror)
      LOGICAL(KIND=4), DIMENSION(..), INTENT(IN) :: x
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Sizeof_l8(x, size, ierror)
      LOGICAL(KIND=8), DIMENSION(..), INTENT(IN) :: x
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Sizeof_l16(x, size, ierror)
      LOGICAL(KIND=16), DIMENSION(..), INTENT(IN) :: x
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Sizeof_r4(x, size, ierror)
      REAL(KIND=4), DIMENSION(..), INTENT(IN) :: x
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Sizeof_r8(x, size, ierror)
      REAL(KIND=8), DIMENSION(..), INTENT(IN) :: x
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Sizeof_r10(x, size, ierror)
      REAL(KIND=10), DIMENSION(..), INTENT(IN) :: x
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Sizeof_r16(x, size, ierror)
      REAL(KIND=16), DIMENSION(..), INTENT(IN) :: x
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Sizeof_c4(x, size, ierror)
      COMPLEX(KIND=4), DIMENSION(..), INTENT(IN) :: x
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Sizeof_c8(x, size, ierror)
      COMPLEX(KIND=8), DIMENSION(..), INTENT(IN) :: x
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Sizeof_c10(x, size, ierror)
      COMPLEX(KIND=10), DIMENSION(..), INTENT(IN) :: x
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Sizeof_c16(x, size, ierror)
      COMPLEX(KIND=16), DIMENSION(..), INTENT(IN) :: x
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

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
