! Sessions through mpi_f08: process sets, communicators without MPI_COMM_WORLD, buffers, error
! handlers and infos of a session.

module hearing08
    use mpi_f08
    implicit none
    integer :: heard = 0, heard_code = 0
    type(MPI_Session) :: heard_session

contains

    subroutine hear(session, error_code)
        type(MPI_Session) :: session
        integer :: error_code
        heard = heard + 1
        heard_code = error_code
        heard_session = session
    end subroutine hear

end module hearing08

program f08_sessions
    use checks08
    use hearing08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_loc, c_associated
    implicit none
    type(MPI_Session) :: session
    type(MPI_Comm) :: everyone
    logical :: flag

    call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session)
    call expect(session /= MPI_SESSION_NULL, 'there is a session')
    call MPI_Initialized(flag)
    call expect(.not. flag, 'a session does not initialise the world')
    call everybody()
    call process_sets()
    call handlers()
    call buffers()
    call two_groups()
    call infos()
    call MPI_Comm_disconnect(everyone)
    call expect(everyone == MPI_COMM_NULL, 'a communicator that was disconnected')
    call MPI_Session_finalize(session)
    call expect(session == MPI_SESSION_NULL, 'a session that was finalised')
    print '(a)', 'all is well'

contains

    subroutine everybody()
        type(MPI_Group) :: group
        type(MPI_Comm) :: made
        integer :: sum, error
        call MPI_Group_from_session_pset(session, 'mpi://WORLD  ', group)
        call MPI_Comm_create_from_group(group, 'org.example/all', MPI_INFO_NULL, &
            MPI_ERRORS_RETURN, everyone)
        call MPI_Comm_rank(everyone, rank)
        call MPI_Comm_size(everyone, ranks)
        call MPI_Allreduce(rank, sum, 1, MPI_INTEGER, MPI_SUM, everyone)
        call equal(sum, ranks * (ranks - 1) / 2, 'the sum of all ranks')
        call MPI_Send(rank, 1, MPI_INTEGER, ranks, 0, everyone, error)
        call equal(error, MPI_ERR_RANK, 'its error handler returns')
        call MPI_Group_free(group)
        call MPI_Group_from_session_pset(session, 'no such set', group)
        call expect(group == MPI_GROUP_NULL, 'the group of a set that is none')
        call MPI_Comm_create_from_group(MPI_GROUP_NULL, 'x', MPI_INFO_NULL, MPI_ERRORS_RETURN, &
            made, error)
        call equal(error, MPI_ERR_GROUP, 'a communicator of no group')
    end subroutine everybody

    subroutine process_sets()
        character(MPI_MAX_PSET_NAME_LEN) :: name
        character(5) :: short
        character(20) :: words
        integer :: count, i, length, need, found, size
        type(MPI_Info) :: info
        call MPI_Session_get_num_psets(session, MPI_INFO_NULL, count)
        call expect(count >= 2, 'how many process sets there are')
        found = 0
        do i = 0, count - 1
            need = 0
            name = '#'
            call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, need, name)
            call expect(name == '#', 'length 0 asks for the length only')
            length = len(name)
            name = repeat('#', len(name))
            call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, length, name)
            call equal(length, need, 'the length of a name')
            call equal(len_trim(name), length, 'blanks follow a name')
            size = 0
            if (name == 'mpi://WORLD') size = ranks
            if (name == 'mpi://SELF') size = 1
            if (size > 0) found = found + 1
            call MPI_Session_get_pset_info(session, name, info)
            length = len(words)
            call MPI_Info_get_string(info, 'mpi_size', length, words, flag)
            call expect(flag, 'a set tells its size')
            read (words, *) length
            if (size > 0) call equal(length, size, 'the size of a set')
            call MPI_Info_free(info)
        end do
        call equal(found, 2, 'the sets that must be there')
        length = len(short)
        call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, length, short)
        call expect(short == 'mpi:/' .and. length > 5, 'as much of a name as fits')
        call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, count, length, name, i)
        call equal(i, MPI_ERR_ARG, 'a set after the last')
    end subroutine process_sets

    subroutine handlers()
        type(MPI_Errhandler) :: mine, seen
        type(MPI_Session) :: other
        type(MPI_Info) :: info
        integer :: error
        call MPI_Session_create_errhandler(hear, mine)
        call MPI_Session_init(MPI_INFO_NULL, mine, other)
        call MPI_Session_get_pset_info(other, 'none', info, error)
        call equal(error, MPI_ERR_ARG, 'a set that is none')
        call expect(heard == 1 .and. heard_code == MPI_ERR_ARG, 'what the handler heard')
        call expect(heard_session == other, 'of which session')
        call MPI_Session_call_errhandler(other, MPI_ERR_SIZE)
        call expect(heard == 2 .and. heard_code == MPI_ERR_SIZE, 'what it was told by me')
        call MPI_Session_get_pset_info(session, 'none', info, error)
        call equal(heard, 2, 'the other session has a handler of its own')
        call MPI_Session_get_errhandler(other, seen)
        call expect(seen == mine, 'the handler that was set')
        call MPI_Errhandler_free(seen)
        call MPI_Session_set_errhandler(other, MPI_ERRORS_RETURN)
        call MPI_Session_get_errhandler(other, seen)
        call expect(seen == MPI_ERRORS_RETURN, 'another handler')
        call MPI_Session_get_pset_info(other, 'none', info, error)
        call expect(error == MPI_ERR_ARG .and. heard == 2, 'it returns')
        call MPI_Errhandler_free(mine)
        call MPI_Session_finalize(other)
    end subroutine handlers

    ! A buffer holds one message, until it has left.
    subroutine buffers()
        integer, parameter :: bytes = 4000
        character, target, asynchronous :: room(bytes + MPI_BSEND_OVERHEAD)
        character :: mine(bytes), got(bytes)
        integer :: error, size, after, before
        integer(MPI_COUNT_KIND) :: large
        type(MPI_Request) :: request
        type(c_ptr) :: at
        after = modulo(rank + 1, ranks)
        before = modulo(rank - 1, ranks)
        mine = achar(65 + modulo(rank, 26))
        call MPI_Bsend(mine, bytes, MPI_CHARACTER, after, 0, everyone, error)
        call equal(error, MPI_ERR_BUFFER, 'a session without a buffer')
        call MPI_Session_attach_buffer(session, room, bytes + MPI_BSEND_OVERHEAD)
        call MPI_Session_attach_buffer(session, room, bytes, error)
        call equal(error, MPI_ERR_BUFFER, 'a second buffer')
        call MPI_Bsend(mine, bytes, MPI_CHARACTER, after, 0, everyone)
        call MPI_Bsend(mine, bytes, MPI_CHARACTER, after, 0, everyone, error)
        call equal(error, MPI_ERR_BUFFER, 'a buffer that is full')
        ! Nobody takes his message, and so empties a buffer, before everyone has seen a full one.
        call MPI_Barrier(everyone)
        call MPI_Session_iflush_buffer(session, request)
        call MPI_Recv(got, bytes, MPI_CHARACTER, before, 0, everyone, MPI_STATUS_IGNORE)
        call expect(all_are(got, before), 'what was in the buffer')
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call MPI_Session_flush_buffer(session)
        call MPI_Session_detach_buffer(session, at, size)
        call expect(c_associated(at, c_loc(room)), 'the buffer that was attached')
        call equal(size, bytes + MPI_BSEND_OVERHEAD, 'its size')
        large = bytes + MPI_BSEND_OVERHEAD
        call MPI_Session_attach_buffer(session, room, large)
        call MPI_Bsend(mine, bytes, MPI_CHARACTER, after, 1, everyone)
        call MPI_Recv(got, bytes, MPI_CHARACTER, before, 1, everyone, MPI_STATUS_IGNORE)
        call expect(all_are(got, before), 'what was in the buffer')
        large = 0
        call MPI_Session_detach_buffer(session, at, large)
        call expect(large == bytes + MPI_BSEND_OVERHEAD, 'its size as a large count')
    end subroutine buffers

    pure logical function all_are(text, of)
        character, intent(in) :: text(:)
        integer, intent(in) :: of
        all_are = all(text == achar(65 + modulo(of, 26)))
    end function all_are

    ! The lower half and the upper half, each led by its first.
    subroutine two_groups()
        type(MPI_Group) :: world, mine, other
        type(MPI_Comm) :: between
        integer :: half, size, low(3, 1), high(3, 1), error, theirs
        half = ranks / 2
        if (half == 0) return
        low(:, 1) = [0, half - 1, 1]
        high(:, 1) = [half, ranks - 1, 1]
        call MPI_Comm_group(everyone, world)
        call MPI_Group_range_incl(world, 1, merge(low, high, rank < half), mine)
        call MPI_Group_range_incl(world, 1, merge(high, low, rank < half), other)
        call MPI_Intercomm_create_from_groups(mine, 0, other, 0, 'halves', MPI_INFO_NULL, &
            MPI_ERRORS_RETURN, between)
        call MPI_Comm_test_inter(between, flag)
        call expect(flag, 'an intercommunicator')
        call MPI_Comm_remote_size(between, size)
        call equal(size, merge(ranks - half, half, rank < half), 'the others')
        call MPI_Allreduce(rank, theirs, 1, MPI_INTEGER, MPI_MIN, between)
        call equal(theirs, merge(half, 0, rank < half), 'the first of the others')
        call MPI_Comm_free(between)
        call MPI_Intercomm_create_from_groups(other, 0, mine, 0, 'x', MPI_INFO_NULL, &
            MPI_ERRORS_RETURN, between, error)
        call equal(error, MPI_ERR_GROUP, 'a group without the caller')
        call MPI_Group_free(mine)
        call MPI_Group_free(other)
        call MPI_Group_free(world)
    end subroutine two_groups

    subroutine infos()
        type(MPI_Session) :: other
        type(MPI_Info) :: hints, seen
        character(40) :: words
        integer :: length
        call MPI_Info_create(hints)
        call MPI_Info_set(hints, 'thread_level', 'MPI_THREAD_FUNNELED')
        call MPI_Session_init(hints, MPI_ERRORS_RETURN, other)
        call MPI_Session_get_info(other, seen)
        length = len(words)
        call MPI_Info_get_string(seen, 'thread_level', length, words, flag)
        call expect(flag .and. words == 'MPI_THREAD_FUNNELED', 'what a session was asked for')
        call MPI_Info_free(seen)
        call MPI_Info_free(hints)
        call MPI_Session_finalize(other)
    end subroutine infos

end program f08_sessions
