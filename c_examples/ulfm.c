/* A solver that goes on without the dead, the ULFM way: the heat of a rod whose ends are kept at 0
 * and 1 is a straight line, and the ranks find it by taking means of neighbours. Each has a piece
 * of the rod. When somebody dies, whoever notices revokes the communicator, so that nobody waits
 * for those who have given up; all agree that the step has failed; and they go on in what shrink
 * has left of them. The cells of the dead start again from 0: taking means makes up for that.
 *
 *     mpicc c_examples/ulfm.c -o ulfm && ftrun -np 7 ./ulfm 3:2 0:5
 *
 * kills rank 3 in the second step and rank 0 in the fifth. */
#include <math.h>
#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS 40
#define SWEEPS 100

static double rod[CELLS + 2];
static int first, last; /* the own cells: first to last - 1 */

static void take_piece(MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    first = 1 + rank * CELLS / size;
    last = 1 + (rank + 1) * CELLS / size;
}

/* Some sweeps over the rod; what changed most comes out, and the first error. */
static int step(MPI_Comm comm, double *change)
{
    int rank, size, code;
    double next[CELLS + 2], mine = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        code = MPI_Sendrecv(&rod[first], 1, MPI_DOUBLE, left, 0, &rod[last], 1, MPI_DOUBLE, right,
                            0, comm, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS)
            return code;
        code = MPI_Sendrecv(&rod[last - 1], 1, MPI_DOUBLE, right, 1, &rod[first - 1], 1, MPI_DOUBLE,
                            left, 1, comm, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS)
            return code;
        mine = 0;
        for (int cell = first; cell < last; cell++) {
            next[cell] = (rod[cell - 1] + rod[cell + 1]) / 2;
            mine = fmax(mine, fabs(next[cell] - rod[cell]));
        }
        memcpy(&rod[first], &next[first], (size_t)(last - first) * sizeof *rod);
    }
    return MPI_Allreduce(&mine, change, 1, MPI_DOUBLE, MPI_MAX, comm);
}

/* Whether all who live say that it went well. Who has not heard of a death yet hears of it here. */
static int went_well(MPI_Comm comm, int code)
{
    int is_well = code == MPI_SUCCESS;
    if (!is_well)
        MPIX_Comm_revoke(comm);
    code = MPIX_Comm_agree(comm, &is_well);
    return is_well && code == MPI_SUCCESS;
}

/* Those who are left share what they know of the rod, and divide it anew. */
static MPI_Comm repair(MPI_Comm comm)
{
    double mine[CELLS + 2] = {0}, all[CELLS + 2];
    int code;
    memcpy(&mine[first], &rod[first], (size_t)(last - first) * sizeof *rod);
    do {
        MPI_Comm fewer;
        MPIX_Comm_shrink(comm, &fewer);
        if (comm != MPI_COMM_WORLD)
            MPI_Comm_free(&comm);
        comm = fewer;
        code = MPI_Allreduce(mine, all, CELLS + 2, MPI_DOUBLE, MPI_SUM, comm);
    } while (!went_well(comm, code));
    memcpy(rod, all, sizeof rod);
    rod[CELLS + 1] = 1;
    take_piece(comm);
    return comm;
}

int main(int argc, char **argv)
{
    int rank, started, left;
    double change = 1, error = 0, largest = 0;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &started);
    rod[CELLS + 1] = 1;
    take_piece(comm);
    for (int number = 1; change > 1e-9; number++) {
        for (int i = 1; i < argc; i++) {
            const char *when = strchr(argv[i], ':');
            if (when && atoi(argv[i]) == rank && atoi(when + 1) == number)
                raise(SIGKILL);
        }
        int code = step(comm, &change);
        if (!went_well(comm, code)) {
            comm = repair(comm);
            change = 1;
        }
    }
    for (int cell = first; cell < last; cell++)
        error = fmax(error, fabs(rod[cell] - (double)cell / (CELLS + 1)));
    MPI_Reduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &left);
    if (rank == 0)
        printf("%d of %d ranks have solved it, to %.3f\n", left, started, largest);
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
