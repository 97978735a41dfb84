/* Adaptive blocks, like miniAMR: `blocks VARIABLES` prints the microseconds of a step on a cube of
 * blocks of 8^3 cells, finest where the surface of a moving ball passes. Neighbours of equal or of
 * different levels exchange faces, then all variables but the first are smoothed. Each fifth step
 * the mesh follows the ball: blocks refine, coarsen, move to other ranks, and get new memory.
 *
 * All ranks derive the mesh from the place of the ball. The first variable is a linear function of
 * the place; refining and coarsening keep it, so that each cell and each halo cell can be checked. */
#include "app.h"

enum { N = 8, W = N + 2, HALF = N / 2, COARSEST = 2, FINEST = 4, FACES = 6, MOST = 8192 };
enum { CELLS = N * N * N, PLANE = N * N, EVERY = 5 };

struct leaf {
    int level, at[3];
    unsigned code;
};

/* A leaf and its variables, if it is ours. */
struct block {
    struct leaf leaf;
    double **variables;
};

struct mesh {
    int count;
    struct block blocks[MOST];
};

/* A face that one leaf needs from another; `part` is the quarter of it, or of the giver's face. */
struct link {
    int to, face, part, from, change;
    double *buffer;
};

static struct mesh meshes[2], *mesh = meshes;
static struct link *links;
static int link_count, link_room, variables, steps, clock_of_ball;
static MPI_Request *requests;
static double *work, total;

static double *cell(double *field, int i, int j, int k)
{
    return field + (i * W + j) * W + k;
}

static int owner(const struct mesh *of, int index)
{
    return (long)index * size / of->count;
}

static unsigned spread(unsigned x)
{
    unsigned code = 0;
    for (int bit = 0; bit <= FINEST; bit++)
        code |= (x >> bit & 1) << 3 * bit;
    return code;
}

static unsigned code_of(int level, const int *at)
{
    unsigned code = spread(at[0]) << 2 | spread(at[1]) << 1 | spread(at[2]);
    return code << 3 * (FINEST - level);
}

/* How far a block is from the surface of the ball. */
static double distance(int level, const int *at)
{
    double near = 0, far = 0, edge = 1.0 / (1 << level), radius = 0.27;
    double centre[3] = {0.5 + 0.15 * sin(0.08 * clock_of_ball), 0.5, 0.45};
    for (int axis = 0; axis < 3; axis++) {
        double low = at[axis] * edge - centre[axis], high = low + edge;
        double least = low > 0 ? low : high < 0 ? -high : 0;
        double most = fmax(fabs(low), fabs(high));
        near += least * least;
        far += most * most;
    }
    near = sqrt(near), far = sqrt(far);
    return radius < near ? near - radius : radius > far ? radius - far : 0;
}

/* Blocks are divided near the ball, the coarser the farther from it, so that neighbours differ by
 * one level at most. Leaves are in the order of their codes. */
static void divide(struct mesh *to, int level, const int *at)
{
    double reach = 0;
    for (int finer = level; finer < FINEST - 1; finer++)
        reach += sqrt(3) / 2 / (1 << finer);
    if (level < COARSEST || (level < FINEST && distance(level, at) <= reach)) {
        for (int child = 0; child < 8; child++) {
            int next[3] = {2 * at[0] + (child >> 2), 2 * at[1] + (child >> 1 & 1),
                           2 * at[2] + (child & 1)};
            divide(to, level + 1, next);
        }
        return;
    }
    expect(to->count < MOST, "there is room for all leaves");
    struct leaf leaf = {level, {at[0], at[1], at[2]}, code_of(level, at)};
    to->blocks[to->count].variables = NULL;
    to->blocks[to->count++].leaf = leaf;
}

/* The leaf that holds the first corner of a block. */
static int find(const struct mesh *in, int level, const int *at)
{
    unsigned code = code_of(level, at);
    int low = 0, high = in->count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (in->blocks[middle].leaf.code <= code)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static double **new_variables(void)
{
    double **made = malloc(variables * sizeof *made);
    for (int v = 0; v < variables; v++)
        made[v] = calloc(W * W * W, sizeof(double));
    return made;
}

static void free_variables(double **old)
{
    for (int v = 0; v < variables; v++)
        free(old[v]);
    free(old);
}

static double linear(double x, double y, double z)
{
    return 1 + x + 2 * y + 4 * z;
}

/* What the first variable is at a cell of a block. */
static double wanted(const struct leaf *leaf, double i, double j, double k)
{
    double edge = 1.0 / (1 << leaf->level), step = edge / N;
    return linear(leaf->at[0] * edge + (i - 0.5) * step, leaf->at[1] * edge + (j - 0.5) * step,
                  leaf->at[2] * edge + (k - 0.5) * step);
}

/* A plane's cell: `depth` along the axis, the others in their order. */
static double *of_plane(double *field, int axis, int depth, int u, int v)
{
    return axis == 0 ? cell(field, depth, u, v)
                     : axis == 1 ? cell(field, u, depth, v) : cell(field, u, v, depth);
}

static void add_link(int to, int face, int part, int from)
{
    int mine = owner(mesh, to) == rank, theirs = owner(mesh, from) == rank;
    int change = mesh->blocks[from].leaf.level - mesh->blocks[to].leaf.level;
    if (!mine && !theirs)
        return;
    if (link_count == link_room) {
        link_room = 2 * link_room + 64;
        links = realloc(links, link_room * sizeof *links);
        requests = realloc(requests, link_room * sizeof *requests);
    }
    size_t cells = change ? PLANE / 4 : PLANE;
    struct link made = {to, face, part, from, change, malloc(variables * cells * sizeof(double))};
    links[link_count++] = made;
}

/* Both ways between our leaf and those beside one face of it. */
static void link_face(int index, int face)
{
    const struct leaf *leaf = &mesh->blocks[index].leaf;
    int axis = face / 2, u = axis == 0, v = axis == 2 ? 1 : 2, next[3], children = 1;
    memcpy(next, leaf->at, sizeof next);
    next[axis] += face % 2 ? 1 : -1;
    if (next[axis] < 0 || next[axis] >= 1 << leaf->level)
        return;
    int found = find(mesh, leaf->level, next), change = mesh->blocks[found].leaf.level - leaf->level;
    int part = change < 0 ? 2 * (leaf->at[u] & 1) + (leaf->at[v] & 1) : 0;
    if (change > 0)
        children = 4;
    for (int child = 0; child < children; child++) {
        if (change > 0) {
            int finer[3] = {2 * next[0], 2 * next[1], 2 * next[2]};
            finer[axis] += face % 2 ? 0 : 1;
            finer[u] += child >> 1;
            finer[v] += child & 1;
            found = find(mesh, leaf->level + 1, finer);
            part = child;
        }
        int step = mesh->blocks[found].leaf.level - leaf->level;
        expect(step >= -1 && step <= 1, "neighbours differ by one level at most");
        add_link(index, face, part, found);
        if (owner(mesh, found) != rank)
            add_link(found, face ^ 1, part, index);
    }
}

/* What the neighbour needs of our face: cells as they are, means of eight, or a quarter. */
static void pack(const struct link *link)
{
    double *out = link->buffer;
    int axis = link->face / 2, depth = link->face % 2 ? 1 : N, inner = link->face % 2 ? 2 : N - 1;
    int cells = link->change ? HALF : N, u0 = 1, v0 = 1;
    if (link->change < 0) {
        u0 += HALF * (link->part >> 1);
        v0 += HALF * (link->part & 1);
    }
    for (int n = 0; n < variables; n++) {
        double *field = mesh->blocks[link->from].variables[n];
        for (int u = 0; u < cells; u++)
            for (int v = 0; v < cells; v++) {
                if (link->change <= 0) {
                    *out++ = *of_plane(field, axis, depth, u0 + u, v0 + v);
                    continue;
                }
                double sum = 0;
                for (int i = 0; i < 8; i++)
                    sum += *of_plane(field, axis, i & 4 ? inner : depth, 1 + 2 * u + (i >> 1 & 1),
                                     1 + 2 * v + (i & 1));
                *out++ = sum / 8;
            }
    }
}

static void unpack(const struct link *link)
{
    const double *in = link->buffer;
    int axis = link->face / 2, depth = link->face % 2 ? N + 1 : 0;
    int cells = link->change > 0 ? HALF : N, u0 = 1, v0 = 1;
    if (link->change > 0) {
        u0 += HALF * (link->part >> 1);
        v0 += HALF * (link->part & 1);
    }
    for (int n = 0; n < variables; n++) {
        double *field = mesh->blocks[link->to].variables[n];
        for (int u = 0; u < cells; u++)
            for (int v = 0; v < cells; v++) {
                int at = link->change < 0 ? u / 2 * HALF + v / 2 : u * cells + v;
                *of_plane(field, axis, depth, u0 + u, v0 + v) = in[at];
            }
        in += link->change ? PLANE / 4 : PLANE;
    }
}

static void exchange(void)
{
    int pending = 0;
    for (int is_send = 0; is_send < 2; is_send++)
        for (struct link *link = links; link < links + link_count; link++) {
            int from = owner(mesh, link->from), to = owner(mesh, link->to);
            int count = variables * (link->change ? PLANE / 4 : PLANE);
            int tag = (link->to * FACES + link->face) * 4 + link->part;
            if (!is_send && from != rank) {
                MPI_Irecv(link->buffer, count, MPI_DOUBLE, from, tag, MPI_COMM_WORLD,
                          &requests[pending++]);
            } else if (is_send && from == rank) {
                pack(link);
                if (to != rank)
                    MPI_Isend(link->buffer, count, MPI_DOUBLE, to, tag, MPI_COMM_WORLD,
                              &requests[pending++]);
            }
        }
    MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
    for (struct link *link = links; link < links + link_count; link++)
        if (owner(mesh, link->to) == rank)
            unpack(link);
}

#define FOR_MINE(b) \
    for (struct block *b = mesh->blocks; b < mesh->blocks + mesh->count; b++) \
        if (b->variables)

static void smooth(double *field)
{
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            for (int k = 1; k <= N; k++) {
                const double *c = cell(field, i, j, k);
                double sides = c[-1] + c[1] + c[-W] + c[W] + c[-W * W] + c[W * W];
                work[((i - 1) * N + j - 1) * N + k - 1] = (c[0] + sides) / 7;
            }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            memcpy(cell(field, i + 1, j + 1, 1), work + (i * N + j) * N, N * sizeof *work);
}

/* The halo at the walls of the domain is like the cells beside it. */
static void wall(struct block *block, int face)
{
    int axis = face / 2, at = block->leaf.at[axis];
    if (at != (face % 2 ? (1 << block->leaf.level) - 1 : 0))
        return;
    for (int n = 0; n < variables; n++)
        for (int u = 1; u <= N; u++)
            for (int v = 1; v <= N; v++)
                *of_plane(block->variables[n], axis, face % 2 ? N + 1 : 0, u, v) =
                    *of_plane(block->variables[n], axis, face % 2 ? N : 1, u, v);
}

/* The cell values of a child of a block, linear within each cell. */
static void refine(double *field, int child, double *out)
{
    int from[3] = {child >> 2, child >> 1 & 1, child & 1}, away[3] = {W * W, W, 1};
    for (int n = 0; n < CELLS; n++) {
        int at[3] = {n / PLANE, n / N % N, n % N}, coarse[3];
        for (int axis = 0; axis < 3; axis++)
            coarse[axis] = 1 + HALF * from[axis] + at[axis] / 2;
        double *c = cell(field, coarse[0], coarse[1], coarse[2]), value = *c;
        for (int axis = 0; axis < 3; axis++) {
            int is_low = coarse[axis] == 1, is_high = coarse[axis] == N;
            double change = c[is_high ? 0 : away[axis]] - c[is_low ? 0 : -away[axis]];
            value += (at[axis] % 2 ? 0.25 : -0.25) * change / (is_low || is_high ? 1 : 2);
        }
        out[n] = value;
    }
}

/* A part of a moving block: all cells of one, or the eighth that a child makes of its parent. */
struct move {
    int to, from, child;
    double *buffer;
};

static int cells_of(int change)
{
    return change > 0 ? CELLS / 8 : CELLS;
}

static void take_out(const struct mesh *old, const struct move *move, int change)
{
    double *out = move->buffer;
    for (int n = 0; n < variables; n++, out += cells_of(change)) {
        double *field = old->blocks[move->from].variables[n];
        if (change < 0)
            refine(field, move->child, out);
        for (int i = 0; change == 0 && i < CELLS; i++)
            out[i] = *cell(field, i / PLANE + 1, i / N % N + 1, i % N + 1);
        for (int i = 0; change > 0 && i < CELLS / 8; i++) {
            double sum = 0;
            double *c = cell(field, i / HALF / HALF * 2 + 1, i / HALF % HALF * 2 + 1,
                             i % HALF * 2 + 1);
            for (int part = 0; part < 8; part++)
                sum += c[(part >> 2) * W * W + (part >> 1 & 1) * W + (part & 1)];
            out[i] = sum / 8;
        }
    }
}

static void put_in(const struct move *move, int change)
{
    const double *in = move->buffer;
    int edge = change > 0 ? HALF : N, base = change > 0 ? HALF : 0;
    int at[3] = {move->child >> 2, move->child >> 1 & 1, move->child & 1};
    for (int n = 0; n < variables; n++)
        for (int i = 0; i < edge * edge * edge; i++)
            *cell(mesh->blocks[move->to].variables[n], base * at[0] + i / edge / edge + 1,
                  base * at[1] + i / edge % edge + 1, base * at[2] + i % edge + 1) = *in++;
}

/* Moves what leaves of the new mesh need of the old; those that stay where they are keep it. */
static void move_blocks(struct mesh *old)
{
    int count = 0, pending = 0, room = 8 * mesh->count;
    struct move *moves = malloc(room * sizeof *moves);
    MPI_Request *waits = malloc(room * sizeof *waits);
    for (int to = 0; to < mesh->count; to++) {
        struct leaf *leaf = &mesh->blocks[to].leaf;
        int from = find(old, leaf->level, leaf->at), to_rank = owner(mesh, to);
        int change = old->blocks[from].leaf.level - leaf->level;
        expect(change >= -1 && change <= 1, "blocks change by one level at a time");
        if (change == 0 && to_rank == rank && owner(old, from) == rank) {
            mesh->blocks[to].variables = old->blocks[from].variables;
            old->blocks[from].variables = NULL;
            continue;
        }
        if (to_rank == rank)
            mesh->blocks[to].variables = new_variables();
        for (int part = 0; part < (change > 0 ? 8 : 1); part++) {
            int source = from + part, from_rank = owner(old, source), child = part;
            if (change < 0)
                child = (leaf->at[0] & 1) << 2 | (leaf->at[1] & 1) << 1 | (leaf->at[2] & 1);
            if (to_rank != rank && from_rank != rank)
                continue;
            struct move move = {to, source, child, NULL};
            int length = variables * cells_of(change), tag = to * 8 + part;
            move.buffer = malloc(length * sizeof(double));
            if (from_rank == rank)
                take_out(old, &move, change);
            if (from_rank == rank && to_rank != rank)
                MPI_Isend(move.buffer, length, MPI_DOUBLE, to_rank, tag, MPI_COMM_WORLD,
                          waits + pending++);
            else if (from_rank != rank)
                MPI_Irecv(move.buffer, length, MPI_DOUBLE, from_rank, tag, MPI_COMM_WORLD,
                          waits + pending++);
            moves[count++] = move;
        }
    }
    MPI_Waitall(pending, waits, MPI_STATUSES_IGNORE);
    for (struct move *move = moves; move < moves + count; move++) {
        int change = old->blocks[move->from].leaf.level - mesh->blocks[move->to].leaf.level;
        if (owner(mesh, move->to) == rank)
            put_in(move, change);
        free(move->buffer);
    }
    for (int i = 0; i < old->count; i++)
        if (old->blocks[i].variables)
            free_variables(old->blocks[i].variables);
    free(moves);
    free(waits);
}

static void remesh(void)
{
    static const int root[3];
    struct mesh *old = mesh;
    mesh = old == meshes ? meshes + 1 : meshes;
    mesh->count = 0;
    divide(mesh, 0, root);
    if (old->count > 0)
        move_blocks(old);
    while (link_count > 0)
        free(links[--link_count].buffer);
    for (int index = 0; index < mesh->count; index++)
        for (int face = 0; face < FACES && owner(mesh, index) == rank; face++)
            link_face(index, face);
}

static void step(void)
{
    if (steps++ % EVERY == EVERY - 1) {
        double sum = 0;
        clock_of_ball++;
        remesh();
        FOR_MINE(block) sum += *cell(block->variables[variables - 1], 1, 1, 1);
        MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    exchange();
    FOR_MINE(block) {
        for (int face = 0; face < FACES; face++)
            wall(block, face);
        for (int v = 1; v < variables; v++)
            smooth(block->variables[v]);
    }
}

/* The first variable in all cells and halos, and the bounds of the smoothed ones. */
static void check(void)
{
    FOR_MINE(block) {
        for (int v = 0; v < variables; v++)
            for (int n = 0; n < CELLS; n++) {
                int i = n / PLANE + 1, j = n / N % N + 1, k = n % N + 1;
                double value = *cell(block->variables[v], i, j, k);
                if (v == 0)
                    expect(fabs(value - wanted(&block->leaf, i, j, k)) < 1e-9,
                           "cells keep the first variable");
                else
                    expect(value > 1 && value < 8, "smoothing keeps within bounds");
            }
    }
    for (struct link *link = links; link < links + link_count; link++) {
        if (owner(mesh, link->to) != rank)
            continue;
        const struct leaf *leaf = &mesh->blocks[link->to].leaf;
        double step = link->change < 0 ? 2 : 1;
        for (int n = 0; n < PLANE; n++) {
            int u = n / N, v = n % N, axis = link->face / 2, at[3];
            if (link->change > 0 && u / HALF * 2 + v / HALF != link->part)
                continue;
            at[axis] = link->face % 2 ? N : -1;
            at[axis == 0] = u;
            at[axis == 2 ? 1 : 2] = v;
            double value = *of_plane(mesh->blocks[link->to].variables[0], axis, at[axis] + 1,
                                     u + 1, v + 1);
            double middle[3];
            for (int i = 0; i < 3; i++)
                middle[i] = (floor(at[i] / step) + 0.5) * step + 0.5;
            expect(fabs(value - wanted(leaf, middle[0], middle[1], middle[2])) < 1e-9,
                   "each halo cell comes from the cell that lies there");
        }
    }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    variables = argc > 1 ? atoi(argv[1]) : 8;
    work = malloc(CELLS * sizeof *work);
    remesh();
    for (int index = 0; index < mesh->count; index++) {
        struct block *block = mesh->blocks + index;
        if (owner(mesh, index) != rank)
            continue;
        block->variables = new_variables();
        for (int n = 0; n < variables * CELLS; n++) {
            int i = n / PLANE % N + 1, j = n / N % N + 1, k = n % N + 1;
            *cell(block->variables[n / CELLS], i, j, k) = wanted(&block->leaf, i, j, k);
        }
    }
    double took = time_steps(step, 2 * EVERY);
    exchange();
    check();
    FOR_MINE(block) free_variables(block->variables);
    end(took);
    return 0;
}
