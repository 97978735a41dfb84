! Point-to-point communication, every call at least once. Ranks form a ring; with one rank it is
! a ring of one, so sends must not wait for receives.

program pt2pt
    use checks
    implicit none
    integer :: left, right, error
    integer, parameter :: world = MPI_COMM_WORLD
    external :: around

    call start()
    right = modulo(rank + 1, ranks)
    left = modulo(rank - 1, ranks)
    call blocking()
    call types()
    call nonblocking()
    call indices()
    call persistent()
    call buffered()
    call probes()
    call cancelled()
    call nobody()
    call statuses()
    call looks()
    call finish()

contains

    subroutine blocking()
        integer :: mine(3), theirs(3), status(MPI_STATUS_SIZE), count, request
        logical :: flag
        mine = rank * 10 + [1, 2, 3]
        status = -99
        call MPI_Sendrecv(mine, 3, MPI_INTEGER, right, 7, theirs, 3, MPI_INTEGER, left, 7, &
            world, status, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Sendrecv')
        call expect(all(theirs == left * 10 + [1, 2, 3]), 'three integers came from the left')
        call equal(status(MPI_SOURCE), left, 'status(MPI_SOURCE)')
        call equal(status(MPI_TAG), 7, 'status(MPI_TAG)')
        call equal(status(MPI_ERROR), -99, 'status(MPI_ERROR), which one status does not set')
        call MPI_Get_count(status, MPI_INTEGER, count, error)
        call equal(count, 3, 'the count of integers')
        call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count, error)
        call equal(count, MPI_UNDEFINED, 'the count of doubles in 12 bytes')
        call MPI_Get_elements(status, MPI_INTEGER2, count, error)
        call equal(count, 6, 'the count of short elements')
        call MPI_Test_cancelled(status, flag, error)
        call expect(.not. flag, 'a receive that came is not cancelled')

        call MPI_Sendrecv_replace(mine, 3, MPI_INTEGER, right, 8, left, 8, world, &
            MPI_STATUS_IGNORE, error)
        call expect(all(mine == theirs), 'MPI_Sendrecv_replace does what MPI_Sendrecv does')

        theirs = -1
        call MPI_Irecv(theirs, 3, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, world, request, error)
        call expect(request /= MPI_REQUEST_NULL, 'a request was made')
        call MPI_Ssend(mine, 2, MPI_INTEGER, right, 9, world, error)
        call MPI_Wait(request, status, error)
        call equal(request, MPI_REQUEST_NULL, 'the request after MPI_Wait')
        call equal(status(MPI_TAG), 9, 'the tag for MPI_ANY_TAG')
        call equal(theirs(3), -1, 'what was not sent')
        call MPI_Barrier(world, error)

        call MPI_Irecv(theirs, 3, MPI_INTEGER, left, 10, world, request, error)
        call MPI_Barrier(world, error)
        call MPI_Rsend(mine, 3, MPI_INTEGER, right, 10, world, error)
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
        call MPI_Irecv(theirs, 3, MPI_INTEGER, left, 11, world, request, error)
        call MPI_Send(mine, 3, MPI_INTEGER, right, 11, world, error)
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    end subroutine blocking

    ! Every Fortran type arrives as it was sent.
    subroutine types()
        integer(1) :: byte(2)
        integer(8) :: long(2)
        real :: single(2)
        double precision :: double(2)
        complex :: pair(2)
        complex(kind(0d0)) :: wide(2)
        logical :: truth(2)
        character(5) :: text(2)
        real(16) :: quad(2)

        byte = [int(rank, 1), -1_1]
        call around(byte, MPI_INTEGER1)
        call expect(byte(1) == int(left, 1) .and. byte(2) == -1, 'INTEGER(1)')
        long = [int(rank, 8), 2_8**40]
        call around(long, MPI_INTEGER8)
        call expect(all(long == [int(left, 8), 2_8**40]), 'INTEGER(8)')
        single = [real(rank), 0.5]
        call around(single, MPI_REAL)
        call expect(all(single == [real(left), 0.5]), 'REAL')
        double = [dble(rank), 1d300]
        call around(double, MPI_DOUBLE_PRECISION)
        call expect(all(double == [dble(left), 1d300]), 'DOUBLE PRECISION')
        pair = [cmplx(rank, -rank), (1, 2)]
        call around(pair, MPI_COMPLEX)
        call expect(all(pair == [cmplx(left, -left), (1., 2.)]), 'COMPLEX')
        wide = [cmplx(rank, 1, kind(0d0)), (1d0, 2d0)]
        call around(wide, MPI_DOUBLE_COMPLEX)
        call expect(all(wide == [cmplx(left, 1, kind(0d0)), (1d0, 2d0)]), 'DOUBLE COMPLEX')
        truth = [modulo(rank, 2) == 0, .true.]
        call around(truth, MPI_LOGICAL)
        call expect((truth(1) .eqv. modulo(left, 2) == 0) .and. truth(2), 'LOGICAL')
        quad = [real(rank, 16), 1.1_16]
        call around(quad, MPI_REAL16)
        call expect(all(quad == [real(left, 16), 1.1_16]), 'REAL(16)')
        write (text, '(i5)') rank, 77
        call MPI_Sendrecv_replace(text, 10, MPI_CHARACTER, right, 1, left, 1, world, &
            MPI_STATUS_IGNORE, error)
        read (text(1), *) byte(1)
        call expect(byte(1) == left .and. text(2) == '   77', 'CHARACTER')
    end subroutine types

    subroutine nonblocking()
        integer :: mine(4), theirs(4), requests(8), statuses(MPI_STATUS_SIZE, 8), at, status
        logical :: flag
        dimension :: status(MPI_STATUS_SIZE)
        mine = rank * 100 + [1, 2, 3, 4]
        do at = 1, 4
            call MPI_Irecv(theirs(at), 1, MPI_INTEGER, left, at, world, requests(at), error)
        end do
        call MPI_Barrier(world, error)
        call MPI_Isend(mine(1), 1, MPI_INTEGER, right, 1, world, requests(5), error)
        call MPI_Issend(mine(2), 1, MPI_INTEGER, right, 2, world, requests(6), error)
        call MPI_Irsend(mine(3), 1, MPI_INTEGER, right, 3, world, requests(7), error)
        call MPI_Isend(mine(4), 1, MPI_INTEGER, right, 4, world, requests(8), error)
        call MPI_Waitall(8, requests, statuses, error)
        call expect(all(requests == MPI_REQUEST_NULL), 'MPI_Waitall frees its requests')
        call expect(all(theirs == left * 100 + [1, 2, 3, 4]), 'all four came')
        call expect(all(statuses(MPI_TAG, 1:4) == [1, 2, 3, 4]), 'a column is a status')
        call expect(all(statuses(MPI_SOURCE, 1:4) == left), 'sources in the columns')

        call MPI_Isendrecv(mine, 4, MPI_INTEGER, right, 5, theirs, 4, MPI_INTEGER, left, 5, &
            world, requests(1), error)
        flag = .false.
        do while (.not. flag)
            call MPI_Test(requests(1), flag, status, error)
        end do
        call equal(requests(1), MPI_REQUEST_NULL, 'the request after MPI_Test')
        call MPI_Isendrecv_replace(mine, 4, MPI_INTEGER, right, 6, left, 6, world, &
            requests(1), error)
        flag = .false.
        do while (.not. flag)
            call MPI_Testall(1, requests, flag, MPI_STATUSES_IGNORE, error)
        end do
        call expect(all(mine == theirs), 'MPI_Isendrecv_replace')
        call MPI_Isend(mine, 1, MPI_INTEGER, right, 7, world, requests(1), error)
        call MPI_Request_free(requests(1), error)
        call equal(requests(1), MPI_REQUEST_NULL, 'the request after MPI_Request_free')
        call MPI_Recv(theirs, 1, MPI_INTEGER, left, 7, world, status, error)
        call MPI_Status_get_tag(status, at, error)
        call equal(at, 7, 'MPI_Status_get_tag')
        call MPI_Status_set_source(status, 12, error)
        call equal(status(MPI_SOURCE), 12, 'MPI_Status_set_source')
    end subroutine nonblocking

    ! Indices count from 1.
    subroutine indices()
        integer :: mine, theirs(3), requests(3), status(MPI_STATUS_SIZE), index, count
        integer :: places(3), statuses(MPI_STATUS_SIZE, 3), seen, tag
        logical :: flag
        mine = rank
        requests = MPI_REQUEST_NULL
        call MPI_Waitany(3, requests, index, status, error)
        call equal(index, MPI_UNDEFINED, 'MPI_Waitany without a request')
        call MPI_Testany(3, requests, index, flag, status, error)
        call expect(flag .and. index == MPI_UNDEFINED, 'MPI_Testany without a request')
        call MPI_Waitsome(3, requests, count, places, statuses, error)
        call equal(count, MPI_UNDEFINED, 'MPI_Waitsome without a request')

        do tag = 1, 3
            call MPI_Irecv(theirs(tag), 1, MPI_INTEGER, left, tag, world, requests(tag), error)
        end do
        call MPI_Send(mine, 1, MPI_INTEGER, right, 3, world, error)
        call MPI_Waitany(3, requests, index, status, error)
        call equal(index, 3, 'the index of the one that came')
        call equal(status(MPI_TAG), 3, 'its tag')
        call equal(requests(3), MPI_REQUEST_NULL, 'its request')
        call expect(requests(1) /= MPI_REQUEST_NULL, 'the others wait')
        call MPI_Barrier(world, error)

        call MPI_Send(mine, 1, MPI_INTEGER, right, 2, world, error)
        flag = .false.
        do while (.not. flag)
            call MPI_Request_get_status(requests(2), flag, status, error)
        end do
        call expect(requests(2) /= MPI_REQUEST_NULL, 'a look frees nothing')
        call MPI_Testany(3, requests, index, flag, status, error)
        call expect(flag .and. index == 2, 'MPI_Testany finds the second')
        call MPI_Barrier(world, error)

        call MPI_Irecv(theirs(2), 1, MPI_INTEGER, left, 2, world, requests(2), error)
        call MPI_Send(mine, 1, MPI_INTEGER, right, 1, world, error)
        call MPI_Send(mine, 1, MPI_INTEGER, right, 2, world, error)
        seen = 0
        do while (seen < 2)
            call MPI_Waitsome(3, requests, count, places, statuses, error)
            call expect(count >= 1 .and. all(places(:count) <= 2), 'places of MPI_Waitsome')
            call expect(all(places(:count) == statuses(MPI_TAG, :count)), 'statuses beside them')
            seen = seen + count
        end do
        call MPI_Testsome(3, requests, count, places, MPI_STATUSES_IGNORE, error)
        call equal(count, MPI_UNDEFINED, 'MPI_Testsome without a request')
    end subroutine indices

    subroutine persistent()
        integer :: mine, theirs, requests(2), round, kept(2)
        call MPI_Recv_init(theirs, 1, MPI_INTEGER, left, 20, world, requests(1), error)
        call MPI_Send_init(mine, 1, MPI_INTEGER, right, 20, world, requests(2), error)
        kept = requests
        do round = 1, 3
            mine = rank + 1000 * round
            call MPI_Startall(2, requests, error)
            call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
            call equal(theirs, left + 1000 * round, 'a round of persistent requests')
            call expect(all(requests == kept), 'persistent requests stay')
        end do
        call MPI_Request_free(requests(2), error)
        call MPI_Ssend_init(mine, 1, MPI_INTEGER, right, 20, world, requests(2), error)
        call MPI_Start(requests(1), error)
        call MPI_Start(requests(2), error)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
        call MPI_Request_free(requests(2), error)
        call MPI_Rsend_init(mine, 1, MPI_INTEGER, right, 20, world, requests(2), error)
        call MPI_Start(requests(1), error)
        call MPI_Barrier(world, error)
        call MPI_Start(requests(2), error)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
        call MPI_Request_free(requests(1), error)
        call MPI_Request_free(requests(2), error)
    end subroutine persistent

    subroutine buffered()
        integer, parameter :: room = 4 * (40 + MPI_BSEND_OVERHEAD)
        character(1) :: buffer(room), detached(room)
        integer :: mine(10), theirs(10), bytes, request, requests(2)
        mine = rank
        call MPI_Buffer_attach(buffer, room, error)
        call MPI_Bsend(mine, 10, MPI_INTEGER, right, 30, world, error)
        call MPI_Ibsend(mine, 10, MPI_INTEGER, right, 31, world, request, error)
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
        mine = -1
        call MPI_Recv(theirs, 10, MPI_INTEGER, left, 30, world, MPI_STATUS_IGNORE, error)
        call expect(all(theirs == left), 'what MPI_Bsend sent')
        call MPI_Recv(theirs, 10, MPI_INTEGER, left, 31, world, MPI_STATUS_IGNORE, error)
        call expect(all(theirs == left), 'what MPI_Ibsend sent')
        call MPI_Buffer_flush(error)
        call MPI_Bsend_init(mine, 10, MPI_INTEGER, right, 32, world, requests(1), error)
        call MPI_Start(requests(1), error)
        call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
        call MPI_Request_free(requests(1), error)
        call MPI_Recv(theirs, 10, MPI_INTEGER, left, 32, world, MPI_STATUS_IGNORE, error)
        call MPI_Buffer_iflush(request, error)
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
        bytes = -1
        call MPI_Buffer_detach(detached, bytes, error)
        call equal(bytes, room, 'the size of the detached buffer')

        call MPI_Comm_attach_buffer(world, MPI_BUFFER_AUTOMATIC, 0, error)
        call equal(error, MPI_SUCCESS, 'ierror of an automatic buffer')
        mine = rank
        call MPI_Bsend(mine, 10, MPI_INTEGER, right, 33, world, error)
        call MPI_Recv(theirs, 10, MPI_INTEGER, left, 33, world, MPI_STATUS_IGNORE, error)
        call expect(all(theirs == left), 'what went through an automatic buffer')
        call MPI_Comm_detach_buffer(world, detached, bytes, error)
    end subroutine buffered

    subroutine probes()
        integer :: mine(5), theirs(5), status(MPI_STATUS_SIZE), count, message, request
        logical :: flag
        mine = rank + [1, 2, 3, 4, 5]
        call MPI_Isend(mine, 4, MPI_INTEGER, right, 40, world, request, error)
        call MPI_Probe(MPI_ANY_SOURCE, 40, world, status, error)
        call MPI_Get_count(status, MPI_INTEGER, count, error)
        call equal(count, 4, 'the count of a probe')
        call equal(status(MPI_SOURCE), left, 'the source of a probe')
        call MPI_Iprobe(left, 41, world, flag, status, error)
        call expect(.not. flag, 'there is nothing to probe for')
        call MPI_Mprobe(left, 40, world, message, status, error)
        call expect(message /= MPI_MESSAGE_NULL, 'a message was matched')
        call MPI_Iprobe(left, 40, world, flag, MPI_STATUS_IGNORE, error)
        call expect(.not. flag, 'a matched message is not there any more')
        call MPI_Mrecv(theirs, 5, MPI_INTEGER, message, status, error)
        call equal(message, MPI_MESSAGE_NULL, 'the message after MPI_Mrecv')
        call expect(all(theirs(:4) == left + [1, 2, 3, 4]), 'what was matched')
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)

        call MPI_Isend(mine, 5, MPI_INTEGER, right, 42, world, request, error)
        flag = .false.
        do while (.not. flag)
            call MPI_Improbe(left, 42, world, flag, message, status, error)
        end do
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
        call MPI_Imrecv(theirs, 5, MPI_INTEGER, message, request, error)
        call MPI_Wait(request, status, error)
        call equal(theirs(5), left + 5, 'what MPI_Imrecv received')
        call MPI_Mprobe(MPI_PROC_NULL, 0, world, message, status, error)
        call equal(message, MPI_MESSAGE_NO_PROC, 'the message of nobody')
        call MPI_Mrecv(theirs, 5, MPI_INTEGER, message, status, error)
        call equal(status(MPI_SOURCE), MPI_PROC_NULL, 'the source of nobody''s message')
    end subroutine probes

    subroutine cancelled()
        integer :: nothing, request, status(MPI_STATUS_SIZE)
        logical :: flag
        call MPI_Irecv(nothing, 1, MPI_INTEGER, left, 50, world, request, error)
        call MPI_Cancel(request, error)
        call MPI_Wait(request, status, error)
        call MPI_Test_cancelled(status, flag, error)
        call expect(flag, 'a receive that nothing matches is cancelled')
    end subroutine cancelled

    subroutine nobody()
        integer :: value, status(MPI_STATUS_SIZE), count
        value = 5
        call MPI_Send(value, 1, MPI_INTEGER, MPI_PROC_NULL, 0, world, error)
        call MPI_Recv(value, 1, MPI_INTEGER, MPI_PROC_NULL, 0, world, status, error)
        call equal(value, 5, 'what nobody sent')
        call equal(status(MPI_SOURCE), MPI_PROC_NULL, 'the source nobody')
        call equal(status(MPI_TAG), MPI_ANY_TAG, 'the tag of nobody')
        call MPI_Get_count(status, MPI_INTEGER, count, error)
        call equal(count, 0, 'the count of nobody')
    end subroutine nobody

    subroutine statuses()
        integer :: status(MPI_STATUS_SIZE), value, error
        logical :: flag
        call MPI_Status_set_source(status, 4, error)
        call MPI_Status_set_tag(status, 5, error)
        call MPI_Status_set_error(status, 6, error)
        call MPI_Status_set_cancelled(status, .true., error)
        call equal(status(MPI_TAG), 5, 'status(MPI_TAG)')
        call MPI_Status_get_source(status, value, error)
        call equal(value, 4, 'MPI_Status_get_source')
        call MPI_Status_get_tag(status, value, error)
        call equal(value, 5, 'MPI_Status_get_tag')
        call MPI_Status_get_error(status, value, error)
        call equal(value, 6, 'MPI_Status_get_error')
        call MPI_Test_cancelled(status, flag, error)
        call expect(flag, 'MPI_Test_cancelled')
    end subroutine statuses

    ! Looking at requests leaves them as they are; indices count from 1.
    subroutine looks()
        integer :: requests(3), many(MPI_STATUS_SIZE, 3), status(MPI_STATUS_SIZE), into(3)
        integer :: index, count, found(3), i, error
        logical :: flag
        do i = 1, 3
            call MPI_Irecv(into(i), 1, MPI_INTEGER, left, 40 + i, world, requests(i), error)
        end do
        call MPI_Request_get_status_all(3, requests, flag, many, error)
        call MPI_Send(rank, 1, MPI_INTEGER, right, 42, world, error)
        flag = .false.
        do while (.not. flag)
            call MPI_Request_get_status_any(3, requests, index, flag, status, error)
        end do
        call equal(index, 2, 'the index of what has come')
        call equal(status(MPI_TAG), 42, 'its tag')
        call MPI_Request_get_status_some(3, requests, count, found, many, error)
        call equal(count, 1, 'how many have come')
        call equal(found(1), 2, 'which have come')
        call MPI_Barrier(world, error)
        call MPI_Send(rank, 1, MPI_INTEGER, right, 41, world, error)
        call MPI_Send(rank, 1, MPI_INTEGER, right, 43, world, error)
        flag = .false.
        do while (.not. flag)
            call MPI_Request_get_status_all(3, requests, flag, many, error)
        end do
        call expect(all(requests /= MPI_REQUEST_NULL), 'requests stay')
        call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, error)
        call expect(all(into == left), 'the messages came from the left')
        call MPI_Comm_attach_buffer(world, into, 4096, error)
        call MPI_Comm_flush_buffer(world, error)
        call MPI_Comm_iflush_buffer(world, requests(1), error)
        call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
        call MPI_Comm_detach_buffer(world, into, count, error)
        call equal(count, 4096, 'the size of the buffer')
    end subroutine looks

end program pt2pt

! Not of the program: its buffer may be of any type, as MPI's may.
subroutine around(buffer, datatype)
    use checks
    implicit none
    integer, intent(in) :: datatype
    integer :: buffer(*), error
    call MPI_Sendrecv_replace(buffer, 2, datatype, modulo(rank + 1, ranks), 1, &
        modulo(rank - 1, ranks), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call equal(error, MPI_SUCCESS, 'ierror of a datatype')
end subroutine around
