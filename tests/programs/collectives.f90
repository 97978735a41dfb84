! Collective calls, with MPI_IN_PLACE wherever it is allowed, operations and datatypes.

! An operation that does not commute: 2 x 2 matrices, one after the other.
subroutine multiply(left, right, count, datatype)
    use checks
    implicit none
    integer :: count, datatype, i
    integer :: left(2, 2, count), right(2, 2, count)
    call expect(datatype /= MPI_DATATYPE_NULL, 'the datatype that an operation is told')
    do i = 1, count
        right(:, :, i) = matmul(left(:, :, i), right(:, :, i))
    end do
end subroutine multiply

program collectives
    use checks
    implicit none
    integer :: error
    integer, parameter :: world = MPI_COMM_WORLD
    external :: multiply

    call start()
    call moves()
    call in_place()
    call reductions()
    call own_operation()
    call datatypes()
    call finish()

contains

    subroutine moves()
        integer :: one, all(ranks), mine(ranks), i, root
        root = ranks - 1
        one = merge(4711, 0, rank == root)
        call MPI_Bcast(one, 1, MPI_INTEGER, root, world, error)
        call equal(one, 4711, 'what MPI_Bcast brought')
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Bcast')
        all = -1
        call MPI_Gather(rank, 1, MPI_INTEGER, all, 1, MPI_INTEGER, root, world, error)
        if (rank == root) call expect(all(ranks) == root .and. all(1) == 0, 'MPI_Gather')
        if (rank /= root) call expect(all(1) == -1, 'MPI_Gather leaves the others alone')
        all = [(100 + i, i=1, ranks)]
        call MPI_Scatter(all, 1, MPI_INTEGER, one, 1, MPI_INTEGER, root, world, error)
        call equal(one, 101 + rank, 'MPI_Scatter')
        call MPI_Allgather(one, 1, MPI_INTEGER, all, 1, MPI_INTEGER, world, error)
        call expect(sum(all) == sum([(100 + i, i=1, ranks)]), 'MPI_Allgather')
        mine = [(100 * rank + i, i=1, ranks)]
        call MPI_Alltoall(mine, 1, MPI_INTEGER, all, 1, MPI_INTEGER, world, error)
        call expect(sum(all) == sum([(100 * (i - 1) + rank + 1, i=1, ranks)]), 'MPI_Alltoall')
    end subroutine moves

    subroutine in_place()
        integer :: everything(ranks), one, i, root
        logical :: is_root
        root = 0
        is_root = rank == root
        everything = -1
        everything(rank + 1) = rank
        if (is_root) then
            call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, everything, 1, MPI_INTEGER, &
                root, world, error)
            call expect(sum(everything) == ranks * (ranks - 1) / 2, 'MPI_Gather in place')
        else
            call MPI_Gather(rank, 1, MPI_INTEGER, everything, 1, MPI_INTEGER, root, world, error)
        end if
        everything = [(i * 3, i=0, ranks - 1)]
        one = -1
        if (is_root) then
            call MPI_Scatter(everything, 1, MPI_INTEGER, MPI_IN_PLACE, 1, MPI_INTEGER, root, &
                world, error)
            call equal(one, -1, 'what MPI_Scatter leaves in its place')
        else
            call MPI_Scatter(everything, 1, MPI_INTEGER, one, 1, MPI_INTEGER, root, world, error)
            call equal(one, rank * 3, 'MPI_Scatter')
        end if
        everything = -1
        everything(rank + 1) = rank
        call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, everything, 1, MPI_INTEGER, &
            world, error)
        call expect(sum(everything) == ranks * (ranks - 1) / 2, 'MPI_Allgather in place')
        everything = [(100 * rank + i, i=1, ranks)]
        call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, everything, 1, MPI_INTEGER, &
            world, error)
        call expect(all(everything == [(100 * (i - 1) + rank + 1, i=1, ranks)]), &
            'MPI_Alltoall in place')
        one = rank + 1
        if (is_root) then
            call MPI_Reduce(MPI_IN_PLACE, one, 1, MPI_INTEGER, MPI_SUM, root, world, error)
            call equal(one, ranks * (ranks + 1) / 2, 'MPI_Reduce in place')
        else
            call MPI_Reduce(one, everything, 1, MPI_INTEGER, MPI_SUM, root, world, error)
        end if
        one = rank + 1
        call MPI_Allreduce(MPI_IN_PLACE, one, 1, MPI_INTEGER, MPI_MAX, world, error)
        call equal(one, ranks, 'MPI_Allreduce in place')
    end subroutine in_place

    subroutine reductions()
        double precision :: mine(2), total(2)
        real :: pair(2), best(2)
        integer :: indexed(2), last(2), bits
        complex :: spin, turned
        logical :: truth(2), answer(2)
        mine = [dble(rank), 0.5d0]
        call MPI_Allreduce(mine, total, 2, MPI_DOUBLE_PRECISION, MPI_SUM, world, error)
        call expect(all(total == [ranks * (ranks - 1) / 2d0, ranks * 0.5d0]), 'sums of doubles')
        spin = (0., 1.)
        call MPI_Allreduce(spin, turned, 1, MPI_COMPLEX, MPI_PROD, world, error)
        call expect(abs(turned - spin**ranks) < 1e-6, 'a product of complex numbers')
        truth = [.true., rank == 0]
        call MPI_Allreduce(truth, answer, 2, MPI_LOGICAL, MPI_LAND, world, error)
        call expect(answer(1) .and. (answer(2) .eqv. ranks == 1), 'MPI_LAND of LOGICALs')
        call MPI_Allreduce(truth, answer, 2, MPI_LOGICAL, MPI_LOR, world, error)
        call expect(all(answer), 'MPI_LOR of LOGICALs')
        pair = [real(modulo(rank + 1, ranks)), real(rank)]
        call MPI_Allreduce(pair, best, 1, MPI_2REAL, MPI_MAXLOC, world, error)
        call expect(nint(best(2)) == modulo(ranks - 2, ranks), 'MPI_MAXLOC of reals')
        indexed = [10, rank]
        call MPI_Allreduce(indexed, last, 1, MPI_2INTEGER, MPI_MINLOC, world, error)
        call expect(all(last == [10, 0]), 'MPI_MINLOC of integers takes the first')
        call MPI_Allreduce(ishft(1, modulo(rank, 8)), bits, 1, MPI_INTEGER, MPI_BOR, world, error)
        call equal(bits, 2**min(ranks, 8) - 1, 'MPI_BOR of integers')
    end subroutine reductions

    subroutine own_operation()
        integer :: op, mine(2, 2, 3), product(2, 2, 3), expected(2, 2), i, item
        logical :: commutes
        call MPI_Op_create(multiply, .false., op, error)
        call MPI_Op_commutative(op, commutes, error)
        call expect(.not. commutes, 'an operation that does not commute')
        call MPI_Op_commutative(MPI_SUM, commutes, error)
        call expect(commutes, 'MPI_SUM commutes')
        call MPI_Type_contiguous(4, MPI_INTEGER, item, error)
        call MPI_Type_commit(item, error)
        do i = 1, 3
            mine(:, :, i) = reshape([1, modulo(rank, 2), i, 1], [2, 2])
        end do
        call MPI_Allreduce(mine, product, 3, item, op, world, error)
        call equal(error, MPI_SUCCESS, 'ierror with an operation of our own')
        expected = reshape([1, 0, 0, 1], [2, 2])
        do i = 0, ranks - 1
            expected = matmul(expected, reshape([1, modulo(i, 2), 2, 1], [2, 2]))
        end do
        call expect(all(product(:, :, 2) == expected), 'matrices in the order of ranks')
        product = mine
        call MPI_Reduce_local(mine, product, 3, item, op, error)
        call expect(all(product(:, :, 1) == matmul(mine(:, :, 1), mine(:, :, 1))), 'Reduce_local')
        call MPI_Op_free(op, error)
        call equal(op, MPI_OP_NULL, 'a freed operation')
        call MPI_Type_free(item, error)
        call equal(item, MPI_DATATYPE_NULL, 'a freed datatype')
    end subroutine own_operation

    subroutine datatypes()
        integer :: triple, copy, size, counts(3), combiner, integers(1), types(1), numbers(6)
        integer :: status
        integer(MPI_ADDRESS_KIND) :: lower, extent, addresses(1)
        integer(MPI_COUNT_KIND) :: wide
        character(MPI_MAX_OBJECT_NAME) :: name
        dimension :: status(MPI_STATUS_SIZE)
        call MPI_Type_contiguous(3, MPI_INTEGER, triple, error)
        call MPI_Type_size(triple, size, error)
        call equal(size, 12, 'the size of three integers')
        call MPI_Type_size_x(triple, wide, error)
        call expect(wide == 12, 'the same as a large count')
        call MPI_Type_get_extent(triple, lower, extent, error)
        call expect(lower == 0 .and. extent == 12, 'their extent')
        call MPI_Type_get_true_extent(triple, lower, extent, error)
        call expect(lower == 0 .and. extent == 12, 'their true extent')
        call MPI_Type_get_envelope(triple, counts(1), counts(2), counts(3), combiner, error)
        call expect(all(counts == [1, 0, 1]), 'the envelope')
        call equal(combiner, MPI_COMBINER_CONTIGUOUS, 'the combiner')
        call MPI_Type_get_contents(triple, 1, 0, 1, integers, addresses, types, error)
        call expect(integers(1) == 3 .and. types(1) == MPI_INTEGER, 'the contents')
        call MPI_Type_set_name(triple, 'three of them  ', error)
        call MPI_Type_get_name(triple, name, size, error)
        call expect(name == 'three of them' .and. size == 13, 'the name that was set')
        call MPI_Type_dup(triple, copy, error)
        call MPI_Type_commit(copy, error)
        numbers = rank
        call MPI_Sendrecv_replace(numbers, 2, copy, modulo(rank + 1, ranks), 0, &
            modulo(rank - 1, ranks), 0, world, status, error)
        call expect(all(numbers == modulo(rank - 1, ranks)), 'six integers as two triples')
        call MPI_Get_count(status, copy, size, error)
        call equal(size, 2, 'the count of triples')
        call MPI_Get_elements(status, copy, size, error)
        call equal(size, 6, 'the count of elements')
        call MPI_Get_elements_x(status, copy, wide, error)
        call expect(wide == 6, 'the same as a large count')
        call MPI_Type_free(copy, error)
        call MPI_Type_free(triple, error)
    end subroutine datatypes

end program collectives
