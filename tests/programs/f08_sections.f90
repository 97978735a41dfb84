! Sections of arrays that do not lie in one piece, as buffers of all sorts of calls.

program f08_sections
    use checks08
    implicit none
    type particle
        real(8) :: mass
        integer :: kind, charge
    end type particle
    integer :: left, right

    call start()
    left = modulo(rank - 1, ranks)
    right = modulo(rank + 1, ranks)
    call expect(MPI_SUBARRAYS_SUPPORTED, 'sections are supported')
    call blocking()
    call shapes()
    call nonblocking()
    call short_messages()
    call persistent()
    call collectives()
    call places()
    call finish()

contains

    subroutine blocking()
        integer :: a(10), b(10)
        type(MPI_Status) :: status
        integer :: count
        a = [(10 * rank + count, count = 1, 10)]
        b = -1
        call MPI_Sendrecv(a(1:9:2), 5, MPI_INTEGER, right, 1, b(2::2), 5, MPI_INTEGER, left, 1, &
            MPI_COMM_WORLD, status)
        call expect(all(b(2::2) == [(10 * left + count, count = 1, 9, 2)]), 'every second')
        call expect(all(b(1::2) == -1), 'the others')
        call MPI_Get_count(status, MPI_INTEGER, count)
        call equal(count, 5, 'the count')
        call MPI_Sendrecv(a(10:1:-1), 10, MPI_INTEGER, right, 1, b(10:1:-3), 4, MPI_INTEGER, &
            MPI_PROC_NULL, 1, MPI_COMM_WORLD, status)
        call MPI_Recv(b(10:1:-1), 10, MPI_INTEGER, left, 1, MPI_COMM_WORLD, status)
        call expect(all(b == [(10 * left + count, count = 1, 10)]), 'backwards both ways')
    end subroutine blocking

    subroutine shapes()
        integer :: a(4, 5, 3), b(4, 5, 3), i, j, k
        type(particle) :: some(6), others(6)
        character(3) :: words(4), got(4)
        a = reshape([(rank + i, i = 1, 60)], [4, 5, 3])
        b = 0
        call MPI_Sendrecv(a(2:3, ::2, 3:1:-2), 12, MPI_INTEGER, right, 2, b(1:4:3, 1:3, 1:2), 12, &
            MPI_INTEGER, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        do k = 1, 2
            do j = 1, 3
                do i = 1, 2
                    call equal(b(3 * i - 2, j, k), a(i + 1, 2 * j - 1, 5 - 2 * k) - rank + left, &
                        'an element of three dimensions')
                end do
            end do
        end do
        call equal(count(b /= 0), 12, 'the elements that came')
        some%mass = [(real(rank * i, 8), i = 1, 6)]
        some%charge = rank
        others%mass = -1
        others%charge = 7
        call MPI_Sendrecv(some%mass, 6, MPI_REAL8, right, 3, others(6:1:-1)%mass, 6, MPI_REAL8, &
            left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call expect(all(others%mass == [(real(left * i, 8), i = 6, 1, -1)]), 'a component')
        call expect(all(others%charge == 7), 'the other component')
        words = ['one', 'two', 'six', 'ten']
        got = '---'
        call MPI_Sendrecv(words(::2), 6, MPI_CHARACTER, right, 4, got(2::2), 6, MPI_CHARACTER, &
            left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call expect(all(got == ['---', 'one', '---', 'six']), 'words')
        call pass_on(a(:, 2, :))
    end subroutine shapes

    subroutine pass_on(a)
        integer, intent(inout) :: a(:, :)
        integer :: before(4, 3)
        before = a
        call MPI_Sendrecv_replace(a, 12, MPI_INTEGER, right, 5, left, 5, MPI_COMM_WORLD, &
            MPI_STATUS_IGNORE)
        call expect(all(a == before - rank + left), 'an array of assumed shape')
    end subroutine pass_on

    subroutine nonblocking()
        integer, asynchronous :: a(20), b(20)
        type(MPI_Request) :: requests(4)
        integer :: i, which
        logical :: flag
        a = rank
        b = -1
        call MPI_Irecv(b(1::4), 5, MPI_INTEGER, left, 6, MPI_COMM_WORLD, requests(1))
        call MPI_Irecv(b(3::4), 5, MPI_INTEGER, left, 7, MPI_COMM_WORLD, requests(2))
        call MPI_Isend(a(::4), 5, MPI_INTEGER, right, 6, MPI_COMM_WORLD, requests(3))
        call MPI_Issend(a(2::4), 5, MPI_INTEGER, right, 7, MPI_COMM_WORLD, requests(4))
        call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
        call expect(all(b(::2) == left) .and. all(b(2::2) == -1), 'what came into sections')
        call MPI_Irecv(b(2::2), 10, MPI_INTEGER, left, 8, MPI_COMM_WORLD, requests(1))
        call MPI_Isend(a(2::2), 10, MPI_INTEGER, right, 8, MPI_COMM_WORLD, requests(2))
        flag = .false.
        do while (.not. flag)
            call MPI_Request_get_status(requests(1), flag, MPI_STATUS_IGNORE)
        end do
        call expect(all(b == left), 'it is there when the status says so')
        b(2) = 77
        do i = 1, 2
            call MPI_Waitany(2, requests, which, MPI_STATUS_IGNORE)
        end do
        call equal(b(2), 77, 'what was written between')
        call MPI_Iallreduce(a(::2), b(::2), 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(1))
        call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
        call expect(all(b(::2) == ranks * (ranks - 1) / 2), 'a sum in a section')
        call equal(b(2), 77, 'beside the sum')
        ! Complete from the start.
        call MPI_Irecv(b(::2), 10, MPI_INTEGER, MPI_PROC_NULL, 8, MPI_COMM_WORLD, requests(1))
        call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
        call expect(all(b(::2) == ranks * (ranks - 1) / 2), 'nothing from nobody')
    end subroutine nonblocking

    subroutine short_messages()
        integer, asynchronous :: b(20)
        type(MPI_Request) :: request
        b = -1
        call MPI_Irecv(b(::2), 10, MPI_INTEGER, left, 9, MPI_COMM_WORLD, request)
        ! The program's, while shorter messages may be on their way.
        b(11:) = 5
        b(2) = 6
        call MPI_Send([1, 2, 3], 3, MPI_INTEGER, right, 9, MPI_COMM_WORLD)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call expect(all(b(1:6) == [1, 6, 2, -1, 3, -1]) .and. all(b(11:) == 5), 'a short message')
    end subroutine short_messages

    subroutine persistent()
        integer, asynchronous :: a(6), b(6)
        type(MPI_Request) :: requests(2)
        integer :: round
        b = 0
        call MPI_Send_init(a(::2), 3, MPI_INTEGER, right, 10, MPI_COMM_WORLD, requests(1))
        call MPI_Recv_init(b(2::2), 3, MPI_INTEGER, left, 10, MPI_COMM_WORLD, requests(2))
        do round = 1, 3
            a = rank + round
            call MPI_Startall(2, requests)
            call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
            call expect(all(b(2::2) == left + round) .and. all(b(::2) == 0), 'a round')
        end do
        call MPI_Request_free(requests(1))
        call MPI_Request_free(requests(2))
    end subroutine persistent

    subroutine collectives()
        integer :: all_of(2, ranks), mine(4), i
        mine = rank
        all_of = -1
        call MPI_Gather(mine(::4), 1, MPI_INTEGER, all_of(2, :), 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
        if (rank == 0) call expect(all(all_of(2, :) == [(i, i = 0, ranks - 1)]), 'a row of all')
        call expect(all(all_of(1, :) == -1), 'the other row')
        call MPI_Bcast(all_of(2, :), ranks, MPI_INTEGER, 0, MPI_COMM_WORLD)
        call expect(all(all_of(2, :) == [(i, i = 0, ranks - 1)]), 'a row for all')
        call MPI_Allreduce(MPI_IN_PLACE, mine(2:4:2), 2, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
        call expect(all(mine == [rank, ranks - 1, rank, ranks - 1]), 'the greatest, in place')
        call MPI_Alltoall(all_of(2, :), 1, MPI_INTEGER, all_of(1, :), 1, MPI_INTEGER, &
            MPI_COMM_WORLD)
        call expect(all(all_of(1, :) == rank), 'from row to row')
    end subroutine collectives

    subroutine places()
        integer :: a(10)
        integer(MPI_ADDRESS_KIND) :: first, third
        call MPI_Get_address(a, first)
        call MPI_Get_address(a(3::2), third)
        call expect(third - first == 8, 'the address of a section is its first element''s')
    end subroutine places

end program f08_sections
