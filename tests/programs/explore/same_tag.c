/* The mistake: two phases use one tag, and a fast rank is in the second while others are in the
 * first. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#ifdef MENDED
    const int second = 1;
#else
    const int second = 0;
#endif
    if (rank != 0) {
        int work = rank, rest = 100 * rank;
        MPI_Send(&work, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&rest, 1, MPI_INT, 0, second, MPI_COMM_WORLD);
    } else {
        long sums[2] = {0, 0};
        for (int phase = 0; phase < 2; phase++)
            for (int worker = 1; worker < size; worker++) {
                int part;
                MPI_Recv(&part, 1, MPI_INT, MPI_ANY_SOURCE, phase ? second : 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
                sums[phase] += part;
            }
        printf("work %ld, rest %ld\n", sums[0], sums[1]);
    }
    MPI_Finalize();
    return 0;
}
