/* How many instructions one-sided calls take on 8 bytes of the other rank's. Prints `CALL COUNT`
 * for each. */
#define _GNU_SOURCE
#include "check.h"
#include "counting.h"

static MPI_Win win;
static long number = 1, got, zero, four[4], old[4];
static double real = 1;

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

int main(void)
{
    long *mine;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    begin_to_count();
    if (rank == 0)
        count_all();
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
