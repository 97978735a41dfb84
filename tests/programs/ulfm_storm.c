/* Deaths at any moment of agreements and shrinks: whatever one survivor is told, all are.
 * Rounds of agree, shrink and their nonblocking forms; `ftrun --kill` and a seed say who dies when.
 * Survivors compare what they were told by way of files that no failure can touch: their stdout. */
#include "ulfm.h"

#define ROUNDS 24

static unsigned long long seed;

static unsigned next_random(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(seed >> 33);
}

/* One line a round: what this rank was told. All survivors' lines of a round are the same. */
static void told(int round, const char *what, int code, long long value)
{
    printf("round %d: %s %d %lld\n", round, what, code, value);
    fflush(stdout);
}

static int agree(MPI_Comm comm, int *flag, int is_nonblocking)
{
    MPI_Request request;
    if (!is_nonblocking)
        return MPIX_Comm_agree(comm, flag);
    int code = MPIX_Comm_iagree(comm, flag, &request);
    EQUAL(code, MPI_SUCCESS);
    code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(request == MPI_REQUEST_NULL);
    return code;
}

static int shrink(MPI_Comm comm, MPI_Comm *left, int is_nonblocking)
{
    MPI_Request request;
    if (!is_nonblocking)
        return MPIX_Comm_shrink(comm, left);
    int done = 0, code = MPIX_Comm_ishrink(comm, left, &request);
    EQUAL(code, MPI_SUCCESS);
    while (!done && code == MPI_SUCCESS)
        code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    CHECK(request == MPI_REQUEST_NULL);
    return code;
}

/* A number that tells groups apart, in order. */
static long long print_of(MPI_Comm comm)
{
    MPI_Group group, all;
    int members, places[256], ranks[256];
    long long print = 17;
    MPI_Comm_size(comm, &members);
    for (int i = 0; i < members; i++)
        places[i] = i;
    MPI_Comm_group(comm, &group);
    MPI_Comm_group(W, &all);
    MPI_Group_translate_ranks(group, members, places, all, ranks);
    for (int i = 0; i < members; i++)
        print = print * 31 + ranks[i] + 1;
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    return print & 0xffffffffffffLL;
}

int main(int argc, char **argv)
{
    MPI_Comm now = W, left;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    seed = strtoull(argv[1], NULL, 10) * 2654435761ULL + 12345;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned dice = next_random(), form = next_random() % 2;
        int victim = (int)(next_random() % (unsigned)size), when = (int)(dice % 5), mine, members;
        int flag = ~(1 << rank);
        MPI_Comm_rank(now, &mine);
        MPI_Comm_size(now, &members);
        /* Rank 0 of the job may die, too; the last one survives. */
        if (victim != size - 1 && rank == victim && when == 0)
            die();
        if (dice % 7 == 0)
            MPIX_Comm_failure_ack(now);
        if (rank == victim && when == 1 && victim != size - 1) {
            /* Contributes, and dies while the others decide. */
            MPI_Request request;
            MPIX_Comm_iagree(now, &flag, &request);
            die();
        }
        int code = agree(now, &flag, form);
        told(round, "agree", code, flag);
        if (rank == victim && when == 2 && victim != size - 1)
            die();
        if (dice % 3 == 0)
            MPIX_Comm_revoke(now);
        if (rank == victim && when == 3 && victim != size - 1) {
            MPI_Request request;
            MPIX_Comm_ishrink(now, &left, &request);
            die();
        }
        code = shrink(now, &left, !form);
        EQUAL(code, MPI_SUCCESS);
        told(round, "shrink", code, print_of(left));
        if (now != W)
            MPI_Comm_free(&now);
        now = left;
    }
    MPI_Finalize();
    return 0;
}
