/* The mistake: messages of all workers are taken to come in the order of their ranks. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank != 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        int answers[16] = {0}, answer;
        for (int worker = 1; worker < size; worker++) {
            MPI_Status status;
            MPI_Recv(&answer, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
#ifdef MENDED
            answers[status.MPI_SOURCE] = answer;
#else
            answers[worker] = answer;
#endif
        }
        for (int worker = 1; worker < size; worker++)
            printf("worker %d: %d\n", worker, answers[worker]);
    }
    MPI_Finalize();
    return 0;
}
