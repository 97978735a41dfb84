/* Three hosts with a rank each. Rank 0 calls nothing while the others use its window: its memory
 * and its lock are served all the same. The host of rank 2 is lost while rank 2 has the lock. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { FIRST = 4, MANY = 200000 };

static long out[2 * MANY], in[2 * MANY];

/* Much data to rank 0 and back, in one piece and in many. */
static int is_carried(MPI_Win win)
{
    MPI_Datatype gaps;
    int wrong = 0;
    MPI_Type_vector(MANY / 2, 1, 2, MPI_LONG, &gaps);
    MPI_Type_commit(&gaps);
    for (int i = 0; i < MANY; i++)
        out[i] = 3L * i + 1;
    MPI_Put(out, MANY, MPI_LONG, 0, FIRST, MANY, MPI_LONG, win);
    MPI_Get(in, MANY, MPI_LONG, 0, FIRST, MANY, MPI_LONG, win);
    for (int i = 0; i < MANY; i++)
        wrong += in[i] != out[i];
    MPI_Put(out, MANY / 2, MPI_LONG, 0, FIRST, 1, gaps, win);
    MPI_Get(in, 1, gaps, 0, FIRST, 1, gaps, win);
    for (int i = 0; i < MANY; i += 2)
        wrong += in[i] != out[i / 2] || in[i + 1] != out[i + 1];
    MPI_Type_free(&gaps);
    return !wrong;
}

int main(int argc, char **argv)
{
    MPI_Win win;
    long *mine, one = 1, old = 0, far[3] = {7, 8, 9};
    int rank, code, class = MPI_SUCCESS;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Win_allocate((FIRST + MANY) * sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &mine, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    for (int i = 0; i < FIRST; i++)
        mine[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Put(far, 3, MPI_LONG, 0, 1, 3, MPI_LONG, win);
        MPI_Win_flush(0, win);
        MPI_Send(&one, 1, MPI_LONG, 1, 0, MPI_COMM_WORLD);
        kill(getppid(), SIGKILL);
        for (;;)
            pause();
    }
    if (rank == 1) {
        MPI_Recv(&one, 1, MPI_LONG, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        int well = is_carried(win);
        MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 0, MPI_SUM, win);
        MPI_Get(far, 3, MPI_LONG, 0, 1, 3, MPI_LONG, win);
        MPI_Win_unlock(0, win);
        code = MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
        MPI_Error_class(code, &class);
        if (well && old == 0 && far[0] == 7 && far[2] == 9 && class == MPI_ERR_PROC_ABORTED)
            puts("rank 1 has used the window after the loss");
    } else {
        while (*(volatile long *)mine == 0)
            ;
        if (mine[0] == 1 && mine[1] == 7 && mine[3] == 9)
            puts("rank 0 has been served while it computed");
    }
    fflush(stdout);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
