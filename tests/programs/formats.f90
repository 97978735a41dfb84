! Ranks print numbers after the death of the rank that was started last: what its copy of a library
! told libc's printf must not stay behind.
program formats
    implicit none
    include 'mpif.h'
    integer :: rank, ranks, nothing, error
    real(8) :: number

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, error)
    if (rank == ranks - 1) call abort
    call MPI_Recv(nothing, 1, MPI_INTEGER, ranks - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    if (error == MPI_SUCCESS) stop 1
    number = rank + 0.25d0
    print '(f6.3)', number
    call MPI_Finalize(error)
end program formats
