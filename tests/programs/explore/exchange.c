/* The mistake: what an exchange with any rank brings is taken to come from rank 1. The other ranks
 * have so much to do before that this holds in nearly every order. */
#include <mpi.h>
#include <stdio.h>

/* So long that a send waits for its receiver. */
#define COUNT 10000

static int out[COUNT], in[COUNT];

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        int words[3] = {0};
        for (int other = 1; other < size && other < 3; other++) {
            MPI_Status status;
            MPI_Sendrecv(out, COUNT, MPI_INT, other, 0, in, COUNT, MPI_INT, MPI_ANY_SOURCE, 0,
                         MPI_COMM_WORLD, &status);
#ifdef MENDED
            words[status.MPI_SOURCE] = in[0];
#else
            words[other] = in[0];
#endif
        }
        printf("rank 1 says %d\n", words[1]);
    } else if (rank < 3) {
        if (rank != 1)
            for (int turn = 0; turn < 400; turn++)
                MPI_Sendrecv(out, 1, MPI_INT, rank, 1, in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        MPI_Request request;
        out[0] = 10 * rank;
        MPI_Isend(out, COUNT, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Recv(in, COUNT, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
