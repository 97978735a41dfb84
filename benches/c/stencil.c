/* Heat on a plate, a square of points a rank: `stencil POINTS` prints the microseconds of a step of
 * Jacobi's method. The sides, rows and strided columns, travel by persistent requests; each tenth
 * step sums the heat of all. The plate begins with a wave that each step shrinks by a known factor. */
#include "app.h"

enum { SIDES = 4 };

static int points, width, steps, neighbours[SIDES], dims[2], place[2];
static MPI_Comm grid;
static double *fields[2];
static MPI_Request requests[2][2 * SIDES];
static MPI_Datatype kinds[2];
static double heat;

static double wave(int i, int j)
{
    double pi = acos(-1);
    return sin(pi * (place[0] * points + i) / (dims[0] * points + 1)) *
           sin(pi * (place[1] * points + j) / (dims[1] * points + 1));
}

static double *point(double *field, int i, int j)
{
    return field + i * width + j;
}

/* The line beside a side: inside of it what we give, outside what we get. */
static double *side(double *field, int number, int is_outside)
{
    int at = number % 2 ? points + is_outside : 1 - is_outside;
    return number / 2 ? point(field, 1, at) : point(field, at, 1);
}

static void prepare(void)
{
    MPI_Type_contiguous(points, MPI_DOUBLE, &kinds[0]);
    MPI_Type_vector(points, 1, width, MPI_DOUBLE, &kinds[1]);
    for (int axis = 0; axis < 2; axis++) {
        MPI_Type_commit(&kinds[axis]);
        MPI_Cart_shift(grid, axis, 1, &neighbours[2 * axis], &neighbours[2 * axis + 1]);
    }
    for (int which = 0; which < 2; which++) {
        fields[which] = calloc((size_t)width * width, sizeof(double));
        for (int s = 0; s < SIDES; s++) {
            MPI_Recv_init(side(fields[which], s, 1), 1, kinds[s / 2], neighbours[s], s ^ 1, grid,
                          &requests[which][s]);
            MPI_Send_init(side(fields[which], s, 0), 1, kinds[s / 2], neighbours[s], s, grid,
                          &requests[which][SIDES + s]);
        }
    }
    for (int i = 1; i <= points; i++)
        for (int j = 1; j <= points; j++)
            *point(fields[0], i, j) = wave(i, j);
}

static void step(void)
{
    double *old = fields[steps % 2], *new = fields[(steps + 1) % 2], sum = 0;
    MPI_Startall(2 * SIDES, requests[steps % 2]);
    MPI_Waitall(2 * SIDES, requests[steps % 2], MPI_STATUSES_IGNORE);
    for (int i = 1; i <= points; i++)
        for (int j = 1; j <= points; j++) {
            const double *p = point(old, i, j);
            *point(new, i, j) = 0.25 * (p[-1] + p[1] + p[-width] + p[width]);
        }
    if (steps % 10 == 0) {
        for (int i = 1; i <= points; i++)
            for (int j = 1; j <= points; j++)
                sum += *point(new, i, j);
        MPI_Allreduce(&sum, &heat, 1, MPI_DOUBLE, MPI_SUM, grid);
    }
    steps++;
}

int main(int argc, char **argv)
{
    int periods[2] = {0, 0};
    begin(&argc, &argv);
    points = argc > 1 ? atoi(argv[1]) : 128;
    width = points + 2;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_coords(grid, rank, 2, place);
    prepare();
    double took = time_steps(step, size > 16 ? 50 : 200), pi = acos(-1);
    double factor = (cos(pi / (dims[0] * points + 1)) + cos(pi / (dims[1] * points + 1))) / 2;
    for (int i = 1; i <= points; i++)
        for (int j = 1; j <= points; j++) {
            double off = *point(fields[steps % 2], i, j) - wave(i, j) * pow(factor, steps);
            expect(fabs(off) < 1e-9, "each step shrinks the wave");
        }
    expect(heat > 0, "the plate is warm");
    for (int which = 0; which < 2; which++)
        for (int i = 0; i < 2 * SIDES; i++)
            MPI_Request_free(&requests[which][i]);
    MPI_Type_free(&kinds[0]);
    MPI_Type_free(&kinds[1]);
    MPI_Comm_free(&grid);
    end(took);
    return 0;
}
