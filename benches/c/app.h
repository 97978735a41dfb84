/* What the applications share: the world, the time of a step, and the check of the result. */
#include <math.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 5 };

static int rank, size;

static void begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/* A random number that belongs to `x`. */
static inline unsigned long mix(unsigned long x)
{
    x = (x + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/* The same, in [0, 1). */
static inline double fraction(unsigned long x)
{
    return (mix(x) >> 11) / (double)(1L << 53);
}

/* A wrong result has no figure. */
static void expect(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "rank %d: not so: %s\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median microseconds of a step, of batches of so many. The first batch does not count. */
static double time_steps(void (*step)(void), int steps)
{
    double took[BATCHES];
    for (int batch = -1; batch < BATCHES; batch++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        for (int i = 0; i < steps; i++)
            step();
        MPI_Barrier(MPI_COMM_WORLD);
        if (batch >= 0)
            took[batch] = (MPI_Wtime() - start) / steps * 1e6;
    }
    qsort(took, BATCHES, sizeof *took, by_value);
    return took[BATCHES / 2];
}

/* All have checked their results. */
static void end(double microseconds)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.6g\n", microseconds);
    MPI_Finalize();
}
