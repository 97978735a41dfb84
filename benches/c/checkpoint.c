/* How fast all ranks together save what they have. Arguments: a scheme, or `memcpy` for a copy of
 * the same data by all ranks at once, and how many megabytes there are in all. Prints GB/s. */
#include <ftmpi.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM = 2, ROUNDS = 7 };

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
    int rank, size;
    FTCK ck = FTCK_NULL;
    double seconds[ROUNDS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *scheme = argc > 1 ? argv[1] : "xor";
    size_t all = (argc > 2 ? atol(argv[2]) : 1024) << 20;
    /* By `mirror`, only the first half has data. */
    int workers = strcmp(scheme, "mirror") == 0 ? size / 2 : size;
    int is_copy = strcmp(scheme, "memcpy") == 0;
    int count = rank < workers ? (int)(all / workers / sizeof(double)) : 0;
    double *x = malloc(count * sizeof *x + 1), *copy = NULL;
    for (int i = 0; i < count; i++)
        x[i] = 1.0 / (i + rank + 1);
    if (is_copy)
        copy = malloc(count * sizeof *x + 1);
    else
        FTCK_Create(MPI_COMM_WORLD, scheme, &ck);
    if (!is_copy && count > 0)
        FTCK_Register(ck, 0, x, count, MPI_DOUBLE);
    for (int round = -WARM; round < ROUNDS; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        if (is_copy)
            memcpy(copy, x, count * sizeof *x);
        else
            FTCK_Checkpoint(ck, round + WARM);
        /* Ranks that share cores begin one after the other: it is over when all are done. */
        MPI_Barrier(MPI_COMM_WORLD);
        double mine = MPI_Wtime() - start, longest;
        MPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (round >= 0)
            seconds[round] = longest;
        if (count > 0)
            x[0] += is_copy ? copy[count - 1] : 1;
    }
    qsort(seconds, ROUNDS, sizeof *seconds, by_value);
    if (rank == 0)
        printf("%.3f\n", all / seconds[ROUNDS / 2] / 1e9);
    if (!is_copy)
        FTCK_Free(&ck);
    free(x);
    free(copy);
    MPI_Finalize();
    return 0;
}
