/* The mistake: each rank believes its own return code: after a failure some repeat the step, and
 * others have gone on. */
#include "shrunk.h"

static int from_root(MPI_Comm comm, int *word)
{
    int code = MPI_SUCCESS;
    if (rank != 0)
        return MPI_Recv(word, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    for (int other = 1; other < size && code == MPI_SUCCESS; other++)
        code = MPI_Send(word, 1, MPI_INT, other, 0, comm);
    return code;
}

int main(int argc, char **argv)
{
    MPI_Comm comm = begin(&argc, &argv);
    for (int step = 0; step < STEPS;) {
        int word = step;
        int code = from_root(comm, &word);
        if (code == MPI_SUCCESS && word != step)
            MPI_Abort(MPI_COMM_WORLD, 9);
#ifdef MENDED
        int is_well = went_well(comm, code);
#else
        int is_well = code == MPI_SUCCESS;
#endif
        if (is_well) {
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
