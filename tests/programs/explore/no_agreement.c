/* The mistake: each rank believes its own return code: after a failure some repeat the step, and
 * others have gone on. */
#include "shrunk.h"

int main(int argc, char **argv)
{
    MPI_Comm comm = begin(&argc, &argv);
    for (int step = 0; step < STEPS;) {
        int word = step;
        int code = MPI_Bcast(&word, 1, MPI_INT, 0, comm);
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
