/* A program of ULFM with a mistake that `ftrun explore` finds (docs/EXPLORE.md): a token goes round
 * a ring, and only the neighbours of a rank that dies learn of it. They do not revoke the
 * communicator, so that the others wait in the ring for ever.
 *
 *     mpicc -g -O1 no_revoke.c -o no_revoke && ftrun explore -np 4 --mode ulfm ./no_revoke
 *     mpicc -g -O1 -DMENDED no_revoke.c -o mended && ftrun explore -np 4 --mode ulfm ./mended
 */
#include <mpi-ext.h>
#include <mpi.h>

enum { ROUNDS = 3 };

static int rank, size;

static void know(MPI_Comm comm)
{
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
}

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

/* The ranks that are left go on among themselves. */
static MPI_Comm shrink(MPI_Comm comm)
{
    MPI_Comm fewer;
    MPIX_Comm_revoke(comm);
    MPIX_Comm_shrink(comm, &fewer);
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    know(fewer);
    return fewer;
}

int main(int argc, char **argv)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Init(&argc, &argv);
    know(comm);
    for (int round = 0; round < ROUNDS;) {
        int is_well = ring(comm) == MPI_SUCCESS;
#ifdef MENDED
        if (!is_well)
            MPIX_Comm_revoke(comm);
#endif
        int code = MPIX_Comm_agree(comm, &is_well);
        if (is_well && code == MPI_SUCCESS)
            round++;
        else
            comm = shrink(comm);
    }
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
