/* Rank 0 asks again and again whether rank 1 has completed its accesses. Rank 1 never does: it has
 * heard of the death of rank 2, and recovers. So rank 0 must hear of that. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int code = MPI_Init(&argc, &argv), rank, flag = 0, got;
    MPI_Comm again;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (code == MPI_SUCCESS) {
        MPI_Win win;
        MPI_Group all, zero, one;
        int *base;
        const int first = 0, second = 1;
        MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
        MPI_Comm_group(MPI_COMM_WORLD, &all);
        MPI_Group_incl(all, 1, &first, &zero);
        MPI_Group_incl(all, 1, &second, &one);
        if (rank == 0) {
            MPI_Win_post(one, 0, win);
            MPI_Send(&rank, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
            do
                code = MPI_Win_test(win, &flag);
            while (code == MPI_SUCCESS && !flag);
        } else if (rank == 1) {
            MPI_Win_start(zero, 0, win);
            code = MPI_Recv(&got, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            raise(SIGKILL);
        }
        if (code == MPI_SUCCESS)
            printf("rank %d has heard nothing\n", rank);
        MPI_Comm_dup(MPI_COMM_WORLD, &again);
    }
    if (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
        printf("well\n");
    MPI_Finalize();
    return 0;
}
