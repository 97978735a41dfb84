/* Members of a communicator that call different things, and such that only seem to. */
#include "check.h"
#include <signal.h>
#include <stddef.h>

#define W MPI_COMM_WORLD
#define MANY 20000

static int *from, *to, *counts, *displs;
static MPI_Op own, own_in_order;

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void make_room(void)
{
    from = calloc((size_t)size * MANY, sizeof(int));
    to = calloc((size_t)size * MANY, sizeof(int));
    counts = calloc((size_t)size, sizeof(int));
    displs = calloc((size_t)size, sizeof(int));
    CHECK(from && to && counts && displs);
    for (int i = 0; i < size; i++) {
        counts[i] = 2;
        displs[i] = 2 * i;
    }
    /* Handles differ from rank to rank. */
    for (int i = 0; i < rank; i++)
        MPI_Op_create(add, 1, &own);
    MPI_Op_create(add, 1, &own);
    MPI_Op_create(add, 0, &own_in_order);
}

/* What each call begins with: its name, the rest of it. */
#define CALLS(X)                                                                                   \
    X(Barrier, barrier, (W))                                                                       \
    X(Bcast, bcast, (to, 4, MPI_INT, 0, W))                                                        \
    X(Bcast, bcast, (to, 4, MPI_INT, size - 1, W))                                                 \
    X(Bcast, bcast, (to, 5, MPI_INT, 0, W))                                                        \
    X(Bcast, bcast, (to, 4, MPI_FLOAT, 0, W))                                                      \
    X(Bcast, bcast, (to, MANY, MPI_INT, 0, W))                                                     \
    X(Gather, gather, (from, 2, MPI_INT, to, 2, MPI_INT, 0, W))                                    \
    X(Gather, gather, (from, 2, MPI_INT, to, 2, MPI_INT, size - 1, W))                             \
    X(Gatherv, gatherv, (from, 2, MPI_INT, to, counts, displs, MPI_INT, 0, W))                     \
    X(Scatter, scatter, (from, 2, MPI_INT, to, 2, MPI_INT, 0, W))                                  \
    X(Scatterv, scatterv, (from, counts, displs, MPI_INT, to, 2, MPI_INT, 0, W))                   \
    X(Allgather, allgather, (from, 2, MPI_INT, to, 2, MPI_INT, W))                                 \
    X(Allgather, allgather, (from, 1, MPI_INT, to, 1, MPI_INT, W))                                 \
    X(Allgatherv, allgatherv, (from, 2, MPI_INT, to, counts, displs, MPI_INT, W))                  \
    X(Alltoall, alltoall, (from, 2, MPI_INT, to, 2, MPI_INT, W))                                   \
    X(Reduce, reduce, (from, to, 1, MPI_INT, MPI_SUM, 0, W))                                       \
    X(Reduce, reduce, (from, to, 1, MPI_INT, MPI_SUM, size - 1, W))                                \
    X(Reduce, reduce, (from, to, 1, MPI_INT, MPI_MAX, 0, W))                                       \
    X(Reduce, reduce, (from, to, 1, MPI_INT, own, 0, W))                                           \
    X(Reduce, reduce, (from, to, 1, MPI_INT, own_in_order, 0, W))                                  \
    X(Allreduce, allreduce, (from, to, 1, MPI_INT, MPI_SUM, W))                                    \
    X(Allreduce, allreduce, (from, to, 1, MPI_UNSIGNED, MPI_SUM, W))                               \
    X(Allreduce, allreduce, (from, to, MANY, MPI_INT, MPI_SUM, W))                                 \
    X(Scan, scan, (from, to, 1, MPI_INT, MPI_SUM, W))                                              \
    X(Exscan, exscan, (from, to, 1, MPI_INT, MPI_SUM, W))                                          \
    X(Reduce_scatter_block, reduce_scatter_block, (from, to, 1, MPI_INT, MPI_SUM, W))

#define OPEN(...) __VA_ARGS__
#define NAME(name, small, rest) "MPI_" #name,
#define BLOCK(name, small, rest)                                                                   \
    if (call == which++)                                                                           \
        return MPI_##name rest;
#define START(name, small, rest)                                                                   \
    if (call == which++)                                                                           \
        code = MPI_I##small(OPEN rest, &request);
#define PERSIST(name, small, rest)                                                                 \
    if (call == which++)                                                                           \
        code = MPI_##name##_init(OPEN rest, MPI_INFO_NULL, &request);

static const char *names[] = {CALLS(NAME)};
enum { ALL = sizeof names / sizeof *names };

static int block(int call)
{
    int which = 0;
    CALLS(BLOCK)
    return -1;
}

static int start(int call)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int which = 0, code = -1;
    CALLS(START)
    return code != MPI_SUCCESS ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int persist(int call)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int which = 0, code = -1;
    CALLS(PERSIST)
    if (code == MPI_SUCCESS)
        code = MPI_Start(&request);
    if (code == MPI_SUCCESS)
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (request != MPI_REQUEST_NULL)
        MPI_Request_free(&request);
    return code;
}

static int (*const forms[])(int) = {block, start, persist};

/* Somebody has heard that these two differ, and so has everybody who has heard anything. */
static void judge(int code, const char *one, const char *other, int is_one_name)
{
    char words[MPI_MAX_ERROR_STRING] = "";
    int heard = code != MPI_SUCCESS, said = 0, length, class;
    if (heard) {
        MPI_Error_class(code, &class);
        MPI_Error_string(code, words, &length);
        if (!strstr(words, one) || !strstr(words, other) || !strstr(words, "has called"))
            FAIL("%s, %s: %s", one, other, words);
        if (is_one_name)
            CHECK(class == MPI_ERR_ROOT || class == MPI_ERR_OP || class == MPI_ERR_COUNT ||
                  class == MPI_ERR_TRUNCATE || class == MPI_ERR_TYPE);
        else
            EQUAL(class, MPI_ERR_NOT_SAME);
    }
    if (rank != 0)
        MPI_Send(&heard, 1, MPI_INT, 0, 5, W);
    for (int peer = 1; rank == 0 && peer < size; peer++) {
        MPI_Recv(&said, 1, MPI_INT, peer, 5, W, MPI_STATUS_IGNORE);
        heard += said;
    }
    if (rank == 0 && !heard)
        FAIL("nobody was told that %s is not %s", one, other);
    if (rank == 0)
        for (int peer = 1; peer < size; peer++)
            MPI_Send(&heard, 1, MPI_INT, peer, 6, W);
    else
        MPI_Recv(&heard, 1, MPI_INT, 0, 6, W, MPI_STATUS_IGNORE);
}

/* Every call against every other one, at a member that changes. */
static void pairs(void)
{
    int turn = 0;
    make_room();
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    for (int form = 0; form < 3; form++)
        for (int one = 0; one < ALL; one++)
            for (int other = 0; other < ALL; other++) {
                if (one == other)
                    continue;
                int odd = turn++ % size;
                int code = forms[form](rank == odd ? other : one);
                judge(code, form == 1 ? "MPI_I" : names[one], form == 1 ? "MPI_I" : names[other],
                      !strcmp(names[one], names[other]));
                /* The communicator goes on. */
                EQUAL(MPI_Allreduce(&turn, to, 1, MPI_INT, MPI_SUM, W), MPI_SUCCESS);
                EQUAL(to[0], size * turn);
            }
}

/* The same call in different forms. */
static void mixed(void)
{
    int turn = 0;
    make_room();
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    for (int call = 0; call < ALL; call++)
        for (int form = 0; form < 3; form++)
            for (int other = 0; other < 3; other++) {
                if (form == other)
                    continue;
                int odd = turn++ % size;
                judge(forms[rank == odd ? other : form](call), "MPI_", "MPI_", 0);
            }
    EQUAL(MPI_Barrier(W), MPI_SUCCESS);
}

/* Making communicators, and the end. */
static void making(void)
{
    MPI_Comm made = MPI_COMM_NULL, mine;
    MPI_Request request;
    int code, dims = size, periods = 0;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    code = rank == 0 ? MPI_Comm_dup(W, &made) : MPI_Comm_split(W, 0, 0, &made);
    judge(code, "MPI_Comm_dup", "MPI_Comm_split", 0);
    code = rank == 0 ? MPI_Barrier(W) : MPI_Comm_split(W, 0, 0, &made);
    judge(code, "MPI_Barrier", "MPI_Comm_split", 0);
    code = rank == 0 ? MPI_Bcast(&dims, 1, MPI_INT, 0, W)
                     : MPI_Cart_create(W, 1, &dims, &periods, 0, &made);
    judge(code, "MPI_Bcast", "MPI_Cart_create", 0);
    if (rank == 0) {
        code = MPI_Comm_idup(W, &made, &request);
        if (code == MPI_SUCCESS)
            code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        code = MPI_Comm_dup(W, &mine);
    }
    judge(code, "MPI_Comm_idup", "MPI_Comm_dup", 0);
    EQUAL(MPI_Comm_dup(W, &made), MPI_SUCCESS);
    EQUAL(MPI_Comm_free(&made), MPI_SUCCESS);
}

/* Two groups: the first member of each, and those of one among themselves. */
static void groups(void)
{
    MPI_Comm half, both;
    int is_first = rank < size / 2, value = 0, code, root;
    MPI_Comm_split(W, is_first, rank, &half);
    MPI_Intercomm_create(half, 0, W, is_first ? size / 2 : 0, 3, &both);
    MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
    code = rank == 0 ? MPI_Barrier(both)
                     : MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, both);
    judge(code, "MPI_Barrier", "MPI_Allreduce", 0);
    root = is_first ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
    if (size > 3) {
        int other = rank == size - 1 ? 1 : root;
        code = MPI_Bcast(&value, 1, MPI_INT, other, both);
        judge(code, "root 0", "root 1", 1);
    }
    value = rank + 1;
    EQUAL(MPI_Bcast(&value, 1, MPI_INT, root, both), MPI_SUCCESS);
    EQUAL(value, is_first ? rank + 1 : 1);
}

/* A member dies meanwhile: all who live hear of that, or of the others. */
static void dying(void)
{
    int sum;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    for (int turn = 0; turn < 50; turn++) {
        if (turn == 20 && rank == size - 1)
            raise(SIGKILL);
        int meets = turn >= 40 || (turn + rank) % 17 == 0;
        int code = meets ? MPI_Barrier(W) : MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, W);
        if (turn > 20)
            CHECK(code != MPI_SUCCESS);
    }
    if (rank == 0)
        printf("0 is there\n");
    fflush(stdout);
    _Exit(0);
}

/* What the standard allows. */
/* One collective access: some members say where, the others have pointers. */
static void one_access(void)
{
    MPI_File f;
    int ok = 0, number = rank, seen = -1, mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
    CHECK(MPI_File_open(W, "one_access", mode | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f) == ok);
    MPI_File_seek(f, rank * (MPI_Offset)sizeof number, MPI_SEEK_SET);
    MPI_Offset at = rank * (MPI_Offset)sizeof number;
    int code = rank % 2 ? MPI_File_write_all(f, &number, 1, MPI_INT, MPI_STATUS_IGNORE)
                        : MPI_File_write_at_all(f, at, &number, 1, MPI_INT, MPI_STATUS_IGNORE);
    EQUAL(code, MPI_SUCCESS);
    MPI_File_seek(f, at, MPI_SEEK_SET);
    code = rank % 2 ? MPI_File_read_at_all(f, at, &seen, 1, MPI_INT, MPI_STATUS_IGNORE)
                    : MPI_File_read_all(f, &seen, 1, MPI_INT, MPI_STATUS_IGNORE);
    EQUAL(code, MPI_SUCCESS);
    EQUAL(seen, rank);
    MPI_File_close(&f);
}

static void legal(void)
{
    one_access();
    struct pair {
        double value;
        int index;
    } pair = {rank + 0.5, rank}, wanted = {0.5, 0};
    MPI_Datatype four, spread, made, parts[] = {MPI_DOUBLE, MPI_INT};
    int lengths[] = {1, 1}, ints[8], sum;
    MPI_Aint places[] = {offsetof(struct pair, value), offsetof(struct pair, index)};
    make_room();
    MPI_Comm_set_errhandler(W, MPI_ERRORS_ARE_FATAL);
    MPI_Type_contiguous(4, MPI_INT32_T, &four);
    MPI_Type_vector(2, 2, 4, MPI_INTEGER, &spread);
    MPI_Type_create_struct(2, lengths, places, parts, &made);
    MPI_Type_commit(&four);
    MPI_Type_commit(&spread);
    MPI_Type_commit(&made);
    for (int root = 0; root < size; root++) {
        int kind = (rank + root) % 5;
        memset(ints, 0, sizeof ints);
        for (int i = 0; rank == root && i < 8; i++)
            ints[i] = 7;
        MPI_Bcast(ints, kind == 0 ? 1 : kind == 3 ? 16 : kind == 4 ? 1 : 4,
                  kind == 0 ? four : kind == 3 ? MPI_BYTE : kind == 4 ? spread : MPI_INT, root, W);
        EQUAL(ints[0], 7);
        EQUAL(ints[kind == 4 ? 5 : 3], 7);
        if (rank != root)
            pair.value = pair.index = 9;
        else
            pair = wanted;
        MPI_Bcast(&pair, 1, kind % 2 ? MPI_DOUBLE_INT : made, root, W);
        CHECK(pair.value == wanted.value && pair.index == wanted.index);
        MPI_Bcast(ints, 0, kind % 2 ? MPI_DOUBLE : made, root, W);
        MPI_Reduce(&rank, rank == root ? to : NULL, 1, MPI_INT, own, root, W);
        MPI_Reduce(rank == root ? MPI_IN_PLACE : &rank, rank == root ? &sum : NULL, 1, MPI_INT,
                   MPI_SUM, root, W);
        MPI_Gather(rank == root ? MPI_IN_PLACE : from, rank == root ? -4 : 2,
                   rank == root ? MPI_DATATYPE_NULL : MPI_INT, rank == root ? to : NULL,
                   rank == root ? 2 : -9, rank == root ? MPI_INT : MPI_DATATYPE_NULL, root, W);
        for (int i = 0; i < size; i++)
            counts[i] = i + 1;
        for (int i = 1; i < size; i++)
            displs[i] = displs[i - 1] + counts[i - 1];
        MPI_Gatherv(from, rank + 1, MPI_INT, to, counts, displs, MPI_INT, root, W);
        MPI_Scatterv(from, counts, displs, MPI_INT, to, rank + 1, MPI_INT, root, W);
        for (int i = 0; i < size; i++)
            counts[i] = 2;
        MPI_Allgather(kind % 2 ? MPI_IN_PLACE : from, 2, MPI_INT, to, 2, MPI_INT, W);
        MPI_Allgatherv(from, 2, MPI_INT, to, counts, displs, kind % 2 ? MPI_INT : MPI_INTEGER, W);
        for (int i = 0; i < size; i++)
            counts[i] = (i == rank);
        MPI_Alltoallv(from, counts, displs, MPI_INT, to, counts, displs, MPI_INT, W);
    }
    MPI_Comm part;
    MPI_Comm_split(W, rank % 2 ? MPI_UNDEFINED : rank, 0, &part);
    int type = rank % 3 ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED;
    MPI_Comm_split_type(W, type, 0, MPI_INFO_NULL, &part);
}

int main(int argc, char **argv)
{
    const struct test tests[] = {{"pairs", pairs},   {"mixed", mixed}, {"making", making},
                                 {"groups", groups}, {"dying", dying}, {"legal", legal},
                                 {0}};
    return run_test(argc, argv, tests);
}
