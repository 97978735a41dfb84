/* Reductions by an operation of the library's own, which members combine where they meet, and by
 * the same one of the program's, which goes by messages: the results are the same to the last bit,
 * in whichever form, run and order of arrival. Every number of items is tried that leads to another
 * way, for each root. */
#include "check.h"
#include <unistd.h>

#define W MPI_COMM_WORLD
#define MOST 70000

static MPI_Op mine;
static double *data, *one, *other;

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const double *a = in;
    double *b = inout;
    (void)type;
    for (int i = 0; i < *count; i++)
        b[i] = a[i] + b[i];
}

/* Sums of these depend on where the brackets are. */
static void draw(int count, int seed)
{
    unsigned long long state = (unsigned long long)seed << 32 | (unsigned)rank;
    for (int i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        data[i] = ((double)(state >> 12) - 2e15) * (double)(1u << (state >> 59)) / 65536.0;
    }
}

static void same(const char *name, int count, int items, int root)
{
    if (memcmp(one, other, sizeof(double) * (size_t)items) != 0) {
        fprintf(stderr, "%s of %d, root %d, %d ranks: not the same\n", name, count, root, size);
        MPI_Abort(W, 1);
    }
}

static void late(int round)
{
    if (rank == round % size)
        usleep(200);
}

static void compare(int count)
{
    MPI_Request request;
    int *counts = malloc(sizeof(int) * (size_t)size);
    draw(count, count);
    for (int round = 0; round < 3; round++) {
        late(round);
        MPI_Allreduce(data, one, count, MPI_DOUBLE, MPI_SUM, W);
        MPI_Allreduce(data, other, count, MPI_DOUBLE, mine, W);
        same("allreduce", count, count, -1);
        late(round);
        MPI_Iallreduce(data, one, count, MPI_DOUBLE, MPI_SUM, W, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        same("iallreduce", count, count, -1);
        memcpy(one, data, sizeof(double) * (size_t)count);
        MPI_Allreduce(MPI_IN_PLACE, one, count, MPI_DOUBLE, MPI_SUM, W);
        same("allreduce in place", count, count, -1);
        MPI_Scan(data, one, count, MPI_DOUBLE, MPI_SUM, W);
        MPI_Scan(data, other, count, MPI_DOUBLE, mine, W);
        same("scan", count, count, -1);
        MPI_Exscan(data, one, count, MPI_DOUBLE, MPI_SUM, W);
        MPI_Exscan(data, other, count, MPI_DOUBLE, mine, W);
        same("exscan", count, rank == 0 ? 0 : count, -1);
        int left = count;
        for (int i = 0; i < size; i++) {
            counts[i] = i == size - 1 ? left : left / 3;
            left -= counts[i];
        }
        MPI_Reduce_scatter(data, one, counts, MPI_DOUBLE, MPI_SUM, W);
        MPI_Reduce_scatter(data, other, counts, MPI_DOUBLE, mine, W);
        same("reduce_scatter", count, counts[rank], -1);
        for (int root = 0; root < size; root += 1 + size / 4) {
            late(round + root);
            MPI_Reduce(data, one, count, MPI_DOUBLE, MPI_SUM, root, W);
            MPI_Reduce(data, other, count, MPI_DOUBLE, mine, root, W);
            same("reduce", count, rank == root ? count : 0, root);
            MPI_Ireduce(data, one, count, MPI_DOUBLE, MPI_SUM, root, W, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            same("ireduce", count, rank == root ? count : 0, root);
        }
    }
    free(counts);
}

int main(int argc, char **argv)
{
    static const int COUNTS[] = {0, 1, 2, 4, 5, 17, 100, 512, 513, 1000, 2500, 9000, MOST};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    MPI_Op_create(add, 1, &mine);
    data = calloc(MOST, sizeof(double));
    one = calloc(MOST, sizeof(double));
    other = calloc(MOST, sizeof(double));
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++)
        compare(COUNTS[i]);
    MPI_Op_free(&mine);
    MPI_Finalize();
    return 0;
}
