/* The mistake: the master asks again and again for the answer of a worker that has died. */
#include "shrunk.h"

int main(int argc, char **argv)
{
    MPI_Comm comm = begin(&argc, &argv);
    if (rank != 0) {
        int answer = rank * rank;
        MPI_Send(&answer, 1, MPI_INT, 0, 1, comm);
    } else {
        for (int worker = 1; worker < size; worker++) {
            int answer, code;
            do
                code = MPI_Recv(&answer, 1, MPI_INT, worker, 1, comm, MPI_STATUS_IGNORE);
#ifdef MENDED
            while (0);
            (void)code;
#else
            while (code != MPI_SUCCESS);
#endif
        }
    }
    MPI_Finalize();
    return 0;
}
