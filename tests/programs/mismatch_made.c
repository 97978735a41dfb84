/* Members of which some make a communicator, a window or a file, and others something else: all get
 * an error that names both calls, and the communicator goes on. */
#include "check.h"
#include <signal.h>

#define W MPI_COMM_WORLD
#define MODE (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE)

/* Each call leaves nothing behind, whatever comes of it. */
static int drop(int code, MPI_Comm *made)
{
    if (code == MPI_SUCCESS && *made != MPI_COMM_NULL)
        MPI_Comm_free(made);
    return code;
}

static int dup(MPI_Comm comm)
{
    MPI_Comm made = MPI_COMM_NULL;
    return drop(MPI_Comm_dup(comm, &made), &made);
}

static int idup(MPI_Comm comm)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPI_Comm_idup(comm, &made, &request);
    if (code == MPI_SUCCESS)
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    return drop(code, &made);
}

static int split(MPI_Comm comm)
{
    MPI_Comm made = MPI_COMM_NULL;
    return drop(MPI_Comm_split(comm, 0, 0, &made), &made);
}

static int create(MPI_Comm comm)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group group;
    MPI_Comm_group(comm, &group);
    int code = MPI_Comm_create(comm, group, &made);
    MPI_Group_free(&group);
    return drop(code, &made);
}

static int cart(MPI_Comm comm)
{
    MPI_Comm made = MPI_COMM_NULL;
    int periods = 0, dims = size;
    return drop(MPI_Cart_create(comm, 1, &dims, &periods, 0, &made), &made);
}

static int graph(MPI_Comm comm)
{
    MPI_Comm made = MPI_COMM_NULL;
    int degree = 1, next = (rank + 1) % size;
    int code = MPI_Dist_graph_create(comm, 1, &rank, &degree, &next, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                     0, &made);
    return drop(code, &made);
}

static int win_create(MPI_Comm comm)
{
    MPI_Win win;
    static int mine;
    int code = MPI_Win_create(&mine, sizeof mine, 1, MPI_INFO_NULL, comm, &win);
    if (code == MPI_SUCCESS)
        MPI_Win_free(&win);
    return code;
}

static int win_shared(MPI_Comm comm)
{
    MPI_Win win;
    int *mine;
    int code = MPI_Win_allocate_shared(sizeof *mine, 1, MPI_INFO_NULL, comm, &mine, &win);
    if (code == MPI_SUCCESS)
        MPI_Win_free(&win);
    return code;
}

static int file_open(MPI_Comm comm)
{
    MPI_File file;
    int code = MPI_File_open(comm, "mismatch_made", MODE, MPI_INFO_NULL, &file);
    if (code == MPI_SUCCESS)
        MPI_File_close(&file);
    return code;
}

static int barrier(MPI_Comm comm)
{
    return MPI_Barrier(comm);
}

static int allreduce(MPI_Comm comm)
{
    int sum;
    return MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
}

static const struct call {
    const char *name;
    int (*make)(MPI_Comm);
} calls[] = {
    {"MPI_Comm_dup", dup},
    {"MPI_Comm_idup", idup},
    {"MPI_Comm_split", split},
    {"MPI_Comm_create", create},
    {"MPI_Cart_create", cart},
    {"MPI_Dist_graph_create", graph},
    {"MPI_Win_create", win_create},
    {"MPI_Win_allocate_shared", win_shared},
    {"MPI_File_open", file_open},
    /* What does not make anything comes last. */
    {"MPI_Barrier", barrier},
    {"MPI_Allreduce", allreduce},
};
enum { ALL = sizeof calls / sizeof *calls, MAKING = ALL - 2 };
/* With a second argument, only those that make something. */
static int all = ALL;

/* The call has failed because the members have made these two calls. */
static void judge(int code, const char *one, const char *other)
{
    FAILS(code, MPI_ERR_NOT_SAME, "has called");
    FAILS(code, MPI_ERR_NOT_SAME, one);
    FAILS(code, MPI_ERR_NOT_SAME, other);
}

/* A communicator that has been used as often as it takes for its members to look for a faster way,
 * which collective operations do before they begin. */
static MPI_Comm used(void)
{
    MPI_Comm comm, none;
    MPI_Comm_dup(W, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < 20; i++)
        EQUAL(MPI_Comm_split(comm, MPI_UNDEFINED, 0, &none), MPI_SUCCESS);
    return comm;
}

/* Every call against every other one, at a member that changes. */
static void pairs(void)
{
    MPI_Comm comm = used();
    int turn = 0;
    for (int one = 0; one < all; one++)
        for (int other = 0; other < all; other++) {
            if (one == other || (one >= MAKING && other >= MAKING))
                continue;
            int odd = turn++ % size;
            judge(calls[rank == odd ? other : one].make(comm), calls[one].name, calls[other].name);
            EQUAL(dup(comm), MPI_SUCCESS);
        }
    for (int call = 0; call < all; call++)
        EQUAL(calls[call].make(comm), MPI_SUCCESS);
    MPI_Comm_free(&comm);
}

/* More than two calls at once. */
static void many(void)
{
    MPI_Comm comm = used();
    for (int turn = 0; turn < 3 * all; turn++) {
        int code = calls[(turn + rank) % all].make(comm);
        judge(code, "MPI_", "where rank");
        EQUAL(dup(comm), MPI_SUCCESS);
    }
}

/* Calls on a file that the members have opened together. */
static void files(void)
{
    MPI_File file;
    static const char *names[] = {"MPI_File_set_size", "MPI_File_set_atomicity", "MPI_File_sync",
                                  "MPI_File_set_view"};
    EQUAL(MPI_File_open(W, "mismatch_file", MODE, MPI_INFO_NULL, &file), MPI_SUCCESS);
    for (int turn = 0; turn < 24; turn++) {
        int one = turn % 4, other = (one + 1 + turn / 4 % 3) % 4;
        int mine = rank == turn % size ? other : one;
        int code = mine == 0   ? MPI_File_set_size(file, 8)
                   : mine == 1 ? MPI_File_set_atomicity(file, 0)
                   : mine == 2 ? MPI_File_sync(file)
                               : MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native",
                                                   MPI_INFO_NULL);
        judge(code, names[one], names[other]);
    }
    EQUAL(MPI_File_set_size(file, 4), MPI_SUCCESS);
    EQUAL(MPI_File_close(&file), MPI_SUCCESS);
}

/* Two groups. */
static void groups(void)
{
    MPI_Comm half, both, made = MPI_COMM_NULL;
    int is_first = rank < size / 2;
    MPI_Comm_split(W, is_first, rank, &half);
    MPI_Intercomm_create(half, 0, W, is_first ? size / 2 : 0, 3, &both);
    MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
    for (int turn = 0; turn < 3 * size; turn++) {
        int one = turn % 3, other = (one + 1) % 3;
        int mine = rank == turn % size ? other : one;
        static const char *names[] = {"MPI_Comm_dup", "MPI_Intercomm_merge", "MPI_Comm_split"};
        int code = mine == 0   ? MPI_Comm_dup(both, &made)
                   : mine == 1 ? MPI_Intercomm_merge(both, is_first, &made)
                               : MPI_Comm_split(both, 0, 0, &made);
        judge(code, names[one], names[other]);
        FAILS(code, MPI_ERR_NOT_SAME, "group");
    }
    EQUAL(MPI_Comm_dup(both, &made), MPI_SUCCESS);
}

/* A member dies meanwhile: all who live hear of that, or of the others. */
static void dying(void)
{
    MPI_Comm comm = used();
    for (int turn = 0; turn < 60; turn++) {
        if (turn == 30 && rank == size - 1)
            raise(SIGKILL);
        int code = calls[(turn + (turn % 3 ? rank : 0)) % MAKING].make(comm);
        if (turn > 30)
            CHECK(code != MPI_SUCCESS);
    }
    if (rank == 0)
        printf("0 is there\n");
    fflush(stdout);
    _Exit(0);
}

/* The last rank dies. When the others have recovered, some leave MPI, and others make something. */
static void leaving(void)
{
    MPI_Comm made;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    if (rank == size - 1)
        raise(SIGKILL);
    while (MPI_Barrier(W) == MPI_SUCCESS)
        ;
    CHECK(MPI_Comm_dup(W, &made) == MPI_SUCCESS);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    for (int i = 0; i < 20; i++)
        EQUAL(MPI_Comm_split(W, MPI_UNDEFINED, 0, &made), MPI_SUCCESS);
    if (rank % 2 == 0)
        return;
    int code = MPI_Comm_dup(W, &made);
    CHECK(code != MPI_SUCCESS);
    printf("%d was told\n", rank);
}

int main(int argc, char **argv)
{
    const struct test tests[] = {{"pairs", pairs},   {"many", many},       {"files", files},
                                 {"groups", groups}, {"dying", dying},     {"leaving", leaving},
                                 {0}};
    if (argc > 2)
        all = MAKING;
    return run_test(argc, argv, tests);
}
