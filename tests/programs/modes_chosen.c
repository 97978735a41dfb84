/* Modes that the program chooses by attributes of MPI_COMM_WORLD hold for recoveries, for the
 * replacements too; where members have chosen differently, the lowest rank that lives decides.
 * The launcher's own mode is another one. */
#include "check.h"
#include "ftmpi.h"
#include <signal.h>

static void choose(int mode)
{
    MPI_Comm_set_attr(MPI_COMM_WORLD, FTMPI_COMM_MODE, (void *)(long)mode);
}

static int chosen(void)
{
    int *mode = NULL, flag = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, FTMPI_COMM_MODE, &mode, &flag);
    return flag ? *mode : -1;
}

/* This rank dies, and the others recover. */
static void lose(int victim)
{
    MPI_Comm again;
    int code;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* Nobody dies before all have come here. */
    if (rank != victim)
        MPI_Send(NULL, 0, MPI_INT, victim, 1, MPI_COMM_WORLD);
    for (int other = 1; rank == victim && other < size; other++)
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == victim)
        raise(SIGKILL);
    while ((code = MPI_Barrier(MPI_COMM_WORLD)) == MPI_SUCCESS)
        ;
    EQUAL(code, MPI_ERR_OTHER);
    EQUAL(MPI_Comm_dup(MPI_COMM_WORLD, &again), MPI_SUCCESS);
    MPI_Comm_free(&again);
}

int main(int argc, char **argv)
{
    int round = 0, most, seats = 5;
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        round = -1;
    else
        choose(FTMPI_COMM_MODE_REBUILD);
    for (;;) {
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        EQUAL(MPI_Allreduce(&round, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), MPI_SUCCESS);
        round = most;
        EQUAL(size, round < 4 ? seats : seats - 1);
        EQUAL(chosen(), round < 4 ? FTMPI_COMM_MODE_REBUILD : FTMPI_COMM_MODE_SHRINK);
        if (round == 4)
            break;
        if (round == 3) {
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            /* Rank 0 dies: of those who live, 1 is the lowest. */
            choose(rank == 1 ? FTMPI_COMM_MODE_SHRINK : FTMPI_COMM_MODE_REBUILD);
            lose(0);
        } else {
            /* Whoever is new takes part in the next recovery, as the lowest of all in the last. */
            lose(2 - round);
        }
        round++;
    }
    if (ftmpi_rank_in_job() == 1)
        printf("%d of %d ranks\n", size, seats);
    MPI_Finalize();
    return 0;
}
