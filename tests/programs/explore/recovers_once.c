/* The mistake: a failure during the recovery is not thought of. */
#include "rebuilt.h"

static void recover_once(void)
{
    MPI_Comm repaired = FT_MPI_CHECK_RECOVER;
    if (MPI_Comm_dup(MPI_COMM_WORLD, &repaired) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Comm_free(&repaired);
}

static int restore_once(struct state *s)
{
    if (restore(s) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 8);
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    struct state s = {0, 0};
    int code, is_first = 1;
    begin(&argc, &argv);
    for (;;) {
#ifdef MENDED
        code = restore(&s);
        (void)restore_once, (void)recover_once, (void)is_first;
#else
        code = is_first && !restarted ? restore(&s) : restore_once(&s);
        is_first = 0;
#endif
        while (code == MPI_SUCCESS && s.step < STEPS)
            code = step(&s);
        if (code == MPI_SUCCESS)
            tell(&s);
        if (code == MPI_SUCCESS && MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
            break;
#ifdef MENDED
        recover();
#else
        recover_once();
#endif
    }
    return MPI_Finalize();
}
