! One-sided communication through every interface. Tests say what handles are: INTEGERs, or types of
! mpi_f08; and how wide counts are: with -DSMALL, default INTEGERs.

#ifdef SMALL
#define COUNTS integer
#define STEP integer
#else
#define COUNTS integer(MPI_COUNT_KIND)
#define STEP integer(MPI_ADDRESS_KIND)
#endif

module hanging
    use CHECKS
    implicit none
    integer :: deleted = 0, heard = 0

contains

    subroutine on_delete(object, keyval, attribute_val, extra_state, code)
        WIN :: object
        integer :: keyval, code
        integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
        call expect(object /= MPI_WIN_NULL .and. keyval /= MPI_KEYVAL_INVALID, 'whose it was')
        call expect(attribute_val == 77 .and. extra_state == 5, 'what was deleted')
        deleted = deleted + 1
        code = MPI_SUCCESS
    end subroutine on_delete

    subroutine listen(object, code)
        WIN :: object
        integer :: code
        call expect(object /= MPI_WIN_NULL, 'whose error it is')
        heard = code
    end subroutine listen

end module hanging

program rma
    use CHECKS
    use hanging
    use, intrinsic :: iso_c_binding, only: c_ptr, c_null_ptr, c_f_pointer
    implicit none
    integer :: error, next, before
    integer(MPI_ADDRESS_KIND), parameter :: zero = 0, one = 1, two = 2

    call start()
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, error)
    next = modulo(rank + 1, ranks)
    before = modulo(rank - 1, ranks)
    call objects()
    call fences()
    call locked()
    call posted()
    call attached()
    call together()
    call finish()

contains

    subroutine objects()
        WIN :: mine
        GROUP :: all, world
        INFO :: hints
        ERRHANDLER :: handler, seen
        integer, asynchronous :: memory(10)
        integer :: key, length, same
        integer(MPI_ADDRESS_KIND) :: value, at
        logical :: flag
        character(MPI_MAX_OBJECT_NAME) :: name
        character(20) :: text
        STEP :: unit
        unit = 4
        call MPI_Win_create(memory, 40_MPI_ADDRESS_KIND, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &
            mine, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Win_create')
        call MPI_Get_address(memory, at, error)
        call MPI_Win_get_attr(mine, MPI_WIN_BASE, value, flag, error)
        call expect(flag .and. value == at, 'where the window is')
        call MPI_Win_get_attr(mine, MPI_WIN_SIZE, value, flag, error)
        call expect(flag .and. value == 40, 'how long it is')
        call MPI_Win_get_attr(mine, MPI_WIN_DISP_UNIT, value, flag, error)
        call expect(flag .and. value == 4, 'its unit')
        call MPI_Win_get_attr(mine, MPI_WIN_CREATE_FLAVOR, value, flag, error)
        call expect(flag .and. value == MPI_WIN_FLAVOR_CREATE, 'its flavor')
        call MPI_Win_get_attr(mine, MPI_WIN_MODEL, value, flag, error)
        call expect(flag .and. value == MPI_WIN_UNIFIED, 'its model')
        value = 5
        call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, key, value, error)
        call MPI_Win_set_attr(mine, key, 77_MPI_ADDRESS_KIND, error)
        call MPI_Win_get_attr(mine, key, value, flag, error)
        call expect(flag .and. value == 77, 'an attribute')
        call MPI_Win_delete_attr(mine, key, error)
        call equal(deleted, 1, 'how often an attribute was deleted')
        call MPI_Win_free_keyval(key, error)
        call equal(key, MPI_KEYVAL_INVALID, 'a keyval that was freed')
        call MPI_Win_set_name(mine, 'lake', error)
        call MPI_Win_get_name(mine, name, length, error)
        call expect(name == 'lake' .and. length == 4, 'the name')
        call MPI_Win_get_group(mine, all, error)
        call MPI_Comm_group(MPI_COMM_WORLD, world, error)
        call MPI_Group_compare(all, world, same, error)
        call equal(same, MPI_IDENT, 'the group of the window')
        call MPI_Group_free(all, error)
        call MPI_Group_free(world, error)
        call MPI_Win_get_info(mine, hints, error)
        call MPI_Info_set(hints, 'no_locks', 'true', error)
        call MPI_Win_set_info(mine, hints, error)
        call MPI_Info_free(hints, error)
        call MPI_Win_get_info(mine, hints, error)
        length = len(text)
        call MPI_Info_get_string(hints, 'no_locks', length, text, flag, error)
        call expect(flag .and. text == 'true', 'a hint')
        call MPI_Info_free(hints, error)
        call MPI_Win_create_errhandler(listen, handler, error)
        call MPI_Win_set_errhandler(mine, handler, error)
        call MPI_Win_get_errhandler(mine, seen, error)
        call expect(seen == handler, 'the error handler')
        call MPI_Errhandler_free(seen, error)
        call MPI_Errhandler_free(handler, error)
        call MPI_Win_call_errhandler(mine, MPI_ERR_BASE, error)
        call equal(heard, MPI_ERR_BASE, 'what the handler heard')
        call MPI_Win_unlock(0, mine, error)
        call expect(heard == MPI_ERR_RMA_SYNC .and. error == heard, 'an unlock without a lock')
        call MPI_Win_free(mine, error)
        call expect(mine == MPI_WIN_NULL, 'a window that was freed')
    end subroutine objects

    subroutine fences()
        WIN :: mine
        integer, asynchronous, target :: memory(10), own(10)
        COUNTS :: four, one_of
        STEP :: unit
        integer :: i
        unit = 4
        four = 4
        one_of = 1
        memory = 0
        own = [(100 * rank + i, i = 1, 10)]
        call MPI_Win_create(memory, 40_MPI_ADDRESS_KIND, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &
            mine, error)
        call MPI_Win_fence(MPI_MODE_NOPRECEDE, mine, error)
        call MPI_Put(own, four, MPI_INTEGER, next, two, four, MPI_INTEGER, mine, error)
        call MPI_Win_fence(0, mine, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Win_fence')
        call expect(all(memory(3:6) == [(100 * before + i, i = 1, 4)]), 'what was put')
        call MPI_Win_fence(0, mine, error)
        call MPI_Accumulate(own, one_of, MPI_INTEGER, next, two, one_of, MPI_INTEGER, MPI_SUM, &
            mine, error)
        call MPI_Win_fence(0, mine, error)
        call equal(memory(3), 2 * (100 * before + 1), 'what was added')
        own = 0
        call MPI_Get(own, four, MPI_INTEGER, next, two, four, MPI_INTEGER, mine, error)
        call MPI_Win_fence(MPI_MODE_NOSUCCEED, mine, error)
        call equal(own(1), 2 * (100 * rank + 1), 'what was got')
        call equal(own(4), 100 * rank + 4, 'what was got')
        call MPI_Win_free(mine, error)
    end subroutine fences

    subroutine locked()
        WIN :: mine
        REQUEST :: operation
        ADDRESS :: at
        integer, pointer :: memory(:)
        integer, asynchronous, target :: three(1), old(1), compare(1)
        COUNTS :: one_of
        STEP :: unit
        unit = 4
        one_of = 1
        three = 3
        call MPI_Win_allocate(16_MPI_ADDRESS_KIND, unit, MPI_INFO_NULL, MPI_COMM_WORLD, at, mine, &
            error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Win_allocate')
        call c_f_pointer(transfer(at, c_null_ptr), memory, [4])
        memory = rank
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, mine, error)
        call MPI_Fetch_and_op(three, old, MPI_INTEGER, next, zero, MPI_SUM, mine, error)
        call MPI_Win_flush(next, mine, error)
        call equal(old(1), next, 'what was fetched')
        compare = next + 3
        call MPI_Compare_and_swap(three, compare, old, MPI_INTEGER, next, zero, mine, error)
        call MPI_Win_flush_local(next, mine, error)
        call equal(old(1), next + 3, 'what was compared')
        call MPI_Get_accumulate(three, one_of, MPI_INTEGER, old, one_of, MPI_INTEGER, next, one, &
            one_of, MPI_INTEGER, MPI_PROD, mine, error)
        call MPI_Win_unlock(next, mine, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Win_unlock')
        call equal(old(1), next, 'what was multiplied')
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call expect(memory(1) == 3 .and. memory(2) == 3 * rank, 'what others have done')
        call MPI_Win_lock_all(0, mine, error)
        call MPI_Rput(three, one_of, MPI_INTEGER, next, two, one_of, MPI_INTEGER, mine, &
            operation, error)
        call MPI_Wait(operation, MPI_STATUS_IGNORE, error)
        call MPI_Raccumulate(three, one_of, MPI_INTEGER, next, two, one_of, MPI_INTEGER, MPI_SUM, &
            mine, operation, error)
        call MPI_Wait(operation, MPI_STATUS_IGNORE, error)
        call MPI_Rget_accumulate(three, one_of, MPI_INTEGER, old, one_of, MPI_INTEGER, next, two, &
            one_of, MPI_INTEGER, MPI_SUM, mine, operation, error)
        call MPI_Wait(operation, MPI_STATUS_IGNORE, error)
        call equal(old(1), 6, 'what was fetched by request')
        call MPI_Rget(old, one_of, MPI_INTEGER, next, two, one_of, MPI_INTEGER, mine, operation, &
            error)
        call MPI_Wait(operation, MPI_STATUS_IGNORE, error)
        call equal(old(1), 9, 'what was got by request')
        call MPI_Win_flush_all(mine, error)
        call MPI_Win_flush_local_all(mine, error)
        call MPI_Win_sync(mine, error)
        call MPI_Win_unlock_all(mine, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Win_unlock_all')
        call MPI_Win_free(mine, error)
    end subroutine locked

    subroutine posted()
        WIN :: mine
        GROUP :: world, left, right
        integer, asynchronous, target :: memory(2), own(1)
        integer :: round
        logical :: flag
        COUNTS :: one_of
        STEP :: unit
        unit = 4
        one_of = 1
        memory = -1
        call MPI_Win_create(memory, 8_MPI_ADDRESS_KIND, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &
            mine, error)
        call MPI_Comm_group(MPI_COMM_WORLD, world, error)
        call MPI_Group_incl(world, 1, [before], left, error)
        call MPI_Group_incl(world, 1, [next], right, error)
        do round = 1, 2
            own = 10 * round + rank
            call MPI_Win_post(left, 0, mine, error)
            call MPI_Win_start(right, 0, mine, error)
            call MPI_Put(own, one_of, MPI_INTEGER, next, one, one_of, MPI_INTEGER, mine, error)
            call MPI_Win_complete(mine, error)
            flag = round == 1
            if (flag) call MPI_Win_wait(mine, error)
            do while (.not. flag)
                call MPI_Win_test(mine, flag, error)
            end do
            call equal(error, MPI_SUCCESS, 'ierror of MPI_Win_wait')
            call equal(memory(2), 10 * round + before, 'what was put after a post')
        end do
        call MPI_Group_free(left, error)
        call MPI_Group_free(right, error)
        call MPI_Group_free(world, error)
        call MPI_Win_free(mine, error)
    end subroutine posted

    subroutine attached()
        WIN :: mine
        integer, asynchronous, target :: memory(4), got(1)
        integer(MPI_ADDRESS_KIND) :: own, theirs
        COUNTS :: one_of
        one_of = 1
        memory = 7 * rank
        call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, mine, error)
        call MPI_Win_attach(mine, memory, 16_MPI_ADDRESS_KIND, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Win_attach')
        call MPI_Get_address(memory(3), own, error)
        call MPI_Sendrecv(own, 1, MPI_AINT, before, 0, theirs, 1, MPI_AINT, next, 0, &
            MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        call MPI_Win_lock(MPI_LOCK_SHARED, next, 0, mine, error)
        call MPI_Get(got, one_of, MPI_INTEGER, next, theirs, one_of, MPI_INTEGER, mine, error)
        call MPI_Win_unlock(next, mine, error)
        call equal(got(1), 7 * next, 'what was attached')
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call MPI_Win_detach(mine, memory, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Win_detach')
        call MPI_Win_free(mine, error)
    end subroutine attached

    subroutine together()
        WIN :: mine
        ADDRESS :: at, there
        integer, pointer :: memory(:), theirs(:)
        integer(MPI_ADDRESS_KIND) :: size
        STEP :: unit
        unit = 4
        call MPI_Win_allocate_shared(8_MPI_ADDRESS_KIND, unit, MPI_INFO_NULL, MPI_COMM_WORLD, at, &
            mine, error)
        call c_f_pointer(transfer(at, c_null_ptr), memory, [2])
        memory = [rank, rank + 50]
        call MPI_Win_fence(0, mine, error)
        unit = 0
        call MPI_Win_shared_query(mine, next, size, unit, there, error)
        call expect(size == 8 .and. unit == 4, 'the memory of another')
        call c_f_pointer(transfer(there, c_null_ptr), theirs, [2])
        call expect(all(theirs == [next, next + 50]), 'what is in it')
        call MPI_Win_fence(0, mine, error)
        call MPI_Win_free(mine, error)
    end subroutine together

end program rma
