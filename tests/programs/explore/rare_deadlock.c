/* The mistake: a receive from any source may take the message for which the next one waits. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, word = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
#ifdef MENDED
        MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int other = 2; other < size; other++)
            MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#else
        for (int other = 2; other < size; other++)
            MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&word, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
    } else {
        /* The last one has to do more before. */
        if (rank == size - 1)
            for (int turn = 0; turn < 3; turn++)
                MPI_Sendrecv(&word, 1, MPI_INT, rank, 1, &word, 1, MPI_INT, rank, 1, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
