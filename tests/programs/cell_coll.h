/* Collective operations, and what makes communicators: a part of cell.c. */

/* A collective operation in its three forms. */
#define FORMS(name, Call, check, ...)                                                              \
    static int name(void)                                                                          \
    {                                                                                              \
        int code = MPI_##Call(__VA_ARGS__);                                                        \
        check;                                                                                     \
        return code;                                                                               \
    }                                                                                              \
    static int i##name(void)                                                                       \
    {                                                                                              \
        MPI_Request request = MPI_REQUEST_NULL;                                                    \
        int code = MPI_I##name(__VA_ARGS__, &request);                                             \
        code = of(&request, code);                                                                 \
        check;                                                                                     \
        return code;                                                                               \
    }                                                                                              \
    static int name##_init(void)                                                                   \
    {                                                                                              \
        MPI_Request request = MPI_REQUEST_NULL;                                                    \
        int code = MPI_##Call##_init(__VA_ARGS__, MPI_INFO_NULL, &request);                        \
        code = begun(&request, code);                                                              \
        check;                                                                                     \
        return code;                                                                               \
    }

FORMS(barrier, Barrier, (void)0, world)
FORMS(bcast, Bcast, arrived(rank == ROOT ? 1 : code, ROOT, COUNT), rank == ROOT ? out : in, COUNT,
      MPI_INT, ROOT, world)
FORMS(gather, Gather, gathered(rank == ROOT ? code : 1, COUNT), out, COUNT, MPI_INT, all, COUNT,
      MPI_INT, ROOT, world)
FORMS(gatherv, Gatherv, gathered(rank == ROOT ? code : 1, COUNT), out, COUNT, MPI_INT, all, counts,
      displs, MPI_INT, ROOT, world)
FORMS(scatter, Scatter, (void)0, all, COUNT, MPI_INT, in, COUNT, MPI_INT, ROOT, world)
FORMS(scatterv, Scatterv, (void)0, all, counts, displs, MPI_INT, in, COUNT, MPI_INT, ROOT, world)
FORMS(allgather, Allgather, gathered(code, COUNT), out, COUNT, MPI_INT, all, COUNT, MPI_INT, world)
FORMS(allgatherv, Allgatherv, gathered(code, COUNT), out, COUNT, MPI_INT, all, counts, displs,
      MPI_INT, world)
FORMS(alltoall, Alltoall, (void)0, all, COUNT, MPI_INT, in, COUNT, MPI_INT, world)
FORMS(alltoallv, Alltoallv, (void)0, all, counts, displs, MPI_INT, in, counts, displs, MPI_INT,
      world)
FORMS(alltoallw, Alltoallw, (void)0, all, counts, displs, types, in, counts, displs, types, world)
FORMS(reduce, Reduce, summed(rank == ROOT ? code : 1, in, COUNT), out, in, COUNT, MPI_INT, MPI_SUM,
      ROOT, world)
FORMS(allreduce, Allreduce, summed(code, in, COUNT), out, in, COUNT, MPI_INT, MPI_SUM, world)
FORMS(reduce_scatter, Reduce_scatter, (void)0, out, in, counts, MPI_INT, MPI_SUM, world)
FORMS(reduce_scatter_block, Reduce_scatter_block, (void)0, out, in, COUNT, MPI_INT, MPI_SUM, world)
FORMS(scan, Scan, (void)0, out, in, COUNT, MPI_INT, MPI_SUM, world)
FORMS(exscan, Exscan, (void)0, out, in, COUNT, MPI_INT, MPI_SUM, world)

static int allreduce_large(void)
{
    int code = MPI_Allreduce(out, in, LARGE, MPI_INT, MPI_SUM, world);
    summed(code, in, LARGE);
    return code;
}

static int bcast_large(void)
{
    int code = MPI_Bcast(rank == ROOT ? out : in, LARGE, MPI_INT, ROOT, world);
    arrived(rank == ROOT ? 1 : code, ROOT, LARGE);
    return code;
}

/* What makes communicators. Some of them are a recovery where somebody is known to be dead. */
static int dup(void)
{
    return MPI_Comm_dup(world, &made);
}

static int idup(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    return of(&request, MPI_Comm_idup(world, &made, &request));
}

static int split(void)
{
    return MPI_Comm_split(world, rank % 2, -rank, &made);
}

static int split_type(void)
{
    return MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made);
}

static int create(void)
{
    MPI_Group group;
    MPI_Comm_group(world, &group);
    int code = MPI_Comm_create(world, group, &made);
    MPI_Group_free(&group);
    return code;
}

static int create_group(void)
{
    MPI_Group group;
    MPI_Comm_group(world, &group);
    int code = MPI_Comm_create_group(world, group, 5, &made);
    MPI_Group_free(&group);
    return code;
}

static int cart(void)
{
    int dims[1] = {size}, periods[1] = {1};
    return MPI_Cart_create(world, 1, dims, periods, 0, &made);
}

static int graph(void)
{
    return MPI_Dist_graph_create_adjacent(world, 1, &left, MPI_UNWEIGHTED, 1, &right,
                                          MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
}

static MPI_Comm grid = MPI_COMM_NULL;

/* A ring, on which everybody has two neighbours. */
static int on_grid(void)
{
    int dims[1] = {size}, periods[1] = {1};
    return ready(MPI_Cart_create(world, 1, dims, periods, 0, &grid));
}

FORMS(neighbor_allgather, Neighbor_allgather, (void)0, out, COUNT, MPI_INT, all, COUNT, MPI_INT,
      grid)
FORMS(neighbor_allgatherv, Neighbor_allgatherv, (void)0, out, COUNT, MPI_INT, all, counts, displs,
      MPI_INT, grid)
FORMS(neighbor_alltoall, Neighbor_alltoall, (void)0, out, COUNT, MPI_INT, all, COUNT, MPI_INT, grid)
FORMS(neighbor_alltoallv, Neighbor_alltoallv, (void)0, out, counts, displs, MPI_INT, all, counts,
      displs, MPI_INT, grid)
FORMS(neighbor_alltoallw, Neighbor_alltoallw, (void)0, out, counts, places, types, all, counts,
      places, types, grid)

static int cart_sub(void)
{
    int code = on_grid(), remains[1] = {1};
    return either(code, MPI_Cart_sub(grid, remains, &made));
}

static int old_graph(void)
{
    int index[8], edges[8];
    for (int i = 0; i < size; i++) {
        index[i] = i + 1;
        edges[i] = i ^ 1;
    }
    return MPI_Graph_create(world, size, index, edges, 0, &made);
}

static int any_graph(void)
{
    int degree = 1;
    return MPI_Dist_graph_create(world, 1, &rank, &degree, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &made);
}

static int dup_with_info(void)
{
    return MPI_Comm_dup_with_info(world, MPI_INFO_NULL, &made);
}

static int idup_with_info(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    return of(&request, MPI_Comm_idup_with_info(world, MPI_INFO_NULL, &made, &request));
}

static int on_half(void)
{
    int code = split(), sum;
    int added = MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_MAX,
                              code == MPI_SUCCESS ? made : MPI_COMM_SELF);
    return either(code, added);
}

static MPI_Comm half = MPI_COMM_NULL, inter = MPI_COMM_NULL;

static int halves(void)
{
    return ready(MPI_Comm_split(world, rank < 2, rank, &half));
}

static int intercomm_create(void)
{
    int code = halves();
    return either(code, MPI_Intercomm_create(half, 0, world, rank < 2 ? 2 : 0, 9, &inter));
}

static int intercomm_merge(void)
{
    int code = ready(intercomm_create());
    return either(code, MPI_Intercomm_merge(inter, rank < 2, &made));
}

/* The groups of the two halves; the own one first. */
static void groups(MPI_Group *both)
{
    MPI_Group whole;
    int ranges[2][3] = {{0, 1, 1}, {2, 3, 1}};
    MPI_Comm_group(world, &whole);
    for (int i = 0; i < 2; i++)
        MPI_Group_range_incl(whole, 1, &ranges[(rank >= 2) ^ i], &both[i]);
    MPI_Group_free(&whole);
}

static int from_group(void)
{
    MPI_Group both[2];
    groups(both);
    return MPI_Comm_create_from_group(both[0], "cell", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
}

static int from_groups(void)
{
    MPI_Group both[2];
    groups(both);
    return MPI_Intercomm_create_from_groups(both[0], 0, both[1], 0, "cell", MPI_INFO_NULL,
                                            MPI_ERRORS_RETURN, &made);
}

static int comm_free(void)
{
    int code = ready(split());
    return either(code, MPI_Comm_free(&made));
}

#define THREE(name) CASE(name), CASE(i##name), CASE(name##_init)
#define COLL_CASES                                                                                 \
    THREE(barrier), THREE(bcast), CASE(bcast_large), THREE(gather), THREE(gatherv),                \
        THREE(scatter), THREE(scatterv), THREE(allgather), THREE(allgatherv), THREE(alltoall),     \
        THREE(alltoallv), THREE(alltoallw), THREE(reduce), THREE(allreduce),                       \
        CASE(allreduce_large), THREE(reduce_scatter), THREE(reduce_scatter_block), THREE(scan),    \
        THREE(exscan), THREE(neighbor_allgather), THREE(neighbor_allgatherv),                      \
        THREE(neighbor_alltoall), THREE(neighbor_alltoallv), THREE(neighbor_alltoallw), CASE(dup), \
        CASE(dup_with_info), CASE(idup), CASE(idup_with_info), CASE(split), CASE(split_type),      \
        CASE(create), CASE(create_group), CASE(cart), CASE(cart_sub), CASE(graph),                 \
        CASE(old_graph), CASE(any_graph), CASE(on_half), CASE(intercomm_create),                   \
        CASE(intercomm_merge), CASE(from_group), CASE(from_groups), CASE(comm_free)
