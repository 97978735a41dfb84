! A recurrence over all ranks that survives deaths by checkpoints, as checkpoint.c does in C.
!
!     checkpoint SCHEME [RANK@STEP]: RANK dies in STEP
PROGRAM checkpoint
  USE mpi
  USE ftck
  IMPLICIT NONE
  INTEGER, PARAMETER :: STEPS=30, INTERVAL=10, N=100
  CHARACTER(LEN=40) :: scheme, victim
  INTEGER :: rank, who, when, step, ck, version, failures, digits, i, ierr, repaired, started
  INTEGER :: left(64), request
  LOGICAL :: is_due
  DOUBLE PRECISION :: x(2, N), mine, total

  CALL MPI_INIT(started)
  CALL MPI_COMM_SET_ERRHANDLER(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  CALL MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  CALL GET_COMMAND_ARGUMENT(1, scheme)
  who = -1
  when = -1
  IF (COMMAND_ARGUMENT_COUNT() > 1) THEN
    CALL GET_COMMAND_ARGUMENT(2, victim)
    i = INDEX(victim, '@')
    READ (victim(:i - 1), *) who
    READ (victim(i + 1:), *) when
  END IF
  CALL FTCK_Create(MPI_COMM_WORLD, scheme, ck, ierr)
  CALL FTCK_Set_node(ck, rank, ierr)
  CALL FTCK_Set_mttf(ck, '1h ', ierr)
  IF (ierr == MPI_SUCCESS) CALL FTCK_Due(ck, is_due, ierr)
  IF (ierr /= MPI_SUCCESS .OR. .NOT. is_due) STOP 'a first checkpoint is due'
  CALL FTCK_Register(ck, 1, x, 2 * N, MPI_DOUBLE_PRECISION, ierr)
  CALL FTCK_Register(ck, 2, step, 1, MPI_INTEGER, ierr)
  CALL FTCK_Register(ck, 3, left, 64, MPI_INTEGER, ierr)
  CALL FTCK_Unregister(ck, 3, ierr)
  DO
    CALL FTCK_Restore(ck, version, ierr)
    IF (ierr == FTCK_ERR_LOST) STOP 'lost'
    IF (ierr == MPI_SUCCESS) THEN
      IF (version == FTCK_NONE) THEN
        step = 0
        x = RESHAPE((/(SIN(1D0 + rank + i), i=1, 2 * N)/), (/2, N/))
      ELSE
        IF (version /= step) CALL MPI_ABORT(MPI_COMM_WORLD, 4, ierr)
        CALL FTCK_Status(ck, i, failures, digits, ierr)
        CALL FTCK_Tolerances(ck, 64, left, ierr)
        IF (i /= version .OR. failures /= 1 .OR. digits /= 0 .OR. left(1) /= 1) &
          CALL MPI_ABORT(MPI_COMM_WORLD, 5, ierr)
      END IF
      CALL compute(ierr)
    END IF
    IF (ierr == MPI_SUCCESS) THEN
      mine = SUM(x)
      CALL MPI_ALLREDUCE(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    END IF
    IF (ierr == MPI_SUCCESS) EXIT
    IF (ierr /= MPI_ERR_OTHER) CALL MPI_ABORT(MPI_COMM_WORLD, 6, ierr)
    DO
      repaired = FT_MPI_CHECK_RECOVER
      CALL MPI_COMM_DUP(MPI_COMM_WORLD, repaired, ierr)
      IF (ierr == MPI_SUCCESS) EXIT
    END DO
  END DO
  IF (rank == 0) WRITE (*, '(ES25.17)') total
  CALL FTCK_Free(ck, ierr)
  IF (ck /= FTCK_NULL) CALL MPI_ABORT(MPI_COMM_WORLD, 7, ierr)
  CALL MPI_FINALIZE(ierr)

CONTAINS

  SUBROUTINE compute(ierr)
    INTEGER, INTENT(OUT) :: ierr
    ierr = MPI_SUCCESS
    DO WHILE (step < STEPS)
      IF (step == INTERVAL) THEN
        CALL FTCK_Checkpoint(ck, step, ierr)
      ELSE IF (MOD(step, INTERVAL) == 0) THEN
        CALL FTCK_Icheckpoint(ck, step, request, ierr)
        IF (ierr == MPI_SUCCESS) CALL MPI_WAIT(request, MPI_STATUS_IGNORE, ierr)
      END IF
      IF (ierr /= MPI_SUCCESS) RETURN
      IF (rank == who .AND. step == when .AND. started /= MPI_INIT_RESTARTED_PROCS) STOP
      mine = SUM(x)
      CALL MPI_ALLREDUCE(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
      IF (ierr /= MPI_SUCCESS) RETURN
      x = COS(x + total)
      step = step + 1
    END DO
  END SUBROUTINE
END PROGRAM
