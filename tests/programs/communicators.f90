! Groups, communicators and their attributes.

module keys
    implicit none
    integer :: copied = 0, deleted = 0
end module keys

subroutine copy_twice(comm, keyval, extra_state, old, new, flag, error)
    use checks
    use keys
    implicit none
    integer :: comm, keyval, error
    integer(MPI_ADDRESS_KIND) :: extra_state, old, new
    logical :: flag
    call expect(comm == MPI_COMM_WORLD, 'the communicator that a copy function is told')
    call expect(keyval /= MPI_KEYVAL_INVALID, 'the key that a copy function is told')
    call expect(extra_state == 2_8**40, 'the extra state, all of it')
    copied = copied + 1
    new = 2 * old
    flag = .true.
    error = MPI_SUCCESS
end subroutine copy_twice

subroutine count_deleted(comm, keyval, value, extra_state, error)
    use checks
    use keys
    implicit none
    integer :: comm, keyval, error
    integer(MPI_ADDRESS_KIND) :: value, extra_state
    call expect(comm /= MPI_COMM_NULL .and. keyval /= 0, 'what a delete function is told')
    call expect(value /= 0 .and. extra_state == 2_8**40, 'the value and the extra state')
    deleted = deleted + 1
    error = MPI_SUCCESS
end subroutine count_deleted

subroutine old_copy(comm, keyval, extra_state, old, new, flag, error)
    implicit none
    integer :: comm, keyval, extra_state, old, new, error
    logical :: flag
    new = old + extra_state
    flag = comm /= 0 .and. keyval /= 0
    error = 0
end subroutine old_copy

program communicators
    use checks
    use keys
    implicit none
    integer :: error
    integer, parameter :: world = MPI_COMM_WORLD
    external :: copy_twice, count_deleted, old_copy

    call start()
    call groups()
    call made()
    call attributes()
    call predefined()
    call old_attributes()
    call finish()

contains

    subroutine groups()
        integer :: all, some, other, size, place, result, list(ranks), triplet(3, 1), there(ranks)
        integer :: i
        call MPI_Comm_group(world, all, error)
        call MPI_Group_size(all, size, error)
        call equal(size, ranks, 'the size of everybody')
        call MPI_Group_rank(all, place, error)
        call equal(place, rank, 'the rank in everybody')
        list = [(ranks - i, i=1, ranks)]
        call MPI_Group_incl(all, ranks, list, some, error)
        call MPI_Group_rank(some, place, error)
        call equal(place, ranks - 1 - rank, 'the rank in the reverse order')
        call MPI_Group_translate_ranks(some, ranks, list, all, there, error)
        call expect(all_equal(there, [(i - 1, i=1, ranks)]), 'ranks of one group in the other')
        call MPI_Group_compare(all, some, result, error)
        call equal(result, merge(MPI_IDENT, MPI_SIMILAR, ranks == 1), 'how they compare')
        call MPI_Group_excl(all, 1, [0], other, error)
        call MPI_Group_size(other, size, error)
        call equal(size, ranks - 1, 'everybody but the first')
        call MPI_Group_union(other, all, other, error)
        call MPI_Group_size(other, size, error)
        call equal(size, ranks, 'the union')
        call MPI_Group_difference(all, other, other, error)
        call equal(other, MPI_GROUP_EMPTY, 'no difference')
        triplet(:, 1) = [0, ranks - 1, 2]
        call MPI_Group_range_incl(all, 1, triplet, other, error)
        call MPI_Group_size(other, size, error)
        call equal(size, (ranks + 1) / 2, 'every second')
        call MPI_Group_intersection(other, some, other, error)
        call MPI_Group_size(other, size, error)
        call equal(size, (ranks + 1) / 2, 'the intersection')
        call MPI_Group_range_excl(all, 1, triplet, other, error)
        call MPI_Group_size(other, size, error)
        call equal(size, ranks / 2, 'the others')
        call MPI_Group_free(all, error)
        call equal(all, MPI_GROUP_NULL, 'a freed group')
        call MPI_Group_free(some, error)
    end subroutine groups

    logical function all_equal(found, wanted)
        integer, intent(in) :: found(:), wanted(:)
        all_equal = all(found == wanted)
    end function all_equal

    subroutine made()
        integer :: comm, group, place, size, result, shared
        logical :: flag
        call MPI_Comm_dup(world, comm, error)
        call MPI_Comm_compare(world, comm, result, error)
        call equal(result, MPI_CONGRUENT, 'a duplicate')
        call MPI_Comm_free(comm, error)
        call equal(comm, MPI_COMM_NULL, 'a freed communicator')
        call MPI_Comm_dup_with_info(world, MPI_INFO_NULL, comm, error)
        call MPI_Comm_test_inter(comm, flag, error)
        call expect(.not. flag, 'a duplicate is no intercommunicator')
        call MPI_Comm_free(comm, error)

        call MPI_Comm_split(world, modulo(rank, 2), -rank, comm, error)
        call MPI_Comm_size(comm, size, error)
        call equal(size, merge(ranks / 2, (ranks + 1) / 2, modulo(rank, 2) == 1), 'half of them')
        call MPI_Comm_rank(comm, place, error)
        call equal(place, size - 1 - rank / 2, 'in the reverse order')
        call MPI_Comm_free(comm, error)
        call MPI_Comm_split(world, merge(MPI_UNDEFINED, 1, rank == 0), 0, comm, error)
        call expect((comm == MPI_COMM_NULL) .eqv. (rank == 0), 'MPI_UNDEFINED is no color')
        if (comm /= MPI_COMM_NULL) call MPI_Comm_free(comm, error)

        call MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, shared, error)
        call MPI_Comm_size(shared, size, error)
        call equal(size, ranks, 'all ranks share memory')
        call MPI_Comm_group(shared, group, error)
        call MPI_Comm_create(world, group, comm, error)
        call MPI_Comm_compare(comm, shared, result, error)
        call equal(result, MPI_CONGRUENT, 'a communicator of a group')
        call MPI_Comm_free(comm, error)
        call MPI_Comm_create_group(world, group, 3, comm, error)
        call MPI_Comm_size(comm, size, error)
        call equal(size, ranks, 'a communicator made by its members')
        call MPI_Comm_free(comm, error)
        call MPI_Comm_free(shared, error)
        call MPI_Group_free(group, error)
        call MPI_Comm_get_parent(comm, error)
        call equal(comm, MPI_COMM_NULL, 'the parent of a job')
    end subroutine made

    subroutine attributes()
        integer(MPI_ADDRESS_KIND) :: value, extra
        integer :: key, plain, none, comm, datatype, copy
        logical :: flag
        extra = 2_8**40
        call MPI_Comm_create_keyval(copy_twice, count_deleted, key, extra, error)
        call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, plain, extra, error)
        call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, none, extra, &
            error)
        value = 2_8**35 + rank
        call MPI_Comm_set_attr(world, key, value, error)
        call MPI_Comm_set_attr(world, plain, value, error)
        call MPI_Comm_set_attr(world, none, value, error)
        value = -1
        call MPI_Comm_get_attr(world, key, value, flag, error)
        call expect(flag .and. value == 2_8**35 + rank, 'an attribute as it was set')
        call MPI_Comm_dup(world, comm, error)
        call equal(copied, 1, 'how often it was copied')
        call MPI_Comm_get_attr(comm, key, value, flag, error)
        call expect(flag .and. value == 2 * (2_8**35 + rank), 'what the copy function made')
        call MPI_Comm_get_attr(comm, plain, value, flag, error)
        call expect(flag .and. value == 2_8**35 + rank, 'what MPI_COMM_DUP_FN made')
        flag = .true.
        call MPI_Comm_get_attr(comm, none, value, flag, error)
        call expect(.not. flag, 'MPI_COMM_NULL_COPY_FN copies nothing')
        call MPI_Comm_free(comm, error)
        call equal(deleted, 1, 'how often it was deleted')
        call MPI_Comm_delete_attr(world, key, error)
        call equal(deleted, 2, 'how often it was deleted')
        call MPI_Comm_delete_attr(world, plain, error)
        call MPI_Comm_delete_attr(world, none, error)
        call MPI_Comm_free_keyval(key, error)
        call equal(key, MPI_KEYVAL_INVALID, 'a freed key')

        call MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, key, extra, error)
        call MPI_Type_contiguous(2, MPI_INTEGER, datatype, error)
        call MPI_Type_set_attr(datatype, key, 5_MPI_ADDRESS_KIND, error)
        call MPI_Type_dup(datatype, copy, error)
        call MPI_Type_get_attr(copy, key, value, flag, error)
        call expect(flag .and. value == 5, 'an attribute of a datatype')
        call MPI_Type_delete_attr(copy, key, error)
        call MPI_Type_free(copy, error)
        call MPI_Type_free(datatype, error)
        call MPI_Type_free_keyval(key, error)
    end subroutine attributes

    ! In Fortran these are values, not pointers to them.
    subroutine predefined()
        integer(MPI_ADDRESS_KIND) :: value
        logical :: flag
        call MPI_Comm_get_attr(world, MPI_TAG_UB, value, flag, error)
        call expect(flag .and. value >= 32767 .and. value <= huge(1), 'MPI_TAG_UB')
        call MPI_Comm_get_attr(world, MPI_UNIVERSE_SIZE, value, flag, error)
        call expect(flag .and. value >= ranks, 'MPI_UNIVERSE_SIZE')
        call MPI_Comm_get_attr(world, MPI_WTIME_IS_GLOBAL, value, flag, error)
        call expect(flag .and. value == 1, 'MPI_WTIME_IS_GLOBAL')
    end subroutine predefined

    ! MPI-1: attributes are INTEGERs.
    subroutine old_attributes()
        integer :: key, again, value(2), comm
        logical :: flag
        call MPI_Keyval_create(old_copy, MPI_NULL_DELETE_FN, key, 100, error)
        call MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, again, 0, error)
        call MPI_Attr_put(world, key, -5, error)
        call MPI_Attr_put(world, again, 6, error)
        value = 77
        call MPI_Attr_get(world, key, value(1), flag, error)
        call expect(flag .and. value(1) == -5 .and. value(2) == 77, 'an attribute of four bytes')
        call MPI_Comm_dup(world, comm, error)
        call MPI_Attr_get(comm, key, value(1), flag, error)
        call expect(flag .and. value(1) == 95, 'what the old copy function made')
        call MPI_Attr_get(comm, again, value(1), flag, error)
        call expect(flag .and. value(1) == 6 .and. value(2) == 77, 'what MPI_DUP_FN made')
        call MPI_Comm_free(comm, error)
        call MPI_Attr_get(world, MPI_TAG_UB, value(1), flag, error)
        call expect(flag .and. value(1) >= 32767, 'MPI_TAG_UB by its old name')
        call MPI_Attr_delete(world, key, error)
        call MPI_Attr_delete(world, again, error)
        call MPI_Keyval_free(key, error)
        call equal(key, MPI_KEYVAL_INVALID, 'a freed key')
    end subroutine old_attributes

end program communicators
