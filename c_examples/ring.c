/* A number travels around a ring of ranks; every rank adds its own number to it.
 *
 *     mpicc ring.c -o ring
 *     ftrun -np 8 ./ring 1000
 *
 * The argument says how many times it goes around. Rank 0 prints the sum and what it should be. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG = 7 };

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    if (ranks < 2) {
        fprintf(stderr, "ring: a ring has at least two ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }

    const int rounds = argc > 1 ? atoi(argv[1]) : 10;
    const int before = (rank + ranks - 1) % ranks;
    const int behind = (rank + 1) % ranks;
    long sum = 0;

    double start = MPI_Wtime();
    for (int round = 0; round < rounds; round++) {
        /* Rank 0 starts each round: were all to receive first, they would wait for ever. */
        if (rank != 0)
            MPI_Recv(&sum, 1, MPI_LONG, before, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += rank;
        MPI_Send(&sum, 1, MPI_LONG, behind, TAG, MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Recv(&sum, 1, MPI_LONG, before, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    double seconds = MPI_Wtime() - start;

    int wrong = 0;
    if (rank == 0) {
        long expected = (long)rounds * ranks * (ranks - 1) / 2;
        wrong = sum != expected;
        printf("ring of %d, %d rounds: sum %ld, expected %ld\n", ranks, rounds, sum, expected);
        fprintf(stderr, "%.2f microseconds per hop\n", 1e6 * seconds / rounds / ranks);
    }
    MPI_Finalize();
    return wrong;
}
