! A program of Fortran and a wrapper of Fortran's in front of MPI, linked in or preloaded.
program main
  implicit none
  include 'mpif.h'
  integer :: ierror, rank, ranks, total, seen
  external :: tool_seen
  call mpi_init(ierror)
  call mpi_comm_rank(mpi_comm_world, rank, ierror)
  call mpi_comm_size(mpi_comm_world, ranks, ierror)
  call mpi_allreduce(rank, total, 1, mpi_integer, mpi_sum, mpi_comm_world, ierror)
  if (total /= ranks * (ranks - 1) / 2) stop 3
  call mpi_barrier(mpi_comm_world, ierror)
  call mpi_barrier(mpi_comm_world, ierror)
  call tool_seen(seen)
  if (seen /= 102) stop 4
  call mpi_finalize(ierror)
end program
