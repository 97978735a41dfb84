/* The mistake: whoever learns of a failure does not revoke: others wait for it in the ring. */
#include "shrunk.h"

static int ring(MPI_Comm comm)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size, token = rank, code;
    for (int hop = 0; hop < size; hop++) {
        code = MPI_Sendrecv_replace(&token, 1, MPI_INT, right, 0, left, 0, comm, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS)
            return code;
    }
    return token == rank ? MPI_SUCCESS : MPI_ERR_OTHER;
}

int main(int argc, char **argv)
{
    MPI_Comm comm = begin(&argc, &argv);
    for (int step = 0; step < STEPS;) {
        int code = ring(comm);
        int is_well = code == MPI_SUCCESS;
#ifdef MENDED
        if (!is_well)
            MPIX_Comm_revoke(comm);
#endif
        code = MPIX_Comm_agree(comm, &is_well);
        if (is_well && code == MPI_SUCCESS) {
            step++;
            continue;
        }
        MPI_Comm fewer = shrink(comm);
        if (comm != MPI_COMM_WORLD)
            MPI_Comm_free(&comm);
        comm = fewer;
        know(comm);
    }
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
