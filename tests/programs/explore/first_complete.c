/* The mistake: the request that MPI_Waitany finds complete first is taken to be that of rank 1. The
 * other ranks have so much to do before that this holds in nearly every order. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, word = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        int words[2] = {0}, first;
        MPI_Request requests[2];
        for (int other = 1; other <= 2; other++)
            MPI_Irecv(&words[other - 1], 1, MPI_INT, other < size ? other : MPI_PROC_NULL, 0,
                      MPI_COMM_WORLD, &requests[other - 1]);
        MPI_Waitany(2, requests, &first, MPI_STATUS_IGNORE);
#ifdef MENDED
        MPI_Wait(&requests[1 - first], MPI_STATUS_IGNORE);
        printf("rank 1 says %d\n", words[0]);
#else
        printf("rank 1 says %d\n", words[first]);
        MPI_Waitany(2, requests, &first, MPI_STATUS_IGNORE);
#endif
    } else if (rank < 3) {
        if (rank != 1)
            for (int turn = 0; turn < 400; turn++)
                MPI_Sendrecv(&word, 1, MPI_INT, rank, 1, &word, 1, MPI_INT, rank, 1, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        word = 10 * rank;
        MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
