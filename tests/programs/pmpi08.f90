! Calls that a wrapper counts: of a section of an array, by the generic and by the specific name.
program pmpi08
  use mpi_f08, send => MPI_Send_f08ts
  implicit none
  type(MPI_Request) :: requests(3)
  integer :: numbers(8) = [1, 2, 3, 4, 5, 6, 7, 8], got(4, 3), seen, i
  call MPI_Init()
  if (.not. MPI_SUBARRAYS_SUPPORTED) error stop 'sections are supported'
  got = 0
  do i = 1, 3
    call MPI_Irecv(got(:, i), 4, MPI_INTEGER, 0, i, MPI_COMM_SELF, requests(i))
  end do
  call send(numbers(::2), 4, MPI_INTEGER, 0, 1, MPI_COMM_SELF)
  call MPI_Send(numbers(::2), 4, MPI_INTEGER, 0, 2, MPI_COMM_SELF)
  call MPI_Send(numbers(::2), 4_MPI_COUNT_KIND, MPI_INTEGER, 0, 3, MPI_COMM_SELF)
  call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE)
  if (any(got /= spread([1, 3, 5, 7], 2, 3))) error stop 'the section arrived'
  call MPI_Barrier(MPI_COMM_WORLD)
  call tool_seen(seen)
  if (seen /= 112) error stop 'the wrapper has seen every call once'
  call MPI_Finalize()
end program
