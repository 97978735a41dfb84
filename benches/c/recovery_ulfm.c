/* How long it takes from a death to the first right allreduce, with ULFM: revoke and shrink, or
 * revoke, shrink, spawn and merge. Argument: `shrink` or `rebuild`. Prints milliseconds. */
#include <mpi.h>
/* Wants to come after it. */
#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm comm;
static int rank, size;

/* Everybody's rank is in the sum of all. */
static int allreduce(void)
{
    int sum = -1, code = MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (code == MPI_SUCCESS && sum != size * (size - 1) / 2) {
        fprintf(stderr, "rank %d: the sum is %d\n", rank, sum);
        MPI_Abort(comm, 1);
    }
    return code;
}

/* A fresh process takes the place of the one that has died; its part is `main`'s beginning. */
static void refill(MPI_Comm shrunk, char *program)
{
    char *arguments[] = {"rebuild", NULL};
    MPI_Comm between;
    MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, shrunk, &between,
                   MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(between, 0, &comm);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    MPI_Init(&argc, &argv);
    int rebuilds = argc > 1 && strcmp(argv[1], "rebuild") == 0;
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    else
        MPI_Intercomm_merge(parent, 1, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    double died = 0;
    if (parent == MPI_COMM_NULL) {
        for (int i = 0; i < 10; i++)
            allreduce();
        MPI_Barrier(comm);
        if (rank == size / 2) {
            died = MPI_Wtime();
            MPI_Send(&died, 1, MPI_DOUBLE, 0, 1, comm);
            raise(SIGKILL);
        }
        if (rank == 0)
            MPI_Recv(&died, 1, MPI_DOUBLE, size / 2, 1, comm, MPI_STATUS_IGNORE);
        while (allreduce() == MPI_SUCCESS)
            ;
        MPI_Comm shrunk;
        MPIX_Comm_revoke(comm);
        MPIX_Comm_shrink(comm, &shrunk);
        comm = shrunk;
        if (rebuilds)
            refill(shrunk, argv[0]);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
    }
    if (allreduce() != MPI_SUCCESS)
        MPI_Abort(comm, 1);
    if (parent == MPI_COMM_NULL && rank == 0) {
        printf("%.6g\n", (MPI_Wtime() - died) * 1e3);
        fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}
