! Grids, graphs and distributed graphs: arrays of LOGICALs, coordinates, lists of neighbours, and
! which of them is left out. Tests say what handles are: INTEGERs, or types of mpi_f08.
program topologies
    use CHECKS
    implicit none
    COMM, parameter :: world = MPI_COMM_WORLD
    integer :: error, before, after

    call start()
    before = modulo(rank - 1, ranks)
    after = modulo(rank + 1, ranks)
    call dimensions()
    call grids()
    call parts_of_grids()
    call graphs()
    call distributed_graphs()
    call wrong_ones()
    call finish()

contains

    subroutine dimensions()
        integer :: dims(3)
        dims = 0
        call MPI_Dims_create(24, 3, dims, error)
        call expect(all(dims == [4, 3, 2]), 'a balanced grid of 24')
        dims = [0, 5, 0]
        call MPI_Dims_create(60, 3, dims, error)
        call expect(all(dims == [4, 5, 3]), 'a grid of 60 with one side given')
        dims(1) = 0
        call MPI_Dims_create(ranks, 1, dims, error)
        call expect(all(dims == [ranks, 5, 3]), 'one side only')
    end subroutine dimensions

    ! Rows end, columns go round.
    subroutine grids()
        COMM :: grid, twin
        integer :: dims(2), seen(2), coords(3), place, kind, source, dest, got
        logical :: periods(2), round(2)
        dims = 0
        call MPI_Dims_create(ranks, 2, dims, error)
        periods = [.true., .false.]
        call MPI_Cart_create(world, 2, dims, periods, .true., grid, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Cart_create')
        call MPI_Comm_rank(grid, place, error)
        call MPI_Topo_test(grid, kind, error)
        call equal(kind, MPI_CART, 'the topology of a grid')
        call MPI_Cartdim_get(grid, kind, error)
        call equal(kind, 2, 'its dimensions')
        coords = -7
        call MPI_Cart_get(grid, 2, seen, round, coords, error)
        call expect(all(seen .eq. dims), 'the sides of a grid')
        call expect(all(round .eqv. periods), 'which of them go round')
        call expect(all(coords == [place / dims(2), mod(place, dims(2)), -7]), 'my place in it')
        coords = -7
        call MPI_Cart_coords(grid, ranks - 1, 2, coords, error)
        call expect(all(coords == [dims(1) - 1, dims(2) - 1, -7]), 'the last place')
        ! A coordinate that goes round may be outside.
        call MPI_Cart_rank(grid, [2 * dims(1) + 0, dims(2) - 1], kind, error)
        call equal(kind, dims(2) - 1, 'who has a place')
        call MPI_Cart_rank(grid, [-1, 0], kind, error)
        call equal(kind, (dims(1) - 1) * dims(2), 'who has a place before the first')
        call MPI_Cart_coords(grid, place, 2, coords, error)
        call MPI_Cart_shift(grid, 0, 1, source, dest, error)
        call equal(source, modulo(coords(1) - 1, dims(1)) * dims(2) + coords(2), 'who is above')
        call equal(dest, modulo(coords(1) + 1, dims(1)) * dims(2) + coords(2), 'who is below')
        got = -1
        call MPI_Sendrecv(place, 1, MPI_INTEGER, dest, 3, got, 1, MPI_INTEGER, source, 3, grid, &
            MPI_STATUS_IGNORE, error)
        call equal(got, source, 'what came from above')
        call MPI_Cart_shift(grid, 1, -1, source, dest, error)
        call equal(dest, merge(MPI_PROC_NULL, place - 1, coords(2) == 0), 'who is on the left')
        call equal(source, merge(MPI_PROC_NULL, place + 1, coords(2) == dims(2) - 1), &
            'who is on the right')
        call MPI_Comm_dup(grid, twin, error)
        call MPI_Topo_test(twin, kind, error)
        call equal(kind, MPI_CART, 'the topology of a copy')
        call MPI_Comm_free(twin, error)
        call MPI_Topo_test(world, kind, error)
        call equal(kind, MPI_UNDEFINED, 'the topology of the world')
        call MPI_Comm_free(grid, error)
    end subroutine grids

    subroutine parts_of_grids()
        COMM :: grid, part
        integer :: dims(2), coords(2), size, place, few, sum
        logical :: round(1)
        few = max(ranks - 1, 1)
        call MPI_Cart_create(world, 1, [few], [.false.], .false., grid, error)
        call expect((grid == MPI_COMM_NULL) .eqv. (rank >= few), 'who is left out of a grid')
        if (grid /= MPI_COMM_NULL) call MPI_Comm_free(grid, error)
        call MPI_Cart_map(world, 1, [few], [.false.], place, error)
        call equal(place, merge(rank, MPI_UNDEFINED, rank < few), 'the place that I would have')
        dims = 0
        call MPI_Dims_create(ranks, 2, dims, error)
        call MPI_Cart_create(world, 2, dims, [.false., .true.], .false., grid, error)
        call MPI_Cart_sub(grid, [.false., .true.], part, error)
        call MPI_Comm_size(part, size, error)
        call equal(size, dims(2), 'the length of a row')
        call MPI_Cart_get(part, 1, coords(1:1), round, coords(2:2), error)
        call equal(coords(1), dims(2), 'the side of a row')
        call equal(coords(2), mod(rank, dims(2)), 'my place in it')
        call expect(round(1), 'a row goes round')
        call MPI_Allreduce(rank / dims(2), sum, 1, MPI_INTEGER, MPI_SUM, part, error)
        call equal(sum, size * (rank / dims(2)), 'all of a row are of one row')
        call MPI_Comm_free(part, error)
        call MPI_Cart_sub(grid, [.true., .false.], part, error)
        call MPI_Comm_size(part, size, error)
        call equal(size, dims(1), 'the length of a column')
        call MPI_Comm_free(part, error)
        call MPI_Comm_free(grid, error)
    end subroutine parts_of_grids

    ! A ring, whose first node knows itself, too.
    subroutine graphs()
        COMM :: graph
        integer :: index(ranks), edges(2 * ranks + 1), i, count, kind, nodes
        integer :: seen(ranks), list(2 * ranks + 2), got(3)
        count = 0
        do i = 0, ranks - 1
            edges(count + 1) = modulo(i + 1, ranks)
            edges(count + 2) = modulo(i - 1, ranks)
            count = count + 2
            if (i == 0) count = count + 1
            if (i == 0) edges(count) = 0
            index(i + 1) = count
        end do
        call MPI_Graph_create(world, ranks, index, edges, .false., graph, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Graph_create')
        call MPI_Topo_test(graph, kind, error)
        call equal(kind, MPI_GRAPH, 'the topology of a graph')
        call MPI_Graphdims_get(graph, nodes, kind, error)
        call equal(nodes, ranks, 'its nodes')
        call equal(kind, count, 'its edges')
        list = -7
        call MPI_Graph_get(graph, ranks, count, seen, list, error)
        call expect(all(seen == index), 'the degrees of its nodes')
        call expect(all(list == [edges, -7]), 'where its edges lead')
        do i = 0, ranks - 1
            call MPI_Graph_neighbors_count(graph, i, nodes, error)
            call equal(nodes, merge(3, 2, i == 0), 'the neighbours of a node')
            list = -7
            call MPI_Graph_neighbors(graph, i, nodes, list, error)
            call equal(list(1), modulo(i + 1, ranks), 'the next one')
            call equal(list(2), modulo(i - 1, ranks), 'the one before')
            call equal(list(nodes), merge(0, list(2), i == 0), 'itself')
            call equal(list(nodes + 1), -7, 'what is behind the list')
        end do
        ! In this order messages go along the edges.
        got = -1
        call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, got, 1, MPI_INTEGER, graph, error)
        call expect(all(got == [after, before, merge(0, -1, rank == 0)]), 'what neighbours sent')
        call MPI_Comm_free(graph, error)
        call MPI_Graph_create(world, 1, [1], [0], .false., graph, error)
        call expect((graph == MPI_COMM_NULL) .eqv. (rank > 0), 'who is left out of a graph')
        if (rank == 0) call MPI_Comm_free(graph, error)
        call MPI_Graph_map(world, 1, [1], [0], kind, error)
        call equal(kind, merge(0, MPI_UNDEFINED, rank == 0), 'the node that I would be')
    end subroutine graphs

    ! Everyone has an edge to itself and one to the next, of weights 10 * rank and one more.
    subroutine distributed_graphs()
        COMM :: graph
        integer :: kind, got(2)
        call MPI_Dist_graph_create_adjacent(world, 2, [rank, before], [10 * rank, &
            10 * before + 1], 2, [rank, after], [10 * rank, 10 * rank + 1], MPI_INFO_NULL, &
            .false., graph, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Dist_graph_create_adjacent')
        call MPI_Topo_test(graph, kind, error)
        call equal(kind, MPI_DIST_GRAPH, 'the topology of a distributed graph')
        call expect_ring(graph, .true.)
        got = -1
        call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, got, 1, MPI_INTEGER, graph, error)
        call expect(all(got == [rank, before]), 'what came over the edges')
        call MPI_Comm_free(graph, error)
        ! The same, said by the one before.
        call MPI_Dist_graph_create(world, 1, [after], [2], [after, modulo(after + 1, ranks)], &
            [10 * after, 10 * after + 1], MPI_INFO_NULL, .false., graph, error)
        call expect_ring(graph, .true.)
        call MPI_Comm_free(graph, error)
        call MPI_Dist_graph_create_adjacent(world, 2, [rank, before], MPI_UNWEIGHTED, 2, &
            [rank, after], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph, error)
        call expect_ring(graph, .false.)
        call MPI_Comm_free(graph, error)
        ! Said by one, the others say nothing.
        if (rank == 0) then
            call MPI_Dist_graph_create(world, 1, [ranks - 1], [1], [0], [5], MPI_INFO_NULL, &
                .false., graph, error)
        else
            call MPI_Dist_graph_create(world, 0, [0], [0], [0], MPI_WEIGHTS_EMPTY, &
                MPI_INFO_NULL, .false., graph, error)
        end if
        call expect_one_edge(graph)
        call MPI_Comm_free(graph, error)
    end subroutine distributed_graphs

    subroutine expect_ring(graph, is_weighted)
        COMM, intent(in) :: graph
        logical, intent(in) :: is_weighted
        integer :: in, out, sources(2), targets(2), to(2), from(2), self
        logical :: flag
        call MPI_Dist_graph_neighbors_count(graph, in, out, flag, error)
        call expect(in == 2 .and. out == 2, 'how many edges there are')
        call expect(flag .eqv. is_weighted, 'whether they have weights')
        from = -7
        to = -7
        if (is_weighted) then
            call MPI_Dist_graph_neighbors(graph, 2, sources, from, 2, targets, to, error)
        else
            call MPI_Dist_graph_neighbors(graph, 2, sources, MPI_UNWEIGHTED, 2, targets, &
                MPI_UNWEIGHTED, error)
            call expect(all([from, to] == -7), 'weights that are not asked for')
        end if
        self = merge(1, 2, sources(1) == rank)
        call equal(sources(self), rank, 'the edge from myself')
        call equal(sources(3 - self), before, 'the edge from the one before')
        if (is_weighted .and. ranks > 1) call equal(from(self), 10 * rank, 'its weight')
        if (is_weighted .and. ranks > 1) call equal(from(3 - self), 10 * before + 1, 'its weight')
        self = merge(1, 2, targets(1) == rank)
        call equal(targets(self), rank, 'the edge to myself')
        call equal(targets(3 - self), after, 'the edge to the next one')
        if (is_weighted .and. ranks > 1) call equal(to(self), 10 * rank, 'its weight')
        if (is_weighted .and. ranks > 1) call equal(to(3 - self), 10 * rank + 1, 'its weight')
    end subroutine expect_ring

    subroutine expect_one_edge(graph)
        COMM, intent(in) :: graph
        integer :: in, out, sources(1), targets(1), from(1), to(1)
        logical :: flag
        call MPI_Dist_graph_neighbors_count(graph, in, out, flag, error)
        call equal(in, merge(1, 0, rank == 0), 'edges to the first')
        call equal(out, merge(1, 0, rank == ranks - 1), 'edges from the last')
        call expect(flag, 'the edge has a weight')
        call MPI_Dist_graph_neighbors(graph, in, sources, from, out, targets, to, error)
        if (in == 1) call expect(sources(1) == ranks - 1 .and. from(1) == 5, 'where it starts')
        if (out == 1) call expect(targets(1) == 0 .and. to(1) == 5, 'where it ends')
    end subroutine expect_one_edge

    subroutine wrong_ones()
        COMM :: made
        integer :: value, side(1)
        call MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN, error)
        call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, error)
        call MPI_Cartdim_get(world, value, error)
        call equal(error, MPI_ERR_TOPOLOGY, 'a grid where there is none')
        call MPI_Graph_neighbors_count(world, 0, value, error)
        call equal(error, MPI_ERR_TOPOLOGY, 'a graph where there is none')
        call MPI_Cart_create(world, 1, [ranks + 1], [.false.], .false., made, error)
        call equal(error, MPI_ERR_DIMS, 'a grid with too many places')
        side = 2
        call MPI_Dims_create(7, 1, side, error)
        call equal(error, MPI_ERR_DIMS, 'a side that does not fit')
        call MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL, error)
    end subroutine wrong_ones

end program topologies
