/* The bits of sums whose value depends on the order in which they are formed. Prints a line for
 * each call, type and count, with what all ranks got; the blocking, the nonblocking and the
 * persistent form have to agree. What runs it compares the lines of different runs. */
#include "check.h"
#include <stdint.h>

enum { MOST = 600000 };

static double doubles[MOST];
static float floats[MOST];
static char out[MOST * 8];

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Magnitudes far apart, so that nearly every other order of the sum has other last bits. */
static double any_value(int i)
{
    uint64_t bits = mix((uint64_t)rank << 32 ^ (uint64_t)i);
    double value = ((double)(bits >> 12) + 0.5) / (double)((uint64_t)1 << (bits & 31)) /
                   (double)((uint64_t)1 << (bits & 31));
    return bits >> 11 & 1 ? value : -value;
}

static void own_sum(void *left, void *right, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((double *)right)[i] = ((double *)left)[i] + ((double *)right)[i];
}

/* What all ranks have in `bytes` of `out`. */
static uint64_t bits_of_all(size_t bytes)
{
    uint64_t mine = (uint64_t)rank, all;
    for (size_t i = 0; i < bytes; i += bytes > 65536 ? 16 : 4) {
        uint32_t word;
        memcpy(&word, out + i, 4);
        mine = mine * 0x100000001b3u + word;
    }
    mine = mix(mine);
    MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
    return all;
}

enum { ALLREDUCE, IN_PLACE, REDUCE, REDUCE_LAST, SCATTER, SCAN, EXSCAN, CALLS };
static const char *const names[CALLS] = {
    "allreduce", "allreduce in place", "reduce", "reduce to last", "reduce_scatter_block", "scan",
    "exscan",
};

#define FORMS(name, nonblocking, ...)                                                              \
    do {                                                                                           \
        if (form == 0)                                                                             \
            name(__VA_ARGS__, MPI_COMM_WORLD);                                                     \
        else if (form == 1)                                                                        \
            nonblocking(__VA_ARGS__, MPI_COMM_WORLD, &request);                                    \
        else                                                                                       \
            name##_init(__VA_ARGS__, MPI_COMM_WORLD, MPI_INFO_NULL, &request);                     \
    } while (0)

static void call(int which, int form, const void *in, int count, MPI_Datatype type, MPI_Op op)
{
    MPI_Request request = MPI_REQUEST_NULL;
    switch (which) {
    case ALLREDUCE: FORMS(MPI_Allreduce, MPI_Iallreduce, in, out, count, type, op); break;
    case IN_PLACE: FORMS(MPI_Allreduce, MPI_Iallreduce, MPI_IN_PLACE, out, count, type, op); break;
    case REDUCE: FORMS(MPI_Reduce, MPI_Ireduce, in, out, count, type, op, 0); break;
    case REDUCE_LAST: FORMS(MPI_Reduce, MPI_Ireduce, in, out, count, type, op, size - 1); break;
    case SCATTER:
        FORMS(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, in, out, count, type, op);
        break;
    case SCAN: FORMS(MPI_Scan, MPI_Iscan, in, out, count, type, op); break;
    default: FORMS(MPI_Exscan, MPI_Iexscan, in, out, count, type, op);
    }
    if (form == 2)
        MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (form == 2)
        MPI_Request_free(&request);
}

static void compare(int which, const char *kind, int count, MPI_Datatype type, MPI_Op op, int item)
{
    uint64_t bits[3];
    const void *in = item == 4 ? (void *)floats : (void *)doubles;
    int all = which == SCATTER ? count * size : count;
    if (all > MOST || (which == SCAN && count > 20000))
        return;
    for (int form = 0; form < 3; form++) {
        memset(out, 0, (size_t)count * (size_t)item);
        if (which == IN_PLACE)
            memcpy(out, in, (size_t)count * (size_t)item);
        call(which, form, in, count, type, op);
        bits[form] = bits_of_all((size_t)count * (size_t)item);
    }
    if (rank == 0)
        printf("%s of %d %s: %016llx\n", names[which], count, kind, (unsigned long long)bits[0]);
    for (int form = 1; form < 3; form++)
        if (bits[form] != bits[0])
            FAIL("%s of %d %s differs when %s", names[which], count, kind,
                 form == 1 ? "nonblocking" : "persistent");
}

int main(int argc, char **argv)
{
    static const int counts[] = {1, 2, 5, 31, 64, 200, 511, 512, 513, 1024, 1025, 3000, 9000, 20000,
                                 70000, 540000};
    MPI_Op own;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < MOST; i++) {
        doubles[i] = any_value(i);
        floats[i] = (float)doubles[i];
    }
    MPI_Op_create(own_sum, 1, &own);
    for (int which = 0; which < CALLS; which++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            if (counts[i] > 100000 && size > 4)
                continue;
            compare(which, "doubles", counts[i], MPI_DOUBLE, MPI_SUM, 8);
            compare(which, "floats", counts[i], MPI_FLOAT, MPI_SUM, 4);
            if (counts[i] < 10000)
                compare(which, "doubles by the program", counts[i], MPI_DOUBLE, own, 8);
        }
    MPI_Op_free(&own);
    MPI_Finalize();
    return 0;
}
