! How requests complete: tests, looks that change nothing, cancelling, generalized requests, what
! statuses hold, buffers that are flushed. Tests say what handles are: INTEGERs, or types of
! mpi_f08.

module work
    use CHECKS
    implicit none
    integer :: queries = 0, frees = 0, cancels = 0

contains

    subroutine query(extra_state, told, ierror)
        integer(MPI_ADDRESS_KIND) :: extra_state
        STATUS :: told
        integer :: ierror
        queries = queries + 1
        call MPI_Status_set_source(told, int(extra_state), ierror)
        call MPI_Status_set_tag(told, 7, ierror)
        call MPI_Status_set_error(told, MPI_SUCCESS, ierror)
        call MPI_Status_set_elements(told, MPI_INTEGER, 5, ierror)
        call MPI_Status_set_cancelled(told, cancels > 0, ierror)
        ierror = MPI_SUCCESS
    end subroutine query

    subroutine release(extra_state, ierror)
        integer(MPI_ADDRESS_KIND) :: extra_state
        integer :: ierror
        call expect(extra_state == 77, 'the extra state when a request is freed')
        frees = frees + 1
        ierror = MPI_SUCCESS
    end subroutine release

    subroutine give_up(extra_state, complete, ierror)
        integer(MPI_ADDRESS_KIND) :: extra_state
        logical :: complete
        integer :: ierror
        call expect(extra_state == 77 .and. .not. complete, 'what is said when it is cancelled')
        cancels = cancels + 1
        ierror = MPI_SUCCESS
    end subroutine give_up

end module work

program completion
    use CHECKS
    use work
    implicit none
    COMM, parameter :: world = MPI_COMM_WORLD
    integer :: error, before, after
    logical :: flag

    call start()
    before = modulo(rank - 1, ranks)
    after = modulo(rank + 1, ranks)
    call one_by_one()
    call looks()
    call probed()
    call cancelled()
    call generalized()
    call statuses()
    call flushed()
    call finish()

contains

    ! Four messages, completed in all ways of MPI_Test.
    subroutine one_by_one()
        REQUEST :: requests(4)
        STATUS :: told
        STATUSES(all_told, 4)
        integer, asynchronous :: got(4)
        integer :: i, which, done, indices(4), seen, value
        got = -1
        do i = 1, 4
            call MPI_Irecv(got(i), 1, MPI_INTEGER, before, i, world, requests(i), error)
        end do
        call MPI_Testany(4, requests, which, flag, told, error)
        if (ranks == 1) call expect(.not. flag .and. which == MPI_UNDEFINED, 'nothing is there')
        call MPI_Barrier(world, error)
        call MPI_Send(rank + 100, 1, MPI_INTEGER, after, 3, world, error)
        which = MPI_UNDEFINED
        flag = .false.
        do while (.not. flag)
            call MPI_Testany(4, requests, which, flag, told, error)
        end do
        call equal(which, 3, 'the index of what is complete')
        call expect(requests(3) == MPI_REQUEST_NULL, 'its request is gone')
        call MPI_Status_get_tag(told, value, error)
        call equal(value, 3, 'its tag')
        call equal(got(3), before + 100, 'what came')
        call MPI_Barrier(world, error)
        call MPI_Send(rank + 200, 1, MPI_INTEGER, after, 4, world, error)
        call MPI_Send(rank + 300, 1, MPI_INTEGER, after, 2, world, error)
        seen = 0
        do while (seen < 2)
            indices = -1
            call MPI_Testsome(4, requests, done, indices, all_told, error)
            do i = 1, done
                call MPI_Status_get_tag(ONE_OF(all_told, i), value, error)
                call equal(value, indices(i), 'the tag of one of some')
            end do
            seen = seen + done
        end do
        call expect(got(4) == before + 200 .and. got(2) == before + 300, 'what came')
        call MPI_Barrier(world, error)
        call MPI_Send(rank + 400, 1, MPI_INTEGER, after, 1, world, error)
        flag = .false.
        do while (.not. flag)
            call MPI_Test(requests(1), flag, told, error)
        end do
        call MPI_Status_get_source(told, value, error)
        call equal(value, before, 'its source')
        call equal(got(1), before + 400, 'what came last')
        call MPI_Testsome(4, requests, done, indices, all_told, error)
        call equal(done, MPI_UNDEFINED, 'no request is left')
    end subroutine one_by_one

    ! Who only looks leaves the requests as they are.
    subroutine looks()
        REQUEST :: requests(2)
        STATUS :: told
        STATUSES(all_told, 2)
        integer, asynchronous :: got(2)
        integer :: which, done, indices(2), value
        got = -1
        call MPI_Irecv(got(1), 1, MPI_INTEGER, before, 1, world, requests(1), error)
        call MPI_Irecv(got(2), 1, MPI_INTEGER, before, 2, world, requests(2), error)
        call MPI_Request_get_status_all(2, requests, flag, all_told, error)
        if (ranks == 1) call expect(.not. flag, 'not all are complete')
        call MPI_Barrier(world, error)
        call MPI_Send(rank, 1, MPI_INTEGER, after, 2, world, error)
        flag = .false.
        do while (.not. flag)
            call MPI_Request_get_status_any(2, requests, which, flag, told, error)
        end do
        call equal(which, 2, 'what is complete')
        call MPI_Status_get_tag(told, value, error)
        call equal(value, 2, 'its tag')
        call expect(requests(2) /= MPI_REQUEST_NULL, 'its request is still there')
        call MPI_Request_get_status_some(2, requests, done, indices, all_told, error)
        call expect(done == 1 .and. indices(1) == 2, 'some that are complete')
        call MPI_Request_get_status(requests(2), flag, told, error)
        call expect(flag, 'one that is complete')
        call MPI_Barrier(world, error)
        call MPI_Send(rank, 1, MPI_INTEGER, after, 1, world, error)
        flag = .false.
        do while (.not. flag)
            call MPI_Request_get_status_all(2, requests, flag, all_told, error)
        end do
        call MPI_Status_get_tag(ONE_OF(all_told, 1), value, error)
        call equal(value, 1, 'the tag of the first of all')
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
        call expect(all(got == before), 'what came')
    end subroutine looks

    subroutine probed()
        STATUS :: told
        REQUEST :: operation
        integer, asynchronous :: sent(3), got(3)
        integer :: count, source, code
        sent = rank
        call MPI_Isend(sent, 3, MPI_INTEGER, after, 6, world, operation, error)
        call MPI_Probe(before, MPI_ANY_TAG, world, told, error)
        call MPI_Get_count(told, MPI_INTEGER, count, error)
        call equal(count, 3, 'the count of what waits')
        call MPI_Status_get_source(told, source, error)
        call equal(source, before, 'who sent it')
        call MPI_Status_set_error(told, MPI_ERR_OTHER, error)
        call MPI_Status_get_error(told, code, error)
        call equal(code, MPI_ERR_OTHER, 'an error code in a status')
        call MPI_Recv(got, 3, MPI_INTEGER, before, 6, world, told, error)
        call expect(all(got == before), 'what was probed')
        call MPI_Wait(operation, MPI_STATUS_IGNORE, error)
    end subroutine probed

    subroutine cancelled()
        REQUEST :: operation
        STATUS :: told
        integer, asynchronous :: got
        got = -1
        call MPI_Irecv(got, 1, MPI_INTEGER, before, 99, world, operation, error)
        call MPI_Cancel(operation, error)
        call MPI_Wait(operation, told, error)
        call MPI_Test_cancelled(told, flag, error)
        call expect(flag .and. got == -1, 'a receive that was cancelled')
    end subroutine cancelled

    subroutine generalized()
        REQUEST :: operation
        STATUS :: told
        integer :: value
        call MPI_Grequest_start(query, release, give_up, 77_MPI_ADDRESS_KIND, operation, error)
        call MPI_Test(operation, flag, told, error)
        call expect(.not. flag .and. queries == 0, 'it is not complete')
        call MPI_Cancel(operation, error)
        call equal(cancels, 1, 'it was cancelled')
        call MPI_Grequest_complete(operation, error)
        call MPI_Request_get_status(operation, flag, told, error)
        call expect(flag .and. queries == 1 .and. frees == 0, 'a look at it')
        call MPI_Wait(operation, told, error)
        call expect(queries == 2 .and. frees == 1, 'it was waited for')
        call expect(operation == MPI_REQUEST_NULL, 'its request is gone')
        call MPI_Status_get_source(told, value, error)
        call equal(value, 77, 'the source that it gave itself')
        call MPI_Status_get_tag(told, value, error)
        call equal(value, 7, 'the tag that it gave itself')
        call MPI_Get_elements(told, MPI_INTEGER, value, error)
        call equal(value, 5, 'the elements that it gave itself')
        call MPI_Test_cancelled(told, flag, error)
        call expect(flag, 'it says that it was cancelled')
    end subroutine generalized

    subroutine statuses()
        STATUS :: told
        integer(MPI_COUNT_KIND) :: many
        integer :: value
        call MPI_Sendrecv(rank, 1, MPI_INTEGER, after, 8, value, 1, MPI_INTEGER, before, 8, world, &
            told, error)
        many = 2_MPI_COUNT_KIND**33
        call MPI_Status_set_elements_x(told, MPI_INTEGER, many, error)
        many = -1
        call MPI_Get_elements_x(told, MPI_INTEGER, many, error)
        call expect(many == 2_MPI_COUNT_KIND**33, 'elements beyond INTEGERs')
        call MPI_Status_set_cancelled(told, .true., error)
        call MPI_Test_cancelled(told, flag, error)
        call expect(flag, 'a status that says so')
        call MPI_Status_get_source(told, value, error)
        call equal(value, before, 'its source is as it was')
    end subroutine statuses

    ! What is in a buffer has left it when a flush is complete.
    subroutine flushed()
        integer, parameter :: bytes = 4 + MPI_BSEND_OVERHEAD
        character, asynchronous :: room(bytes), more(bytes)
        REQUEST :: operation
        COMM :: copy
        integer :: got, turn
        call MPI_Comm_dup(world, copy, error)
        call MPI_Buffer_attach(room, bytes, error)
        call MPI_Comm_attach_buffer(copy, more, bytes, error)
        do turn = 1, 4
            call MPI_Bsend(rank + turn, 1, MPI_INTEGER, after, 1, world, error)
            call MPI_Bsend(rank + 10 * turn, 1, MPI_INTEGER, after, 1, copy, error)
            call MPI_Recv(got, 1, MPI_INTEGER, before, 1, world, MPI_STATUS_IGNORE, error)
            call equal(got, before + turn, 'what was in the buffer')
            call MPI_Recv(got, 1, MPI_INTEGER, before, 1, copy, MPI_STATUS_IGNORE, error)
            call equal(got, before + 10 * turn, 'what was in the communicator''s buffer')
            if (mod(turn, 2) == 0) then
                call MPI_Buffer_flush(error)
                call MPI_Comm_flush_buffer(copy, error)
            else
                call MPI_Buffer_iflush(operation, error)
                call MPI_Wait(operation, MPI_STATUS_IGNORE, error)
                call MPI_Comm_iflush_buffer(copy, operation, error)
                call MPI_Wait(operation, MPI_STATUS_IGNORE, error)
            end if
            call equal(error, MPI_SUCCESS, 'ierror of a flush')
        end do
        call detached(copy)
    end subroutine flushed

    subroutine detached(copy)
        use, intrinsic :: iso_c_binding, only: c_ptr
        COMM :: copy
        ! An address, or a pointer: as wide.
        ADDRESS :: at
        integer :: size
        call MPI_Comm_detach_buffer(copy, at, size, error)
        call equal(size, 4 + MPI_BSEND_OVERHEAD, 'the size of the communicator''s buffer')
        call MPI_Buffer_detach(at, size, error)
        call equal(size, 4 + MPI_BSEND_OVERHEAD, 'the size of the buffer')
        call MPI_Comm_free(copy, error)
    end subroutine detached

end program completion
