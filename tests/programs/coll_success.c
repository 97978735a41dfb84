/* Success means that every byte was written. Members die before, in and after collective
 * operations of all kinds, and new ones take their seats; each who is told of success looks at all
 * that it should have got, in a buffer that held something else before.
 * Arguments: the form of the calls, and which of the orders of deaths. */
#include "check.h"
#include "ftmpi.h"
#include <signal.h>

#define W MPI_COMM_WORLD
#define MOST 12000
#define RANKS 9
#define POISON (-77777)

static enum { BLOCKING, NONBLOCKING, PERSISTENT } form;
static MPI_Request request;
static MPI_Comm ring = MPI_COMM_NULL;
static MPI_Op mine;
static long *from, *to;
static int counts[RANKS], displs[RANKS];

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((long *)inout)[i] += ((long *)in)[i];
}

static int start(int code)
{
    return code == MPI_SUCCESS ? MPI_Start(&request) : code;
}

#define CALL(NAME, Name, ...)                                                                      \
    (form == BLOCKING      ? MPI_##NAME(__VA_ARGS__)                                               \
     : form == NONBLOCKING ? MPI_I##Name(__VA_ARGS__, &request)                                    \
                           : start(MPI_##NAME##_init(__VA_ARGS__, MPI_INFO_NULL, &request)))

enum {
    BCAST, GATHER, SCATTER, ALLGATHER, ALLTOALL, GATHERV, SCATTERV, ALLGATHERV, ALLTOALLV, REDUCE,
    ALLREDUCE, OWN_ALLREDUCE, REDUCE_SCATTER, BLOCK, SCAN, EXSCAN, NEIGHBOURS, NEIGHBOURS_ALL, KINDS
};

static int call(int kind, int n, int root)
{
    MPI_Datatype t = MPI_LONG;
    switch (kind) {
    case BCAST:
        return CALL(Bcast, bcast, rank == root ? from : to, n, t, root, W);
    case GATHER:
        return CALL(Gather, gather, from, n, t, to, n, t, root, W);
    case SCATTER:
        return CALL(Scatter, scatter, from, n, t, to, n, t, root, W);
    case ALLGATHER:
        return CALL(Allgather, allgather, from, n, t, to, n, t, W);
    case ALLTOALL:
        return CALL(Alltoall, alltoall, from, n, t, to, n, t, W);
    case GATHERV:
        return CALL(Gatherv, gatherv, from, n, t, to, counts, displs, t, root, W);
    case SCATTERV:
        return CALL(Scatterv, scatterv, from, counts, displs, t, to, n, t, root, W);
    case ALLGATHERV:
        return CALL(Allgatherv, allgatherv, from, n, t, to, counts, displs, t, W);
    case ALLTOALLV:
        return CALL(Alltoallv, alltoallv, from, counts, displs, t, to, counts, displs, t, W);
    case REDUCE:
        return CALL(Reduce, reduce, from, to, n, t, MPI_SUM, root, W);
    case ALLREDUCE:
        return CALL(Allreduce, allreduce, from, to, n, t, MPI_SUM, W);
    case OWN_ALLREDUCE:
        return CALL(Allreduce, allreduce, from, to, n, t, mine, W);
    case REDUCE_SCATTER:
        return CALL(Reduce_scatter, reduce_scatter, from, to, counts, t, MPI_SUM, W);
    case BLOCK:
        return CALL(Reduce_scatter_block, reduce_scatter_block, from, to, n, t, MPI_SUM, W);
    case SCAN:
        return CALL(Scan, scan, from, to, n, t, MPI_SUM, W);
    case EXSCAN:
        return CALL(Exscan, exscan, from, to, n, t, MPI_SUM, W);
    case NEIGHBOURS:
        return CALL(Neighbor_allgather, neighbor_allgather, from, n, t, to, n, t, ring);
    default:
        return CALL(Neighbor_alltoall, neighbor_alltoall, from, n, t, to, n, t, ring);
    }
}

/* What the member of this rank gives as its number `i`. */
static long given(int member, int i, int step)
{
    return (long)(member + 1) * 1000003 + (long)i * 7 + step;
}

/* The sum of what the first `members` give. */
static long sum_of(int members, int i, int step)
{
    long sum = 0;
    for (int member = 0; member < members; member++)
        sum += given(member, i, step);
    return sum;
}

/* How many numbers this rank gets, of a call with `n`. */
static int got(int kind, int n, int root)
{
    switch (kind) {
    case BCAST:
        return rank == root ? 0 : n;
    case GATHER:
    case GATHERV:
        return rank == root ? n * size : 0;
    case REDUCE:
        return rank == root ? n : 0;
    case ALLGATHER:
    case ALLTOALL:
    case ALLGATHERV:
    case ALLTOALLV:
        return n * size;
    case EXSCAN:
        return rank == 0 ? 0 : n;
    case NEIGHBOURS:
    case NEIGHBOURS_ALL:
        return 2 * n;
    default:
        return n;
    }
}

static long expected(int kind, int n, int root, int i, int step)
{
    int block = i / n, item = i % n, left = (rank + size - 1) % size, right = (rank + 1) % size;
    switch (kind) {
    case BCAST:
        return given(root, i, step);
    case SCATTER:
    case SCATTERV:
        return given(root, rank * n + i, step);
    case GATHER:
    case GATHERV:
    case ALLGATHER:
    case ALLGATHERV:
        return given(block, item, step);
    case ALLTOALL:
    case ALLTOALLV:
        return given(block, rank * n + item, step);
    case REDUCE_SCATTER:
    case BLOCK:
        return sum_of(size, rank * n + i, step);
    case SCAN:
        return sum_of(rank + 1, i, step);
    case EXSCAN:
        return sum_of(rank, i, step);
    case NEIGHBOURS:
        return given(block == 0 ? left : right, item, step);
    case NEIGHBOURS_ALL:
        /* The left one's block for its right neighbour, and the right one's for its left. */
        return given(block == 0 ? left : right, (block == 0 ? n : 0) + item, step);
    default:
        return sum_of(size, i, step);
    }
}

static int finish(int code, int step)
{
    int flag = form == BLOCKING;
    if (code == MPI_SUCCESS && !flag && (step + rank) % 2 == 0)
        return MPI_Wait(&request, MPI_STATUS_IGNORE);
    while (code == MPI_SUCCESS && !flag)
        code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    return code;
}

/* Everything is new after a failure. */
static int begin(void)
{
    int periodic = 1, code;
    ring = MPI_COMM_NULL;
    code = MPI_Cart_create(W, 1, &size, &periodic, 0, &ring);
    if (code == MPI_SUCCESS)
        MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    return code;
}

static void recover(void)
{
    MPI_Comm made = FT_MPI_CHECK_RECOVER;
    while (MPI_Comm_dup(W, &made) != MPI_SUCCESS)
        made = FT_MPI_CHECK_RECOVER;
}

static void look_at(int kind, int n, int root, int step)
{
    for (int i = 0; i < got(kind, n, root); i++) {
        long is = (kind == BCAST && rank == root ? from : to)[i];
        long should = expected(kind, n, root, i, step);
        if (is != should) {
            fprintf(stderr, "WRONG: rank %d, step %d, kind %d of %d: ", rank, step, kind, n);
            fprintf(stderr, "success, but %d is %ld, not %ld\n", i, is, should);
            MPI_Abort(W, 3);
        }
    }
}

int main(int argc, char **argv)
{
    static const int SIZES[] = {1, 70, 288, 1500, MOST};
    int code = MPI_Init(&argc, &argv), is_new = code != MPI_SUCCESS, step = -1, last, order;
    int has_to_begin = 1, spared = -1;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    form = argv[1][0] == 'b' ? BLOCKING : argv[1][0] == 'n' ? NONBLOCKING : PERSISTENT;
    order = atoi(argv[2]);
    last = 5 * KINDS;
    from = malloc(sizeof(long) * MOST * RANKS);
    to = malloc(sizeof(long) * MOST * RANKS);
    MPI_Op_create(add, 1, &mine);
    for (;;) {
        int next = is_new ? 1 << 30 : step + 1, agreed, kind, n, root, dies, moment;
        code = MPI_Allreduce(&next, &agreed, 1, MPI_INT, MPI_MIN, W);
        if (code == MPI_SUCCESS && has_to_begin)
            code = begin();
        if (code != MPI_SUCCESS) {
            recover();
            has_to_begin = 1;
            continue;
        }
        /* Whoever takes the seat of a dead one does not die of the same step. */
        if (is_new)
            spared = agreed;
        is_new = has_to_begin = 0;
        step = agreed;
        if (step >= last)
            break;
        kind = (step + order) % KINDS;
        n = SIZES[(step / KINDS + step) % 5];
        root = step % size;
        dies = (step * 7 + order) % 3 == 0 && rank == (step + order) % size && step != spared;
        moment = (step / 3 + order) % 3;
        for (int i = 0; i < size; i++) {
            counts[i] = n;
            displs[i] = i * n;
        }
        for (int i = 0; i < n * size; i++) {
            from[i] = given(rank, i, step);
            to[i] = POISON;
        }
        if (dies && moment == 0)
            raise(SIGKILL);
        code = call(kind, n, root);
        if (dies && moment == 1)
            raise(SIGKILL);
        code = finish(code, step);
        if (dies)
            raise(SIGKILL);
        if (code == MPI_SUCCESS) {
            look_at(kind, n, root, step);
            if (form == PERSISTENT)
                MPI_Request_free(&request);
            continue;
        }
        recover();
        has_to_begin = 1;
        step--;
    }
    printf("rank %d is through\n", rank);
    return MPI_Finalize();
}
