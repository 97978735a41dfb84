! In each of 100 steps every rank contributes 1. When a rank dies, the others revoke the
! communicator, agree that the step has failed, and repeat it in a smaller communicator.
program ulfm
  use mpi_f08
  implicit none
  integer, parameter :: steps = 100
  integer :: rank, ranks, started, code, living
  integer :: done = 0, total = 0, is_well
  type(MPI_Comm) :: comm, smaller

  comm = MPI_COMM_WORLD
  call MPI_Init()
  call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
  call MPI_Comm_size(comm, started)
  do while (done < steps)
    call MPI_Allreduce(1, living, 1, MPI_INTEGER, MPI_SUM, comm, code)
    is_well = merge(1, 0, code == MPI_SUCCESS)
    ! Nobody is to wait for a rank that has given up this step.
    if (is_well == 0) call MPIX_Comm_revoke(comm)
    ! The step counts for all or for none.
    call MPIX_Comm_agree(comm, is_well, code)
    if (is_well == 1 .and. code == MPI_SUCCESS) then
      done = done + 1
      total = total + living
    else
      call MPIX_Comm_shrink(comm, smaller)
      if (comm /= MPI_COMM_WORLD) call MPI_Comm_free(comm)
      comm = smaller
    end if
  end do
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, ranks)
  if (rank == 0) print '(i0, a, i0, a, i0, a, i0)', ranks, ' of ', started, ' ranks, ', done, &
    ' steps, sum ', total
  if (comm /= MPI_COMM_WORLD) call MPI_Comm_free(comm)
  call MPI_Finalize()
end program ulfm
