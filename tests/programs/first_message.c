/* Rank 2 sends to rank 1, which dies as soon as that is so: then there is the file of this name. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int me, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const char *sent = argv[1];
    if (me == 1) {
        while (access(sent, F_OK) != 0)
            usleep(1000);
        raise(SIGKILL);
    }
    if (me == 2) {
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        fclose(fopen(sent, "w"));
        int error = MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Error_class(error, &error);
        printf("rank 1 has %s\n", error == MPI_ERR_PROC_ABORTED ? "failed" : "answered");
    }
    return MPI_Finalize();
}
