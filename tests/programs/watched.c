/* Goes on until a file is there, whoever dies meanwhile: ranks pass numbers round, add them up, and
 * recover. What is said at the end is how often that was.
 *
 * watched FILE [MICROSECONDS]: between two rounds every rank computes for so long. */
#include <ft-mpi-modes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int recover(void)
{
    MPI_Comm again;
    int code;
    while ((code = MPI_Comm_dup(MPI_COMM_WORLD, &again)) == MPI_ERR_OTHER)
        ;
    return code == MPI_SUCCESS ? MPI_Comm_free(&again) : code;
}

static void compute(double microseconds)
{
    double until = MPI_Wtime() + microseconds * 1e-6;
    while (MPI_Wtime() < until)
        ;
}

int main(int argc, char **argv)
{
    int rank, size, recoveries = 0, rounds = 0, stops = 0;
    int fresh = MPI_Init(&argc, &argv) != MPI_SUCCESS;
    double microseconds = argc > 2 ? atof(argv[2]) : 100;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (fresh)
        printf("rank %d is alive again\n", rank);
    while (!stops) {
        int got = -1, mine = rank == 0 && access(argv[1], F_OK) == 0;
        compute(microseconds);
        int code = MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 5, &got, 1, MPI_INT,
                                (rank + size - 1) % size, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (code == MPI_SUCCESS && got != (rank + size - 1) % size)
            MPI_Abort(MPI_COMM_WORLD, 3);
        if (code == MPI_SUCCESS)
            code = MPI_Allreduce(&mine, &stops, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (code != MPI_SUCCESS) {
            stops = 0;
            recoveries++;
            if (recover() != MPI_SUCCESS)
                MPI_Abort(MPI_COMM_WORLD, 4);
        }
        rounds++;
    }
    if (rank == 0)
        printf("%d recoveries\n", recoveries);
    return MPI_Finalize();
}
