/* Under FT-MPI's REBUILD, windows of the time before a recovery are stale, and new ones serve all,
 * the replacement included. Rank 1 dies by --kill. */
#include "check.h"

static int use(MPI_Win win, long *mine)
{
    long number = 100 + rank;
    int code = MPI_Win_fence(0, win);
    if (code == MPI_SUCCESS)
        code = MPI_Put(&number, 1, MPI_LONG, (rank + 1) % size, 0, 1, MPI_LONG, win);
    int fenced = MPI_Win_fence(0, win);
    if (code == MPI_SUCCESS)
        code = fenced;
    if (code == MPI_SUCCESS)
        EQUAL(*mine, 100 + (rank + size - 1) % size);
    return code;
}

int main(int argc, char **argv)
{
    MPI_Win win, old;
    MPI_Comm repaired;
    long *mine;
    int code = MPI_Init(&argc, &argv), is_new = code == MPI_INIT_RESTARTED_PROCS;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!is_new) {
        EQUAL(MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &old), MPI_SUCCESS);
        MPI_Win_set_errhandler(old, MPI_ERRORS_RETURN);
        while (use(old, mine) == MPI_SUCCESS)
            ;
        EQUAL(MPI_Comm_dup(MPI_COMM_WORLD, &repaired), MPI_SUCCESS);
        long number = 1;
        MPI_Win_fence(0, old);
        FAILS(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, old), MPI_ERR_OTHER, "recovery");
        FAILS(MPI_Put(&number, 1, MPI_LONG, rank, 0, 1, MPI_LONG, old), MPI_ERR_OTHER, "recovery");
        EQUAL(MPI_Win_free(&old), MPI_SUCCESS);
    }
    EQUAL(MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win), MPI_SUCCESS);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    for (int n = 0; n < 5; n++)
        EQUAL(use(win, mine), MPI_SUCCESS);
    EQUAL(MPI_Win_free(&win), MPI_SUCCESS);
    printf("ok\n");
    MPI_Finalize();
    return 0;
}
