! Special arguments are known for what they stand for. Compiled into programs and into libraries,
! under the name that PLACE gives; the main program calls those that there are.

#ifdef PLACE
subroutine PLACE()
    implicit none
    include 'mpif.h'
    integer(MPI_ADDRESS_KIND) :: at
    integer :: rank, ranks, error, sum, values(2), got(2), requests(2)
    integer, parameter :: mark = 4711

    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)

    ! The library tells the address that it sees.
    call MPI_Get_address(MPI_BOTTOM, at, error)
    call expect('MPI_BOTTOM', at, 0)
    call MPI_Get_address(MPI_IN_PLACE, at, error)
    call expect('MPI_IN_PLACE', at, 1)
    call MPI_Get_address(MPI_BUFFER_AUTOMATIC, at, error)
    call expect('MPI_BUFFER_AUTOMATIC', at, 2)
    call MPI_Get_address(MPI_UNWEIGHTED, at, error)
    call expect('MPI_UNWEIGHTED', at, 10)
    call MPI_Get_address(MPI_WEIGHTS_EMPTY, at, error)
    call expect('MPI_WEIGHTS_EMPTY', at, 11)
    call MPI_Get_address(MPI_ERRCODES_IGNORE, at, error)
    call expect('MPI_ERRCODES_IGNORE', at, 0)
    call MPI_Get_address(MPI_STATUS_IGNORE, at, error)
    call expect('MPI_STATUS_IGNORE', at, 0)
    call MPI_Get_address(MPI_STATUSES_IGNORE, at, error)
    call expect('MPI_STATUSES_IGNORE', at, 0)
    call MPI_Get_address(values(2), at, error)
    call expect('an ordinary variable', at - loc(values(2)), 0)

    ! What is ignored is not written to.
    MPI_STATUS_IGNORE = mark
    MPI_STATUSES_IGNORE = mark
    values = rank
    call MPI_Sendrecv(values, 1, MPI_INTEGER, modulo(rank + 1, ranks), 5, got, 1, MPI_INTEGER, &
        modulo(rank - 1, ranks), 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call MPI_Irecv(got(1), 1, MPI_INTEGER, modulo(rank - 1, ranks), 6, MPI_COMM_WORLD, &
        requests(1), error)
    call MPI_Isend(values, 1, MPI_INTEGER, modulo(rank + 1, ranks), 6, MPI_COMM_WORLD, &
        requests(2), error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    if (any(MPI_STATUS_IGNORE /= mark)) call expect('a status was written', 1_8, 0)
    if (any(MPI_STATUSES_IGNORE /= mark)) call expect('statuses were written', 1_8, 0)
    if (got(1) /= modulo(rank - 1, ranks)) call expect('a message', int(got(1), 8), 0)

    sum = rank + 1
    call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call expect('a sum in place', int(sum, 8), ranks * (ranks + 1) / 2)

contains

    subroutine expect(what, found, wanted)
        character(*), intent(in) :: what
        integer(8), intent(in) :: found
        integer, intent(in) :: wanted
        if (found == wanted) return
        print '(a, i0, 3a, i0, a, i0)', 'rank ', rank, ': ', what, ' is ', found, ', not ', wanted
        error stop 1
    end subroutine expect
end subroutine PLACE
#endif

#ifndef IS_LIBRARY
program sentinels
    implicit none
    integer :: error
    call MPI_Init(error)
#ifdef PLACE
    call PLACE()
#endif
#ifdef IN_LIBRARY
    call in_library()
#endif
    call MPI_Finalize(error)
    print '(a)', 'all are known'
end program sentinels
#endif
