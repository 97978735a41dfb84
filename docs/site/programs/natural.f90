! The ranks look for the largest of their numbers, and nothing depends on a single one of them. In
! each round a rank exchanges what it knows with one neighbour in each dimension of a hypercube. An
! exchange with a dead rank is left out: what it would have told comes another way.
program natural
  use mpi_f08
  implicit none
  integer, parameter :: rounds = 3
  integer :: rank, ranks, round, bit, peer, code, largest, theirs

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  ! Without this, the first error would end the job.
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  largest = mod(rank * 37, 101)
  do round = 1, rounds
    bit = 1
    do while (bit < ranks)
      peer = ieor(rank, bit)
      bit = 2 * bit
      if (peer >= ranks) cycle
      call MPI_Sendrecv(largest, 1, MPI_INTEGER, peer, 0, theirs, 1, MPI_INTEGER, peer, 0, &
        MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
      if (code == MPI_SUCCESS) largest = max(largest, theirs)
    end do
  end do
  print '(a, i0)', 'the largest is ', largest
  call MPI_Finalize()
end program natural
