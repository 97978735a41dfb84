! Data that come back from files when the whole job is started again, as in C.
!
!     checkpoint_disk DIRECTORY
PROGRAM checkpoint_disk
  USE mpi
  USE ftck
  IMPLICIT NONE
  CHARACTER(LEN=300) :: directory
  INTEGER :: rank, ck, version, x(100), ierr

  CALL MPI_INIT(ierr)
  CALL MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  CALL GET_COMMAND_ARGUMENT(1, directory)
  CALL FTCK_Create(MPI_COMM_WORLD, 'xor', ck, ierr)
  CALL FTCK_Set_disk(ck, directory, 1, ierr)
  CALL FTCK_Register(ck, 1, x, 100, MPI_INTEGER, ierr)
  CALL FTCK_Restore(ck, version, ierr)
  IF (version == FTCK_NONE) THEN
    x = 7 * rank + 1
    CALL FTCK_Checkpoint(ck, 4, ierr)
    IF (ierr == MPI_SUCCESS) WRITE (*, '(A)') 'written'
  ELSE IF (version == 4 .AND. ALL(x == 7 * rank + 1)) THEN
    WRITE (*, '(A)') 'back again'
  END IF
  CALL FTCK_Free(ck, ierr)
  CALL MPI_FINALIZE(ierr)
END PROGRAM
