/* Heat spreads over a square plate: a stencil over global arrays, cut into bands of rows.
 *
 *     mpicc -O2 heat.c -o heat -lm
 *     ftrun -np 120 ./heat 200
 *
 * Every rank keeps a band of rows and, above and below it, a copy of its neighbours' nearest row
 * (a halo), which it gets anew before each step. The plate starts as the sine wave of which it is
 * known how it fades: a step makes it smaller by the same factor everywhere. So the result can be
 * checked to the last digits, and it is the same for any number of ranks. */

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 480, UP = 1, DOWN = 2 };

/* Global arrays, as many programs have them: each rank has its own, although all ranks live in one
 * process. Rows 1 to `rows` are the rank's own; row 0 and row rows+1 are halos. Memory that a rank
 * does not touch costs nothing. */
static double plate[N + 2][N + 2];
static double next[N + 2][N + 2];

/* The rows of the plate that `rank` keeps: the first, and how many. */
static int first_row(int rank, int ranks)
{
    return (int)((long)N * rank / ranks);
}

static double wave(int row, int column)
{
    const double pi = acos(-1.0);
    return sin(pi * (row + 1) / (N + 1)) * sin(pi * column / (N + 1));
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    const int steps = argc > 1 ? atoi(argv[1]) : 100;
    const int first = first_row(rank, ranks);
    const int rows = first_row(rank + 1, ranks) - first;
    if (ranks > N) {
        if (rank == 0)
            fprintf(stderr, "heat: at most %d ranks, one row for each\n", N);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    /* Messages to and from MPI_PROC_NULL do nothing: the edge needs no special case. */
    const int above = rank == 0 ? MPI_PROC_NULL : rank - 1;
    const int below = rank == ranks - 1 ? MPI_PROC_NULL : rank + 1;

    for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= N; j++)
            plate[i][j] = wave(first + i - 1, j);

    const double rate = 0.2;
    for (int step = 0; step < steps; step++) {
        MPI_Sendrecv(&plate[1][1], N, MPI_DOUBLE, above, UP, &plate[rows + 1][1], N, MPI_DOUBLE,
                     below, UP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&plate[rows][1], N, MPI_DOUBLE, below, DOWN, &plate[0][1], N, MPI_DOUBLE,
                     above, DOWN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 1; i <= rows; i++)
            for (int j = 1; j <= N; j++)
                next[i][j] = plate[i][j] + rate * (plate[i - 1][j] + plate[i + 1][j]
                             + plate[i][j - 1] + plate[i][j + 1] - 4 * plate[i][j]);
        for (int i = 1; i <= rows; i++)
            for (int j = 1; j <= N; j++)
                plate[i][j] = next[i][j];
    }

    const double s = sin(acos(-1.0) / (2 * (N + 1)));
    const double factor = pow(1 - 8 * rate * s * s, steps);
    double heat = 0, error = 0;
    for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= N; j++) {
            heat += plate[i][j];
            error = fmax(error, fabs(plate[i][j] - factor * wave(first + i - 1, j)));
        }
    double all_heat = 0, largest_error = 0;
    MPI_Reduce(&heat, &all_heat, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&error, &largest_error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);

    const int right = largest_error < 1e-12;
    if (rank == 0)
        printf("heat on %d ranks after %d steps: %.6f, %s\n", ranks, steps, all_heat,
               right ? "as computed by hand" : "WRONG");
    MPI_Finalize();
    return !right;
}
