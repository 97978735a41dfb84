/* Little data among members who meet: `coll_little ways` has each member go a way of its own
 * through the same operations, `coll_little CALL` loses rank 1, which has taken part in some, and
 * `coll_little astray CALL` has it name memory that is not there. A `large_` CALL has much. */
#include "check.h"
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROUNDS = 600, MOST = 2000, LARGE = 20000 };

#define W MPI_COMM_WORLD

static MPI_Datatype pair;
static int seed = 1;

/* The same at all members. */
static int draw(int below)
{
    seed = (int)((1103515245u * (unsigned)seed + 12345u) & 0x7fffffff);
    return (seed >> 8) % below;
}

/* Pairs of numbers: some members know them as that, and go the long way. */
static int is_long(int round)
{
    return (rank + round) % 3 == 0;
}

static MPI_Datatype type(int round)
{
    return is_long(round) ? pair : MPI_INT;
}

static int count(int round, int items)
{
    return is_long(round) ? items / 2 : items;
}

static int value(int round, int from, int item)
{
    return 1000000 * (from + 1) + 1000 * (round % 999) + item;
}

static int sum_to(int round, int last, int item)
{
    int sum = 0;
    for (int from = 0; from <= last; from++)
        sum += value(round, from, item);
    return sum;
}

static void late(int round)
{
    if (round % 17 == 0 && rank == round / 17 % size)
        usleep(300);
}

static void ways(void)
{
    int most = size > 8 ? MOST : LARGE;
    int *mine = calloc((size_t)size * (size_t)most, sizeof *mine);
    int *got = calloc((size_t)size * (size_t)most, sizeof *got);
    int sizes[] = {0, 2, 8, 32, 64, 128, 256, 258, 400, MOST, most};
    for (int round = 0; round < ROUNDS; round++) {
        int items = sizes[draw(11)], root = draw(size), what = draw(11), in_place = draw(4) == 0;
        int n = count(round, items);
        MPI_Datatype of = type(round);
        late(round);
        for (int i = 0; i < size * items; i++)
            mine[i] = value(round, rank, i), got[i] = -1;
        switch (what) {
        case 0:
            MPI_Bcast(mine, n, of, root, W);
            for (int i = 0; i < items; i++)
                EQUAL(mine[i], value(round, root, i));
            break;
        case 1:
            if (in_place && rank == root)
                memcpy(got + rank * items, mine, sizeof(int) * (size_t)items);
            MPI_Gather(in_place && rank == root ? MPI_IN_PLACE : mine, n, of, got, n, of, root, W);
            for (int i = 0; i < size * items; i++)
                EQUAL(got[i], rank == root ? value(round, i / items, i % items) : -1);
            break;
        case 2:
            MPI_Scatter(mine, n, of, in_place && rank == root ? MPI_IN_PLACE : got, n, of, root, W);
            for (int i = 0; i < items; i++)
                EQUAL(got[i],
                      in_place && rank == root ? -1 : value(round, root, rank * items + i));
            break;
        case 3:
            if (in_place)
                memcpy(got + rank * items, mine, sizeof(int) * (size_t)items);
            MPI_Allgather(in_place ? MPI_IN_PLACE : mine, n, of, got, n, of, W);
            for (int i = 0; i < size * items; i++)
                EQUAL(got[i], value(round, i / items, i % items));
            break;
        case 4:
            MPI_Alltoall(mine, n, of, got, n, of, W);
            for (int i = 0; i < size * items; i++)
                EQUAL(got[i], value(round, i / items, rank * items + i % items));
            break;
        case 5:
            if (items == 0)
                break;
            if (in_place && rank == root)
                memcpy(got, mine, sizeof(int) * (size_t)items);
            MPI_Reduce(in_place && rank == root ? MPI_IN_PLACE : mine, got, items, MPI_INT, MPI_MAX,
                       root, W);
            for (int i = 0; i < items; i++)
                EQUAL(got[i], rank == root ? value(round, size - 1, i) : -1);
            break;
        case 6:
            if (items == 0)
                break;
            if (in_place)
                memcpy(got, mine, sizeof(int) * (size_t)items);
            MPI_Scan(in_place ? MPI_IN_PLACE : mine, got, items, MPI_INT, MPI_SUM, W);
            for (int i = 0; i < items; i++)
                EQUAL(got[i], sum_to(round, rank, i));
            break;
        case 7:
            if (items == 0)
                break;
            if (in_place)
                memcpy(got, mine, sizeof(int) * (size_t)items);
            MPI_Exscan(in_place ? MPI_IN_PLACE : mine, got, items, MPI_INT, MPI_SUM, W);
            for (int i = 0; i < items && (rank > 0 || !in_place); i++)
                EQUAL(got[i], rank == 0 ? -1 : sum_to(round, rank - 1, i));
            break;
        case 8:
            if (items == 0)
                break;
            if (in_place)
                memcpy(got, mine, sizeof(int) * (size_t)(items * size));
            MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : mine, got, items, MPI_INT, MPI_SUM,
                                     W);
            for (int i = 0; i < items; i++)
                EQUAL(got[i], sum_to(round, size - 1, rank * items + i));
            break;
        case 9:
            if (items == 0)
                break;
            if (in_place)
                memcpy(got, mine, sizeof(int) * (size_t)items);
            MPI_Allreduce(in_place ? MPI_IN_PLACE : mine, got, items, MPI_INT, MPI_SUM, W);
            for (int i = 0; i < items; i++)
                EQUAL(got[i], sum_to(round, size - 1, i));
            break;
        default:
            MPI_Barrier(W);
        }
    }
    free(mine);
    free(got);
}

/* Members disagree on how much there is, and go on. Those who only give may be gone by then. */
static void disagree(void)
{
    int data[16] = {0}, *all = calloc((size_t)size * 8, sizeof *all);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    for (int round = 0; round < 20; round++) {
        int code = MPI_Bcast(data, rank == 0 ? 8 : 4, MPI_INT, 0, W);
        CHECK(code != 0 || rank == 0);
        code = MPI_Gather(data, rank == 0 ? 4 : 8, MPI_INT, all, 4, MPI_INT, 0, W);
        CHECK(code != 0 || rank != 0);
        code = MPI_Scatter(all, 8, MPI_INT, data, rank == 0 ? 8 : 4, MPI_INT, 0, W);
        CHECK(code != 0 || rank == 0);
        code = MPI_Allreduce(data, all, rank == 1 ? 8 : 4, MPI_INT, MPI_SUM, W);
        CHECK(code != 0);
        code = MPI_Reduce(data, all, rank == 1 ? 8 : 4, MPI_INT, MPI_SUM, 0, W);
        CHECK(code != 0 || rank != 0);
        code = MPI_Scan(data, all, rank == 1 ? 8 : 4, MPI_INT, MPI_SUM, W);
        CHECK(code != 0 || rank != 1);
        EQUAL(MPI_Barrier(W), 0);
    }
    free(all);
}

/* Memory that is not there, if somebody is to name some. */
static const int *nowhere;

static int call(const char *what)
{
    static int mine[LARGE], *all;
    int n = 8;
    if (all == NULL)
        all = calloc((size_t)size * 2 * LARGE, sizeof *all);
    if (strncmp(what, "large_", 6) == 0)
        n = LARGE, what += 6;
    const int *given = nowhere ? nowhere : mine;
    if (strcmp(what, "bcast") == 0)
        return MPI_Bcast(mine, 8, MPI_INT, 1, W);
    if (strcmp(what, "gather") == 0)
        return MPI_Gather(mine, 8, MPI_INT, all, 8, MPI_INT, 0, W);
    if (strcmp(what, "scatter") == 0)
        return MPI_Scatter(all, 8, MPI_INT, mine, 8, MPI_INT, 1, W);
    if (strcmp(what, "allgather") == 0)
        return MPI_Allgather(mine, 8, MPI_INT, all, 8, MPI_INT, W);
    if (strcmp(what, "alltoall") == 0)
        return MPI_Alltoall(all, 4, MPI_INT, all + 8 * size, 4, MPI_INT, W);
    if (strcmp(what, "reduce") == 0)
        return MPI_Reduce(given, all, n, MPI_INT, MPI_SUM, 0, W);
    if (strcmp(what, "allreduce") == 0)
        return MPI_Allreduce(given, all, n, MPI_INT, MPI_SUM, W);
    if (strcmp(what, "scan") == 0)
        return MPI_Scan(given, all, n, MPI_INT, MPI_SUM, W);
    if (strcmp(what, "reduce_scatter") == 0)
        return MPI_Reduce_scatter_block(given == mine ? all : given, mine, n, MPI_INT, MPI_SUM, W);
    FAIL("no such call: %s", what);
    return 0;
}

/* Rank 1 dies before its first call, or after some that all have come out of, while the others wait
 * for it in the next; then all of them hear of it, and no call begins any more. */
static void lost(const char *what, int calls)
{
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    for (int i = 0; i < calls; i++)
        EQUAL(call(what), 0);
    if (calls > 0)
        EQUAL(MPI_Barrier(W), 0);
    if (rank == 1)
        raise(9);
    int code = 0;
    /* Who only gives need not hear of it at once. */
    for (int i = 0; i < 100000 && code == 0; i++)
        code = call(what);
    CHECK(code != 0);
    FAILS(code, MPI_ERR_PROC_ABORTED, "rank 1");
    FAILS(call(what), MPI_ERR_PROC_ABORTED, "rank 1");
    FAILS(MPI_Barrier(W), MPI_ERR_PROC_ABORTED, "rank 1");
}

/* Rank 1 has a bad pointer, which is its own end: the others hear of that. */
static void astray(const char *what)
{
    size_t bytes = sizeof(int) * LARGE * (size_t)size;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    EQUAL(call(what), 0);
    EQUAL(MPI_Barrier(W), 0);
    if (rank == 1) {
        void *room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(room != MAP_FAILED);
        nowhere = room;
    }
    int code = 0;
    for (int i = 0; i < 100000 && code == 0; i++)
        code = call(what);
    FAILS(code, MPI_ERR_PROC_ABORTED, "has ended");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "ways") == 0)
        ways();
    else if (strcmp(what, "disagree") == 0)
        disagree();
    else if (strcmp(what, "astray") == 0)
        astray(argv[2]);
    else
        lost(what, atoi(argv[2]));
    MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
