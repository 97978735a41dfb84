/* Particles that fly through a periodic plane, a unit square a rank: `particles NUMBER` prints the
 * microseconds of a step with so many a rank. Those that leave their square go to the neighbour,
 * which probes for them because it cannot know how many come. Where each must be is known. */
#include "app.h"

struct particle {
    double at[2], velocity[2];
    long id;
};

static MPI_Comm grid;
static MPI_Datatype kind;
static int dims[2], place[2], neighbours[2][2];
static struct particle *here, *leavers[2];
static int count, room, steps;

static struct particle particle(long id, int owner)
{
    int where[2];
    MPI_Cart_coords(grid, owner, 2, where);
    struct particle made = {.id = id};
    for (int axis = 0; axis < 2; axis++) {
        made.at[axis] = where[axis] + fraction(4 * id + axis);
        made.velocity[axis] = (fraction(4 * id + 2 + axis) - 0.5) / 16;
    }
    return made;
}

/* Those that leave along one axis go out, others come in. */
static void exchange(int axis)
{
    MPI_Request requests[2];
    int leave[2] = {0, 0}, stay = 0;
    for (int i = 0; i < count; i++) {
        struct particle *p = here + i;
        int side = p->at[axis] < place[axis] ? 0 : p->at[axis] >= place[axis] + 1 ? 1 : -1;
        if (side < 0) {
            here[stay++] = *p;
            continue;
        }
        if (p->at[axis] < 0)
            p->at[axis] += dims[axis];
        else if (p->at[axis] >= dims[axis])
            p->at[axis] -= dims[axis];
        leavers[side][leave[side]++] = *p;
    }
    count = stay;
    for (int side = 0; side < 2; side++)
        MPI_Isend(leavers[side], leave[side], kind, neighbours[axis][side], side, grid,
                  requests + side);
    for (int side = 0; side < 2; side++) {
        MPI_Status status;
        int come;
        MPI_Probe(neighbours[axis][1 - side], side, grid, &status);
        MPI_Get_count(&status, kind, &come);
        expect(count + come <= room, "there is room for all");
        MPI_Recv(here + count, come, kind, status.MPI_SOURCE, side, grid, MPI_STATUS_IGNORE);
        count += come;
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void step(void)
{
    for (int i = 0; i < count; i++)
        for (int axis = 0; axis < 2; axis++)
            here[i].at[axis] += here[i].velocity[axis];
    exchange(0);
    exchange(1);
    steps++;
}

/* How far a particle is from where it must be, around the plane. */
static double off(const struct particle *p, int axis, int number)
{
    struct particle first = particle(p->id, p->id / number);
    double way = first.at[axis] + steps * first.velocity[axis] - p->at[axis];
    return fabs(way - dims[axis] * round(way / dims[axis]));
}

int main(int argc, char **argv)
{
    int periods[2] = {1, 1}, lengths[] = {4, 1};
    MPI_Aint offsets[] = {0, offsetof(struct particle, id)};
    MPI_Datatype types[] = {MPI_DOUBLE, MPI_LONG};
    begin(&argc, &argv);
    int number = argc > 1 ? atoi(argv[1]) : 10000;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_coords(grid, rank, 2, place);
    for (int axis = 0; axis < 2; axis++)
        MPI_Cart_shift(grid, axis, 1, &neighbours[axis][0], &neighbours[axis][1]);
    MPI_Type_create_struct(2, lengths, offsets, types, &kind);
    MPI_Type_commit(&kind);
    room = 3 * number + 1000;
    here = malloc(room * sizeof *here);
    leavers[0] = malloc(room * sizeof *here);
    leavers[1] = malloc(room * sizeof *here);
    for (count = 0; count < number; count++)
        here[count] = particle((long)rank * number + count, rank);
    double took = time_steps(step, size > 16 ? 50 : 200);
    long mine[2] = {count, 0}, all[2];
    for (int i = 0; i < count; i++) {
        mine[1] += here[i].id;
        expect(off(here + i, 0, number) < 1e-9 && off(here + i, 1, number) < 1e-9,
               "each particle is where it must be");
    }
    MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, grid);
    expect(all[0] == (long)size * number && all[1] == all[0] * (all[0] - 1) / 2, "none is lost");
    MPI_Type_free(&kind);
    MPI_Comm_free(&grid);
    end(took);
    return 0;
}
