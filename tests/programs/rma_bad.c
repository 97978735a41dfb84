/* Memory that is not there ends the process that has named it. Arguments: the case. */
#include "check.h"
#include <sys/mman.h>

int main(int argc, char **argv)
{
    MPI_Win win;
    long *mine, number = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    long *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int is_target = !strcmp(argv[1], "target");
    if (is_target)
        MPI_Win_create(page, 4096, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    else
        MPI_Win_allocate(4096, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    if (rank == 1)
        mprotect(page, 4096, PROT_NONE);
    MPI_Barrier(MPI_COMM_WORLD);
    int code = MPI_SUCCESS;
    if (is_target && rank != 1)
        for (int n = 0; code == MPI_SUCCESS; n++) {
            MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
            if (n % 2)
                code = MPI_Put(&number, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
            else
                code = MPI_Accumulate(&number, 1, MPI_LONG, 1, 0, 1, MPI_LONG, MPI_SUM, win);
            MPI_Win_unlock(1, win);
        }
    if (is_target && rank == 1)
        for (;;)
            MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_Win_unlock(0, win);
    if (!is_target && rank == 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        if (!strcmp(argv[1], "put"))
            MPI_Put(page, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        if (!strcmp(argv[1], "get"))
            MPI_Get(page, 100, MPI_LONG, 0, 0, 100, MPI_LONG, win);
        if (!strcmp(argv[1], "accumulate"))
            MPI_Accumulate(page, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win);
        if (!strcmp(argv[1], "fetch"))
            MPI_Fetch_and_op(&number, page, MPI_LONG, 0, 0, MPI_SUM, win);
        FAIL("it outlived %s", argv[1]);
    }
    if (is_target)
        FAILS(code, MPI_ERR_PROC_ABORTED, "rank 1");
    else
        FAILS(MPI_Win_fence(0, win), MPI_ERR_PROC_ABORTED, "rank 1");
    printf("ok\n");
    MPI_Finalize();
    return 0;
}
