/* An error handler that jumps: the solver is a library that knows nothing of failures and looks at
 * no code. The application calls it again until nobody dies in it. Rank 1 dies in the middle.
 *
 *     ftrun -np 4 ./jump
 */
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static int rank, restarted;
static jmp_buf restart;

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    if (*code == MPI_ERR_OTHER)
        longjmp(restart, 1);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The library: sums that depend on each other. */
static long solve(MPI_Comm comm)
{
    long value = rank + 1, total;
    for (int step = 0; step < 100; step++) {
        if (step == 50 && rank == 1 && !restarted)
            raise(SIGKILL);
        MPI_Allreduce(&value, &total, 1, MPI_LONG, MPI_SUM, comm);
        value = (3 * value + total) % 1000003;
    }
    MPI_Allreduce(&value, &total, 1, MPI_LONG, MPI_SUM, comm);
    return total;
}

int main(int argc, char **argv)
{
    volatile int jumps = 0;
    restarted = MPI_Init(&argc, &argv) == MPI_INIT_RESTARTED_PROCS;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Errhandler errhandler;
    MPI_Comm_create_errhandler(handler, &errhandler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler);
    if (setjmp(restart) != 0) {
        MPI_Comm repaired = FT_MPI_CHECK_RECOVER;
        jumps++;
        MPI_Comm_dup(MPI_COMM_WORLD, &repaired);
        MPI_Comm_free(&repaired);
    }
    long result = solve(MPI_COMM_WORLD);
    if (rank == 0)
        printf("solved after %d jumps: %ld\n", jumps, result);
    MPI_Errhandler_free(&errhandler);
    return MPI_Finalize();
}
