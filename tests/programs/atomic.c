/* Atomic collectives: all survivors meet the same outcome of every operation, whenever a rank dies.
 * SHRINK; the deaths are ordered from outside. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include "ftmpi.h"

static void fail(const char *what, int code)
{
    fprintf(stderr, "rank %d: %s: %d\n", ftmpi_rank_in_job(), what, code);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

int main(int argc, char **argv)
{
    int rank, size, code = MPI_SUCCESS, good = 0, least, most, before;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &before);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 60 && code == MPI_SUCCESS; i++) {
        int value = rank == i % before ? i : -1, sum = 0;
        MPI_Request request;
        switch (i % 4) {
        case 0:
            code = MPI_Bcast(&value, 1, MPI_INT, i % before, MPI_COMM_WORLD);
            if (code == MPI_SUCCESS && value != i)
                fail("the broadcast brought", value);
            break;
        case 1:
            code = MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, i % before, MPI_COMM_WORLD);
            break;
        case 2:
            code = MPI_Ibcast(&value, 1, MPI_INT, i % before, MPI_COMM_WORLD, &request);
            if (code == MPI_SUCCESS)
                code = MPI_Wait(&request, MPI_STATUS_IGNORE);
            break;
        default:
            code = MPI_Barrier(MPI_COMM_WORLD);
        }
        good += code == MPI_SUCCESS;
    }
    if (code != MPI_SUCCESS && code != MPI_ERR_OTHER)
        fail("a failure is called", code);
    /* Whoever has seen no failure will: nobody is through before all are. */
    while (code == MPI_SUCCESS)
        code = MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm again;
    if ((code = MPI_Comm_dup(MPI_COMM_WORLD, &again)))
        fail("no recovery", code);
    MPI_Allreduce(&good, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&good, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (least != most)
        fail("some have succeeded so much more often", most - least);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        printf("%d live\n", size);
    MPI_Finalize();
    return 0;
}
