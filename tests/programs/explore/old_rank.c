/* The mistake: rank and size stay what they were before others died. */
#include "shrunk.h"

int main(int argc, char **argv)
{
    MPI_Comm comm = begin(&argc, &argv);
    for (int step = 0; step < STEPS;) {
        int parts[16] = {0}, mine = 1;
        int code = MPI_Gather(&mine, 1, MPI_INT, parts, 1, MPI_INT, size - 1, comm);
        if (went_well(comm, code)) {
            step++;
            continue;
        }
        MPI_Comm fewer = shrink(comm);
        if (comm != MPI_COMM_WORLD)
            MPI_Comm_free(&comm);
        comm = fewer;
#ifdef MENDED
        know(comm);
#endif
    }
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
