! Restarted ranks: rank 0 keeps what all had at the last checkpoint, and a rank that was started
! again gets its part from there; should rank 0 itself die, all begin anew. The result is the same
! with failures as without.
!
!     ftrun -np 6 --mode rebuild ./rebuild 100 2 31     (rank 2 dies in step 31)
program rebuild
  use mpi_f08
  implicit none
  integer, parameter :: interval = 10
  integer :: rank, ranks, code, error, steps, victim, fatal_step
  integer :: step, value, total, first, kept_step
  integer, allocatable :: kept(:)
  logical :: restarted
  type(MPI_Comm) :: repaired
  interface
    subroutine c_abort() bind(c, name='abort')
    end subroutine
  end interface

  call MPI_Init(code)
  restarted = code == MPI_INIT_RESTARTED_PROCS
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  steps = argument(1, 100)
  victim = argument(2, -1)
  fatal_step = argument(3, -1)
  allocate (kept(ranks))
  kept = [(first, first = 1, ranks)]
  kept_step = 0
  do
    call compute(code)
    if (code == MPI_SUCCESS) exit
    if (code /= MPI_ERR_OTHER) call MPI_Abort(MPI_COMM_WORLD, 3)
    repaired = FT_MPI_CHECK_RECOVER
    call MPI_Comm_dup(MPI_COMM_WORLD, repaired, error)
    if (error == MPI_SUCCESS) call MPI_Comm_free(repaired)
  end do
  if (rank == 0) print '(I0,A,I0,A,I0)', ranks, ' ranks, ', steps, ' steps: ', total
  call MPI_Finalize()

contains

  integer function argument(place, default)
    integer, intent(in) :: place, default
    character(16) :: text
    argument = default
    if (command_argument_count() < place) return
    call get_command_argument(place, text)
    read (text, *) argument
  end function

  ! From the last checkpoint to the end, or to the next failure.
  subroutine compute(code)
    integer, intent(out) :: code
    integer, allocatable :: now(:)
    allocate (now(ranks))
    first = kept_step
    call MPI_Bcast(first, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, code)
    if (code /= MPI_SUCCESS) return
    call MPI_Scatter(kept, 1, MPI_INTEGER, value, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, code)
    if (code /= MPI_SUCCESS) return
    do step = first, steps - 1
      if (mod(step, interval) == 0) then
        call MPI_Gather(value, 1, MPI_INTEGER, now, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, code)
        if (code /= MPI_SUCCESS) return
        if (rank == 0) kept = now
        kept_step = step
      end if
      if (rank == victim .and. step == fatal_step .and. .not. restarted) call c_abort()
      call MPI_Allreduce(value, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
      if (code /= MPI_SUCCESS) return
      value = mod(3 * value + total + rank, 10007)
    end do
    call MPI_Allreduce(value, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  end subroutine
end program
