/* A master and workers that may die (Fagg & Dongarra 2000): the dead leave gaps, the others go on
 * talking, and nobody has to recover. A receive from anybody tells of each death once; the work of
 * the dead goes to others. Every third worker dies with its first piece.
 *
 *     ftrun -np 7 --mode blank --msg cont ./master_worker
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { PIECES = 100, STEPS = 1000, WORK = 1, RESULT = 2, STOP = 3, NONE = -1 };

static int size, to_do[PIECES], left, done, *has;
static double pi;

/* Gives `worker` the next piece; where there is none, it waits. */
static void give(int worker)
{
    has[worker] = NONE;
    if (left == 0)
        return;
    int piece = to_do[--left];
    has[worker] = piece;
    /* Should it be dead by now, the next receive says so. */
    MPI_Send(&piece, 1, MPI_INT, worker, WORK, MPI_COMM_WORLD);
}

/* Takes back what a dead worker had, for one that has nothing to do. */
static void bury(int worker)
{
    int piece = has[worker];
    has[worker] = NONE - 1;
    printf("worker %d is dead\n", worker);
    if (piece >= 0)
        to_do[left++] = piece;
    for (int other = 1; other < size && left > 0; other++)
        if (has[other] == NONE)
            give(other);
}

static void master(void)
{
    has = malloc(size * sizeof *has);
    for (left = 0; left < PIECES; left++)
        to_do[left] = left;
    for (int worker = 1; worker < size; worker++)
        give(worker);
    while (done < PIECES) {
        double part;
        MPI_Status status;
        int code = MPI_Recv(&part, 1, MPI_DOUBLE, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &status);
        if (code == MPI_ERR_OTHER) {
            bury(status.MPI_SOURCE);
        } else if (code == MPI_SUCCESS) {
            pi += part;
            done++;
            give(status.MPI_SOURCE);
        } else {
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    for (int worker = 1; worker < size; worker++)
        if (has[worker] >= NONE)
            MPI_Send(NULL, 0, MPI_INT, worker, STOP, MPI_COMM_WORLD);
    printf("%d pieces done: pi is about %.10f\n", done, pi);
    free(has);
}

static void worker(int rank)
{
    for (;;) {
        int piece;
        MPI_Status status;
        MPI_Recv(&piece, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            return;
        if (rank % 3 == 0)
            raise(SIGKILL);
        double part = 0;
        for (int step = 0; step < STEPS; step++) {
            double x = ((double)piece * STEPS + step + 0.5) / ((double)PIECES * STEPS);
            part += 4.0 / (1.0 + x * x) / ((double)PIECES * STEPS);
        }
        MPI_Send(&part, 1, MPI_DOUBLE, 0, RESULT, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        master();
    else
        worker(rank);
    return MPI_Finalize();
}
