/* The mistake: of two receives that have begun, the first is taken to get the message of rank 1.
 * The other ranks have so much to do before that this holds in nearly every order. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, word = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        int words[2] = {0};
        MPI_Request requests[2];
        MPI_Status statuses[2];
        for (int each = 0; each < 2; each++)
            MPI_Irecv(&words[each], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[each]);
        MPI_Waitall(2, requests, statuses);
#ifdef MENDED
        int first = statuses[0].MPI_SOURCE == 1 ? words[0] : words[1];
#else
        int first = words[0];
#endif
        printf("rank 1 says %d\n", first);
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
