/* A member dies before, in or between calls that make communicators: all others come back with
 * MPI_ERR_PROC_ABORTED, nobody waits for ever, and the living can make one of themselves.
 * Arguments: the call, the victim's rank, and how many calls it takes part in. */
#include "check.h"
#include "ftmpi.h"

static MPI_Comm comm, half, between, grid;
static MPI_Group all, others, mine, theirs;
static int is_low, victim;

static int over(int code, MPI_Comm *made)
{
    if (code == MPI_SUCCESS && *made != MPI_COMM_NULL)
        MPI_Comm_free(made);
    return code;
}

static int idup_of(MPI_Comm parent)
{
    MPI_Comm made;
    MPI_Request request;
    int code = MPI_Comm_idup(parent, &made, &request);
    if (code == MPI_SUCCESS)
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    return over(code, &made);
}

static int idup(void)
{
    return idup_of(comm);
}

static int create(void)
{
    MPI_Comm made;
    return over(MPI_Comm_create(comm, others, &made), &made);
}

static int create_group(void)
{
    MPI_Comm made;
    return over(MPI_Comm_create_group(comm, all, 5, &made), &made);
}

static int from_group(void)
{
    MPI_Comm made;
    return over(MPI_Comm_create_from_group(all, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made),
                &made);
}

static int split_type(void)
{
    MPI_Comm made;
    return over(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made), &made);
}

static int split_unguided(void)
{
    MPI_Comm made;
    return over(MPI_Comm_split_type(comm, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &made),
                &made);
}

static int intercomm_create(void)
{
    MPI_Comm made;
    return over(MPI_Intercomm_create(half, 0, comm, is_low ? size / 2 : 0, 3, &made), &made);
}

static int from_groups(void)
{
    MPI_Comm made;
    return over(MPI_Intercomm_create_from_groups(mine, 1, theirs, 1, "two", MPI_INFO_NULL,
                                                 MPI_ERRORS_RETURN, &made),
                &made);
}

static int merge(void)
{
    MPI_Comm made;
    return over(MPI_Intercomm_merge(between, is_low, &made), &made);
}

static int dup_between(void)
{
    MPI_Comm made;
    return over(MPI_Comm_dup(between, &made), &made);
}

static int idup_between(void)
{
    return idup_of(between);
}

static int split_between(void)
{
    MPI_Comm made;
    return over(MPI_Comm_split(between, rank % 2, 0, &made), &made);
}

static int create_between(void)
{
    MPI_Comm made;
    return over(MPI_Comm_create(between, mine, &made), &made);
}

static int cart(void)
{
    MPI_Comm made;
    return over(MPI_Cart_create(comm, 2, (int[]){2, size / 2}, (int[]){0, 1}, 1, &made), &made);
}

static int cart_sub(void)
{
    MPI_Comm made;
    return over(MPI_Cart_sub(grid, (int[]){0, 1}, &made), &made);
}

static int graph(void)
{
    MPI_Comm made;
    return over(MPI_Graph_create(comm, 2, (int[]){1, 2}, (int[]){1, 0}, 0, &made), &made);
}

static int adjacent(void)
{
    MPI_Comm made;
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    return over(MPI_Dist_graph_create_adjacent(comm, 1, &left, MPI_UNWEIGHTED, 1, &right,
                                               MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
                &made);
}

static int distributed(void)
{
    MPI_Comm made;
    int right = (rank + 1) % size, one = 1;
    return over(MPI_Dist_graph_create(comm, 1, &rank, &one, &right, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                      0, &made),
                &made);
}

/* Two halves: who leads only to speak for others may be ahead of the other half's dead. */
static const struct {
    const char *name;
    int (*call)(void);
    int is_loose;
} CALLS[] = {{"idup", idup, 0},
             {"create", create, 0},
             {"create-group", create_group, 0},
             {"from-group", from_group, 0},
             {"split-type", split_type, 0},
             {"split-unguided", split_unguided, 0},
             {"intercomm-create", intercomm_create, 1},
             {"from-groups", from_groups, 1},
             {"merge", merge, 0},
             {"dup-between", dup_between, 0},
             {"idup-between", idup_between, 0},
             {"split-between", split_between, 1},
             {"create-between", create_between, 0},
             {"cart", cart, 0},
             {"cart-sub", cart_sub, 0},
             {"graph", graph, 0},
             {"adjacent", adjacent, 0},
             {"distributed", distributed, 0}};

static void prepare(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    is_low = rank < size / 2;
    MPI_Comm_split(comm, is_low, 0, &half);
    MPI_Intercomm_create(half, 0, comm, is_low ? size / 2 : 0, 3, &between);
    MPI_Comm_group(comm, &all);
    MPI_Group_excl(all, 1, &victim, &others);
    MPI_Comm_group(between, &mine);
    MPI_Comm_remote_group(between, &theirs);
    MPI_Cart_create(comm, 2, (int[]){2, size / 2}, (int[]){0, 1}, 1, &grid);
}

int main(int argc, char **argv)
{
    int calls, is_loose = 0, code = MPI_SUCCESS, met = 0;
    int (*call)(void) = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(argc == 4);
    victim = atoi(argv[2]);
    calls = atoi(argv[3]);
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
        if (strcmp(argv[1], CALLS[i].name) == 0) {
            call = CALLS[i].call;
            is_loose = CALLS[i].is_loose;
        }
    }
    CHECK(call);
    prepare();
    MPI_Barrier(comm);
    /* Nobody dies before all are here. */
    for (int i = 0; rank == victim && i < size - 1; i++)
        MPI_Recv(NULL, 0, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != victim)
        MPI_Send(NULL, 0, MPI_CHAR, victim, 0, MPI_COMM_WORLD);
    for (int i = 0; code == MPI_SUCCESS; i++) {
        if (rank == victim && i == calls)
            ftmpi_kill(victim);
        code = call();
        /* A root that only sends may be ahead, but not for ever. */
        CHECK(i < 100000);
        if (is_loose && i == calls)
            break;
    }
    if (code != MPI_SUCCESS)
        FAILS(code, MPI_ERR_PROC_ABORTED, "");
    /* The living make a communicator of themselves, and work on it. */
    MPI_Comm living;
    EQUAL(MPI_Comm_create_group(MPI_COMM_WORLD, others, 9, &living), MPI_SUCCESS);
    for (int i = 0; i < size; i++) {
        int sum = 0;
        EQUAL(MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, living), MPI_SUCCESS);
        EQUAL(sum, i * (size - 1));
        met++;
    }
    MPI_Comm again;
    EQUAL(MPI_Comm_create_from_group(others, "living", MPI_INFO_NULL, MPI_ERRORS_RETURN, &again),
          MPI_SUCCESS);
    EQUAL(MPI_Barrier(again), MPI_SUCCESS);
    printf("%d met %d\n", rank, met);
    MPI_Finalize();
    return 0;
}
