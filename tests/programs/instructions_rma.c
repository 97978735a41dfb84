/* How many instructions one-sided calls take on 8 bytes of the other rank's. Prints `CALL COUNT`
 * for each. `ft`, `blank`: after a recovery from the death of the last rank, where `blank` leaves a
 * gap. `ulfm`: among the survivors. `spawn`: when the only rank of a spawned world has died. */
#define _GNU_SOURCE
#include "check.h"
#include "counting.h"
#include "ulfm.h"

static MPI_Win win;
static long number = 1, got, zero, four[4], old[4];
static double real = 1;
static char *own_name;

#define TELL(name, call) \
    do { \
        long counts[ROUNDS]; \
        for (int round = 0; round < ROUNDS; round++) \
            counts[round] = COUNTED(call); \
        printf("%s %ld\n", name, ranked(counts, ROUNDS / 2)); \
    } while (0)

static void count_all(void)
{
    long pairs[2][ROUNDS];
    MPI_Win_lock_all(0, win);
    MPI_Put(&number, 1, MPI_LONG, 1, 1, 1, MPI_LONG, win);
    TELL("put", MPI_Put(&number, 1, MPI_LONG, 1, 1, 1, MPI_LONG, win));
    TELL("get", MPI_Get(&got, 1, MPI_LONG, 1, 1, 1, MPI_LONG, win));
    TELL("accumulate", MPI_Accumulate(&number, 1, MPI_LONG, 1, 1, 1, MPI_LONG, MPI_SUM, win));
    TELL("accumulate-double",
         MPI_Accumulate(&real, 1, MPI_DOUBLE, 1, 2, 1, MPI_DOUBLE, MPI_SUM, win));
    TELL("accumulate-max", MPI_Accumulate(&number, 1, MPI_LONG, 1, 1, 1, MPI_LONG, MPI_MAX, win));
    TELL("get_accumulate", MPI_Get_accumulate(&number, 1, MPI_LONG, &got, 1, MPI_LONG, 1, 1, 1,
                                              MPI_LONG, MPI_SUM, win));
    TELL("get_accumulate-4", MPI_Get_accumulate(four, 4, MPI_LONG, old, 4, MPI_LONG, 1, 0, 4,
                                                MPI_LONG, MPI_SUM, win));
    TELL("fetch_and_op", MPI_Fetch_and_op(&number, &got, MPI_LONG, 1, 1, MPI_SUM, win));
    TELL("compare_and_swap", MPI_Compare_and_swap(&number, &zero, &got, MPI_LONG, 1, 1, win));
    TELL("flush", MPI_Win_flush(1, win));
    MPI_Win_unlock_all(win);
    for (int round = 0; round < ROUNDS; round++) {
        pairs[0][round] = COUNTED(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win));
        pairs[1][round] = COUNTED(MPI_Win_unlock(1, win));
    }
    printf("lock %ld\nunlock %ld\n", ranked(pairs[0], ROUNDS / 2), ranked(pairs[1], ROUNDS / 2));
}

static MPI_Comm after_recovery(int is_new)
{
    if (!is_new) {
        if (rank == size - 1)
            raise(SIGKILL);
        while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
            ;
        MPI_Comm repaired;
        CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &repaired) == MPI_SUCCESS);
    }
    return MPI_COMM_WORLD;
}

static MPI_Comm of_survivors(void)
{
    MPI_Comm smaller;
    if (rank == size - 1)
        raise(SIGKILL);
    while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
        ;
    CHECK(MPIX_Comm_shrink(MPI_COMM_WORLD, &smaller) == MPI_SUCCESS);
    return smaller;
}

static MPI_Comm after_a_strangers_death(void)
{
    MPI_Comm child;
    char *how[] = {"child", NULL};
    MPI_Comm_spawn(own_name, how, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child, MPI_ERRCODES_IGNORE);
    MPI_Comm_set_errhandler(child, MPI_ERRORS_RETURN);
    CHECK(MPI_Recv(NULL, 0, MPI_INT, 0, 0, child, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    return MPI_COMM_WORLD;
}

int main(int argc, char **argv)
{
    long *mine;
    const char *how = argc > 1 ? argv[1] : "";
    MPI_Comm comm = MPI_COMM_WORLD;
    int is_new = MPI_Init(&argc, &argv) == MPI_INIT_RESTARTED_PROCS;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    own_name = argv[0];
    if (strcmp(how, "child") == 0)
        raise(SIGKILL);
    if (strcmp(how, "ft") == 0 || strcmp(how, "blank") == 0)
        comm = after_recovery(is_new);
    if (strcmp(how, "ulfm") == 0)
        comm = of_survivors();
    if (strcmp(how, "spawn") == 0)
        comm = after_a_strangers_death();
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (strcmp(how, "blank") == 0)
        size--;
    MPI_Win_allocate(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    begin_to_count(comm);
    if (rank == 0)
        count_all();
    fflush(stdout);
    MPI_Barrier(comm);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
