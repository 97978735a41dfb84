/* Every rank says hello.
 *
 *     mpicc hello.c -o hello
 *     ftrun -np 4 ./hello
 *
 * All ranks run in one process, and still each has its own copy of every variable: `greetings`
 * is 1 in each of them, although it is global. The lines come in any order. */

#include <mpi.h>
#include <stdio.h>

static int greetings = 0;

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    greetings++;
    printf("hello from rank %d of %d (greeting %d)\n", rank, ranks, greetings);

    MPI_Finalize();
    return 0;
}
