/* A member dies before, in or between collective calls: all others come back with
 * MPI_ERR_PROC_ABORTED, nobody waits for ever, and messages between the living go on.
 * Arguments: the call, its form, the victim's rank, how many calls it takes part in, and whether
 * the calls are `within` one group or `between` two. */
#include "check.h"
#include "ftmpi.h"

#define LARGE 300000

static MPI_Comm comm;
static char *data, *all, *more;
static int is_inter, peers, local;
static int *counts, *displs;
static MPI_Datatype *chars;
static long sum[8], one[8] = {1, 1, 1, 1, 1, 1, 1, 1};
static MPI_Request request = MPI_REQUEST_NULL;
static enum { BLOCKING, NONBLOCKING, PERSISTENT } form;

/* Between two groups, the first of the lower half is the root. */
static int root_of(int root)
{
    if (!is_inter)
        return root;
    return rank >= size / 2 ? 0 : local == 0 ? MPI_ROOT : MPI_PROC_NULL;
}

/* Nothing is in place between two groups. */
static void *in_place(void)
{
    return is_inter ? more : MPI_IN_PLACE;
}

/* A request of either kind is waited for at once; a persistent one is made once. */
#define CALL(NAME, Name, ...)                                                                      \
    do {                                                                                           \
        int code = MPI_SUCCESS;                                                                    \
        if (form == BLOCKING)                                                                      \
            return MPI_##NAME(__VA_ARGS__);                                                        \
        if (form == NONBLOCKING)                                                                   \
            code = MPI_I##Name(__VA_ARGS__, &request);                                             \
        else if (request == MPI_REQUEST_NULL)                                                      \
            code = MPI_##NAME##_init(__VA_ARGS__, MPI_INFO_NULL, &request);                        \
        if (form == PERSISTENT && code == MPI_SUCCESS)                                             \
            code = MPI_Start(&request);                                                            \
        return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;                 \
    } while (0)

static int barrier(void)
{
    CALL(Barrier, barrier, comm);
}

static int bcast(void)
{
    CALL(Bcast, bcast, data, LARGE, MPI_CHAR, root_of(0), comm);
}

static int gather(void)
{
    CALL(Gather, gather, data, LARGE, MPI_CHAR, all, LARGE, MPI_CHAR, root_of(0), comm);
}

static int gatherv(void)
{
    CALL(Gatherv, gatherv, data, counts[rank], MPI_CHAR, all, counts, displs, MPI_CHAR, root_of(1),
         comm);
}

static int scatter(void)
{
    CALL(Scatter, scatter, all, LARGE, MPI_CHAR, data, LARGE, MPI_CHAR, root_of(size - 1), comm);
}

static int scatterv(void)
{
    CALL(Scatterv, scatterv, all, counts, displs, MPI_CHAR, data, counts[rank], MPI_CHAR,
         root_of(2), comm);
}

static int allgather(void)
{
    CALL(Allgather, allgather, data, 100, MPI_CHAR, all, 100, MPI_CHAR, comm);
}

static int large_allgather(void)
{
    CALL(Allgather, allgather, data, LARGE, MPI_CHAR, all, LARGE, MPI_CHAR, comm);
}

static int allgatherv(void)
{
    CALL(Allgatherv, allgatherv, data, counts[rank], MPI_CHAR, all, counts, displs, MPI_CHAR, comm);
}

static int alltoall(void)
{
    CALL(Alltoall, alltoall, in_place(), LARGE, MPI_CHAR, all, LARGE, MPI_CHAR, comm);
}

static int small_alltoall(void)
{
    CALL(Alltoall, alltoall, in_place(), 10, MPI_CHAR, all, 10, MPI_CHAR, comm);
}

static int alltoallv(void)
{
    CALL(Alltoallv, alltoallv, in_place(), counts, displs, MPI_CHAR, all, counts, displs, MPI_CHAR,
         comm);
}

static int alltoallw(void)
{
    CALL(Alltoallw, alltoallw, in_place(), counts, displs, chars, all, counts, displs, chars, comm);
}

static int reduce(void)
{
    CALL(Reduce, reduce, one, sum, 1, MPI_LONG, MPI_SUM, root_of(size / 2), comm);
}

static int allreduce(void)
{
    CALL(Allreduce, allreduce, one, sum, 1, MPI_LONG, MPI_SUM, comm);
}

static int large_allreduce(void)
{
    CALL(Allreduce, allreduce, in_place(), all, LARGE, MPI_BYTE, MPI_BXOR, comm);
}

static int reduce_scatter(void)
{
    CALL(Reduce_scatter, reduce_scatter, all, data, counts, MPI_BYTE, MPI_BXOR, comm);
}

static int reduce_scatter_block(void)
{
    CALL(Reduce_scatter_block, reduce_scatter_block, one, sum, 1, MPI_LONG, MPI_SUM, comm);
}

static int scan(void)
{
    CALL(Scan, scan, data, all, LARGE, MPI_BYTE, MPI_BXOR, comm);
}

static int exscan(void)
{
    CALL(Exscan, exscan, one, sum, 1, MPI_LONG, MPI_SUM, comm);
}

static int dup(void)
{
    MPI_Comm made;
    int code = MPI_Comm_dup(comm, &made);
    if (code == MPI_SUCCESS)
        MPI_Comm_free(&made);
    return code;
}

static int split(void)
{
    MPI_Comm made;
    int code = MPI_Comm_split(comm, rank % 3, 0, &made);
    if (code == MPI_SUCCESS)
        MPI_Comm_free(&made);
    return code;
}

#define NAMED(call)                                                                                \
    {                                                                                              \
        #call, call                                                                                \
    }

static const struct {
    const char *name;
    int (*call)(void);
} CALLS[] = {NAMED(barrier),        NAMED(bcast),           NAMED(gather),
             NAMED(gatherv),        NAMED(scatter),         NAMED(scatterv),
             NAMED(allgather),      NAMED(large_allgather), NAMED(allgatherv),
             NAMED(alltoall),       NAMED(small_alltoall),  NAMED(alltoallv),
             NAMED(alltoallw),      NAMED(reduce),          NAMED(allreduce),
             NAMED(large_allreduce), NAMED(reduce_scatter), NAMED(reduce_scatter_block),
             NAMED(scan),           NAMED(exscan),          NAMED(dup),
             NAMED(split)};

int main(int argc, char **argv)
{
    int victim, calls, met = 0, code = MPI_SUCCESS, token = 0;
    int (*call)(void) = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(argc == 6);
    form = strcmp(argv[2], "blocking") == 0      ? BLOCKING
           : strcmp(argv[2], "nonblocking") == 0 ? NONBLOCKING
                                                 : PERSISTENT;
    victim = atoi(argv[3]);
    calls = atoi(argv[4]);
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++)
        if (strcmp(argv[1], CALLS[i].name) == 0)
            call = CALLS[i].call;
    data = calloc(1, LARGE);
    all = calloc(size, LARGE);
    counts = calloc(size, sizeof(int));
    displs = calloc(size, sizeof(int));
    chars = calloc(size, sizeof(MPI_Datatype));
    for (int i = 0; i < size; i++) {
        counts[i] = LARGE / 2;
        displs[i] = i * LARGE;
        chars[i] = MPI_CHAR;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    more = calloc(size, LARGE);
    is_inter = strcmp(argv[5], "between") == 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    peers = size;
    if (is_inter) {
        MPI_Comm half;
        MPI_Comm_split(MPI_COMM_WORLD, rank >= size / 2, 0, &half);
        MPI_Comm_rank(half, &local);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank >= size / 2 ? 0 : size / 2, 1, &comm);
        MPI_Comm_remote_size(comm, &peers);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    }
    /* Nobody dies before all are here. */
    for (int i = 0; rank == victim && i < size - 1; i++)
        MPI_Recv(NULL, 0, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != victim)
        MPI_Send(NULL, 0, MPI_CHAR, victim, 0, MPI_COMM_WORLD);
    for (int i = 0; code == MPI_SUCCESS; i++) {
        if (rank == victim && i == calls)
            ftmpi_kill(victim);
        code = call();
        /* Between two groups some have no part in a call, and nothing would ever stop them. */
        if (is_inter && code == MPI_SUCCESS)
            code = MPI_Barrier(comm);
        CHECK(call != allreduce || code != MPI_SUCCESS || sum[0] == peers);
        /* A root that only sends may be ahead, but not for ever. */
        CHECK(i < 1000000);
    }
    FAILS(code, MPI_ERR_PROC_ABORTED, "has died");
    FAILS(call(), MPI_ERR_PROC_ABORTED, "has died");
    /* The living still hear each other: a token goes round. */
    for (int i = 0; i < size; i++) {
        int from = (rank + size - 1) % size, to = (rank + 1) % size;
        if (from == victim)
            from = (from + size - 1) % size;
        if (to == victim)
            to = (to + 1) % size;
        EQUAL(MPI_Sendrecv(&rank, 1, MPI_INT, to, i, &token, 1, MPI_INT, from, i, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE),
              MPI_SUCCESS);
        EQUAL(token, from);
        met++;
    }
    printf("%d met %d\n", rank, met);
    MPI_Finalize();
    return 0;
}
