/* Molecular dynamics with cells, like CoMD: `md CELLS` prints the microseconds of a step with a cube
 * of so many cells a rank (13.5 atoms each) of Lennard-Jones atoms. Atoms near a side go to the
 * neighbour, which keeps those that have come in and sees the others as its halo: six messages, axis
 * by axis. Energy, momentum and atoms must not be lost. */
#include "app.h"

enum { CELL = 64, FIELDS = 7 };

struct atom {
    double at[3], velocity[3], id;
};

struct cell {
    int count;
    struct atom atoms[CELL];
    double force[CELL][3];
};

static const double step_time = 0.004, cutoff = 2.5;
static MPI_Comm grid;
static int dims[3], place[3], neighbours[3][2], cells, width;
static double side, box[3], low[3], energy, momentum[3];
static struct cell *all;
static struct atom *out[2], *in[2];
static long atoms;
static int room;

static struct cell *cell(int i, int j, int k)
{
    return all + (i * width + j) * width + k;
}

/* The index of a cell along an axis, 0 and `cells + 1` being the halo. */
static int index_of(double at, int axis)
{
    int index = (int)floor((at - low[axis]) / side) + 1;
    return index < 0 ? 0 : index > cells + 1 ? cells + 1 : index;
}

static void put(const struct atom *atom)
{
    struct cell *to = cell(index_of(atom->at[0], 0), index_of(atom->at[1], 1),
                           index_of(atom->at[2], 2));
    expect(to->count < CELL, "a cell has room for its atoms");
    to->atoms[to->count++] = *atom;
}

/* The atoms of a plane's two outermost layers, as the neighbour sees them. */
static int load(struct atom *buffer, int axis, int upper)
{
    int from[3] = {0, 0, 0}, to[3] = {width, width, width}, count = 0;
    double shift = 0;
    from[axis] = upper ? cells : 0;
    to[axis] = from[axis] + 2;
    if (upper && place[axis] == dims[axis] - 1)
        shift = -box[axis];
    if (!upper && place[axis] == 0)
        shift = box[axis];
    for (int i = from[0]; i < to[0]; i++)
        for (int j = from[1]; j < to[1]; j++)
            for (int k = from[2]; k < to[2]; k++) {
                struct cell *c = cell(i, j, k);
                expect(count + c->count <= room, "buffers have room for a side");
                for (int n = 0; n < c->count; n++) {
                    buffer[count] = c->atoms[n];
                    buffer[count++].at[axis] += shift;
                }
            }
    return count;
}

static void exchange(void)
{
    for (int axis = 0; axis < 3; axis++) {
        int counts[2], came[2];
        for (int upper = 0; upper < 2; upper++)
            counts[upper] = load(out[upper], axis, upper);
        for (int upper = 0; upper < 2; upper++) {
            MPI_Status status;
            MPI_Sendrecv(out[upper], counts[upper] * FIELDS, MPI_DOUBLE, neighbours[axis][upper],
                         upper, in[upper], room * FIELDS, MPI_DOUBLE, neighbours[axis][1 - upper],
                         upper, grid, &status);
            MPI_Get_count(&status, MPI_DOUBLE, &came[upper]);
        }
        for (int upper = 0; upper < 2; upper++)
            for (int n = 0; n < came[upper] / FIELDS; n++)
                put(in[upper] + n);
    }
}

#define FOR_ALL(c) \
    for (int i_ = 1; i_ <= cells; i_++) \
        for (int j_ = 1; j_ <= cells; j_++) \
            for (struct cell *c = cell(i_, j_, 1); c <= cell(i_, j_, cells); c++)

/* Empties the halo and puts atoms that have moved on into their cells. */
static void sort_atoms(void)
{
    for (int i = 0; i < width; i++)
        for (int j = 0; j < width; j++)
            for (int k = 0; k < width; k++)
                if (i % (cells + 1) == 0 || j % (cells + 1) == 0 || k % (cells + 1) == 0)
                    cell(i, j, k)->count = 0;
    FOR_ALL(c) {
        for (int n = 0; n < c->count;) {
            struct atom atom = c->atoms[n];
            if (cell(index_of(atom.at[0], 0), index_of(atom.at[1], 1),
                     index_of(atom.at[2], 2)) == c) {
                n++;
                continue;
            }
            c->atoms[n] = c->atoms[--c->count];
            put(&atom);
        }
    }
}

/* The forces of one cell's atoms on another's; half of the energy of each pair. */
static double pull(struct cell *c, const struct cell *other)
{
    double sum = 0, most = cutoff * cutoff, edge = pow(cutoff, -6);
    double shift = 4 * edge * (edge - 1);
    for (int n = 0; n < c->count; n++)
        for (int m = 0; m < other->count; m++) {
            const double *a = c->atoms[n].at, *b = other->atoms[m].at;
            double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
            double square = x * x + y * y + z * z;
            if (square >= most || square == 0)
                continue;
            double inverse = 1 / square, sixth = inverse * inverse * inverse;
            double strength = 48 * sixth * (sixth - 0.5) * inverse;
            c->force[n][0] += strength * x;
            c->force[n][1] += strength * y;
            c->force[n][2] += strength * z;
            sum += 0.5 * (4 * sixth * (sixth - 1) - shift);
        }
    return sum;
}

static double forces(void)
{
    double sum = 0;
    FOR_ALL(c) {
        memset(c->force, 0, sizeof c->force);
        for (int i = -1; i <= 1; i++)
            for (int j = -1; j <= 1; j++)
                for (int k = -1; k <= 1; k++)
                    sum += pull(c, c + (i * width + j) * width + k);
    }
    return sum;
}

/* Half a step of all velocities, and a whole one of all places. */
static void move(int is_first)
{
    FOR_ALL(c) {
        for (int n = 0; n < c->count; n++)
            for (int axis = 0; axis < 3; axis++) {
                c->atoms[n].velocity[axis] += 0.5 * step_time * c->force[n][axis];
                if (is_first)
                    c->atoms[n].at[axis] += step_time * c->atoms[n].velocity[axis];
            }
    }
}

/* Sums over all atoms of all ranks. */
static void add_up(double potential)
{
    double mine[5] = {potential, 0, 0, 0, 0}, sums[5];
    FOR_ALL(c) {
        mine[4] += c->count;
        for (int n = 0; n < c->count; n++)
            for (int axis = 0; axis < 3; axis++) {
                double v = c->atoms[n].velocity[axis];
                mine[0] += 0.5 * v * v;
                mine[1 + axis] += v;
            }
    }
    MPI_Allreduce(mine, sums, 5, MPI_DOUBLE, MPI_SUM, grid);
    energy = sums[0];
    memcpy(momentum, sums + 1, sizeof momentum);
    atoms = sums[4];
}

static void step(void)
{
    static int steps;
    move(1);
    sort_atoms();
    exchange();
    double potential = forces();
    move(0);
    if (++steps % 10 == 0)
        add_up(potential);
}

/* A crystal; velocities of opposite pairs of atoms cancel. */
static void fill(int lattice)
{
    static const double corners[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    double length = side * cells / lattice;
    long id = 4L * rank * lattice * lattice * lattice;
    for (int i = 0; i < lattice * lattice * lattice; i++) {
        int at[3] = {i / lattice / lattice, i / lattice % lattice, i % lattice};
        for (int n = 0; n < 4; n++) {
            struct atom atom = {.id = id};
            for (int axis = 0; axis < 3; axis++) {
                double lot = fraction(3 * (id / 2) + axis);
                atom.at[axis] = low[axis] + (at[axis] + corners[n][axis] + 0.25) * length;
                atom.velocity[axis] = (lot - 0.5) * (n % 2 ? 4 : -4);
            }
            put(&atom);
            id++;
        }
    }
}

int main(int argc, char **argv)
{
    int periods[3] = {1, 1, 1};
    begin(&argc, &argv);
    cells = argc > 1 ? atoi(argv[1]) : 4;
    expect(cells > 0 && cells % 2 == 0, "three crystal cells fill two cells");
    int lattice = cells / 2 * 3;
    width = cells + 2;
    side = lattice * pow(4 / 0.8442, 1.0 / 3) / cells;
    MPI_Dims_create(size, 3, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
    MPI_Cart_coords(grid, rank, 3, place);
    for (int axis = 0; axis < 3; axis++) {
        MPI_Cart_shift(grid, axis, 1, &neighbours[axis][0], &neighbours[axis][1]);
        low[axis] = place[axis] * cells * side;
        box[axis] = dims[axis] * cells * side;
    }
    all = calloc((size_t)width * width * width, sizeof *all);
    room = 2 * width * width * CELL;
    for (int i = 0; i < 2; i++) {
        out[i] = malloc(room * sizeof **out);
        in[i] = malloc(room * sizeof **in);
    }
    fill(lattice);
    exchange();
    add_up(forces());
    double first = energy;
    double took = time_steps(step, size > 16 ? 10 : 50);
    sort_atoms();
    exchange();
    add_up(forces());
    expect(atoms == 4L * lattice * lattice * lattice * size, "no atom is lost");
    expect(fabs(energy - first) < 2e-3 * fabs(first), "energy is kept");
    for (int axis = 0; axis < 3; axis++)
        expect(fabs(momentum[axis]) < 1e-8 * atoms, "momentum is kept");
    MPI_Comm_free(&grid);
    end(took);
    return 0;
}
