/* Virtual topologies. */
#include "check.h"

#define W MPI_COMM_WORLD

static void dims(void)
{
    const struct {
        int nodes, ndims, given[4], wanted[4];
    } cases[] = {{6, 2, {0, 0}, {3, 2}},           {7, 2, {0, 0}, {7, 1}},
                 {6, 3, {0, 3, 0}, {2, 3, 1}},     {12, 3, {0, 0, 0}, {3, 2, 2}},
                 {72, 3, {0, 0, 0}, {6, 4, 3}},    {16, 3, {0, 0, 0}, {4, 2, 2}},
                 {120, 3, {0, 0, 0}, {6, 5, 4}},   {60, 4, {0, 5, 0, 0}, {3, 5, 2, 2}},
                 {1, 4, {0, 0, 0, 0}, {1, 1, 1, 1}}, {24, 2, {4, 6}, {4, 6}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int seen[4];
        memcpy(seen, cases[i].given, sizeof seen);
        EQUAL(MPI_Dims_create(cases[i].nodes, cases[i].ndims, seen), MPI_SUCCESS);
        for (int d = 0; d < cases[i].ndims; d++)
            EQUAL(seen[d], cases[i].wanted[d]);
    }
    int some[2] = {0, 3};
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    FAILS(MPI_Dims_create(7, 2, some), MPI_ERR_DIMS, "multiply to 3");
    EQUAL(some[0], 0);
    FAILS(MPI_Dims_create(7, -1, some), MPI_ERR_DIMS, "ndims");
    FAILS(MPI_Dims_create(0, 2, some), MPI_ERR_ARG, "nnodes");
    FAILS(MPI_Dims_create(6, 2, (int[]){-2, 0}), MPI_ERR_DIMS, "negative");
    FAILS(MPI_Dims_create(6, 2, NULL), MPI_ERR_ARG, "dims");
    EQUAL(MPI_Dims_create(1, 0, NULL), MPI_SUCCESS);
}

static void grids(void)
{
    int dim[2] = {0, 0}, periods[2] = {1, 0}, seen[2], wraps[2], coords[2], value, source, dest;
    MPI_Comm grid, twin;
    MPI_Dims_create(size, 2, dim);
    for (int reorder = 0; reorder < 2; reorder++) {
        EQUAL(MPI_Cart_create(W, 2, dim, periods, reorder, &grid), MPI_SUCCESS);
        int me;
        MPI_Comm_rank(grid, &me);
        MPI_Topo_test(grid, &value);
        EQUAL(value, MPI_CART);
        MPI_Topo_test(W, &value);
        EQUAL(value, MPI_UNDEFINED);
        MPI_Cartdim_get(grid, &value);
        EQUAL(value, 2);
        EQUAL(MPI_Cart_get(grid, 2, seen, wraps, coords), MPI_SUCCESS);
        CHECK(seen[0] == dim[0] && seen[1] == dim[1] && wraps[0] == 1 && wraps[1] == 0);
        EQUAL(coords[0], me / dim[1]);
        EQUAL(coords[1], me % dim[1]);
        for (int other = 0; other < size; other++) {
            EQUAL(MPI_Cart_coords(grid, other, 2, seen), MPI_SUCCESS);
            EQUAL(MPI_Cart_rank(grid, seen, &value), MPI_SUCCESS);
            EQUAL(value, other);
            seen[0] -= 3 * dim[0];
            EQUAL(MPI_Cart_rank(grid, seen, &value), MPI_SUCCESS);
            EQUAL(value, other);
        }
        EQUAL(MPI_Cart_shift(grid, 0, 1, &source, &dest), MPI_SUCCESS);
        EQUAL(dest, (coords[0] + 1) % dim[0] * dim[1] + coords[1]);
        EQUAL(source, (coords[0] + dim[0] - 1) % dim[0] * dim[1] + coords[1]);
        EQUAL(MPI_Cart_shift(grid, 1, -1, &source, &dest), MPI_SUCCESS);
        EQUAL(dest, coords[1] == 0 ? MPI_PROC_NULL : me - 1);
        EQUAL(source, coords[1] == dim[1] - 1 ? MPI_PROC_NULL : me + 1);
        EQUAL(MPI_Cart_shift(grid, 1, 2147483647, &source, &dest), MPI_SUCCESS);
        CHECK(source == MPI_PROC_NULL && dest == MPI_PROC_NULL);
        EQUAL(MPI_Cart_shift(grid, 1, 0, &source, &dest), MPI_SUCCESS);
        CHECK(source == me && dest == me);
        /* A shift is what a message takes. */
        int got = -1;
        MPI_Cart_shift(grid, 0, 1, &source, &dest);
        MPI_Sendrecv(&me, 1, MPI_INT, dest, 0, &got, 1, MPI_INT, source, 0, grid,
                     MPI_STATUS_IGNORE);
        EQUAL(got, source);
        /* A duplicate has the same topology; a split has none. */
        MPI_Comm_dup(grid, &twin);
        MPI_Topo_test(twin, &value);
        EQUAL(value, MPI_CART);
        MPI_Cart_get(twin, 2, seen, wraps, coords);
        EQUAL(seen[1], dim[1]);
        MPI_Comm_free(&twin);
        MPI_Comm_split(grid, 0, 0, &twin);
        MPI_Topo_test(twin, &value);
        EQUAL(value, MPI_UNDEFINED);
        MPI_Comm_free(&twin);
        EQUAL(MPI_Cart_map(W, 2, dim, periods, &value), MPI_SUCCESS);
        EQUAL(value, rank);
        MPI_Comm_free(&grid);
    }
}

static void parts_of_grids(void)
{
    int value, seen[3], wraps[3], coords[3];
    MPI_Comm grid, part, small;
    /* Fewer places than processes. */
    int few = size > 1 ? size - 1 : 1;
    EQUAL(MPI_Cart_create(W, 1, (int[]){few}, (int[]){1}, 0, &small), MPI_SUCCESS);
    if (rank < few) {
        MPI_Comm_size(small, &value);
        EQUAL(value, few);
        EQUAL(MPI_Barrier(small), MPI_SUCCESS);
        MPI_Comm_free(&small);
    } else {
        CHECK(small == MPI_COMM_NULL);
    }
    EQUAL(MPI_Cart_map(W, 1, (int[]){few}, (int[]){1}, &value), MPI_SUCCESS);
    EQUAL(value, rank < few ? rank : MPI_UNDEFINED);
    /* No dimension at all is one place. */
    EQUAL(MPI_Cart_create(W, 0, NULL, NULL, 0, &small), MPI_SUCCESS);
    CHECK((small == MPI_COMM_NULL) == (rank != 0));
    if (rank == 0) {
        MPI_Cartdim_get(small, &value);
        EQUAL(value, 0);
        EQUAL(MPI_Cart_rank(small, NULL, &value), MPI_SUCCESS);
        EQUAL(value, 0);
        MPI_Comm_free(&small);
    }
    int dim[3] = {0, 0, 0};
    MPI_Dims_create(size, 3, dim);
    MPI_Cart_create(W, 3, dim, (int[]){0, 1, 0}, 0, &grid);
    MPI_Cart_coords(grid, rank, 3, coords);
    for (int which = 0; which < 8; which++) {
        int remain[3] = {which & 1, which >> 1 & 1, which >> 2 & 1}, places = 1, place = 0, at = 0;
        EQUAL(MPI_Cart_sub(grid, remain, &part), MPI_SUCCESS);
        for (int d = 0; d < 3; d++) {
            if (remain[d]) {
                places *= dim[d];
                place = place * dim[d] + coords[d];
            }
        }
        MPI_Comm_size(part, &value);
        EQUAL(value, places);
        MPI_Comm_rank(part, &value);
        EQUAL(value, place);
        int inner[3];
        EQUAL(MPI_Cart_get(part, 3, seen, wraps, inner), MPI_SUCCESS);
        for (int d = 0; d < 3; d++) {
            if (!remain[d])
                continue;
            EQUAL(seen[at], dim[d]);
            EQUAL(wraps[at], d == 1);
            EQUAL(inner[at], coords[d]);
            at++;
        }
        /* All of a part agree in what did not remain. */
        int mine = 0, low, high;
        for (int d = 0; d < 3; d++)
            mine = mine * 64 + (remain[d] ? 0 : coords[d]);
        MPI_Allreduce(&mine, &low, 1, MPI_INT, MPI_MIN, part);
        MPI_Allreduce(&mine, &high, 1, MPI_INT, MPI_MAX, part);
        EQUAL(low, high);
        MPI_Comm_free(&part);
    }
    MPI_Comm_free(&grid);
}

static void graphs(void)
{
    enum { MOST = 64 };
    /* A ring, whose first node also knows itself. */
    int index[MOST], edges[2 * MOST + 1], count = 0, value, other, list[2 * MOST + 1];
    for (int node = 0; node < size; node++) {
        edges[count++] = (node + 1) % size;
        edges[count++] = (node + size - 1) % size;
        if (node == 0)
            edges[count++] = 0;
        index[node] = count;
    }
    MPI_Comm graph, twin;
    EQUAL(MPI_Graph_create(W, size, index, edges, 1, &graph), MPI_SUCCESS);
    MPI_Topo_test(graph, &value);
    EQUAL(value, MPI_GRAPH);
    MPI_Graphdims_get(graph, &value, &other);
    EQUAL(value, size);
    EQUAL(other, count);
    MPI_Comm_dup(graph, &twin);
    MPI_Comm_free(&graph);
    int index_seen[MOST];
    EQUAL(MPI_Graph_get(twin, size, count, index_seen, list), MPI_SUCCESS);
    CHECK(memcmp(index, index_seen, sizeof(int) * (size_t)size) == 0);
    CHECK(memcmp(edges, list, sizeof(int) * (size_t)count) == 0);
    for (int node = 0; node < size; node++) {
        EQUAL(MPI_Graph_neighbors_count(twin, node, &value), MPI_SUCCESS);
        EQUAL(value, node == 0 ? 3 : 2);
        EQUAL(MPI_Graph_neighbors(twin, node, value, list), MPI_SUCCESS);
        EQUAL(list[0], (node + 1) % size);
        EQUAL(list[1], (node + size - 1) % size);
        list[1] = -77;
        EQUAL(MPI_Graph_neighbors(twin, node, 1, list), MPI_SUCCESS);
        EQUAL(list[1], -77);
    }
    MPI_Comm_free(&twin);
    EQUAL(MPI_Graph_create(W, 1, (int[]){1}, (int[]){0}, 0, &graph), MPI_SUCCESS);
    CHECK((graph == MPI_COMM_NULL) == (rank != 0));
    if (rank == 0)
        MPI_Comm_free(&graph);
    EQUAL(MPI_Graph_create(W, 0, NULL, NULL, 0, &graph), MPI_SUCCESS);
    CHECK(graph == MPI_COMM_NULL);
    EQUAL(MPI_Graph_map(W, 1, (int[]){0}, NULL, &value), MPI_SUCCESS);
    EQUAL(value, rank == 0 ? 0 : MPI_UNDEFINED);
}

/* Every rank has an edge to itself and to the next one, with the weights 10 * rank and + 1. */
static void check_ring(MPI_Comm graph, int is_weighted)
{
    int in, out, weighted, sources[4], in_weights[4] = {-1, -1}, destinations[4],
        out_weights[4] = {-1, -1};
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    EQUAL(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted), MPI_SUCCESS);
    EQUAL(in, 2);
    EQUAL(out, 2);
    EQUAL(weighted, is_weighted);
    EQUAL(MPI_Dist_graph_neighbors(graph, 2, sources, in_weights, 2, destinations, out_weights),
          MPI_SUCCESS);
    int own = sources[0] == rank && (size == 1 || sources[1] == left) ? 0 : 1;
    EQUAL(sources[own], rank);
    EQUAL(sources[1 - own], left);
    int self = destinations[0] == rank ? 0 : 1;
    EQUAL(destinations[self], rank);
    EQUAL(destinations[1 - self], right);
    if (is_weighted && size > 1) {
        EQUAL(in_weights[own], 10 * rank);
        EQUAL(in_weights[1 - own], 10 * left + 1);
        EQUAL(out_weights[self], 10 * rank);
        EQUAL(out_weights[1 - self], 10 * rank + 1);
    } else if (!is_weighted) {
        EQUAL(in_weights[0], -1);
        EQUAL(out_weights[1], -1);
    }
    EQUAL(MPI_Dist_graph_neighbors(graph, 2, sources, MPI_UNWEIGHTED, 2, destinations,
                                   MPI_UNWEIGHTED),
          MPI_SUCCESS);
    destinations[1] = -5;
    EQUAL(MPI_Dist_graph_neighbors(graph, 0, NULL, MPI_UNWEIGHTED, 1, destinations, MPI_UNWEIGHTED),
          MPI_SUCCESS);
    EQUAL(destinations[1], -5);
}

static void distributed_graphs(void)
{
    MPI_Comm graph, twin;
    MPI_Info hints;
    int left = (rank + size - 1) % size, right = (rank + 1) % size, value, in, out;
    int sources[2] = {rank, left}, destinations[2] = {rank, right};
    int in_weights[2] = {10 * rank, 10 * left + 1}, out_weights[2] = {10 * rank, 10 * rank + 1};
    MPI_Info_create(&hints);
    for (int is_weighted = 0; is_weighted < 2; is_weighted++) {
        EQUAL(MPI_Dist_graph_create_adjacent(W, 2, sources,
                                             is_weighted ? in_weights : MPI_UNWEIGHTED, 2,
                                             destinations,
                                                 is_weighted ? out_weights : MPI_UNWEIGHTED,
                                             hints, 0, &graph),
              MPI_SUCCESS);
        MPI_Topo_test(graph, &value);
        EQUAL(value, MPI_DIST_GRAPH);
        check_ring(graph, is_weighted);
        MPI_Comm_dup(graph, &twin);
        check_ring(twin, is_weighted);
        MPI_Comm_free(&twin);
        MPI_Comm_free(&graph);
        /* The same, said by the left neighbour of each. */
        int degree = 2, theirs[2] = {right, (right + 1) % size};
        int weights[2] = {10 * right, 10 * right + 1};
        EQUAL(MPI_Dist_graph_create(W, 1, &right, &degree, theirs,
                                    is_weighted ? weights : MPI_UNWEIGHTED,
                                    MPI_INFO_NULL, 1, &graph),
              MPI_SUCCESS);
        check_ring(graph, is_weighted);
        MPI_Comm_free(&graph);
        /* The same, all said by the last one. */
        int nodes[64], degrees[64], all[128], all_weights[128];
        for (int node = 0; node < size; node++) {
            nodes[node] = node;
            degrees[node] = 2;
            all[2 * node] = node;
            all[2 * node + 1] = (node + 1) % size;
            all_weights[2 * node] = 10 * node;
            all_weights[2 * node + 1] = 10 * node + 1;
        }
        int has_all = rank == size - 1;
        const int *none = is_weighted ? MPI_WEIGHTS_EMPTY : MPI_UNWEIGHTED;
        const int *with = is_weighted ? all_weights : MPI_UNWEIGHTED;
        EQUAL(MPI_Dist_graph_create(W, has_all ? size : 0, nodes, degrees, all,
                                    has_all ? with : none,
                                    hints, 0, &graph),
              MPI_SUCCESS);
        check_ring(graph, is_weighted);
        MPI_Comm_free(&graph);
    }
    MPI_Info_free(&hints);
    /* Nobody knows anybody. */
    EQUAL(MPI_Dist_graph_create_adjacent(W, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL, MPI_WEIGHTS_EMPTY,
                                         MPI_INFO_NULL, 0, &graph),
          MPI_SUCCESS);
    EQUAL(MPI_Dist_graph_neighbors_count(graph, &in, &out, &value), MPI_SUCCESS);
    CHECK(in == 0 && out == 0 && value == 1);
    MPI_Comm_free(&graph);
}

static void errors(void)
{
    MPI_Comm grid, graph, made;
    int value, other, list[8];
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    FAILS(MPI_Cartdim_get(W, &value), MPI_ERR_TOPOLOGY, "MPI_COMM_WORLD has no cartesian");
    FAILS(MPI_Cart_get(W, 1, list, list, list), MPI_ERR_TOPOLOGY, "cartesian");
    FAILS(MPI_Cart_rank(W, list, &value), MPI_ERR_TOPOLOGY, "cartesian");
    FAILS(MPI_Cart_coords(W, 0, 1, list), MPI_ERR_TOPOLOGY, "cartesian");
    FAILS(MPI_Cart_shift(W, 0, 1, &value, &other), MPI_ERR_TOPOLOGY, "cartesian");
    FAILS(MPI_Cart_sub(W, list, &made), MPI_ERR_TOPOLOGY, "cartesian");
    FAILS(MPI_Graphdims_get(W, &value, &other), MPI_ERR_TOPOLOGY, "graph");
    FAILS(MPI_Graph_get(W, 8, 8, list, list), MPI_ERR_TOPOLOGY, "graph");
    FAILS(MPI_Graph_neighbors(W, 0, 8, list), MPI_ERR_TOPOLOGY, "graph");
    FAILS(MPI_Graph_neighbors_count(W, 0, &value), MPI_ERR_TOPOLOGY, "graph");
    FAILS(MPI_Dist_graph_neighbors_count(W, &value, &other, list), MPI_ERR_TOPOLOGY, "distributed");
    FAILS(MPI_Dist_graph_neighbors(W, 8, list, list, 8, list, list), MPI_ERR_TOPOLOGY,
          "distributed");
    FAILS(MPI_Topo_test(MPI_COMM_NULL, &value), MPI_ERR_COMM, "MPI_COMM_NULL");
    int dim[1] = {size}, flat[1] = {0};
    FAILS(MPI_Cart_create(W, -1, dim, flat, 0, &made), MPI_ERR_DIMS, "ndims");
    FAILS(MPI_Cart_create(W, 1, (int[]){size + 1}, flat, 0, &made), MPI_ERR_DIMS, "places");
    FAILS(MPI_Cart_create(W, 1, (int[]){0}, flat, 0, &made), MPI_ERR_DIMS, "at least 1");
    FAILS(MPI_Cart_create(W, 1, NULL, flat, 0, &made), MPI_ERR_ARG, "dims");
    FAILS(MPI_Cart_create(W, 1, dim, NULL, 0, &made), MPI_ERR_ARG, "periods");
    FAILS(MPI_Cart_create(MPI_COMM_NULL, 1, dim, flat, 0, &made), MPI_ERR_COMM, "comm_old");
    FAILS(MPI_Cart_map(W, 1, (int[]){size + 1}, flat, &value), MPI_ERR_DIMS, "places");
    EQUAL(MPI_Cart_create(W, 1, dim, flat, 0, &grid), MPI_SUCCESS);
    FAILS(MPI_Cart_rank(grid, &size, &value), MPI_ERR_ARG, "coords[0]");
    FAILS(MPI_Cart_coords(grid, size, 1, list), MPI_ERR_RANK, "rank");
    FAILS(MPI_Cart_coords(grid, 0, 0, list), MPI_ERR_DIMS, "maxdims");
    FAILS(MPI_Cart_get(grid, 0, list, list, list), MPI_ERR_DIMS, "maxdims");
    FAILS(MPI_Cart_shift(grid, 1, 1, &value, &other), MPI_ERR_DIMS, "direction");
    FAILS(MPI_Cart_shift(grid, -1, 1, &value, &other), MPI_ERR_DIMS, "direction");
    FAILS(MPI_Cart_sub(grid, NULL, &made), MPI_ERR_ARG, "remain_dims");
    FAILS(MPI_Graph_neighbors_count(grid, 0, &value), MPI_ERR_TOPOLOGY, "graph");
    MPI_Comm_free(&grid);
    FAILS(MPI_Graph_create(W, -1, dim, flat, 0, &made), MPI_ERR_ARG, "nnodes");
    FAILS(MPI_Graph_create(W, 1, (int[]){1}, (int[]){1}, 0, &made), MPI_ERR_ARG, "edges");
    FAILS(MPI_Graph_create(W, 1, (int[]){-1}, flat, 0, &made), MPI_ERR_ARG, "index");
    FAILS(MPI_Graph_create(W, 1, (int[]){1}, NULL, 0, &made), MPI_ERR_ARG, "edges");
    FAILS(MPI_Graph_map(W, 1, (int[]){1}, (int[]){-1}, &value), MPI_ERR_ARG, "edges");
    FAILS(MPI_Dist_graph_create_adjacent(W, 1, &size, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                         MPI_INFO_NULL, 0, &made),
          MPI_ERR_RANK, "sources");
    FAILS(MPI_Dist_graph_create_adjacent(W, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_WEIGHTS_EMPTY,
                                         MPI_INFO_NULL, 0, &made),
          MPI_ERR_ARG, "MPI_UNWEIGHTED");
    FAILS(MPI_Dist_graph_create_adjacent(W, 1, flat, MPI_WEIGHTS_EMPTY, 0, NULL, MPI_WEIGHTS_EMPTY,
                                         MPI_INFO_NULL, 0, &made),
          MPI_ERR_ARG, "MPI_WEIGHTS_EMPTY");
    FAILS(MPI_Dist_graph_create_adjacent(W, 1, flat, (int[]){-1}, 0, NULL, MPI_WEIGHTS_EMPTY,
                                         MPI_INFO_NULL, 0, &made),
          MPI_ERR_ARG, "negative");
    /* One has wrong edges, or weights where the others have none: all hear of it. */
    int is_bad = rank == size - 1, one = 1;
    FAILS(MPI_Dist_graph_create(W, 1, flat, &one, is_bad ? &size : flat, MPI_UNWEIGHTED,
                                MPI_INFO_NULL, 0, &made),
          MPI_ERR_RANK, is_bad ? "destinations" : "another process");
    FAILS(MPI_Dist_graph_create(W, is_bad ? -1 : 1, flat, &one, flat, MPI_UNWEIGHTED,
                                MPI_INFO_NULL, 0,
                                &made),
          MPI_ERR_ARG, is_bad ? "n is -1" : "another process");
    FAILS(MPI_Dist_graph_create(W, 1, flat, (int[]){is_bad ? -1 : 0}, flat, MPI_UNWEIGHTED,
                                MPI_INFO_NULL, 0, &made),
          MPI_ERR_ARG, is_bad ? "degrees" : "another process");
    if (size > 1)
        FAILS(MPI_Dist_graph_create(W, 1, flat, &one, flat, is_bad ? &one : MPI_UNWEIGHTED,
                                    MPI_INFO_NULL, 0, &made),
              MPI_ERR_NOT_SAME, "");
    EQUAL(MPI_Graph_create(W, 1, (int[]){0}, NULL, 0, &graph), MPI_SUCCESS);
    if (rank == 0) {
        FAILS(MPI_Graph_neighbors(graph, 1, 8, list), MPI_ERR_RANK, "rank");
        FAILS(MPI_Graph_neighbors_count(graph, -1, &value), MPI_ERR_RANK, "rank");
        FAILS(MPI_Graph_get(graph, -1, 8, list, list), MPI_ERR_ARG, "maxindex");
        MPI_Comm_free(&graph);
    }
    /* Nothing of this is for two groups. */
    if (size > 1) {
        MPI_Comm local, between;
        MPI_Comm_split(W, rank == 0, 0, &local);
        MPI_Intercomm_create(local, 0, W, rank == 0 ? 1 : 0, 0, &between);
        FAILS(MPI_Cart_create(between, 1, (int[]){1}, flat, 0, &made), MPI_ERR_COMM, "intercomm");
        FAILS(MPI_Graph_create(between, 1, flat, flat, 0, &made), MPI_ERR_COMM, "intercomm");
        FAILS(MPI_Dist_graph_create_adjacent(between, 0, NULL, MPI_UNWEIGHTED, 0, NULL,
                                             MPI_UNWEIGHTED,
                                             MPI_INFO_NULL, 0, &made),
              MPI_ERR_COMM, "intercomm");
        MPI_Comm_free(&between);
        MPI_Comm_free(&local);
    }
}

int main(int argc, char **argv)
{
    const struct test tests[] = {{"dims", dims},
                                 {"grids", grids},
                                 {"parts-of-grids", parts_of_grids},
                                 {"graphs", graphs},
                                 {"distributed-graphs", distributed_graphs},
                                 {"errors", errors},
                                 {0}};
    return run_test(argc, argv, tests);
}
