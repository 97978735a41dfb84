/* In each of 100 steps every rank contributes 1. When a rank dies, the others revoke the
 * communicator, agree that the step has failed, and repeat it in a smaller communicator. */
#include <mpi-ext.h>
#include <mpi.h>
#include <stdio.h>

enum { STEPS = 100 };

int main(int argc, char **argv)
{
    int rank, size, started;
    long steps = 0, sum = 0;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_size(comm, &started);
    while (steps < STEPS) {
        long one = 1, living;
        int code = MPI_Allreduce(&one, &living, 1, MPI_LONG, MPI_SUM, comm);
        int is_well = code == MPI_SUCCESS;
        /* Nobody is to wait for a rank that has given up this step. */
        if (!is_well)
            MPIX_Comm_revoke(comm);
        /* The step counts for all or for none. */
        code = MPIX_Comm_agree(comm, &is_well);
        if (is_well && code == MPI_SUCCESS) {
            steps++;
            sum += living;
        } else {
            MPI_Comm smaller;
            MPIX_Comm_shrink(comm, &smaller);
            if (comm != MPI_COMM_WORLD)
                MPI_Comm_free(&comm);
            comm = smaller;
        }
    }
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank == 0)
        printf("%d of %d ranks, %ld steps, sum %ld\n", size, started, steps, sum);
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    return MPI_Finalize();
}
