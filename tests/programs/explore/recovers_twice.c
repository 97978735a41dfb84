/* The mistake: the library of the program and the program itself each answer a failure with a
 * collective call; a replacement comes from MPI_Init and makes only one of them. */
#include "rebuilt.h"

int main(int argc, char **argv)
{
    struct state s = {0, 0};
    int code, has_failed = 0;
    begin(&argc, &argv);
    for (;;) {
#ifdef MENDED
        has_failed = 0;
#endif
        code = has_failed ? restore(&s) : MPI_SUCCESS;
        if (code == MPI_SUCCESS)
            code = restore(&s);
        while (code == MPI_SUCCESS && s.step < STEPS)
            code = step(&s);
        if (code == MPI_SUCCESS)
            tell(&s);
        if (code == MPI_SUCCESS && MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
            break;
        recover();
        has_failed = 1;
    }
    return MPI_Finalize();
}
