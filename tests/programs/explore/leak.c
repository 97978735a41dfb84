/* The mistake: the communicators of earlier repairs are never freed. */
#include "shrunk.h"

int main(int argc, char **argv)
{
    MPI_Comm comm = begin(&argc, &argv);
    for (int step = 0; step < STEPS;) {
        int mine = 1, all;
        int code = MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
        if (went_well(comm, code)) {
            step++;
            continue;
        }
        MPI_Comm fewer = shrink(comm);
#ifdef MENDED
        if (comm != MPI_COMM_WORLD)
            MPI_Comm_free(&comm);
#endif
        comm = fewer;
        know(comm);
    }
#ifdef MENDED
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
#endif
    MPI_Finalize();
    return 0;
}
