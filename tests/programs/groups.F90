! Groups and what is made of them, datatypes by name and by precision, infos, error codes, threads.
! Tests say what handles are: INTEGERs, or types of mpi_f08.

module copying
    use CHECKS
    implicit none
    integer :: copied = 0, deleted = 0
    DATATYPE :: copied_from, deleted_from

contains

    subroutine copy_twice(oldtype, type_keyval, extra_state, attribute_val_in, attribute_val_out, &
        flag, ierror)
        DATATYPE :: oldtype
        integer :: type_keyval, ierror
        integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
        logical :: flag
        call expect(type_keyval /= MPI_KEYVAL_INVALID, 'a copy has a key')
        copied = copied + 1
        copied_from = oldtype
        attribute_val_out = attribute_val_in * extra_state
        flag = attribute_val_in /= 13
        ierror = MPI_SUCCESS
        if (attribute_val_in == 14) ierror = MPI_ERR_OTHER
    end subroutine copy_twice

    subroutine count_deleted(datatype, type_keyval, attribute_val, extra_state, ierror)
        DATATYPE :: datatype
        integer :: type_keyval, ierror
        integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
        call expect(type_keyval /= MPI_KEYVAL_INVALID .and. attribute_val /= 0, 'what is deleted')
        call expect(extra_state == 2_8**40, 'the extra state of what is deleted')
        deleted = deleted + 1
        deleted_from = datatype
        ierror = MPI_SUCCESS
    end subroutine count_deleted

end module copying

program groups
    use CHECKS
    use copying
    implicit none
    COMM, parameter :: world = MPI_COMM_WORLD
    integer :: error
    logical :: flag

    call threads()
    call sets_of_ranks()
    call communicators()
    call names()
    call attributes()
    call precisions()
    call sizes()
    call infos()
    call codes()
    call finish()

contains

    subroutine threads()
        integer :: provided
        call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided, error)
        call expect(provided >= MPI_THREAD_SERIALIZED, 'the thread level')
        call MPI_Is_thread_main(flag, error)
        call expect(flag, 'this is the main thread')
        call MPI_Comm_rank(world, rank, error)
        call MPI_Comm_size(world, ranks, error)
    end subroutine threads

    ! The first half and the second, which share the one in the middle.
    subroutine sets_of_ranks()
        GROUP :: everyone, low, high, made, again
        integer :: middle, size, result, place(1)
        middle = ranks / 2
        call MPI_Comm_group(world, everyone, error)
        call MPI_Group_range_incl(everyone, 1, reshape([0, middle, 1], [3, 1]), low, error)
        call MPI_Group_range_incl(everyone, 1, reshape([ranks - 1, middle, -1], [3, 1]), high, &
            error)
        call MPI_Group_union(low, high, made, error)
        call MPI_Group_compare(made, everyone, result, error)
        call equal(result, merge(MPI_IDENT, MPI_SIMILAR, ranks - middle < 3), 'a union')
        call MPI_Group_translate_ranks(made, 1, [ranks - 1], everyone, place, error)
        call equal(place(1), merge(middle + 1, ranks - 1, ranks > middle + 1), 'its last')
        call MPI_Group_free(made, error)
        call MPI_Group_intersection(low, high, made, error)
        call MPI_Group_size(made, size, error)
        call equal(size, 1, 'the size of an intersection')
        call MPI_Group_translate_ranks(made, 1, [0], everyone, place, error)
        call equal(place(1), middle, 'who is in it')
        call MPI_Group_excl(low, 1, [middle], again, error)
        call MPI_Group_free(made, error)
        call MPI_Group_difference(low, high, made, error)
        call MPI_Group_compare(made, again, result, error)
        call equal(result, MPI_IDENT, 'a difference')
        call MPI_Group_compare(low, high, result, error)
        call equal(result, merge(MPI_IDENT, MPI_UNEQUAL, ranks == 1), 'two groups')
        if (again /= MPI_GROUP_EMPTY) call MPI_Group_free(again, error)
        if (made /= MPI_GROUP_EMPTY) call MPI_Group_free(made, error)
        call MPI_Group_free(low, error)
        call MPI_Group_free(high, error)
        call MPI_Group_free(everyone, error)
    end subroutine sets_of_ranks

    subroutine communicators()
        GROUP :: everyone, odd
        COMM :: made, near
        INFO :: hints
        integer :: size, place, sum, range(3, 1)
        call MPI_Comm_group(world, everyone, error)
        range(:, 1) = [0, ranks - 1, 2]
        call MPI_Group_range_excl(everyone, 1, range, odd, error)
        call MPI_Comm_create(world, odd, made, error)
        call expect((made == MPI_COMM_NULL) .eqv. mod(rank, 2) == 0, 'who is in MPI_Comm_create')
        if (made /= MPI_COMM_NULL) then
            call MPI_Comm_size(made, size, error)
            call equal(size, ranks / 2, 'how many are odd')
            call MPI_Comm_free(made, error)
            call MPI_Comm_create_group(world, odd, 4, made, error)
            call MPI_Comm_rank(made, place, error)
            call equal(place, rank / 2, 'a place among the odd ones')
            call MPI_Allreduce(rank, sum, 1, MPI_INTEGER, MPI_SUM, made, error)
            call equal(sum, size * size, 'the sum of the odd ones')
            call MPI_Comm_free(made, error)
        end if
        call MPI_Info_create(hints, error)
        call MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, -rank, hints, near, error)
        call MPI_Comm_rank(near, place, error)
        call equal(place, ranks - 1 - rank, 'a place in the order of keys')
        call MPI_Comm_dup_with_info(near, hints, made, error)
        call MPI_Comm_compare(near, made, place, error)
        call equal(place, MPI_CONGRUENT, 'a copy with infos')
        call MPI_Info_free(hints, error)
        call MPI_Comm_free(made, error)
        call MPI_Comm_free(near, error)
        call MPI_Comm_get_parent(near, error)
        call expect(near == MPI_COMM_NULL, 'nobody has started this job from within')
        if (ranks > 1) call MPI_Group_free(odd, error)
        call MPI_Group_free(everyone, error)
    end subroutine communicators

    subroutine names()
        DATATYPE :: made
        character(MPI_MAX_OBJECT_NAME) :: name
        integer(MPI_ADDRESS_KIND) :: value
        integer :: length, key
        call MPI_Type_get_name(MPI_COMPLEX, name, length, error)
        call expect(name == 'MPI_COMPLEX' .and. length == 11, 'the name of MPI_COMPLEX')
        call MPI_Type_contiguous(2, MPI_REAL, made, error)
        call MPI_Type_set_name(made, '  a pair  ', error)
        call MPI_Type_get_name(made, name, length, error)
        call expect(name == '  a pair' .and. length == 8, 'a name of our own')
        call MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, key, &
            0_MPI_ADDRESS_KIND, error)
        call MPI_Type_set_attr(made, key, 3_MPI_ADDRESS_KIND, error)
        call MPI_Type_delete_attr(made, key, error)
        call MPI_Type_get_attr(made, key, value, flag, error)
        call expect(.not. flag, 'an attribute that was deleted')
        call MPI_Type_free_keyval(key, error)
        call MPI_Type_free(made, error)
    end subroutine names

    ! Copied with the type, unless the function says no, or fails.
    subroutine attributes()
        DATATYPE :: made, copy
        integer(MPI_ADDRESS_KIND) :: value
        integer :: key
        call MPI_Type_create_keyval(copy_twice, count_deleted, key, 2_MPI_ADDRESS_KIND**40, error)
        call MPI_Type_contiguous(2, MPI_REAL, made, error)
        call MPI_Type_set_attr(made, key, 21_MPI_ADDRESS_KIND, error)
        call MPI_Type_dup(made, copy, error)
        call expect(copied == 1 .and. copied_from == made, 'it was copied from the first')
        call MPI_Type_get_attr(copy, key, value, flag, error)
        call expect(flag .and. value == 21 * 2_8**40, 'what the function made')
        call MPI_Type_set_attr(copy, key, 22_MPI_ADDRESS_KIND, error)
        call expect(deleted == 1 .and. deleted_from == copy, 'what was there goes')
        call MPI_Type_free(copy, error)
        call equal(deleted, 2, 'it goes with the type')
        call MPI_Type_set_attr(made, key, 13_MPI_ADDRESS_KIND, error)
        call MPI_Type_dup(made, copy, error)
        call MPI_Type_get_attr(copy, key, value, flag, error)
        call expect(.not. flag, 'the function said no')
        call MPI_Type_free(copy, error)
        call MPI_Type_set_attr(made, key, 14_MPI_ADDRESS_KIND, error)
        call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, error)
        call MPI_Type_dup(made, copy, error)
        call equal(error, MPI_ERR_OTHER, 'the function failed')
        call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL, error)
        call MPI_Type_delete_attr(made, key, error)
        call equal(deleted, 5, 'how often it was deleted')
        call MPI_Type_free(made, error)
        call MPI_Type_free_keyval(key, error)
        call equal(key, MPI_KEYVAL_INVALID, 'a key that was freed')
    end subroutine attributes

    ! Types by what they can hold.
    subroutine precisions()
        integer, parameter :: long = selected_int_kind(12), wide = selected_real_kind(12, 200)
        DATATYPE :: made, again
        integer(long) :: number, numbers
        real(wide) :: part, parts
        complex(wide) :: both, boths
        integer :: size
        call MPI_Type_create_f90_integer(12, made, error)
        call MPI_Type_create_f90_integer(12, again, error)
        call expect(made == again, 'the same range is the same type')
        number = 10_long**11 + rank
        call MPI_Allreduce(number, numbers, 1, made, MPI_MAX, world, error)
        call expect(numbers == 10_long**11 + ranks - 1, 'the largest of large numbers')
        call MPI_Type_create_f90_real(12, 200, made, error)
        part = 1d200 * (rank + 1)
        call MPI_Allreduce(part, parts, 1, made, MPI_MAX, world, error)
        call expect(parts == 1d200 * ranks, 'the largest of precise numbers')
        call MPI_Type_create_f90_complex(12, 200, made, error)
        both = cmplx(rank, 1, wide)
        call MPI_Allreduce(both, boths, 1, made, MPI_SUM, world, error)
        call expect(nint(aimag(boths)) == ranks, 'the sum of complex numbers')
        call expect(nint(real(boths)) == ranks * (ranks - 1) / 2, 'the sum of complex numbers')
        call MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, made, error)
        call MPI_Type_size(made, size, error)
        call equal(size, 8, 'a real number of eight bytes')
        call MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 2, made, error)
        call MPI_Type_size(made, size, error)
        call equal(size, 2, 'an integer of two bytes')
        call MPI_Type_get_value_index(MPI_DOUBLE_PRECISION, MPI_INTEGER, made, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Type_get_value_index')
        if (made /= MPI_DATATYPE_NULL) then
            call MPI_Type_size(made, size, error)
            call equal(size, 12, 'a value and where it is')
        end if
    end subroutine precisions

    subroutine sizes()
        DATATYPE :: made
        integer(MPI_COUNT_KIND) :: many, lower, extent
        call MPI_Type_vector(3, 1, 2, MPI_REAL, made, error)
        call MPI_Type_size_x(made, many, error)
        call expect(many == 12, 'MPI_Type_size_x')
        call MPI_Type_get_extent_x(made, lower, extent, error)
        call expect(lower == 0 .and. extent == 20, 'MPI_Type_get_extent_x')
        call MPI_Type_free(made, error)
        call MPI_Type_create_resized(MPI_REAL, -8_MPI_ADDRESS_KIND, 16_MPI_ADDRESS_KIND, made, &
            error)
        call MPI_Type_get_true_extent_x(made, lower, extent, error)
        call expect(lower == 0 .and. extent == 4, 'MPI_Type_get_true_extent_x')
        call MPI_Type_free(made, error)
    end subroutine sizes

    subroutine infos()
        INFO :: made
        character(12) :: value
        integer :: length
        call MPI_Info_create_env(made, error)
        call MPI_Info_get(made, 'maxprocs', 12, value, flag, error)
        call expect(flag, 'how many processes there are')
        read (value, *) length
        call equal(length, ranks, 'how many processes there are')
        call MPI_Info_get_valuelen(made, 'maxprocs', length, flag, error)
        call equal(length, len_trim(value), 'the length of a value')
        call MPI_Info_free(made, error)
    end subroutine infos

    subroutine codes()
        character(MPI_MAX_ERROR_STRING) :: words
        integer :: class, code, length, seen
        call MPI_Add_error_class(class, error)
        call MPI_Add_error_code(class, code, error)
        call MPI_Add_error_string(code, 'the tea is cold', error)
        call MPI_Error_class(code, seen, error)
        call equal(seen, class, 'the class of a code')
        call MPI_Error_string(code, words, length, error)
        call expect(words == 'the tea is cold' .and. length == 15, 'its words')
        call MPI_Remove_error_string(code, error)
        call MPI_Remove_error_code(code, error)
        call MPI_Remove_error_class(class, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Remove_error_class')
    end subroutine codes

end program groups
