! In each of 100 steps every rank contributes 1. When a rank dies, the others recover as the mode
! of the job says, agree on where they are, and go on.
program modes
  use mpi_f08
  implicit none
  integer, parameter :: steps = 100
  ! How many steps are complete, and what has been added up in them.
  integer :: done(2) = 0
  integer :: rank, ranks, code
  type(MPI_Comm) :: repaired

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  if (code == MPI_INIT_RESTARTED_PROCS) print '(a, i0, a)', 'rank ', rank, ' is a replacement'
  do
    call compute(code)
    if (code == MPI_SUCCESS) exit
    do
      repaired = FT_MPI_CHECK_RECOVER
      call MPI_Comm_dup(MPI_COMM_WORLD, repaired, code)
      if (code == MPI_SUCCESS) exit
    end do
    call MPI_Comm_free(repaired)
  end do
  ! SHRINK renumbers the ranks.
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  if (rank == 0) print '(i0, a, i0, a, i0)', ranks, ' ranks, ', done(1), ' steps, sum ', done(2)
  call MPI_Finalize()

contains

  subroutine compute(code)
    integer, intent(out) :: code
    integer :: mine(2), living
    ! A replacement knows nothing yet: the furthest rank tells all others.
    mine = done
    call MPI_Allreduce(mine, done, 2, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, code)
    do while (code == MPI_SUCCESS .and. done(1) < steps)
      call MPI_Allreduce(1, living, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
      if (code == MPI_SUCCESS) done = done + [1, living]
    end do
  end subroutine compute
end program modes
