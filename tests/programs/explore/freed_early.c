/* The mistake: the program frees its own communicator before the recovery, and uses it once more
 * when the recovery has failed. */
#include "rebuilt.h"

int main(int argc, char **argv)
{
    struct state s = {0, 0};
    MPI_Comm own = MPI_COMM_NULL;
    int code;
    begin(&argc, &argv);
    for (;;) {
        code = MPI_Comm_dup(MPI_COMM_WORLD, &own);
        if (code == MPI_SUCCESS) {
            code = restore(&s);
            while (code == MPI_SUCCESS && s.step < STEPS)
                code = step(&s);
            if (code == MPI_SUCCESS)
                tell(&s);
            if (code == MPI_SUCCESS)
                code = MPI_Barrier(own);
        }
#ifdef MENDED
        if (own != MPI_COMM_NULL)
            MPI_Comm_free(&own);
#else
        MPI_Comm_free(&own);
#endif
        if (code == MPI_SUCCESS)
            break;
        recover();
    }
    return MPI_Finalize();
}
