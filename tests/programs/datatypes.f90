! Datatypes that programs make, from Fortran: every constructor, what types tell, packing.

program datatypes
    use checks
    implicit none
    integer :: error, t, u
    integer, parameter :: world = MPI_COMM_WORLD, wide = MPI_ADDRESS_KIND
    integer :: ground(-100:100)

    call start()
    call constructors()
    call arrays()
    call precisions()
    call told()
    call packing()
    call external_data()
    call travel()
    call counted()
    call old_names()
    call finish()

contains

    ! One item of `t` holds just these elements of `ground`; and then the type goes.
    subroutine maps(lower, extent, wanted, what)
        integer, intent(in) :: lower, extent, wanted(:)
        character(*), intent(in) :: what
        integer :: packed(100), position, bytes, i
        integer(wide) :: seen_lower, seen_extent
        ground = [(i, i = -100, 100)]
        call MPI_Type_commit(t, error)
        call MPI_Type_size(t, bytes, error)
        call equal(bytes, 4 * size(wanted), what // ': size')
        call MPI_Type_get_extent(t, seen_lower, seen_extent, error)
        call equal(int(seen_lower), lower, what // ': lower bound')
        call equal(int(seen_extent), extent, what // ': extent')
        call MPI_Type_get_true_extent(t, seen_lower, seen_extent, error)
        call equal(int(seen_lower), 4 * minval(wanted), what // ': true lower bound')
        position = 0
        call MPI_Pack(ground(0), 1, t, packed, 400, position, world, error)
        call equal(error, MPI_SUCCESS, what // ': ierror of MPI_Pack')
        call equal(position, 4 * size(wanted), what // ': position')
        call expect(all(packed(:size(wanted)) == wanted), what // ': its elements')
        call MPI_Type_free(t, error)
        call equal(t, MPI_DATATYPE_NULL, what // ': handle after MPI_Type_free')
    end subroutine maps

    subroutine constructors()
        integer(wide) :: bytes(2)
        call MPI_Type_vector(3, 2, 4, MPI_INTEGER, t, error)
        call maps(0, 40, [0, 1, 4, 5, 8, 9], 'MPI_Type_vector')
        call MPI_Type_create_hvector(2, 1, -12_wide, MPI_INTEGER, t, error)
        call maps(-12, 16, [0, -3], 'MPI_Type_create_hvector')
        call MPI_Type_indexed(2, [2, 1], [5, -1], MPI_INTEGER, t, error)
        call maps(-4, 32, [5, 6, -1], 'MPI_Type_indexed')
        bytes = [8, -8]
        call MPI_Type_create_hindexed(2, [1, 2], bytes, MPI_INTEGER, t, error)
        call maps(-8, 20, [2, -2, -1], 'MPI_Type_create_hindexed')
        call MPI_Type_create_indexed_block(2, 2, [4, 0], MPI_INTEGER, t, error)
        call maps(0, 24, [4, 5, 0, 1], 'MPI_Type_create_indexed_block')
        call MPI_Type_create_hindexed_block(2, 1, bytes, MPI_INTEGER, t, error)
        call maps(-8, 20, [2, -2], 'MPI_Type_create_hindexed_block')
        call MPI_Type_vector(2, 1, 2, MPI_INTEGER, u, error)
        call MPI_Type_create_struct(2, [1, 2], bytes, [u, MPI_REAL], t, error)
        call maps(-8, 28, [2, 4, -2, -1], 'MPI_Type_create_struct')
        call MPI_Type_create_resized(u, -4_wide, 20_wide, t, error)
        call maps(-4, 20, [0, 2], 'MPI_Type_create_resized')
        call MPI_Type_dup(u, t, error)
        call maps(0, 12, [0, 2], 'MPI_Type_dup')
        call MPI_Type_contiguous(2, u, t, error)
        call maps(0, 24, [0, 2, 3, 5], 'MPI_Type_contiguous')
        call MPI_Type_free(u, error)
    end subroutine constructors

    subroutine arrays()
        call MPI_Type_create_subarray(2, [4, 5], [2, 3], [1, 2], MPI_ORDER_FORTRAN, MPI_INTEGER, &
            t, error)
        call maps(0, 80, [9, 10, 13, 14, 17, 18], 'MPI_Type_create_subarray')
        call MPI_Type_create_darray(6, 4, 2, [4, 5], &
            [MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK], &
            [MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG], [2, 3], MPI_ORDER_FORTRAN, &
            MPI_INTEGER, t, error)
        call maps(0, 80, [9, 11, 13, 15], 'MPI_Type_create_darray')
    end subroutine arrays

    ! The types of kinds are as long as variables of these kinds.
    subroutine precisions()
        integer, parameter :: long = selected_real_kind(12, 200), longer = selected_real_kind(18)
        integer, parameter :: short = selected_int_kind(3), huge_one = selected_int_kind(15)
        real(long) :: x
        real(longer) :: y
        integer(short) :: i
        integer(huge_one) :: j
        integer :: bytes, again
        call MPI_Type_create_f90_real(12, 200, t, error)
        call MPI_Type_create_f90_real(12, 200, again, error)
        call equal(again, t, 'the type of the same kind')
        call MPI_Type_size(t, bytes, error)
        call equal(bytes, storage_size(x) / 8, 'MPI_Type_create_f90_real(12, 200)')
        call MPI_Type_create_f90_real(18, MPI_UNDEFINED, t, error)
        call MPI_Type_size(t, bytes, error)
        call equal(bytes, storage_size(y) / 8, 'MPI_Type_create_f90_real(18)')
        call MPI_Type_create_f90_complex(12, 200, t, error)
        call MPI_Type_size(t, bytes, error)
        call equal(bytes, 2 * storage_size(x) / 8, 'MPI_Type_create_f90_complex')
        call MPI_Type_create_f90_integer(3, t, error)
        call MPI_Type_size(t, bytes, error)
        call equal(bytes, storage_size(i) / 8, 'MPI_Type_create_f90_integer(3)')
        call MPI_Type_create_f90_integer(15, t, error)
        call MPI_Type_size(t, bytes, error)
        call equal(bytes, storage_size(j) / 8, 'MPI_Type_create_f90_integer(15)')
        j = 2_huge_one ** 40 + rank
        call MPI_Allreduce(MPI_IN_PLACE, j, 1, t, MPI_MAX, world, error)
        call expect(j == 2_huge_one ** 40 + ranks - 1, 'an operation on a type of a kind')
        call MPI_Type_match_size(MPI_TYPECLASS_REAL, storage_size(x) / 8, t, error)
        call equal(t, MPI_REAL8, 'MPI_Type_match_size')
        call MPI_Type_get_value_index(MPI_REAL, MPI_REAL, t, error)
        call equal(t, MPI_2REAL, 'MPI_Type_get_value_index')
        call MPI_Type_get_value_index(MPI_CHARACTER, MPI_REAL, t, error)
        call equal(t, MPI_DATATYPE_NULL, 'the pair of a character and a real')
    end subroutine precisions

    subroutine told()
        integer :: counts(3), combiner, integers(10), types(3)
        integer(wide) :: addresses(3)
        call MPI_Type_create_struct(2, [1, 2], [0_wide, 40_wide], [MPI_INTEGER, MPI_REAL], t, error)
        call MPI_Type_get_envelope(t, counts(1), counts(2), counts(3), combiner, error)
        call equal(combiner, MPI_COMBINER_STRUCT, 'the combiner')
        call expect(all(counts == [3, 2, 2]), 'how many of what a struct was made of')
        call MPI_Type_get_contents(t, 3, 2, 2, integers, addresses, types, error)
        call expect(all(integers(:3) == [2, 1, 2]), 'its integers')
        call expect(all(addresses(:2) == [0, 40]), 'its addresses')
        call expect(all(types(:2) == [MPI_INTEGER, MPI_REAL]), 'its types')
        call MPI_Type_free(t, error)
        call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, error)
        call MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN, error)
        call MPI_Type_vector(1, -1, 1, MPI_INTEGER, t, error)
        call MPI_Error_class(error, combiner, error)
        call equal(combiner, MPI_ERR_ARG, 'the class for a negative length')
    end subroutine told

    subroutine packing()
        integer :: position, bytes, i(2)
        double precision :: x
        character :: buffer(100)
        character(5) :: text
        call MPI_Pack_size(3, MPI_DOUBLE_PRECISION, world, bytes, error)
        call equal(bytes, 24, 'MPI_Pack_size')
        position = 0
        call MPI_Pack([7, 8], 2, MPI_INTEGER, buffer, 100, position, world, error)
        call MPI_Pack(2.5d0, 1, MPI_DOUBLE_PRECISION, buffer, 100, position, world, error)
        call MPI_Pack('hello', 5, MPI_CHARACTER, buffer, 100, position, world, error)
        call equal(position, 21, 'the position behind what was packed')
        call MPI_Sendrecv_replace(buffer, position, MPI_PACKED, modulo(rank + 1, ranks), 0, &
            modulo(rank - 1, ranks), 0, world, MPI_STATUS_IGNORE, error)
        position = 0
        call MPI_Unpack(buffer, 21, position, i, 2, MPI_INTEGER, world, error)
        call MPI_Unpack(buffer, 21, position, x, 1, MPI_DOUBLE_PRECISION, world, error)
        call MPI_Unpack(buffer, 21, position, text, 5, MPI_CHARACTER, world, error)
        call equal(position, 21, 'the position behind what was unpacked')
        call expect(all(i == [7, 8]) .and. x == 2.5d0 .and. text == 'hello', 'what was unpacked')
    end subroutine packing

    subroutine external_data()
        integer(wide) :: position, bytes
        character :: buffer(8)
        integer :: i
        call MPI_Pack_external_size('external32', 2, MPI_INTEGER, bytes, error)
        call equal(int(bytes), 8, 'MPI_Pack_external_size')
        position = 0
        call MPI_Pack_external('external32', 258, 1, MPI_INTEGER, buffer, 8_wide, position, error)
        call equal(int(position), 4, 'the position behind 4 bytes')
        call expect(all(ichar(buffer(:4)) == [0, 0, 1, 2]), 'an integer outside')
        position = 0
        call MPI_Unpack_external('external32', buffer, 8_wide, position, i, 1, MPI_INTEGER, error)
        call equal(i, 258, 'the integer that came back')
    end subroutine external_data

    ! A column of mine becomes a row of the right neighbour's; MPI_BOTTOM and absolute addresses.
    subroutine travel()
        double precision :: a(50, 50), b(50, 50)
        integer :: column, row, status(MPI_STATUS_SIZE), count, i
        integer(wide) :: where(2)
        a = 0
        b = 0
        a(:, 3) = [(rank * 100d0 + i, i = 1, 50)]
        call MPI_Type_vector(50, 1, 50, MPI_DOUBLE_PRECISION, row, error)
        call MPI_Type_contiguous(50, MPI_DOUBLE_PRECISION, column, error)
        call MPI_Type_commit(row, error)
        call MPI_Type_commit(column, error)
        call MPI_Sendrecv(a(1, 3), 1, column, modulo(rank + 1, ranks), 0, b(7, 1), 1, row, &
            modulo(rank - 1, ranks), 0, world, status, error)
        call expect(all(b(7, :) == [(modulo(rank - 1, ranks) * 100d0 + i, i = 1, 50)]), 'the row')
        call expect(all(b(:6, :) == 0) .and. all(b(8:, :) == 0), 'what is not in the row')
        call MPI_Get_elements(status, row, count, error)
        call equal(count, 50, 'MPI_Get_elements')
        call MPI_Type_free(row, error)
        call MPI_Type_free(column, error)
        call MPI_Get_address(a(1, 3), where(1), error)
        call MPI_Get_address(b(7, 1), where(2), error)
        call MPI_Type_create_hindexed(2, [1, 1], where, MPI_DOUBLE_PRECISION, t, error)
        call MPI_Type_commit(t, error)
        call MPI_Sendrecv(MPI_BOTTOM, 1, t, rank, 0, a(1, 1), 2, MPI_DOUBLE_PRECISION, rank, 0, &
            world, MPI_STATUS_IGNORE, error)
        call expect(all(a(1:2, 1) == [a(1, 3), b(7, 1)]), 'two numbers from absolute addresses')
        call MPI_Type_free(t, error)
    end subroutine travel

    subroutine counted()
        integer :: status(MPI_STATUS_SIZE), count
        integer(MPI_COUNT_KIND) :: many, lower, extent
        status = 0
        call MPI_Type_contiguous(3, MPI_INTEGER, t, error)
        call MPI_Status_set_elements(status, t, 5, error)
        call MPI_Get_count(status, t, count, error)
        call equal(count, MPI_UNDEFINED, 'the count of a part')
        call MPI_Get_elements(status, t, count, error)
        call equal(count, 5, 'the elements of a part')
        call MPI_Status_set_elements_x(status, t, 3_MPI_COUNT_KIND * 2_MPI_COUNT_KIND ** 32, error)
        call MPI_Get_elements_x(status, t, many, error)
        call expect(many == 3_MPI_COUNT_KIND * 2_MPI_COUNT_KIND ** 32, 'many elements')
        call MPI_Get_elements(status, t, count, error)
        call equal(count, MPI_UNDEFINED, 'more elements than an INTEGER counts')
        call MPI_Type_size_x(t, many, error)
        call equal(int(many), 12, 'MPI_Type_size_x')
        call MPI_Type_get_extent_x(t, lower, extent, error)
        call equal(int(extent), 12, 'MPI_Type_get_extent_x')
        call MPI_Type_get_true_extent_x(t, lower, extent, error)
        call equal(int(lower), 0, 'MPI_Type_get_true_extent_x')
        call MPI_Type_free(t, error)
    end subroutine counted

    ! What MPI-1 called them, with INTEGERs for distances.
    subroutine old_names()
        integer :: distance
        call MPI_Type_hvector(2, 1, 12, MPI_INTEGER, t, error)
        call maps(0, 16, [0, 3], 'MPI_Type_hvector')
        call MPI_Type_hindexed(2, [2, 1], [20, -4], MPI_INTEGER, t, error)
        call MPI_Type_extent(t, distance, error)
        call equal(distance, 32, 'MPI_Type_extent')
        call MPI_Type_lb(t, distance, error)
        call equal(distance, -4, 'MPI_Type_lb')
        call MPI_Type_ub(t, distance, error)
        call equal(distance, 28, 'MPI_Type_ub')
        call maps(-4, 32, [5, 6, -1], 'MPI_Type_hindexed')
        call MPI_Type_struct(2, [1, 1], [4, -8], [MPI_INTEGER, MPI_REAL], t, error)
        call maps(-8, 16, [1, -2], 'MPI_Type_struct')
        call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, error)
        call MPI_Type_contiguous(2**29, MPI_INTEGER, t, error)
        call MPI_Type_extent(t, distance, error)
        call equal(error, MPI_ERR_VALUE_TOO_LARGE, 'an extent that no INTEGER holds')
        call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL, error)
        call MPI_Type_free(t, error)
    end subroutine old_names

end program datatypes
