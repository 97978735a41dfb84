! The wrapper: a hundred for each sum, one for each barrier.
module counts
  implicit none
  integer :: seen = 0
end module

subroutine mpi_barrier(comm, ierror)
  use counts
  implicit none
  integer :: comm, ierror
  seen = seen + 1
  call pmpi_barrier(comm, ierror)
end subroutine

subroutine mpi_allreduce(sendbuf, recvbuf, count, datatype, op, comm, ierror)
  use counts
  implicit none
  integer :: sendbuf(*), recvbuf(*), count, datatype, op, comm, ierror
  seen = seen + 100
  call pmpi_allreduce(sendbuf, recvbuf, count, datatype, op, comm, ierror)
end subroutine

subroutine tool_seen(counted)
  use counts
  implicit none
  integer :: counted
  counted = seen
end subroutine
