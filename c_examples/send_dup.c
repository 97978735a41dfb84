/* A send that survives its receiver (Fagg & Dongarra 2000): when a call returns MPI_ERR_OTHER,
 * MPI_Comm_dup recovers, and the work goes on. Rank 1 dies once, after five messages.
 *
 *     ftrun -np 3 --mode rebuild ./send_dup 100
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, restarted;

/* Rank 0 sends the numbers below `count` to rank 1, which adds them. */
static int exchange(MPI_Comm com, int count, long *sum)
{
    int code = MPI_SUCCESS;
    *sum = 0;
    for (int number = 0; number < count && code == MPI_SUCCESS; number++) {
        if (rank == 0)
            code = MPI_Send(&number, 1, MPI_INT, 1, 0, com);
        if (rank == 1) {
            int word;
            code = MPI_Recv(&word, 1, MPI_INT, 0, 0, com, MPI_STATUS_IGNORE);
            *sum += word;
            if (number == 5 && !restarted)
                raise(SIGKILL);
        }
    }
    return code == MPI_SUCCESS ? MPI_Barrier(com) : code;
}

int main(int argc, char **argv)
{
    restarted = MPI_Init(&argc, &argv) == MPI_INIT_RESTARTED_PROCS;
    MPI_Comm com = MPI_COMM_WORLD, newcom;
    MPI_Comm_rank(com, &rank);
    int count = argc > 1 ? atoi(argv[1]) : 100, code;
    long sum;
    while ((code = exchange(com, count, &sum)) != MPI_SUCCESS) {
        if (code != MPI_ERR_OTHER)
            MPI_Abort(MPI_COMM_WORLD, 1);
        MPI_Comm_dup(com, &newcom);
        MPI_Comm_free(&com);
        com = newcom;
    }
    if (rank == 1)
        printf("rank 1 %s: the sum is %ld\n", restarted ? "was restarted" : "never died", sum);
    return MPI_Finalize();
}
