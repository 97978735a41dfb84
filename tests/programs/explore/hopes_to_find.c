/* The mistake: what a probe does not find yet is taken not to be there at all. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, word = 1, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank != 0) {
        MPI_Request request;
        MPI_Isend(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
#ifdef MENDED
        MPI_Barrier(MPI_COMM_WORLD);
#endif
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        int is_there = 1;
#ifdef MENDED
        MPI_Barrier(MPI_COMM_WORLD);
#else
        MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
        while (is_there) {
            MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
            if (is_there) {
                MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                sum += word;
            }
        }
        printf("sum %d\n", sum);
    }
    MPI_Finalize();
    return 0;
}
