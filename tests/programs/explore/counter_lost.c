/* The mistake: a replacement takes over the sum, and forgets how many steps it stands for. */
#include "rebuilt.h"

int main(int argc, char **argv)
{
    struct state s = {0, 0};
    int code;
    begin(&argc, &argv);
    for (;;) {
        long done = s.step;
        code = restore(&s);
#ifndef MENDED
        s.step = done;
#else
        (void)done;
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
