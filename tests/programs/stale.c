/* Rank 0, which makes communicators, dies with many made. None that its successor makes gets a
 * message that was sent on one of before. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int is_first = MPI_Init(&argc, &argv) == MPI_SUCCESS, rank, flag, found = 0, word = 7;
    MPI_Comm comm;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (is_first) {
        for (int i = 0; i < 20; i++)
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (rank == 1) {
            MPI_Send(&word, 1, MPI_INT, 2, 1, comm);
            MPI_Send(&word, 1, MPI_INT, 2, 2, MPI_COMM_WORLD);
        }
        /* The first one has come, too, and nobody receives it. */
        if (rank == 2) {
            MPI_Recv(&word, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&word, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
        }
        if (rank == 0) {
            MPI_Recv(&word, 1, MPI_INT, 2, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            raise(SIGKILL);
        }
        while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
            continue;
        comm = FT_MPI_CHECK_RECOVER;
        while (MPI_Comm_dup(MPI_COMM_WORLD, &comm) != MPI_SUCCESS)
            comm = FT_MPI_CHECK_RECOVER;
    }
    for (int i = 0; i < 60; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Iprobe(1, 1, comm, &flag, MPI_STATUS_IGNORE);
        found += flag;
    }
    printf("rank %d has found %d\n", rank, found);
    return MPI_Finalize();
}
