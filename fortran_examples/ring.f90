! A number travels around a ring of ranks; every rank adds its own number to it.
!
!     mpifort ring.f90 -o ring
!     ftrun -np 8 ./ring 1000
!
! The argument says how many times it goes around. Rank 0 prints the sum and what it should be.

program ring
    implicit none
    include 'mpif.h'
    integer, parameter :: tag = 7
    integer :: rank, ranks, error, rounds, round, before, behind
    integer :: status(MPI_STATUS_SIZE)
    integer :: total, expected
    character(len=32) :: argument

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    if (ranks < 2) then
        print '(a)', 'ring: a ring has at least two ranks'
        call MPI_Abort(MPI_COMM_WORLD, 2, error)
    end if

    rounds = 10
    if (command_argument_count() > 0) then
        call get_command_argument(1, argument)
        read (argument, *) rounds
    end if
    before = modulo(rank - 1, ranks)
    behind = modulo(rank + 1, ranks)

    total = 0
    do round = 1, rounds
        ! Rank 0 starts each round: were all to receive first, they would wait for ever.
        if (rank /= 0) then
            call MPI_Recv(total, 1, MPI_INTEGER, before, tag, MPI_COMM_WORLD, status, error)
        end if
        total = total + rank
        call MPI_Send(total, 1, MPI_INTEGER, behind, tag, MPI_COMM_WORLD, error)
        if (rank == 0) then
            call MPI_Recv(total, 1, MPI_INTEGER, before, tag, MPI_COMM_WORLD, status, error)
        end if
    end do

    expected = rounds * ranks * (ranks - 1) / 2
    if (rank == 0) then
        print '(a, i0, a, i0, a, i0, a, i0)', 'ring of ', ranks, ', ', rounds, ' rounds: sum ', &
            total, ', expected ', expected
    end if
    call MPI_Finalize(error)
    if (rank == 0 .and. total /= expected) stop 1
end program ring
