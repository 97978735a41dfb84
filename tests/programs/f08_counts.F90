! Messages, buffers, datatypes and packing through mpi_f08, with large counts and, when compiled
! with -DSMALL, with default ones.

program f08_counts
    use checks08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_loc, c_associated
    implicit none
#ifdef SMALL
    integer, parameter :: counts = kind(1)
#else
    integer, parameter :: counts = MPI_COUNT_KIND
#endif
    integer, parameter :: address = MPI_ADDRESS_KIND
    integer(counts), parameter :: one = 1, two = 2, three = 3
    type(MPI_Comm), parameter :: world = MPI_COMM_WORLD
    integer :: left, right
    logical :: flag

    call start()
    left = modulo(rank - 1, ranks)
    right = modulo(rank + 1, ranks)
    call buffers()
    call blocking()
    call nonblocking()
    call persistent()
    call matched()
    call constructors()
    call arrays()
    call descriptions()
    call packing()
    call counting()
    call finish()

contains

    subroutine expect_three(got, salt)
        integer, intent(in) :: got(4), salt
        call expect(all(got == [left, salt, 7, -1]), 'what came from the left')
    end subroutine expect_three

    ! One buffer for the process, one for the communicator, one for the session.
    subroutine buffers()
        integer(counts), parameter :: bytes = 12 + MPI_BSEND_OVERHEAD
        character, target, asynchronous :: room(bytes)
        integer(counts) :: size
        integer :: got(4)
        integer, asynchronous :: sent(3)
        type(MPI_Session) :: session
        type(MPI_Request) :: request
        type(MPI_Group) :: group
        type(MPI_Comm) :: comm
        type(c_ptr) :: at
        call MPI_Buffer_attach(room, bytes)
        got = -1
        call MPI_Bsend([rank, 1, 7], three, MPI_INTEGER, right, 1, world)
        call MPI_Recv(got, three + 1, MPI_INTEGER, left, 1, world, MPI_STATUS_IGNORE)
        call expect_three(got, 1)
        call MPI_Buffer_flush()
        got = -1
        sent = [rank, 2, 7]
        call MPI_Ibsend(sent, three, MPI_INTEGER, right, 1, world, request)
        call MPI_Recv(got, three, MPI_INTEGER, left, 1, world, MPI_STATUS_IGNORE)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call expect_three(got, 2)
        call MPI_Buffer_detach(at, size)
        call expect(size == bytes .and. c_associated(at, c_loc(room)), 'the buffer comes back')
        call MPI_Comm_dup(world, comm)
        call MPI_Comm_attach_buffer(comm, room, bytes)
        got = -1
        call MPI_Bsend([rank, 3, 7], three, MPI_INTEGER, right, 1, comm)
        call MPI_Recv(got, three, MPI_INTEGER, left, 1, comm, MPI_STATUS_IGNORE)
        call expect_three(got, 3)
        size = 0
        call MPI_Comm_detach_buffer(comm, at, size)
        call expect(size == bytes .and. c_associated(at, c_loc(room)), 'the buffer comes back')
        call MPI_Comm_free(comm)
        call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session)
        call MPI_Group_from_session_pset(session, 'mpi://WORLD', group)
        call MPI_Comm_create_from_group(group, 'b', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, comm)
        call MPI_Group_free(group)
        call MPI_Session_attach_buffer(session, room, bytes)
        got = -1
        call MPI_Bsend([rank, 4, 7], three, MPI_INTEGER, right, 1, comm)
        call MPI_Recv(got, three, MPI_INTEGER, left, 1, comm, MPI_STATUS_IGNORE)
        call expect_three(got, 4)
        size = 0
        call MPI_Session_detach_buffer(session, at, size)
        call expect(size == bytes .and. c_associated(at, c_loc(room)), 'the buffer comes back')
        call MPI_Comm_free(comm)
        call MPI_Session_finalize(session)
    end subroutine buffers

    subroutine blocking()
        integer, asynchronous :: got(4, 4)
        integer :: i, mine(3)
        type(MPI_Request) :: requests(3)
        type(MPI_Status) :: status
        got = -1
        do i = 1, 3
            call MPI_Irecv(got(:, i), three + 1, MPI_INTEGER, left, i, world, requests(i))
        end do
        call MPI_Barrier(world)
        call MPI_Send([rank, 1, 7], three, MPI_INTEGER, right, 1, world)
        call MPI_Ssend([rank, 2, 7], three, MPI_INTEGER, right, 2, world)
        call MPI_Rsend([rank, 3, 7], three, MPI_INTEGER, right, 3, world)
        call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE)
        do i = 1, 3
            call expect_three(got(:, i), i)
        end do
        got = -1
        call MPI_Sendrecv([rank, 4, 7], three, MPI_INTEGER, right, 4, got(:, 4), three + 1, &
            MPI_INTEGER, left, 4, world, status)
        call expect_three(got(:, 4), 4)
        call equal(status%MPI_SOURCE, left, 'the source')
        mine = [rank, 5, 7]
        call MPI_Sendrecv_replace(mine, three, MPI_INTEGER, right, 5, left, 5, world, status)
        call expect_three([mine, -1], 5)
    end subroutine blocking

    subroutine nonblocking()
        integer, asynchronous :: got(4, 5), sent(3, 5), moved(3)
        integer :: i
        type(MPI_Request) :: requests(9)
        got = -1
        do i = 1, 5
            sent(:, i) = [rank, i, 7]
        end do
        do i = 1, 3
            call MPI_Irecv(got(:, i), three + 1, MPI_INTEGER, left, i, world, requests(i))
        end do
        call MPI_Barrier(world)
        call MPI_Isend(sent(:, 1), three, MPI_INTEGER, right, 1, world, requests(4))
        call MPI_Issend(sent(:, 2), three, MPI_INTEGER, right, 2, world, requests(5))
        call MPI_Irsend(sent(:, 3), three, MPI_INTEGER, right, 3, world, requests(6))
        call MPI_Isendrecv(sent(:, 4), three, MPI_INTEGER, right, 4, got(:, 4), three + 1, &
            MPI_INTEGER, left, 4, world, requests(7))
        moved = sent(:, 5)
        call MPI_Isendrecv_replace(moved, three, MPI_INTEGER, right, 5, left, 5, world, requests(8))
        call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE)
        got(1:3, 5) = moved
        do i = 1, 5
            call expect_three(got(:, i), i)
        end do
    end subroutine nonblocking

    subroutine persistent()
        integer, parameter :: bytes = 4 * (12 + MPI_BSEND_OVERHEAD)
        character, asynchronous :: room(bytes)
        integer, asynchronous :: got(4, 4), sent(3, 4)
        integer :: i, turn, size
        type(MPI_Request) :: requests(8)
        type(c_ptr) :: at
        call MPI_Buffer_attach(room, bytes)
        call MPI_Send_init(sent(:, 1), three, MPI_INTEGER, right, 1, world, requests(5))
        call MPI_Bsend_init(sent(:, 2), three, MPI_INTEGER, right, 2, world, requests(6))
        call MPI_Ssend_init(sent(:, 3), three, MPI_INTEGER, right, 3, world, requests(7))
        call MPI_Rsend_init(sent(:, 4), three, MPI_INTEGER, right, 4, world, requests(8))
        do i = 1, 4
            call MPI_Recv_init(got(:, i), three + 1, MPI_INTEGER, left, i, world, requests(i))
        end do
        do turn = 1, 3
            got = -1
            do i = 1, 4
                sent(:, i) = [rank, i * turn, 7]
            end do
            call MPI_Startall(4, requests(1:4))
            call MPI_Barrier(world)
            call MPI_Startall(4, requests(5:8))
            call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE)
            do i = 1, 4
                call expect_three(got(:, i), i * turn)
            end do
        end do
        do i = 1, 8
            call MPI_Request_free(requests(i))
        end do
        call MPI_Buffer_detach(at, size)
    end subroutine persistent

    subroutine matched()
        integer, asynchronous :: sent(3, 2), got(4)
        type(MPI_Request) :: requests(3)
        type(MPI_Message) :: message
        sent(:, 1) = [rank, 1, 7]
        sent(:, 2) = [rank, 2, 7]
        call MPI_Isend(sent(:, 1), three, MPI_INTEGER, right, 1, world, requests(1))
        call MPI_Isend(sent(:, 2), three, MPI_INTEGER, right, 1, world, requests(2))
        call MPI_Mprobe(left, 1, world, message, MPI_STATUS_IGNORE)
        got = -1
        call MPI_Mrecv(got, three + 1, MPI_INTEGER, message, MPI_STATUS_IGNORE)
        call expect_three(got, 1)
        call MPI_Improbe(left, 1, world, flag, message, MPI_STATUS_IGNORE)
        if (.not. flag) call MPI_Mprobe(left, 1, world, message, MPI_STATUS_IGNORE)
        got = -1
        call MPI_Imrecv(got, three + 1, MPI_INTEGER, message, requests(3))
        call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE)
        call expect_three(got, 2)
    end subroutine matched

    ! What `datatype` sends of the numbers 0, 1, 2, …; frees it.
    subroutine sends(datatype, wanted, extent, what)
        type(MPI_Datatype), intent(inout) :: datatype
        integer, intent(in) :: wanted(:), extent
        character(*), intent(in) :: what
        integer :: numbers(0:99), got(100), i
        integer(counts) :: bytes
        integer(address) :: lower, seen
        type(MPI_Status) :: status
        numbers = [(i, i = 0, 99)]
        got = -1
        call MPI_Type_commit(datatype)
        call MPI_Sendrecv(numbers, one, datatype, 0, 0, got, 100 * one, MPI_INTEGER, 0, 0, &
            MPI_COMM_SELF, status)
        call expect(all(got(1:size(wanted)) == wanted), what)
        call expect(all(got(size(wanted) + 1:) == -1), what // ': nothing more')
        call MPI_Type_size(datatype, bytes)
        call equal(int(bytes), 4 * size(wanted), what // ': the size')
        call MPI_Type_get_extent(datatype, lower, seen)
        call equal(int(lower), 0, what // ': the lower bound')
        call equal(int(seen), 4 * extent, what // ': the extent')
        call MPI_Type_get_true_extent(datatype, lower, seen)
        call equal(int(lower), 4 * minval(wanted), what // ': the true lower bound')
        call equal(int(seen), 4 * (maxval(wanted) + 1 - minval(wanted)), what // ': true extent')
        call MPI_Type_free(datatype)
    end subroutine sends

    subroutine constructors()
        type(MPI_Datatype) :: made, part
        integer(counts) :: lengths(2), places(2)
        integer(address) :: far(2)
        lengths = [2, 1]
        places = [0, 5]
        far = [0, 20]
        call MPI_Type_contiguous(three, MPI_INTEGER, made)
        call sends(made, [0, 1, 2], 3, 'MPI_Type_contiguous')
        call MPI_Type_vector(two, one, three, MPI_INTEGER, made)
        call sends(made, [0, 3], 4, 'MPI_Type_vector')
        call MPI_Type_create_hvector(three, one, 8_address, MPI_INTEGER, made)
        call sends(made, [0, 2, 4], 5, 'MPI_Type_create_hvector')
        call MPI_Type_indexed(two, lengths, places, MPI_INTEGER, made)
        call sends(made, [0, 1, 5], 6, 'MPI_Type_indexed')
        call MPI_Type_create_hindexed(two, lengths, far, MPI_INTEGER, made)
        call sends(made, [0, 1, 5], 6, 'MPI_Type_create_hindexed')
        call MPI_Type_create_indexed_block(two, two, places, MPI_INTEGER, made)
        call sends(made, [0, 1, 5, 6], 7, 'MPI_Type_create_indexed_block')
        call MPI_Type_create_hindexed_block(two, two, far, MPI_INTEGER, made)
        call sends(made, [0, 1, 5, 6], 7, 'MPI_Type_create_hindexed_block')
        call MPI_Type_contiguous(two, MPI_INTEGER, part)
        call MPI_Type_create_struct(two, lengths, far, [MPI_INTEGER, part], made)
        call MPI_Type_free(part)
        call sends(made, [0, 1, 5, 6], 7, 'MPI_Type_create_struct')
        call MPI_Type_create_resized(MPI_INTEGER, 0_address, 12_address, part)
        call MPI_Type_contiguous(two, part, made)
        call MPI_Type_free(part)
        call sends(made, [0, 3], 6, 'MPI_Type_create_resized')
    end subroutine constructors

    subroutine arrays()
        type(MPI_Datatype) :: made
        integer(counts) :: sides(2), parts(2), starts(2)
        sides = [4, 3]
        parts = [2, 2]
        starts = [1, 1]
        call MPI_Type_create_subarray(2, sides, parts, starts, MPI_ORDER_FORTRAN, MPI_INTEGER, made)
        call sends(made, [5, 6, 9, 10], 12, 'MPI_Type_create_subarray')
        call MPI_Type_create_darray(2, 1, 2, sides, [MPI_DISTRIBUTE_CYCLIC, &
            MPI_DISTRIBUTE_NONE], [MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG], [2, 1], &
            MPI_ORDER_FORTRAN, MPI_INTEGER, made)
        call sends(made, [1, 3, 5, 7, 9, 11], 12, 'MPI_Type_create_darray')
    end subroutine arrays

    subroutine descriptions()
        type(MPI_Datatype) :: made, types(1)
        integer(counts) :: integers, addresses, larges, datatypes
        integer(counts) :: lengths(3)
        integer :: combiner, numbers(3)
        integer(address) :: places(1)
        call MPI_Type_create_hvector(three, two, 40_address, MPI_REAL, made)
        places = -1
#ifdef SMALL
        larges = 0
        call MPI_Type_get_envelope(made, integers, addresses, datatypes, combiner)
        call expect(integers == 2 .and. addresses == 1 .and. datatypes == 1, 'an envelope')
        call MPI_Type_get_contents(made, integers, addresses, datatypes, numbers, places, types)
        lengths(1:2) = numbers(1:2)
        lengths(3) = int(places(1))
#else
        call MPI_Type_get_envelope(made, integers, addresses, larges, datatypes, combiner)
        call expect(integers == 0 .and. addresses == 0, 'an envelope of large counts')
        call expect(larges == 3 .and. datatypes == 1, 'an envelope of large counts')
        call MPI_Type_get_contents(made, integers, addresses, larges, datatypes, numbers, places, &
            lengths, types)
#endif
        call equal(combiner, MPI_COMBINER_HVECTOR, 'how it was made')
        call expect(all(lengths == [3, 2, 40]), 'what it was made of')
        call expect(types(1) == MPI_REAL, 'what type it was made of')
        call MPI_Type_free(made)
    end subroutine descriptions

    subroutine packing()
        integer(counts) :: bytes, position
        integer(address) :: size, place
        integer :: mine(3), got(3), i
        character, allocatable :: packed(:)
        mine = [1, 256, rank]
        call MPI_Pack_size(three, MPI_INTEGER, world, bytes)
        call expect(bytes >= 12, 'room for a packed message')
        allocate (packed(bytes + 16))
        position = 2
        call MPI_Pack(mine, three, MPI_INTEGER, packed, bytes + 2, position, world)
        call expect(position > 2 .and. position <= bytes + 2, 'where packing ended')
        position = 2
        got = -1
        call MPI_Unpack(packed, bytes + 2, position, got, three, MPI_INTEGER, world)
        call expect(all(got == mine), 'what was packed')
        call MPI_Pack_external_size('external32', three, MPI_INTEGER, size)
        call equal(int(size), 12, 'the size in external32')
        place = 0
        call MPI_Pack_external('external32', mine, three, MPI_INTEGER, packed, size, place)
        call equal(int(place), 12, 'where packing ended')
        call expect(all(ichar(packed(1:8)) == [0, 0, 0, 1, 0, 0, 1, 0]), 'the highest byte first')
        place = 0
        got = -1
        call MPI_Unpack_external('external32', packed, size, place, got, three, MPI_INTEGER)
        call expect(all(got == mine), 'what was in external32')
        got = [(i, i = 1, 3)]
        call MPI_Reduce_local(mine, got, three, MPI_INTEGER, MPI_SUM)
        call expect(all(got == mine + [1, 2, 3]), 'MPI_Reduce_local')
    end subroutine packing

    subroutine counting()
        type(MPI_Status) :: status
        type(MPI_Datatype) :: pair
        integer(counts) :: count
        integer :: got(4)
        call MPI_Type_contiguous(two, MPI_INTEGER, pair)
        call MPI_Type_commit(pair)
        call MPI_Sendrecv([1, 2, 3], three, MPI_INTEGER, 0, 0, got, two, pair, 0, 0, &
            MPI_COMM_SELF, status)
        call MPI_Get_count(status, pair, count)
        call expect(count == MPI_UNDEFINED, 'the count of one and a half')
        call MPI_Get_elements(status, pair, count)
        call expect(count == 3, 'its elements')
        call MPI_Status_set_elements(status, pair, two + 2)
        call MPI_Get_count(status, pair, count)
        call expect(count == 2, 'a count that was set')
        call MPI_Type_free(pair)
#ifndef SMALL
        call MPI_Status_set_elements(status, MPI_BYTE, 2_MPI_COUNT_KIND**40)
        call MPI_Get_count(status, MPI_BYTE, count)
        call expect(count == 2_MPI_COUNT_KIND**40, 'a count beyond INTEGERs')
        call MPI_Type_contiguous(2_MPI_COUNT_KIND**33, MPI_INTEGER, pair)
        call MPI_Type_size(pair, count)
        call expect(count == 2_MPI_COUNT_KIND**35, 'a size beyond INTEGERs')
        call MPI_Type_free(pair)
#endif
    end subroutine counting

end program f08_counts
