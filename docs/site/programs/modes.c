/* In each of 100 steps every rank contributes 1. When a rank dies, the others recover as the mode
 * of the job says, agree on where they are, and go on. */
#include <mpi.h>
#include <stdio.h>

enum { STEPS = 100 };

/* How many steps are complete, and what has been added up in them. */
static long done[2];

static int compute(void)
{
    /* A replacement knows nothing yet: the furthest rank tells all others. */
    long mine[2] = {done[0], done[1]};
    int code = MPI_Allreduce(mine, done, 2, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    while (code == MPI_SUCCESS && done[0] < STEPS) {
        long one = 1, living;
        code = MPI_Allreduce(&one, &living, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        if (code == MPI_SUCCESS) {
            done[0]++;
            done[1] += living;
        }
    }
    return code;
}

int main(int argc, char **argv)
{
    int rank, size;
    int code = MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (code == MPI_INIT_RESTARTED_PROCS)
        printf("rank %d is a replacement\n", rank);
    while (compute() != MPI_SUCCESS) {
        MPI_Comm repaired = FT_MPI_CHECK_RECOVER;
        while (MPI_Comm_dup(MPI_COMM_WORLD, &repaired) != MPI_SUCCESS)
            repaired = FT_MPI_CHECK_RECOVER;
        MPI_Comm_free(&repaired);
    }
    /* SHRINK renumbers the ranks. */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        printf("%d ranks, %ld steps, sum %ld\n", size, done[0], done[1]);
    return MPI_Finalize();
}
