/* A member dies before, in or between collective calls: all others come back with
 * MPI_ERR_PROC_ABORTED, nobody waits for ever, and messages between the living go on.
 * Arguments: the call, the victim's rank, and how many calls it takes part in. */
#include "check.h"
#include "ftmpi.h"

#define LARGE 100000

static MPI_Comm comm;
static char *data, *all;
static long sum;

static int barrier(void)
{
    return MPI_Barrier(comm);
}

static int bcast(void)
{
    return MPI_Bcast(data, LARGE, MPI_CHAR, 0, comm);
}

static int gather(void)
{
    return MPI_Gather(data, LARGE, MPI_CHAR, all, LARGE, MPI_CHAR, 0, comm);
}

static int scatter(void)
{
    return MPI_Scatter(all, LARGE, MPI_CHAR, data, LARGE, MPI_CHAR, size - 1, comm);
}

static int allgather(void)
{
    return MPI_Allgather(data, 100, MPI_CHAR, all, 100, MPI_CHAR, comm);
}

static int alltoall(void)
{
    return MPI_Alltoall(MPI_IN_PLACE, 0, MPI_CHAR, all, LARGE, MPI_CHAR, comm);
}

static int reduce(void)
{
    long one = 1;
    return MPI_Reduce(&one, &sum, 1, MPI_LONG, MPI_SUM, size / 2, comm);
}

static int allreduce(void)
{
    long one = 1;
    int code = MPI_Allreduce(&one, &sum, 1, MPI_LONG, MPI_SUM, comm);
    CHECK(code != MPI_SUCCESS || sum == size);
    return code;
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

static const struct {
    const char *name;
    int (*call)(void);
} CALLS[] = {{"barrier", barrier},   {"bcast", bcast},       {"gather", gather},
             {"scatter", scatter},   {"allgather", allgather}, {"alltoall", alltoall},
             {"reduce", reduce},     {"allreduce", allreduce}, {"dup", dup},
             {"split", split}};

int main(int argc, char **argv)
{
    int victim, calls, met = 0, code = MPI_SUCCESS, token = 0;
    int (*call)(void) = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(argc == 4);
    victim = atoi(argv[2]);
    calls = atoi(argv[3]);
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++)
        if (strcmp(argv[1], CALLS[i].name) == 0)
            call = CALLS[i].call;
    data = calloc(1, LARGE);
    all = calloc(size, LARGE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
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
