! Point-to-point communication through mpi_f08: counts of both kinds, statuses, requests, probes,
! persistent requests, texts and sections.

program f08_pt2pt
    use checks08
    implicit none
    integer :: left, right

    call start()
    left = modulo(rank - 1, ranks)
    right = modulo(rank + 1, ranks)
    call blocking()
    call nonblocking()
    call large()
    call probes()
    call persistent()
    call buffered()
    call specials()
    call ready_made_statuses()
    call finish()

contains

    subroutine blocking()
        type(MPI_Status) :: status
        integer :: sent(3), got(5), count, error
        sent = [rank, 2 * rank, 3 * rank]
        got = -1
        call MPI_Sendrecv(sent, 3, MPI_INTEGER, right, 7, got, 5, MPI_INTEGER, left, 7, &
            MPI_COMM_WORLD, status)
        call expect(all(got == [left, 2 * left, 3 * left, -1, -1]), 'what came from the left')
        call equal(status%MPI_SOURCE, left, 'the source')
        call equal(status%MPI_TAG, 7, 'the tag')
        call MPI_Get_count(status, MPI_INTEGER, count, error)
        call equal(count, 3, 'the count')
        call equal(error, MPI_SUCCESS, 'an error code that was asked for')
        call MPI_Sendrecv_replace(sent, 3, MPI_INTEGER, right, 8, left, 8, MPI_COMM_WORLD, &
            MPI_STATUS_IGNORE)
        call expect(all(sent == [left, 2 * left, 3 * left]), 'what came in its place')
    end subroutine blocking

    subroutine nonblocking()
        type(MPI_Request) :: requests(4)
        type(MPI_Status) :: statuses(4), status
        real(8) :: sent(4, 2), got(4, 2)
        integer :: which, indices(4), done
        logical :: flag
        sent = real(rank, 8)
        call MPI_Irecv(got(:, 1), 4, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(1))
        call MPI_Irecv(got(:, 2), 4, MPI_REAL8, left, 2, MPI_COMM_WORLD, requests(2))
        call MPI_Isend(sent(:, 1), 4, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, requests(3))
        call MPI_Issend(sent(:, 2), 4, MPI_REAL8, right, 2, MPI_COMM_WORLD, requests(4))
        call MPI_Waitall(4, requests, statuses)
        call expect(all(got == real(left, 8)), 'what came without waiting')
        call equal(statuses(2)%MPI_TAG, 2, 'the tag of the second')
        call expect(all([(requests(which) == MPI_REQUEST_NULL, which = 1, 4)]), 'all are done')

        call MPI_Irecv(got, 8, MPI_REAL8, left, 3, MPI_COMM_WORLD, requests(1))
        call MPI_Isend(sent, 8, MPI_REAL8, right, 3, MPI_COMM_WORLD, requests(2))
        call MPI_Waitany(2, requests, which, status)
        call expect(which == 1 .or. which == 2, 'indices begin with one')
        call expect(requests(which) == MPI_REQUEST_NULL, 'what was waited for')
        call MPI_Waitsome(2, requests, done, indices, MPI_STATUSES_IGNORE)
        call equal(done, 1, 'one was left')
        call equal(indices(1), 3 - which, 'it was the other')
        call MPI_Testall(2, requests, flag, MPI_STATUSES_IGNORE)
        call expect(flag, 'nothing is left')
        call MPI_F_sync_reg(got)
    end subroutine nonblocking

    subroutine large()
        integer(MPI_COUNT_KIND) :: count
        type(MPI_Status) :: status
        integer :: sent(2), got(2)
        sent = rank
        call MPI_Sendrecv(sent, 2_MPI_COUNT_KIND, MPI_INTEGER, right, 4, got, 2_MPI_COUNT_KIND, &
            MPI_INTEGER, left, 4, MPI_COMM_WORLD, status)
        call MPI_Get_count(status, MPI_INTEGER, count)
        call expect(count == 2, 'a large count')
        call MPI_Get_elements(status, MPI_INTEGER, count)
        call expect(count == 2, 'a large number of elements')
        call expect(all(got == left), 'what large counts brought')
    end subroutine large

    subroutine probes()
        type(MPI_Status) :: status
        type(MPI_Message) :: message
        type(MPI_Request) :: request
        integer :: sent, got
        logical :: flag
        sent = 100 + rank
        call MPI_Isend(sent, 1, MPI_INTEGER, right, 5, MPI_COMM_WORLD, request)
        call MPI_Mprobe(left, 5, MPI_COMM_WORLD, message, status)
        call expect(message /= MPI_MESSAGE_NULL, 'a message')
        call MPI_Mrecv(got, 1, MPI_INTEGER, message, MPI_STATUS_IGNORE)
        call expect(message == MPI_MESSAGE_NULL, 'no message any more')
        call equal(got, 100 + left, 'a message that was probed')
        call MPI_Wait(request, status)
        call MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, flag, status)
        call expect(.not. flag, 'nobody sends to me alone')
    end subroutine probes

    subroutine persistent()
        type(MPI_Request) :: requests(2)
        integer :: sent, got, round
        call MPI_Send_init(sent, 1, MPI_INTEGER, right, 6, MPI_COMM_WORLD, requests(1))
        call MPI_Recv_init(got, 1, MPI_INTEGER, left, 6, MPI_COMM_WORLD, requests(2))
        do round = 1, 3
            sent = rank + round
            call MPI_Startall(2, requests)
            call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
            call equal(got, left + round, 'a round')
        end do
        call MPI_Request_free(requests(1))
        call MPI_Request_free(requests(2))
        call expect(requests(2) == MPI_REQUEST_NULL, 'a request that was freed')
    end subroutine persistent

    subroutine buffered()
        use, intrinsic :: iso_c_binding, only: c_ptr, c_loc, c_associated
        integer, target :: room(4 * MPI_BSEND_OVERHEAD)
        type(c_ptr) :: address
        integer :: size, got
        call MPI_Buffer_attach(room, 4 * size_of_integer() * MPI_BSEND_OVERHEAD)
        call MPI_Bsend(rank, 1, MPI_INTEGER, right, 9, MPI_COMM_WORLD)
        call MPI_Recv(got, 1, MPI_INTEGER, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call MPI_Buffer_detach(address, size)
        call equal(got, left, 'what was buffered')
        call expect(c_associated(address, c_loc(room)), 'the buffer comes back')
        call equal(size, 16 * MPI_BSEND_OVERHEAD, 'with its size')
    end subroutine buffered

    integer function size_of_integer()
        integer :: size
        call MPI_Sizeof(left, size)
        size_of_integer = size
    end function size_of_integer

    subroutine specials()
        integer(MPI_ADDRESS_KIND) :: at
        type(MPI_Request) :: request, requests(1)
        character(20) :: words
        integer :: sum
        call MPI_Get_address(MPI_BOTTOM, at)
        call expect(at == 0, 'MPI_BOTTOM')
        call MPI_Get_address(MPI_IN_PLACE, at)
        call expect(at == 1, 'MPI_IN_PLACE')
        call MPI_Get_address(MPI_BUFFER_AUTOMATIC, at)
        call expect(at == 2, 'MPI_BUFFER_AUTOMATIC')
        call MPI_Get_address(MPI_UNWEIGHTED, at)
        call expect(at == 10, 'MPI_UNWEIGHTED')
        call MPI_Get_address(MPI_WEIGHTS_EMPTY, at)
        call expect(at == 11, 'MPI_WEIGHTS_EMPTY')
        call MPI_Get_address(MPI_ERRCODES_IGNORE, at)
        call expect(at == 0, 'MPI_ERRCODES_IGNORE')
        MPI_STATUS_IGNORE%MPI_TAG = 4711
        MPI_STATUSES_IGNORE%MPI_TAG = 4711
        sum = rank
        call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call equal(sum, ranks * (ranks - 1) / 2, 'a sum in place')
        call MPI_Isend('to the right, quickly', 20, MPI_CHARACTER, right, 2, MPI_COMM_WORLD, &
            request)
        call MPI_Recv(words, 20, MPI_CHARACTER, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        requests = request
        call MPI_Waitall(1, requests, MPI_STATUSES_IGNORE)
        call expect(words == 'to the right, quickl', 'words')
        call equal(MPI_STATUS_IGNORE%MPI_TAG, 4711, 'the status that is ignored')
        call equal(MPI_STATUSES_IGNORE(1)%MPI_TAG, 4711, 'the statuses that are ignored')
        call MPI_Recv(words, 20, MPI_CHARACTER, MPI_PROC_NULL, 2, MPI_COMM_WORLD, &
            MPI_STATUS_IGNORE)
    end subroutine specials

    subroutine ready_made_statuses()
        type(MPI_Status) :: status, again
        integer :: old(MPI_STATUS_SIZE)
        logical :: flag
        status%MPI_SOURCE = 3
        status%MPI_TAG = 4
        status%MPI_ERROR = 5
        call MPI_Status_set_cancelled(status, .true.)
        call MPI_Status_f082f(status, old)
        call expect(old(MPI_SOURCE) == 3 .and. old(MPI_TAG) == 4 .and. old(MPI_ERROR) == 5, 'old')
        call MPI_Status_f2f08(old, again)
        call MPI_Test_cancelled(again, flag)
        call expect(flag .and. again%MPI_ERROR == 5, 'a status there and back')
    end subroutine ready_made_statuses

end program f08_pt2pt
