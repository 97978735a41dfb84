! The mistake: messages of all workers are taken to come in the order of their ranks.
program first_come
  use mpi_f08
  implicit none
  integer :: rank, ranks, worker, answer
  integer :: answers(16)
  type(MPI_Status) :: status

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  if (rank /= 0) then
    call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD)
  else
    do worker = 1, ranks - 1
      call MPI_Recv(answer, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, status)
#ifdef MENDED
      answers(status%MPI_SOURCE) = answer
#else
      answers(worker) = answer
#endif
    end do
    print '(*(I0,:,1X))', answers(1:ranks - 1)
  end if
  call MPI_Finalize()
end program
