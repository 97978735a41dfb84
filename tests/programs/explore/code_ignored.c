/* The mistake: nobody looks at what the call that restores the state returns. */
#include "rebuilt.h"

int main(int argc, char **argv)
{
    struct state s = {0, 0};
    int code;
    begin(&argc, &argv);
    for (;;) {
        code = restore(&s);
#ifndef MENDED
        code = MPI_SUCCESS;
#endif
        while (code == MPI_SUCCESS && s.step < STEPS)
            code = step(&s);
        if (code == MPI_SUCCESS)
            tell(&s);
        if (code == MPI_SUCCESS && MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
            break;
        recover();
    }
    return MPI_Finalize();
}
