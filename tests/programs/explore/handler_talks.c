/* The mistake: an error handler makes a collective call: ranks that learn of the failure in
 * different calls, or have learned of it already, do not meet in it. */
#include "rebuilt.h"

static int has_failed;

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    has_failed = 1;
#ifndef MENDED
    long mine = 1, all;
    recover();
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
#endif
}

int main(int argc, char **argv)
{
    struct state s = {0, 0};
    MPI_Errhandler handler;
    int code;
    begin(&argc, &argv);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    for (;;) {
        has_failed = 0;
        code = restore(&s);
        while (code == MPI_SUCCESS && s.step < STEPS)
            code = step(&s);
        if (code == MPI_SUCCESS)
            tell(&s);
        if (code == MPI_SUCCESS)
            code = MPI_Barrier(MPI_COMM_WORLD);
        if (code == MPI_SUCCESS)
            break;
#ifdef MENDED
        if (has_failed)
            recover();
#endif
    }
    return MPI_Finalize();
}
