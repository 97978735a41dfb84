! Pi by throwing darts: the part of random points in a square that lies in the quarter circle.
!
!     mpifort pi.f90 -o pi
!     ftrun -np 8 ./pi 1000000
!
! `random_number` keeps its state in the runtime library. Here every rank has a state of its own,
! so each throws the same darts as it would in a process of its own.

program darts_for_pi
    implicit none
    include 'mpif.h'
    integer :: rank, ranks, error, darts, dart, hits, all_hits, seed_size
    integer, allocatable :: seed(:)
    double precision :: point(2)
    character(len=32) :: argument

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)

    ! Rank 0 knows the number of darts, and tells the others.
    darts = 1000000
    if (rank == 0 .and. command_argument_count() > 0) then
        call get_command_argument(1, argument)
        read (argument, *) darts
    end if
    call MPI_Bcast(darts, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)

    call random_seed(size=seed_size)
    allocate (seed(seed_size))
    seed = 12345 + 678 * rank
    call random_seed(put=seed)

    hits = 0
    do dart = 1, darts
        call random_number(point)
        if (sum(point**2) <= 1) hits = hits + 1
    end do

    call MPI_Reduce(hits, all_hits, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
    if (rank == 0) then
        print '(i0, a, i0, a, i0, a, f6.4)', ranks, ' ranks, ', darts, ' darts each, ', all_hits, &
            ' hits: pi is about ', 4d0 * all_hits / (dble(darts) * ranks)
    end if
    call MPI_Finalize(error)
end program darts_for_pi
