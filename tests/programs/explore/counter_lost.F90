! The mistake: a replacement takes over the sum, and forgets how many steps it stands for.
program counter_lost
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: output_unit
  implicit none
  integer, parameter :: steps = 4
  integer :: rank, code, error, state(2), best(2), part, all
  type(MPI_Comm) :: repaired

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  state = 0
  do
    call MPI_Allreduce(state, best, 2, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, code)
#ifdef MENDED
    if (code == MPI_SUCCESS) state = best
#else
    if (code == MPI_SUCCESS) state(2) = best(2)
#endif
    do while (code == MPI_SUCCESS .and. state(1) < steps)
      part = (rank + 1) * (state(1) + 1)
      call MPI_Allreduce(part, all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
      if (code == MPI_SUCCESS) state = state + [1, all]
    end do
    if (code == MPI_SUCCESS) then
      if (rank == 0) print '(A,I0)', 'sum ', state(2)
      flush (output_unit)
      call MPI_Barrier(MPI_COMM_WORLD, code)
    end if
    if (code == MPI_SUCCESS) exit
    do
      repaired = FT_MPI_CHECK_RECOVER
      call MPI_Comm_dup(MPI_COMM_WORLD, repaired, error)
      if (error == MPI_SUCCESS) exit
    end do
    call MPI_Comm_free(repaired)
  end do
  call MPI_Finalize()
end program
