/* One rank writes through a null pointer. The job ends and says which rank it was, and why.
 *
 *     mpicc -g nullptr.c -o nullptr
 *     ftrun -np 4 ./nullptr 2        rank 2 dies; the exit status is 139 (128 + SIGSEGV)
 *
 * The others wait for it in a barrier. They do not wait for ever: the job ends at once. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Were it local, the compiler could see that it is null, and leave the mistake out. */
int *nowhere = NULL;

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    const int victim = argc > 1 ? atoi(argv[1]) : ranks - 1;

    if (rank == 0) {
        printf("rank %d of %d will write through a null pointer\n", victim, ranks);
        fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == victim)
        *nowhere = 42;
    MPI_Barrier(MPI_COMM_WORLD);

    printf("rank %d: this line is never printed\n", rank);
    MPI_Finalize();
    return 0;
}
