! Communicators, groups, attributes, error handlers, operations, datatypes, infos and texts through
! mpi_f08: what has callbacks, LOGICALs, CHARACTERs and handles of every type.

module functions08
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    implicit none
    integer :: copied = 0, deleted = 0, heard = 0
    type(MPI_Comm) :: told

contains

    subroutine copy_twice(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, &
        flag, ierror)
        type(MPI_Comm) :: oldcomm
        integer :: comm_keyval, ierror
        integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
        logical :: flag
        if (oldcomm /= MPI_COMM_WORLD .or. comm_keyval == MPI_KEYVAL_INVALID) error stop 11
        copied = copied + 1
        attribute_val_out = attribute_val_in * extra_state
        flag = .true.
        ierror = MPI_SUCCESS
    end subroutine copy_twice

    subroutine count_deleted(comm, comm_keyval, attribute_val, extra_state, ierror)
        type(MPI_Comm) :: comm
        integer :: comm_keyval, ierror
        integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
        if (comm == MPI_COMM_NULL .or. comm_keyval == 0) error stop 12
        if (attribute_val == 0 .or. extra_state /= 2) error stop 13
        deleted = deleted + 1
        ierror = MPI_SUCCESS
    end subroutine count_deleted

    subroutine hear(comm, error_code)
        type(MPI_Comm) :: comm
        integer :: error_code
        told = comm
        heard = error_code
    end subroutine hear

    ! Keeps the left operand's first and the right one's last: it does not commute.
    subroutine join(invec, inoutvec, len, datatype)
        type(c_ptr), value :: invec, inoutvec
        integer :: len
        type(MPI_Datatype) :: datatype
        integer, pointer :: left(:), right(:)
        if (datatype /= MPI_2INTEGER) error stop 14
        call c_f_pointer(invec, left, [2 * len])
        call c_f_pointer(inoutvec, right, [2 * len])
        right(1::2) = left(1::2)
    end subroutine join

    subroutine add(invec, inoutvec, len, datatype)
        type(c_ptr), value :: invec, inoutvec
        integer(MPI_COUNT_KIND) :: len
        type(MPI_Datatype) :: datatype
        integer, pointer :: left(:), right(:)
        if (datatype /= MPI_INTEGER) error stop 15
        call c_f_pointer(invec, left, [len])
        call c_f_pointer(inoutvec, right, [len])
        right = left + right
    end subroutine add

end module functions08

program f08_objects
    use checks08
    use functions08
    implicit none

    call start()
    call communicators()
    call attributes()
    call handlers()
    call operations()
    call datatypes()
    call infos()
    call environment()
    call memory()
    call finish()

contains

    subroutine communicators()
        type(MPI_Comm) :: half, copy
        type(MPI_Group) :: world, some, none
        integer :: size, place, result, length, others(1)
        character(MPI_MAX_OBJECT_NAME) :: name
        logical :: flag
        call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), rank, half)
        call MPI_Comm_size(half, size)
        call equal(size, (ranks + 1 - modulo(rank, 2)) / 2, 'half of them')
        call MPI_Comm_dup(half, copy)
        call MPI_Comm_compare(half, copy, result)
        call equal(result, MPI_CONGRUENT, 'a copy')
        call MPI_Comm_set_name(copy, '  a half ')
        call MPI_Comm_get_name(copy, name, length)
        call expect(name == '  a half' .and. length == 8, 'its name')
        call MPI_Comm_get_name(MPI_COMM_NULL, name, length)
        call expect(name == 'MPI_COMM_NULL' .and. length == 13, 'the name of none')
        call MPI_Win_get_name(MPI_WIN_NULL, name, length)
        call expect(name == 'MPI_WIN_NULL' .and. length == 12, 'the name of no window')
        call MPI_Comm_test_inter(copy, flag)
        call expect(.not. flag, 'it is no intercommunicator')
        call MPI_Comm_free(copy)
        call MPI_Comm_free(half)
        call expect(half == MPI_COMM_NULL .and. .not. half /= copy, 'both are gone')
        call MPI_Comm_group(MPI_COMM_WORLD, world)
        call MPI_Group_incl(world, 1, [ranks - 1], some)
        call MPI_Group_translate_ranks(some, 1, [0], world, others)
        call equal(others(1), ranks - 1, 'a rank in the other group')
        call MPI_Group_range_excl(world, 1, reshape([0, ranks - 1, 1], [3, 1]), none)
        call MPI_Group_size(none, size)
        call equal(size, 0, 'nobody')
        call MPI_Group_rank(some, place)
        call expect((place == 0) .eqv. (rank == ranks - 1), 'a rank in a group')
        call MPI_Group_free(some)
        call MPI_Group_free(world)
    end subroutine communicators

    subroutine attributes()
        integer :: key, copies
        integer(MPI_ADDRESS_KIND) :: value
        type(MPI_Comm) :: comm
        logical :: flag
        call MPI_Comm_create_keyval(copy_twice, count_deleted, key, 2_MPI_ADDRESS_KIND)
        call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 2_MPI_ADDRESS_KIND**40)
        call MPI_Comm_dup(MPI_COMM_WORLD, comm)
        call MPI_Comm_get_attr(comm, key, value, flag)
        call expect(flag .and. value == 2_MPI_ADDRESS_KIND**41, 'what was copied')
        call MPI_Comm_free(comm)
        call MPI_Comm_delete_attr(MPI_COMM_WORLD, key)
        call expect(copied == 1 .and. deleted == 2, 'how often the functions were called')
        call MPI_Comm_free_keyval(key)
        call equal(key, MPI_KEYVAL_INVALID, 'a key that was freed')
        call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag)
        call expect(flag .and. value >= 32767, 'MPI_TAG_UB')
        call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, copies, &
            0_MPI_ADDRESS_KIND)
        call MPI_Comm_set_attr(MPI_COMM_SELF, copies, 7_MPI_ADDRESS_KIND)
        call MPI_Comm_dup(MPI_COMM_SELF, comm)
        call MPI_Comm_get_attr(comm, copies, value, flag)
        call expect(flag .and. value == 7, 'what MPI_COMM_DUP_FN made')
        call MPI_Comm_free(comm)
        call MPI_Comm_free_keyval(copies)
        call MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, key, &
            0_MPI_ADDRESS_KIND)
        call MPI_Type_set_attr(MPI_REAL, key, 9_MPI_ADDRESS_KIND)
        call MPI_Type_get_attr(MPI_REAL, key, value, flag)
        call expect(flag .and. value == 9, 'an attribute of a type')
        call MPI_Type_free_keyval(key)
    end subroutine attributes

    subroutine handlers()
        type(MPI_Errhandler) :: mine, before
        integer :: error, length
        character(MPI_MAX_ERROR_STRING) :: words
        call MPI_Comm_create_errhandler(hear, mine)
        call MPI_Comm_get_errhandler(MPI_COMM_SELF, before)
        call MPI_Comm_set_errhandler(MPI_COMM_SELF, mine)
        call MPI_Send(rank, 1, MPI_INTEGER, 5, 0, MPI_COMM_SELF, ierror=error)
        call equal(heard, MPI_ERR_RANK, 'what the handler was told')
        call equal(error, MPI_ERR_RANK, 'and the caller')
        call expect(told == MPI_COMM_SELF, 'of which communicator')
        call MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER)
        call equal(heard, MPI_ERR_OTHER, 'what the handler was told by me')
        call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
        call MPI_Errhandler_free(mine)
        call expect(mine == MPI_ERRHANDLER_NULL, 'a handler that was freed')
        call MPI_Send(rank, -1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, error)
        call equal(error, MPI_ERR_COUNT, 'an error that returns')
        call MPI_Error_string(error, words, length)
        call expect(length > 0 .and. words(length:length) /= ' ', 'its words')
        call MPI_Comm_set_errhandler(MPI_COMM_SELF, before)
    end subroutine handlers

    subroutine operations()
        type(MPI_Op) :: op
        integer :: pair(2), pairs(2), sum
        logical :: flag
        call MPI_Op_create(join, .false., op)
        call MPI_Op_commutative(op, flag)
        call expect(.not. flag, 'it does not commute')
        pair = rank
        call MPI_Allreduce(pair, pairs, 1, MPI_2INTEGER, op, MPI_COMM_WORLD)
        call expect(all(pairs == [0, ranks - 1]), 'the first and the last')
        call MPI_Op_free(op)
        call expect(op == MPI_OP_NULL, 'an operation that was freed')
        call MPI_Op_create_c(add, .true., op)
        call MPI_Allreduce(rank, sum, 1_MPI_COUNT_KIND, MPI_INTEGER, op, MPI_COMM_WORLD)
        call equal(sum, ranks * (ranks - 1) / 2, 'a sum by a function with large counts')
        call MPI_Op_free(op)
        call MPI_Allreduce(rank == 0, flag, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD)
        call expect(flag, 'one of them is the first')
    end subroutine operations

    subroutine datatypes()
        type(MPI_Datatype) :: row, copy
        integer(MPI_ADDRESS_KIND) :: lb, extent
        integer(MPI_COUNT_KIND) :: large
        integer :: size, numbers(3), combiner
        call MPI_Type_contiguous(3, MPI_REAL8, row)
        call MPI_Type_commit(row)
        call MPI_Type_dup(row, copy)
        call MPI_Type_size(copy, size)
        call equal(size, 24, 'the size of three')
        call MPI_Type_size(copy, large)
        call expect(large == 24, 'the same as a large count')
        call MPI_Type_get_extent(copy, lb, extent)
        call expect(lb == 0 .and. extent == 24, 'its extent')
        call MPI_Type_get_envelope(row, numbers(1), numbers(2), numbers(3), combiner)
        call equal(combiner, MPI_COMBINER_CONTIGUOUS, 'how it was made')
        call MPI_Type_free(row)
        call MPI_Type_free(copy)
        call expect(row == copy .and. row == MPI_DATATYPE_NULL, 'types that were freed')
    end subroutine datatypes

    subroutine infos()
        type(MPI_Info) :: info, copy
        character(8) :: short
        character(MPI_MAX_INFO_KEY) :: key
        integer :: keys, length
        logical :: flag
        call MPI_Info_create(info)
        call MPI_Info_set(info, ' color ', ' deep blue ')
        call MPI_Info_get_nkeys(info, keys)
        call equal(keys, 1, 'keys')
        call MPI_Info_get_nthkey(info, 0, key)
        call expect(key == 'color', 'the key')
        length = len(short)
        call MPI_Info_get_string(info, 'color', length, short, flag)
        call expect(flag .and. length == 9 .and. short == 'deep blu', 'a value that is cut')
        call MPI_Info_dup(info, copy)
        call MPI_Info_delete(copy, 'color')
        length = 0
        call MPI_Info_get_string(copy, 'color', length, short, flag)
        call expect(.not. flag, 'no value')
        call MPI_Info_free(info)
        call MPI_Info_free(copy)
        call expect(info == MPI_INFO_NULL, 'an info that was freed')
    end subroutine infos

    subroutine environment()
        character(MPI_MAX_PROCESSOR_NAME) :: name
        character(MPI_MAX_LIBRARY_VERSION_STRING) :: words
        integer :: length, version, subversion, level
        logical :: flag
        call MPI_Get_processor_name(name, length)
        call expect(length > 0 .and. name(length + 1:) == ' ', 'a name')
        call MPI_Get_library_version(words, length)
        call expect(index(words(:length), 'ftmpi') > 0, 'the name of the library')
        call MPI_Get_version(version, subversion)
        call expect(version == MPI_VERSION .and. subversion == MPI_SUBVERSION, 'the version')
        call MPI_Initialized(flag)
        call expect(flag, 'it is initialized')
        call MPI_Finalized(flag)
        call expect(.not. flag, 'it is not finalized')
        call MPI_Query_thread(level)
        call expect(level >= MPI_THREAD_SINGLE, 'a level')
        call expect(MPI_Wtime() > 0d0 .and. MPI_Wtick() < 1d-3, 'the clock')
        call expect(MPI_ASYNC_PROTECTS_NONBLOCKING, 'what this module can do')
    end subroutine environment

    subroutine memory()
        use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
        type(c_ptr) :: base
        real(8), pointer :: room(:)
        integer(MPI_ADDRESS_KIND) :: first, second
        call MPI_Alloc_mem(800_MPI_ADDRESS_KIND, MPI_INFO_NULL, base)
        call c_f_pointer(base, room, [100])
        room = 1d0
        call MPI_Get_address(room(1), first)
        call MPI_Get_address(room(2), second)
        call expect(MPI_Aint_diff(second, first) == 8, 'addresses')
        call expect(MPI_Aint_add(first, 8_MPI_ADDRESS_KIND) == second, 'their sum')
        call MPI_Free_mem(room)
    end subroutine memory

end program f08_objects
