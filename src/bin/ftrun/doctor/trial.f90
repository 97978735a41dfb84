! Rank 1 is killed as it enters the barrier; the others count who is left.
program trial
   use mpi
   implicit none
   integer :: left, total, rank, code
   call MPI_Init(code)
   call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, code)
   call MPI_Barrier(MPI_COMM_WORLD, code)
   call MPIX_Comm_shrink(MPI_COMM_WORLD, left, code)
   call MPI_Allreduce(1, total, 1, MPI_INTEGER, MPI_SUM, left, code)
   call MPI_Comm_rank(left, rank, code)
   if (rank == 0) print '(i0, a)', total, ' went on'
   call MPI_Comm_free(left, code)
   call MPI_Finalize(code)
end program trial
