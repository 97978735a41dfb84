/* The mistake: a replacement uses memory that only the first life allocates. */
#include "rebuilt.h"

int main(int argc, char **argv)
{
    struct state s = {0, 0};
    long *history = NULL;
    int code;
    begin(&argc, &argv);
#ifndef MENDED
    if (!restarted)
#endif
        history = calloc(STEPS + 1, sizeof *history);
    for (;;) {
        code = restore(&s);
        while (code == MPI_SUCCESS && s.step < STEPS) {
            code = step(&s);
            history[s.step] = s.sum;
        }
        if (code == MPI_SUCCESS)
            tell(&s);
        if (code == MPI_SUCCESS && MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
            break;
        recover();
    }
    free(history);
    return MPI_Finalize();
}
