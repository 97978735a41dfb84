! Every collective call in its three forms: blocking, nonblocking, persistent; with large counts
! and, when compiled with -DSMALL, with default ones. Tests say what handles are: INTEGERs, which
! want small counts, or types of mpi_f08.
program collective_forms
    use CHECKS
    implicit none
#ifdef SMALL
    integer, parameter :: counts = kind(1), displs = kind(1)
#else
    integer, parameter :: counts = MPI_COUNT_KIND, displs = MPI_ADDRESS_KIND
#endif
    integer(counts), parameter :: single = 1
    integer(displs), parameter :: bytes = 4
    COMM, parameter :: world = MPI_COMM_WORLD
    REQUEST :: request
    integer :: error, form, root

    call start()
    root = ranks - 1
    do form = 1, 3
        call among_all()
        call among_neighbours()
    end do
    call finish()

contains

    ! Brings what was started to its end.
    subroutine complete(what)
        character(*), intent(in) :: what
        call equal(error, MPI_SUCCESS, what)
        if (form == 1) return
        if (form == 3) call MPI_Start(request, error)
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
        if (form == 3) call MPI_Request_free(request, error)
        call expect(request == MPI_REQUEST_NULL, what)
    end subroutine complete

    subroutine equal_all(seen, wanted, what)
        integer, intent(in) :: seen(:), wanted(:)
        character(*), intent(in) :: what
        call expect(all(seen == wanted), what)
    end subroutine equal_all

    subroutine among_all()
        integer :: one, i
        integer, asynchronous :: all(ranks), wide(2 * ranks), mine(ranks)
        integer(counts) :: ones(ranks)
        integer(displs) :: places(ranks), lines(ranks)
        DATATYPE :: types(ranks)
        integer :: ranks_in_order(ranks), spread_out(2 * ranks), column(ranks), sums(ranks)
        do i = 1, ranks
            ones(i) = 1
            places(i) = 2 * (i - 1)
            lines(i) = i - 1
            types(i) = MPI_INTEGER
            ranks_in_order(i) = i - 1
            spread_out(2 * i - 1:2 * i) = i - 1
            mine(i) = 100 * rank + i
            column(i) = 100 * (i - 1) + rank + 1
            sums(i) = 50 * ranks * (ranks - 1) + ranks * i
        end do
        if (form == 1) call MPI_Barrier(world, error)
        if (form == 2) call MPI_Ibarrier(world, request, error)
        if (form == 3) call MPI_Barrier_init(world, MPI_INFO_NULL, request, error)
        call complete('MPI_Barrier')
        one = merge(4711, -1, rank == root)
        all = -1
        wide = -1
        if (form == 1) call MPI_Bcast(one, single, MPI_INTEGER, root, world, error)
        if (form == 2) call MPI_Ibcast(one, single, MPI_INTEGER, root, world, request, error)
        if (form == 3) call MPI_Bcast_init(one, single, MPI_INTEGER, root, world, MPI_INFO_NULL, &
            request, error)
        call complete('MPI_Bcast')
        call equal(one, 4711, 'MPI_Bcast')
        one = merge(4711, -1, rank == root)
        all = -1
        wide = -1
        if (form == 1) call MPI_Gather(rank, single, MPI_INTEGER, all, single, MPI_INTEGER, &
            root, world, error)
        if (form == 2) call MPI_Igather(rank, single, MPI_INTEGER, all, single, MPI_INTEGER, &
            root, world, request, error)
        if (form == 3) call MPI_Gather_init(rank, single, MPI_INTEGER, all, single, MPI_INTEGER, &
            root, world, MPI_INFO_NULL, request, error)
        call complete('MPI_Gather')
        if (rank == root) call equal_all(all, ranks_in_order, 'MPI_Gather')
        one = merge(4711, -1, rank == root)
        all = -1
        wide = -1
        if (form == 1) call MPI_Gatherv(rank, single, MPI_INTEGER, wide, ones, places, &
            MPI_INTEGER, root, world, error)
        if (form == 2) call MPI_Igatherv(rank, single, MPI_INTEGER, wide, ones, places, &
            MPI_INTEGER, root, world, request, error)
        if (form == 3) call MPI_Gatherv_init(rank, single, MPI_INTEGER, wide, ones, places, &
            MPI_INTEGER, root, world, MPI_INFO_NULL, request, error)
        call complete('MPI_Gatherv')
        if (rank == root) call equal_all(wide(1::2), ranks_in_order, 'MPI_Gatherv')
        one = merge(4711, -1, rank == root)
        all = -1
        wide = -1
        if (form == 1) call MPI_Scatter(ranks_in_order, single, MPI_INTEGER, one, single, &
            MPI_INTEGER, root, world, error)
        if (form == 2) call MPI_Iscatter(ranks_in_order, single, MPI_INTEGER, one, single, &
            MPI_INTEGER, root, world, request, error)
        if (form == 3) call MPI_Scatter_init(ranks_in_order, single, MPI_INTEGER, one, single, &
            MPI_INTEGER, root, world, MPI_INFO_NULL, request, error)
        call complete('MPI_Scatter')
        call equal(one, rank, 'MPI_Scatter')
        one = merge(4711, -1, rank == root)
        all = -1
        wide = -1
        if (form == 1) call MPI_Scatterv(spread_out, ones, places, MPI_INTEGER, one, single, &
            MPI_INTEGER, root, world, error)
        if (form == 2) call MPI_Iscatterv(spread_out, ones, places, MPI_INTEGER, one, single, &
            MPI_INTEGER, root, world, request, error)
        if (form == 3) call MPI_Scatterv_init(spread_out, ones, places, MPI_INTEGER, one, &
            single, MPI_INTEGER, root, world, MPI_INFO_NULL, request, error)
        call complete('MPI_Scatterv')
        call equal(one, rank, 'MPI_Scatterv')
        one = merge(4711, -1, rank == root)
        all = -1
        wide = -1
        if (form == 1) call MPI_Allgather(rank, single, MPI_INTEGER, all, single, MPI_INTEGER, &
            world, error)
        if (form == 2) call MPI_Iallgather(rank, single, MPI_INTEGER, all, single, MPI_INTEGER, &
            world, request, error)
        if (form == 3) call MPI_Allgather_init(rank, single, MPI_INTEGER, all, single, &
            MPI_INTEGER, world, MPI_INFO_NULL, request, error)
        call complete('MPI_Allgather')
        call equal_all(all, ranks_in_order, 'MPI_Allgather')
        one = merge(4711, -1, rank == root)
        all = -1
        wide = -1
        if (form == 1) call MPI_Allgatherv(rank, single, MPI_INTEGER, wide, ones, places, &
            MPI_INTEGER, world, error)
        if (form == 2) call MPI_Iallgatherv(rank, single, MPI_INTEGER, wide, ones, places, &
            MPI_INTEGER, world, request, error)
        if (form == 3) call MPI_Allgatherv_init(rank, single, MPI_INTEGER, wide, ones, places, &
            MPI_INTEGER, world, MPI_INFO_NULL, request, error)
        call complete('MPI_Allgatherv')
        call equal_all(wide(1::2), ranks_in_order, 'MPI_Allgatherv')
        one = merge(4711, -1, rank == root)
        all = -1
        wide = -1
        if (form == 1) call MPI_Alltoall(mine, single, MPI_INTEGER, all, single, MPI_INTEGER, &
            world, error)
        if (form == 2) call MPI_Ialltoall(mine, single, MPI_INTEGER, all, single, MPI_INTEGER, &
            world, request, error)
        if (form == 3) call MPI_Alltoall_init(mine, single, MPI_INTEGER, all, single, &
            MPI_INTEGER, world, MPI_INFO_NULL, request, error)
        call complete('MPI_Alltoall')
        call equal_all(all, column, 'MPI_Alltoall')
        one = merge(4711, -1, rank == root)
        all = -1
        wide = -1
        if (form == 1) call MPI_Alltoallv(mine, ones, lines, MPI_INTEGER, wide, ones, places, &
            MPI_INTEGER, world, error)
        if (form == 2) call MPI_Ialltoallv(mine, ones, lines, MPI_INTEGER, wide, ones, places, &
            MPI_INTEGER, world, request, error)
        if (form == 3) call MPI_Alltoallv_init(mine, ones, lines, MPI_INTEGER, wide, ones, &
            places, MPI_INTEGER, world, MPI_INFO_NULL, request, error)
        call complete('MPI_Alltoallv')
        call equal_all(wide(1::2), column, 'MPI_Alltoallv')
        one = merge(4711, -1, rank == root)
        all = -1
        wide = -1
        if (form == 1) call MPI_Alltoallw(mine, ones, bytes * lines, types, wide, ones, bytes * &
            places, types, world, error)
        if (form == 2) call MPI_Ialltoallw(mine, ones, bytes * lines, types, wide, ones, bytes * &
            places, types, world, request, error)
        if (form == 3) call MPI_Alltoallw_init(mine, ones, bytes * lines, types, wide, ones, &
            bytes * places, types, world, MPI_INFO_NULL, request, error)
        call complete('MPI_Alltoallw')
        call equal_all(wide(1::2), column, 'MPI_Alltoallw')
        one = merge(4711, -1, rank == root)
        all = -1
        wide = -1
        if (form == 1) call MPI_Reduce(mine, all, ranks * single, MPI_INTEGER, MPI_SUM, root, &
            world, error)
        if (form == 2) call MPI_Ireduce(mine, all, ranks * single, MPI_INTEGER, MPI_SUM, root, &
            world, request, error)
        if (form == 3) call MPI_Reduce_init(mine, all, ranks * single, MPI_INTEGER, MPI_SUM, &
            root, world, MPI_INFO_NULL, request, error)
        call complete('MPI_Reduce')
        if (rank == root) call equal_all(all, sums, 'MPI_Reduce')
        one = merge(4711, -1, rank == root)
        all = -1
        wide = -1
        if (form == 1) call MPI_Allreduce(mine, all, ranks * single, MPI_INTEGER, MPI_SUM, &
            world, error)
        if (form == 2) call MPI_Iallreduce(mine, all, ranks * single, MPI_INTEGER, MPI_SUM, &
            world, request, error)
        if (form == 3) call MPI_Allreduce_init(mine, all, ranks * single, MPI_INTEGER, MPI_SUM, &
            world, MPI_INFO_NULL, request, error)
        call complete('MPI_Allreduce')
        call equal_all(all, sums, 'MPI_Allreduce')
        one = merge(4711, -1, rank == root)
        all = -1
        wide = -1
        if (form == 1) call MPI_Reduce_scatter(mine, one, ones, MPI_INTEGER, MPI_SUM, world, &
            error)
        if (form == 2) call MPI_Ireduce_scatter(mine, one, ones, MPI_INTEGER, MPI_SUM, world, &
            request, error)
        if (form == 3) call MPI_Reduce_scatter_init(mine, one, ones, MPI_INTEGER, MPI_SUM, &
            world, MPI_INFO_NULL, request, error)
        call complete('MPI_Reduce_scatter')
        call equal(one, sums(rank + 1), 'MPI_Reduce_scatter')
        one = merge(4711, -1, rank == root)
        all = -1
        wide = -1
        if (form == 1) call MPI_Reduce_scatter_block(mine, one, single, MPI_INTEGER, MPI_SUM, &
            world, error)
        if (form == 2) call MPI_Ireduce_scatter_block(mine, one, single, MPI_INTEGER, MPI_SUM, &
            world, request, error)
        if (form == 3) call MPI_Reduce_scatter_block_init(mine, one, single, MPI_INTEGER, &
            MPI_SUM, world, MPI_INFO_NULL, request, error)
        call complete('MPI_Reduce_scatter_block')
        call equal(one, sums(rank + 1), 'MPI_Reduce_scatter_block')
        one = merge(4711, -1, rank == root)
        all = -1
        wide = -1
        if (form == 1) call MPI_Scan(rank, one, single, MPI_INTEGER, MPI_SUM, world, error)
        if (form == 2) call MPI_Iscan(rank, one, single, MPI_INTEGER, MPI_SUM, world, request, &
            error)
        if (form == 3) call MPI_Scan_init(rank, one, single, MPI_INTEGER, MPI_SUM, world, &
            MPI_INFO_NULL, request, error)
        call complete('MPI_Scan')
        call equal(one, rank * (rank + 1) / 2, 'MPI_Scan')
        one = merge(4711, -1, rank == root)
        all = -1
        wide = -1
        if (form == 1) call MPI_Exscan(rank, one, single, MPI_INTEGER, MPI_SUM, world, error)
        if (form == 2) call MPI_Iexscan(rank, one, single, MPI_INTEGER, MPI_SUM, world, request, &
            error)
        if (form == 3) call MPI_Exscan_init(rank, one, single, MPI_INTEGER, MPI_SUM, world, &
            MPI_INFO_NULL, request, error)
        call complete('MPI_Exscan')
        if (rank > 0) call equal(one, rank * (rank - 1) / 2, 'MPI_Exscan')
    end subroutine among_all

    subroutine among_neighbours()
        COMM :: ring
        DATATYPE :: both_types(2)
        integer :: before, after
        integer(counts) :: both(2)
        integer(displs) :: here(2)
        integer, asynchronous :: two(2), both_mine(2)
        integer(MPI_ADDRESS_KIND) :: far(2)
        logical :: round(1)
        round = .true.
        both = 1
        here = [0, 1]
        far = [0, 4]
        both_types = MPI_INTEGER
        both_mine = rank
        call MPI_Cart_create(world, 1, [ranks], round, .false., ring, error)
        before = mod(rank + ranks - 1, ranks)
        after = mod(rank + 1, ranks)
        two = -1
        if (form == 1) call MPI_Neighbor_allgather(rank, single, MPI_INTEGER, two, single, &
            MPI_INTEGER, ring, error)
        if (form == 2) call MPI_Ineighbor_allgather(rank, single, MPI_INTEGER, two, single, &
            MPI_INTEGER, ring, request, error)
        if (form == 3) call MPI_Neighbor_allgather_init(rank, single, MPI_INTEGER, two, single, &
            MPI_INTEGER, ring, MPI_INFO_NULL, request, error)
        call complete('MPI_Neighbor_allgather')
        call equal(two(1), before, 'MPI_Neighbor_allgather, from the one before')
        call equal(two(2), after, 'MPI_Neighbor_allgather, from the one after')
        two = -1
        if (form == 1) call MPI_Neighbor_allgatherv(rank, single, MPI_INTEGER, two, both, here, &
            MPI_INTEGER, ring, error)
        if (form == 2) call MPI_Ineighbor_allgatherv(rank, single, MPI_INTEGER, two, both, here, &
            MPI_INTEGER, ring, request, error)
        if (form == 3) call MPI_Neighbor_allgatherv_init(rank, single, MPI_INTEGER, two, both, &
            here, MPI_INTEGER, ring, MPI_INFO_NULL, request, error)
        call complete('MPI_Neighbor_allgatherv')
        call equal(two(1), before, 'MPI_Neighbor_allgatherv, from the one before')
        call equal(two(2), after, 'MPI_Neighbor_allgatherv, from the one after')
        two = -1
        if (form == 1) call MPI_Neighbor_alltoall(both_mine, single, MPI_INTEGER, two, single, &
            MPI_INTEGER, ring, error)
        if (form == 2) call MPI_Ineighbor_alltoall(both_mine, single, MPI_INTEGER, two, single, &
            MPI_INTEGER, ring, request, error)
        if (form == 3) call MPI_Neighbor_alltoall_init(both_mine, single, MPI_INTEGER, two, &
            single, MPI_INTEGER, ring, MPI_INFO_NULL, request, error)
        call complete('MPI_Neighbor_alltoall')
        call equal(two(1), before, 'MPI_Neighbor_alltoall, from the one before')
        call equal(two(2), after, 'MPI_Neighbor_alltoall, from the one after')
        two = -1
        if (form == 1) call MPI_Neighbor_alltoallv(both_mine, both, here, MPI_INTEGER, two, &
            both, here, MPI_INTEGER, ring, error)
        if (form == 2) call MPI_Ineighbor_alltoallv(both_mine, both, here, MPI_INTEGER, two, &
            both, here, MPI_INTEGER, ring, request, error)
        if (form == 3) call MPI_Neighbor_alltoallv_init(both_mine, both, here, MPI_INTEGER, two, &
            both, here, MPI_INTEGER, ring, MPI_INFO_NULL, request, error)
        call complete('MPI_Neighbor_alltoallv')
        call equal(two(1), before, 'MPI_Neighbor_alltoallv, from the one before')
        call equal(two(2), after, 'MPI_Neighbor_alltoallv, from the one after')
        two = -1
        if (form == 1) call MPI_Neighbor_alltoallw(both_mine, both, far, both_types, two, both, &
            far, both_types, ring, error)
        if (form == 2) call MPI_Ineighbor_alltoallw(both_mine, both, far, both_types, two, both, &
            far, both_types, ring, request, error)
        if (form == 3) call MPI_Neighbor_alltoallw_init(both_mine, both, far, both_types, two, &
            both, far, both_types, ring, MPI_INFO_NULL, request, error)
        call complete('MPI_Neighbor_alltoallw')
        call equal(two(1), before, 'MPI_Neighbor_alltoallw, from the one before')
        call equal(two(2), after, 'MPI_Neighbor_alltoallw, from the one after')
        call MPI_Comm_free(ring, error)
    end subroutine among_neighbours

end program collective_forms
