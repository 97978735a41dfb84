/* How long it takes from a death to the first right allreduce, with the modes that the launcher
 * was told. Argument: how many deaths, one after the other. Prints the median in milliseconds. */
#include <ftmpi.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define TAG 7

static int rank, size;

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Everybody counts: the sum is the number of the living. */
static int allreduce(int *living)
{
    int one = 1;
    return MPI_Allreduce(&one, living, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void recover(void)
{
    MPI_Comm repaired = FT_MPI_CHECK_RECOVER;
    if (MPI_Comm_dup(MPI_COMM_WORLD, &repaired) != MPI_SUCCESS) {
        fprintf(stderr, "rank %d: no recovery\n", rank);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

int main(int argc, char **argv)
{
    int living = 0;
    MPI_Init(&argc, &argv);
    int deaths = argc > 1 ? atoi(argv[1]) : 1, round = 0;
    double died = 0, *took = calloc(deaths, sizeof *took);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    while (round < deaths) {
        /* Where the others are in their count of rounds, a fresh rank is told. */
        int code = allreduce(&living);
        if (code == MPI_SUCCESS) {
            if (rank == 0 && died > 0)
                took[round++] = (MPI_Wtime() - died) * 1e3;
            code = MPI_Bcast(&round, 1, MPI_INT, 0, MPI_COMM_WORLD);
        }
        if (code == MPI_SUCCESS)
            code = MPI_Barrier(MPI_COMM_WORLD);
        if (code == MPI_SUCCESS && round < deaths) {
            /* Where nobody comes back, there are fewer rounds than ranks that are left. */
            int victim = 1 + round % (living - 1);
            /* Nobody dies before all have left the barrier. */
            if (rank != victim)
                MPI_Send(NULL, 0, MPI_INT, victim, TAG, MPI_COMM_WORLD);
            for (int others = 1; rank == victim && others < living; others++)
                MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank == victim) {
                double now = MPI_Wtime();
                MPI_Send(&now, 1, MPI_DOUBLE, 0, TAG, MPI_COMM_WORLD);
                ftmpi_kill(ftmpi_rank_in_job());
            }
            if (rank == 0)
                MPI_Recv(&died, 1, MPI_DOUBLE, victim, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            while (allreduce(&living) == MPI_SUCCESS)
                ;
            recover();
        }
    }
    if (rank == 0) {
        qsort(took, deaths, sizeof *took, by_value);
        printf("%.6g\n", took[deaths / 2]);
    }
    MPI_Finalize();
    return 0;
}
