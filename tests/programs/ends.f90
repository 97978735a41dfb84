! What units hold when another rank, or this one, ends the job.
module text
  implicit none
contains
  function aborted() result(word)
    use mpi
    character(4) :: word
    integer :: error
    word = 'none'
    call MPI_Abort(MPI_COMM_WORLD, 7, error)
  end function
end module

program ends
  use mpi
  use text
  implicit none
  integer :: error, rank, numbered, new
  character(80) :: way, directory
  character(200) :: path
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call get_command_argument(1, way)
  call get_command_argument(2, directory)
  print '(a,i0)', 'stdout of ', rank
  write (path, '(a,i0)') trim(directory)//'/numbered', rank
  numbered = 20 + rank
  open (numbered, file=path)
  write (numbered, '(a)') 'a line'
  write (path, '(a,i0)') trim(directory)//'/new', rank
  open (newunit=new, file=path)
  write (new, '(a)') 'a line'
  call MPI_Barrier(MPI_COMM_WORLD, error)
  if (rank == 1) then
    if (way == 'abort') call MPI_Abort(MPI_COMM_WORLD, 7, error)
    if (way == 'statement') print '(a)', aborted()
    if (way == 'error') call MPI_Send(rank, 1, MPI_INTEGER, 99, 0, MPI_COMM_WORLD, error)
  end if
  if (way == 'alone') call MPI_Abort(MPI_COMM_WORLD, 7, error)
  if (way == 'deadlock') &
    call MPI_Recv(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program
