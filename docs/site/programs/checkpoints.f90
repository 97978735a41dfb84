! Heat spreads around a ring that is divided among the ranks. Every 20 steps all ranks save their
! pieces in each other's memory; after a death they go back to what was saved last. The result is
! the same with failures as without.
program checkpoints
  use mpi_f08
  use ftck
  implicit none
  integer, parameter :: cells = 10, steps = 200, interval = 20
  ! A piece of the ring, between the neighbours' nearest cells.
  real(8) :: heat(0:cells + 1) = 0, hottest
  integer :: rank, ranks, step, saved, code
  type(MPI_Comm) :: repaired

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  ! Replacements make these calls, too.
  call FTCK_Create(MPI_COMM_WORLD%MPI_VAL, 'rs:1', saved, code)
  call FTCK_Register(saved, 0, step, 1, MPI_INTEGER%MPI_VAL, code)
  call FTCK_Register(saved, 1, heat, cells + 2, MPI_DOUBLE_PRECISION%MPI_VAL, code)
  do
    call begin(code)
    if (code == MPI_SUCCESS) call compute(code)
    if (code == MPI_SUCCESS) exit
    do
      repaired = FT_MPI_CHECK_RECOVER
      call MPI_Comm_dup(MPI_COMM_WORLD, repaired, code)
      if (code == MPI_SUCCESS) exit
    end do
    call MPI_Comm_free(repaired)
  end do
  if (rank == 0) print '(i0, a, i0, a, f0.9)', ranks, ' ranks, ', step, ' steps, hottest ', hottest
  call FTCK_Free(saved, code)
  call MPI_Finalize()

contains

  ! From the last checkpoint, or from the start: one hot cell.
  subroutine begin(code)
    integer, intent(out) :: code
    integer :: version
    call FTCK_Restore(saved, version, code)
    ! Two ranks at once: 'rs:2' makes up for that.
    if (code == FTCK_ERR_LOST) call MPI_Abort(MPI_COMM_WORLD, 3)
    if (code /= MPI_SUCCESS .or. version /= FTCK_NONE) return
    step = 0
    heat = 0
    if (rank == 0) heat(1) = 1000
  end subroutine begin

  subroutine compute(code)
    integer, intent(out) :: code
    integer :: left, right
    left = modulo(rank - 1, ranks)
    right = modulo(rank + 1, ranks)
    do while (step < steps)
      if (mod(step, interval) == 0) then
        call FTCK_Checkpoint(saved, step, code)
        if (code /= MPI_SUCCESS) return
      end if
      call MPI_Sendrecv(heat(1), 1, MPI_DOUBLE_PRECISION, left, 0, heat(cells + 1), 1, &
        MPI_DOUBLE_PRECISION, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
      if (code /= MPI_SUCCESS) return
      call MPI_Sendrecv(heat(cells), 1, MPI_DOUBLE_PRECISION, right, 0, heat(0), 1, &
        MPI_DOUBLE_PRECISION, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
      if (code /= MPI_SUCCESS) return
      heat(1:cells) = heat(1:cells) / 2 + (heat(0:cells - 1) + heat(2:cells + 1)) / 4
      step = step + 1
    end do
    call MPI_Allreduce(heat(1), hottest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, code)
  end subroutine compute
end program checkpoints
