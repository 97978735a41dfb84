/* Pi by throwing darts: the part of random points in a square that lies in the quarter circle.
 *
 *     mpicc pi.c -o pi
 *     ftrun -np 8 ./pi 1000000
 *
 * `rand` keeps its state in libc. Here every rank has a state of its own, so each throws the same
 * darts as it would in a process of its own, and the result is the same in every run. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double throw_one(void)
{
    return rand() / (double)RAND_MAX;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    /* Rank 0 knows the number of darts, and tells the others. */
    long darts = rank == 0 && argc > 1 ? atol(argv[1]) : 1000000;
    MPI_Bcast(&darts, 1, MPI_LONG, 0, MPI_COMM_WORLD);

    srand(rank + 1);
    long hits = 0;
    for (long dart = 0; dart < darts; dart++) {
        double x = throw_one();
        double y = throw_one();
        hits += x * x + y * y <= 1;
    }

    long all_hits = 0;
    MPI_Reduce(&hits, &all_hits, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks, %ld darts each, %ld hits: pi is about %.4f\n", ranks, darts, all_hits,
               4.0 * all_hits / ((double)darts * ranks));
    MPI_Finalize();
    return 0;
}
