/* Blocking collective operations on MPI_COMM_WORLD, as long as what members publish for each other
 * and a little longer, with any root, beside what must come of them. Some ranks are late, so that
 * others are ahead. Arguments: the seed, and how many operations. */
#include "check.h"
#include <stdint.h>

#define W MPI_COMM_WORLD

static uint64_t common, own;

static unsigned draw_from(uint64_t *state, unsigned below)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (unsigned)((z ^ (z >> 31)) >> 11) % below;
}

/* So many integers of each block: nothing, few, or about as many as are published. */
static int count_of_block(int blocks)
{
    static const int COUNTS[] = {0, 1, 2, 11, 12, 13, 64, 300, 512, 513, 1023, 1024, 1025};
    int count = COUNTS[draw_from(&common, sizeof COUNTS / sizeof *COUNTS)];
    return draw_from(&common, 2) ? count : count / blocks;
}

static int value(int operation, int from, int index)
{
    return (operation * 31 + from * 1009 + index * 7) % 100003;
}

static void work(unsigned steps)
{
    static volatile double x = 1;
    for (unsigned i = 0; i < steps; i++)
        x = x * 0.5 + 1;
}

static long sum_to(int operation, int last, int index)
{
    long sum = 0;
    for (int from = 0; from <= last; from++)
        sum += value(operation, from, index);
    return sum;
}

static void perform(int operation)
{
    int kind = (int)draw_from(&common, 10), root = (int)draw_from(&common, (unsigned)size);
    int is_many = kind == 4 || kind == 5 || kind == 6 || kind == 9;
    int n = count_of_block(is_many ? size : 1), all = n * (is_many ? size : 1);
    size_t room = sizeof(int) * (size_t)(all + 1);
    int *mine = malloc(room), *got = malloc(room), is_odd = rank % 2;
    for (int i = 0; i < all; i++) {
        mine[i] = value(operation, rank, i);
        got[i] = -1;
    }
    got[all] = mine[all] = -7;
    switch (kind) {
    case 0:
        MPI_Barrier(W);
        break;
    case 1:
        MPI_Bcast(mine, n, MPI_INT, root, W);
        for (int i = 0; i < n; i++)
            EQUAL(mine[i], value(operation, root, i));
        break;
    case 2:
        MPI_Reduce(mine, got, n, MPI_INT, MPI_SUM, root, W);
        for (int i = 0; i < n; i++)
            EQUAL(got[i], rank == root ? sum_to(operation, size - 1, i) : -1);
        break;
    case 3:
        MPI_Allreduce(is_odd ? mine : MPI_IN_PLACE, is_odd ? got : mine, n, MPI_INT, MPI_SUM, W);
        for (int i = 0; i < n; i++)
            EQUAL(is_odd ? got[i] : mine[i], sum_to(operation, size - 1, i));
        break;
    case 4:
        MPI_Gather(mine, n, MPI_INT, got, n, MPI_INT, root, W);
        for (int i = 0; i < all; i++)
            EQUAL(got[i], rank == root ? value(operation, i / n, i % n) : -1);
        break;
    case 5:
        MPI_Scatter(mine, n, MPI_INT, got, n, MPI_INT, root, W);
        for (int i = 0; i < n; i++)
            EQUAL(got[i], value(operation, root, rank * n + i));
        break;
    case 6:
        MPI_Allgather(mine, n, MPI_INT, got, n, MPI_INT, W);
        for (int i = 0; i < all; i++)
            EQUAL(got[i], value(operation, i / n, i % n));
        break;
    case 7:
        MPI_Scan(mine, got, n, MPI_INT, MPI_SUM, W);
        for (int i = 0; i < n; i++)
            EQUAL(got[i], sum_to(operation, rank, i));
        break;
    case 8:
        MPI_Exscan(mine, got, n, MPI_INT, MPI_SUM, W);
        for (int i = 0; i < n && rank > 0; i++)
            EQUAL(got[i], sum_to(operation, rank - 1, i));
        break;
    default:
        MPI_Alltoall(mine, n, MPI_INT, got, n, MPI_INT, W);
        for (int i = 0; i < all; i++)
            EQUAL(got[i], value(operation, i / n, rank * n + i % n));
    }
    EQUAL(got[all], -7);
    EQUAL(mine[all], -7);
    free(mine);
    free(got);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    common = (uint64_t)atoi(argv[1]);
    own = common * 1000 + (uint64_t)rank;
    for (int operation = 0; operation < atoi(argv[2]); operation++) {
        if (draw_from(&own, 40) == 0)
            work(draw_from(&own, 100000));
        /* One that is late for long: others come to the end of what they may be ahead. */
        if (operation % 100 == rank)
            work(400000);
        perform(operation);
    }
    MPI_Finalize();
    return 0;
}
