/* Heat spreads around a ring that is divided among the ranks. Every 20 steps all ranks save their
 * pieces in each other's memory; after a death they go back to what was saved last. The result is
 * the same with failures as without. */
#include <ftmpi.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 10, STEPS = 200, INTERVAL = 20 };

/* A piece of the ring, between the neighbours' nearest cells. */
static double heat[CELLS + 2];
static int rank, size, step;
static FTCK saved;

/* From the last checkpoint, or from the start: one hot cell. */
static int begin(void)
{
    int version, code = FTCK_Restore(saved, &version);
    if (code == FTCK_ERR_LOST)
        MPI_Abort(MPI_COMM_WORLD, 3); /* two ranks at once: "rs:2" makes up for that */
    if (code == MPI_SUCCESS && version == FTCK_NONE) {
        step = 0;
        for (int cell = 1; cell <= CELLS; cell++)
            heat[cell] = rank == 0 && cell == 1 ? 1000 : 0;
    }
    return code;
}

static int compute(double *hottest)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    int code = begin();
    for (; code == MPI_SUCCESS && step < STEPS; step++) {
        double next[CELLS + 2];
        if (step % INTERVAL == 0 && (code = FTCK_Checkpoint(saved, step)) != MPI_SUCCESS)
            break;
        code = MPI_Sendrecv(&heat[1], 1, MPI_DOUBLE, left, 0, &heat[CELLS + 1], 1, MPI_DOUBLE,
                            right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (code == MPI_SUCCESS)
            code = MPI_Sendrecv(&heat[CELLS], 1, MPI_DOUBLE, right, 0, &heat[0], 1, MPI_DOUBLE,
                                left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int cell = 1; cell <= CELLS; cell++)
            next[cell] = heat[cell] / 2 + (heat[cell - 1] + heat[cell + 1]) / 4;
        for (int cell = 1; cell <= CELLS; cell++)
            heat[cell] = next[cell];
    }
    return code == MPI_SUCCESS
        ? MPI_Allreduce(&heat[1], hottest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD) : code;
}

int main(int argc, char **argv)
{
    double hottest;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    /* Replacements make these calls, too. */
    FTCK_Create(MPI_COMM_WORLD, "rs:1", &saved);
    FTCK_Register(saved, 0, &step, 1, MPI_INT);
    FTCK_Register(saved, 1, heat, CELLS + 2, MPI_DOUBLE);
    while (compute(&hottest) != MPI_SUCCESS) {
        MPI_Comm repaired = FT_MPI_CHECK_RECOVER;
        while (MPI_Comm_dup(MPI_COMM_WORLD, &repaired) != MPI_SUCCESS)
            repaired = FT_MPI_CHECK_RECOVER;
        MPI_Comm_free(&repaired);
    }
    if (rank == 0)
        printf("%d ranks, %d steps, hottest %.9f\n", size, step, hottest);
    FTCK_Free(&saved);
    return MPI_Finalize();
}
