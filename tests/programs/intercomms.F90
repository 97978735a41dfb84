! Intercommunicators, duplicates that come later, and infos of communicators. Tests say
! what handles are: INTEGERs, or types of mpi_f08.
program intercomms
    use CHECKS
    implicit none
    COMM, parameter :: world = MPI_COMM_WORLD
    integer :: error, half
    logical :: is_low

    call start()
    half = ranks / 2
    is_low = rank < half
    call duplicates()
    call hints()
    if (half > 0) call two_halves()
    call disconnected()
    call finish()

contains

    subroutine duplicates()
        COMM, asynchronous :: later, with
        REQUEST :: operation
        INFO :: keys, seen
        integer :: result, length
        character(5) :: value
        logical :: flag
        later = MPI_COMM_NULL
        call MPI_Comm_idup(world, later, operation, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Comm_idup')
        call MPI_Wait(operation, MPI_STATUS_IGNORE, error)
        call MPI_Comm_compare(world, later, result, error)
        call equal(result, MPI_CONGRUENT, 'a copy that came later')
        call MPI_Barrier(later, error)
        call MPI_Info_create(keys, error)
        call MPI_Info_set(keys, 'mpi_assert_no_any_tag', 'true', error)
        call MPI_Comm_idup_with_info(later, keys, with, operation, error)
        call MPI_Wait(operation, MPI_STATUS_IGNORE, error)
        call MPI_Info_free(keys, error)
        call MPI_Comm_compare(later, with, result, error)
        call equal(result, MPI_CONGRUENT, 'a copy with other infos')
        call MPI_Comm_get_info(with, seen, error)
        length = len(value)
        call MPI_Info_get_string(seen, 'mpi_assert_no_any_tag', length, value, flag, error)
        call expect(flag .and. value == 'true', 'the infos of the copy')
        call MPI_Info_free(seen, error)
        call MPI_Comm_get_info(later, seen, error)
        call MPI_Info_get_string(seen, 'mpi_assert_no_any_tag', length, value, flag, error)
        if (flag) call expect(value == 'false', 'the infos of the first')
        call MPI_Info_free(seen, error)
        call MPI_Comm_free(with, error)
        call MPI_Comm_free(later, error)
    end subroutine duplicates

    subroutine hints()
        INFO :: keys, seen
        COMM :: copy
        integer :: length
        character(5) :: value
        logical :: flag
        call MPI_Info_create(keys, error)
        call MPI_Info_set(keys, 'mpi_assert_exact_length', 'true', error)
        call MPI_Comm_dup(world, copy, error)
        call MPI_Comm_set_info(copy, keys, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Comm_set_info')
        call MPI_Info_free(keys, error)
        call MPI_Comm_get_info(copy, seen, error)
        length = len(value)
        call MPI_Info_get_string(seen, 'mpi_assert_exact_length', length, value, flag, error)
        call expect(flag .and. value == 'true', 'an info that was set')
        call MPI_Info_free(seen, error)
        call MPI_Comm_free(copy, error)
    end subroutine hints

    ! Everybody talks to those on the other side, by their places there.
    subroutine two_halves()
        COMM :: local, between, copy
        integer :: result, mine, others, place, root, value
        logical :: flag
        call MPI_Comm_split(world, merge(0, 1, is_low), rank, local, error)
        call MPI_Intercomm_create(local, 0, world, merge(half, 0, is_low), 9, between, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Intercomm_create')
        call MPI_Comm_test_inter(between, flag, error)
        call expect(flag, 'it is an intercommunicator')
        call MPI_Comm_size(between, mine, error)
        call equal(mine, merge(half, ranks - half, is_low), 'the size of my side')
        call MPI_Comm_remote_size(between, others, error)
        call equal(others, ranks - mine, 'the size of the other side')
        call MPI_Comm_rank(between, place, error)
        call equal(place, merge(rank, rank - half, is_low), 'my place on my side')
        call expect_remote_group(between)
        call talk(between, others)
        root = 0
        if (is_low) root = merge(MPI_ROOT, MPI_PROC_NULL, rank == 0)
        value = merge(4711, -1, rank == 0)
        call MPI_Bcast(value, 1, MPI_INTEGER, root, between, error)
        call equal(value, merge(-1, 4711, is_low .and. rank > 0), 'what came to the other side')
        call MPI_Allreduce(1, value, 1, MPI_INTEGER, MPI_SUM, between, error)
        call equal(value, others, 'the sum of the other side')
        call MPI_Comm_dup(between, copy, error)
        call MPI_Comm_compare(between, copy, result, error)
        call equal(result, MPI_CONGRUENT, 'a copy of an intercommunicator')
        call MPI_Comm_free(copy, error)
        call merged(between)
        call MPI_Comm_free(between, error)
        call MPI_Comm_free(local, error)
    end subroutine two_halves

    subroutine talk(between, others)
        COMM, intent(in) :: between
        integer, intent(in) :: others
        REQUEST :: requests(others)
        STATUS :: told
        integer :: i, got
        do i = 1, others
            call MPI_Isend(rank, 1, MPI_INTEGER, i - 1, 5, between, requests(i), error)
        end do
        do i = 1, others
            got = -1
            call MPI_Recv(got, 1, MPI_INTEGER, i - 1, 5, between, told, error)
            call equal(got, i - 1 + merge(half, 0, is_low), 'what came from the other side')
            call MPI_Status_get_source(told, got, error)
            call equal(got, i - 1, 'its source')
        end do
        call MPI_Waitall(others, requests, MPI_STATUSES_IGNORE, error)
    end subroutine talk

    subroutine expect_remote_group(between)
        COMM, intent(in) :: between
        GROUP :: remote, everyone
        integer :: size, seat(1)
        call MPI_Comm_remote_group(between, remote, error)
        call MPI_Comm_group(world, everyone, error)
        call MPI_Group_size(remote, size, error)
        call MPI_Group_translate_ranks(remote, 1, [size - 1], everyone, seat, error)
        call equal(seat(1), merge(ranks - 1, half - 1, is_low), 'the last of the other side')
        call MPI_Group_rank(remote, size, error)
        call equal(size, MPI_UNDEFINED, 'I am not on the other side')
        call MPI_Group_free(remote, error)
        call MPI_Group_free(everyone, error)
    end subroutine expect_remote_group

    ! The upper half first.
    subroutine merged(between)
        COMM, intent(in) :: between
        COMM :: all
        integer :: size, place, sum
        logical :: flag
        call MPI_Intercomm_merge(between, is_low, all, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Intercomm_merge')
        call MPI_Comm_test_inter(all, flag, error)
        call expect(.not. flag, 'it is no intercommunicator any more')
        call MPI_Comm_size(all, size, error)
        call equal(size, ranks, 'all are in it')
        call MPI_Comm_rank(all, place, error)
        call equal(place, merge(rank + ranks - half, rank - half, is_low), 'who is high')
        call MPI_Allreduce(rank, sum, 1, MPI_INTEGER, MPI_SUM, all, error)
        call equal(sum, ranks * (ranks - 1) / 2, 'the sum of all')
        call MPI_Comm_free(all, error)
    end subroutine merged

    ! MPI_Comm_disconnect waits for what is under way.
    subroutine disconnected()
        COMM :: copy
        REQUEST :: operation
        integer, asynchronous :: got
        call MPI_Comm_dup(world, copy, error)
        got = -1
        call MPI_Irecv(got, 1, MPI_INTEGER, modulo(rank - 1, ranks), 0, copy, operation, error)
        call MPI_Send(rank, 1, MPI_INTEGER, modulo(rank + 1, ranks), 0, copy, error)
        call MPI_Wait(operation, MPI_STATUS_IGNORE, error)
        call equal(got, modulo(rank - 1, ranks), 'what came last')
        call MPI_Comm_disconnect(copy, error)
        call expect(copy == MPI_COMM_NULL, 'a communicator that was disconnected')
    end subroutine disconnected

end program intercomms
