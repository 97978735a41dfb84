/* The mistake: rank 0 is taken to know the state, always. */
#include "rebuilt.h"

static int from_root(struct state *s)
{
    return MPI_Bcast(s, 2, MPI_LONG, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct state s = {0, 0};
    long total = 0;
    int code;
    begin(&argc, &argv);
    for (;;) {
#ifdef MENDED
        code = restore(&s);
        (void)from_root;
#else
        code = from_root(&s);
#endif
        while (code == MPI_SUCCESS && s.step < STEPS) {
            code = step(&s);
            total = restarted ? total : total + 1;
        }
        if (code == MPI_SUCCESS && s.step != STEPS)
            MPI_Abort(MPI_COMM_WORLD, 3);
        /* What has been done twice is too much work: ranks that lived all the time see it. */
        if (code == MPI_SUCCESS && !restarted && total > STEPS + 3)
            MPI_Abort(MPI_COMM_WORLD, 5);
        if (code == MPI_SUCCESS)
            tell(&s);
        if (code == MPI_SUCCESS && MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
            break;
        recover();
    }
    return MPI_Finalize();
}
