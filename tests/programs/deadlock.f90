! Two ranks that receive from each other, and send afterwards.
program main
  implicit none
  include 'mpif.h'
  integer :: ierror, rank, buffer(10), status(mpi_status_size)
  call mpi_init(ierror)
  call mpi_comm_rank(mpi_comm_world, rank, ierror)
  call mpi_recv(buffer, 10, mpi_integer, 1 - rank, 8, mpi_comm_world, status, ierror)
  call mpi_send(buffer, 10, mpi_integer, 1 - rank, 8, mpi_comm_world, ierror)
  call mpi_finalize(ierror)
end program
