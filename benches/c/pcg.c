/* Preconditioned conjugate gradients on a 7-point Poisson problem, a cube of points per rank:
 * `pcg POINTS [alone|turns]` prints the microseconds of an iteration; `alone` leaves out whatever
 * speaks with other ranks, so that the arithmetic is left. Then each rank can run through, all its
 * data in the nearest caches. `turns` has a barrier wherever ranks would hear of each other: the
 * arithmetic of ranks that share cores and have to take turns. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 5, FACES = 6 };

static int points, width, is_alone, takes_turns;
static int neighbours[FACES];
static MPI_Comm grid;
static MPI_Datatype faces[3];

static size_t at(int i, int j, int k)
{
    return ((size_t)i * width + j) * width + k;
}

static double *field(void)
{
    return calloc((size_t)width * width * width, sizeof(double));
}

/* One plane of points across each axis, as it lies in a field. */
static void describe_faces(void)
{
    MPI_Type_vector(points, points, width, MPI_DOUBLE, &faces[0]);
    MPI_Type_vector(points, points, width * width, MPI_DOUBLE, &faces[1]);
    MPI_Datatype line;
    MPI_Type_vector(points, 1, width, MPI_DOUBLE, &line);
    MPI_Type_create_hvector(points, 1, sizeof(double) * width * width, line, &faces[2]);
    MPI_Type_free(&line);
    for (int axis = 0; axis < 3; axis++) {
        MPI_Type_commit(&faces[axis]);
        MPI_Cart_shift(grid, axis, 1, &neighbours[2 * axis], &neighbours[2 * axis + 1]);
    }
}

static double *corner(double *x, int axis, int plane)
{
    int where[3] = {1, 1, 1};
    where[axis] = plane;
    return x + at(where[0], where[1], where[2]);
}

/* Brings the neighbours' outermost planes. */
static void exchange(double *x)
{
    MPI_Request requests[2 * FACES];
    if (takes_turns)
        MPI_Barrier(grid);
    if (is_alone || takes_turns)
        return;
    for (int face = 0; face < FACES; face++) {
        int axis = face / 2, is_upper = face % 2;
        MPI_Irecv(corner(x, axis, is_upper ? points + 1 : 0), 1, faces[axis], neighbours[face],
                  axis * 2 + !is_upper, grid, &requests[face]);
    }
    for (int face = 0; face < FACES; face++) {
        int axis = face / 2, is_upper = face % 2;
        MPI_Isend(corner(x, axis, is_upper ? points : 1), 1, faces[axis], neighbours[face],
                  axis * 2 + is_upper, grid, &requests[FACES + face]);
    }
    MPI_Waitall(2 * FACES, requests, MPI_STATUSES_IGNORE);
}

static double sum_over_ranks(double mine)
{
    double all = mine;
    if (takes_turns)
        MPI_Barrier(grid);
    else if (!is_alone)
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, grid);
    return all;
}

/* q = A p, and p . q */
static double apply(const double *restrict p, double *restrict q)
{
    double sum = 0;
    int far = width * width;
    for (int i = 1; i <= points; i++)
        for (int j = 1; j <= points; j++) {
            const double *row = p + at(i, j, 0);
            double *out = q + at(i, j, 0);
            for (int k = 1; k <= points; k++) {
                double sides = row[k - 1] + row[k + 1] + row[k - width] + row[k + width] +
                               row[k - far] + row[k + far];
                out[k] = 6 * row[k] - sides;
                sum += row[k] * out[k];
            }
        }
    return sum;
}

/* x += a p, r -= a q, and r . z with z = r / 6 */
static double advance(double a, const double *restrict p, const double *restrict q,
                      double *restrict x, double *restrict r)
{
    double sum = 0;
    for (int i = 1; i <= points; i++)
        for (int j = 1; j <= points; j++) {
            size_t row = at(i, j, 0);
            for (int k = 1; k <= points; k++) {
                x[row + k] += a * p[row + k];
                r[row + k] -= a * q[row + k];
                sum += r[row + k] * r[row + k] / 6;
            }
        }
    return sum;
}

/* p = z + b p */
static void turn(double b, const double *restrict r, double *restrict p)
{
    for (int i = 1; i <= points; i++)
        for (int j = 1; j <= points; j++) {
            size_t row = at(i, j, 0);
            for (int k = 1; k <= points; k++)
                p[row + k] = r[row + k] / 6 + b * p[row + k];
        }
}

/* Seconds of so many iterations from the start; the last residual in `rho`. */
static double solve(int iterations, double *rho)
{
    double *x = field(), *r = field(), *p = field(), *q = field(), mine = 0;
    for (int i = 1; i <= points; i++)
        for (int j = 1; j <= points; j++)
            for (int k = 1; k <= points; k++) {
                r[at(i, j, k)] = 1;
                p[at(i, j, k)] = 1.0 / 6;
                mine += 1.0 / 6;
            }
    MPI_Barrier(grid);
    double start = MPI_Wtime();
    *rho = sum_over_ranks(mine);
    for (int i = 0; i < iterations; i++) {
        exchange(p);
        double a = *rho / sum_over_ranks(apply(p, q));
        double next = sum_over_ranks(advance(a, p, q, x, r));
        turn(next / *rho, r, p);
        *rho = next;
    }
    MPI_Barrier(grid);
    double took = MPI_Wtime() - start;
    free(x);
    free(r);
    free(p);
    free(q);
    return took;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    int rank, size, dims[3] = {0, 0, 0}, periods[3] = {0, 0, 0};
    double took[BATCHES], rho = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 3, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    points = argc > 1 ? atoi(argv[1]) : 24;
    is_alone = argc > 2 && strcmp(argv[2], "alone") == 0;
    takes_turns = argc > 2 && strcmp(argv[2], "turns") == 0;
    width = points + 2;
    describe_faces();
    int iterations = size > 16 ? 20 : 100;
    for (int batch = -1; batch < BATCHES; batch++) {
        double seconds = solve(iterations, &rho);
        if (batch >= 0)
            took[batch] = seconds / iterations * 1e6;
    }
    if (!isfinite(rho))
        MPI_Abort(MPI_COMM_WORLD, 1);
    qsort(took, BATCHES, sizeof *took, by_value);
    if (rank == 0)
        printf("%.6g\n", took[BATCHES / 2]);
    for (int axis = 0; axis < 3; axis++)
        MPI_Type_free(&faces[axis]);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
