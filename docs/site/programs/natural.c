/* The ranks look for the largest of their numbers, and nothing depends on a single one of them. In
 * each round a rank exchanges what it knows with one neighbour in each dimension of a hypercube. An
 * exchange with a dead rank is left out: what it would have told comes another way. */
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 3 };

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    /* Without this, the first error would end the job. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int largest = rank * 37 % 101;
    for (int round = 0; round < ROUNDS; round++)
        for (int bit = 1; bit < size; bit *= 2) {
            int peer = rank ^ bit, theirs;
            if (peer < size
                && MPI_Sendrecv(&largest, 1, MPI_INT, peer, 0, &theirs, 1, MPI_INT, peer, 0,
                                MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS
                && theirs > largest)
                largest = theirs;
        }
    printf("the largest is %d\n", largest);
    return MPI_Finalize();
}
