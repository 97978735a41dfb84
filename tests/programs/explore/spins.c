/* The mistake: once others have died, it computes until a value is reached that never is. */
#include "shrunk.h"

static double step_towards(double x)
{
    return x / 2 + 0.25;
}

/* It comes near to 0.5. */
__attribute__((noinline)) static double approach(double x, double goal)
{
    while (x < goal)
        x = step_towards(x);
    return x;
}

int main(int argc, char **argv)
{
    MPI_Comm comm = begin(&argc, &argv);
    double share = 0.25;
    for (int step = 0; step < STEPS;) {
        double sum;
        int code = MPI_Allreduce(&share, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
        if (went_well(comm, code)) {
            step++;
            continue;
        }
        MPI_Comm fewer = shrink(comm);
        if (comm != MPI_COMM_WORLD)
            MPI_Comm_free(&comm);
        comm = fewer;
#ifdef MENDED
        share = approach(share, 0.49);
#else
        share = approach(share, 0.51);
#endif
    }
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
