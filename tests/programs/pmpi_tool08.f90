! A wrapper for programs that use mpi_f08: it has the specific names of the procedures, those with
! choice buffers with BIND(C), as the module says (MPI-5.0 19.1.5).
module counts
  implicit none
  integer :: seen = 0
end module

subroutine mpi_send_f08ts(buf, count, datatype, dest, tag, comm, ierror) &
    bind(c, name='mpi_send_f08ts_')
  use mpi_f08, only: MPI_Datatype, MPI_Comm, PMPI_Send_f08ts
  use counts
  implicit none
  type(*), dimension(..), intent(in) :: buf
  integer, intent(in) :: count, dest, tag
  type(MPI_Datatype), intent(in) :: datatype
  type(MPI_Comm), intent(in) :: comm
  integer, optional, intent(out) :: ierror
  seen = seen + 1
  call PMPI_Send_f08ts(buf, count, datatype, dest, tag, comm, ierror)
end subroutine

subroutine mpi_send_c_f08ts(buf, count, datatype, dest, tag, comm, ierror) &
    bind(c, name='mpi_send_c_f08ts_')
  use mpi_f08, only: MPI_Datatype, MPI_Comm, MPI_COUNT_KIND, PMPI_Send_c_f08ts
  use counts
  implicit none
  type(*), dimension(..), intent(in) :: buf
  integer(MPI_COUNT_KIND), intent(in) :: count
  integer, intent(in) :: dest, tag
  type(MPI_Datatype), intent(in) :: datatype
  type(MPI_Comm), intent(in) :: comm
  integer, optional, intent(out) :: ierror
  seen = seen + 10
  call PMPI_Send_c_f08ts(buf, count, datatype, dest, tag, comm, ierror)
end subroutine

subroutine mpi_barrier_f08(comm, ierror)
  use mpi_f08, only: MPI_Comm, PMPI_Barrier_f08
  use counts
  implicit none
  type(MPI_Comm), intent(in) :: comm
  integer, optional, intent(out) :: ierror
  seen = seen + 100
  call PMPI_Barrier_f08(comm, ierror)
end subroutine

subroutine tool_seen(counted)
  use counts
  implicit none
  integer :: counted
  counted = seen
end subroutine
