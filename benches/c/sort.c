/* Sample sort: `sort KEYS` prints the microseconds in which all ranks sort so many keys each. Every
 * rank sorts its own, all agree on splitters from samples, and each sends every other its part. */
#include "app.h"
#include <stdint.h>

static uint32_t *keys, *spare, *sorted;
static int number, room, came;
static int *counts, *places, *gives, *takes;
static uint32_t *samples, round_of;

/* By its bytes, the lowest first; the result is in `values` again. */
static void radix(uint32_t *values, uint32_t *other, int count)
{
    for (int shift = 0; shift < 32; shift += 8) {
        int starts[257] = {0};
        for (int i = 0; i < count; i++)
            starts[(values[i] >> shift & 255) + 1]++;
        for (int i = 0; i < 256; i++)
            starts[i + 1] += starts[i];
        for (int i = 0; i < count; i++)
            other[starts[values[i] >> shift & 255]++] = values[i];
        uint32_t *swap = values;
        values = other;
        other = swap;
    }
}

static void draw(void)
{
    unsigned long first = ((unsigned long)round_of++ * size + rank) * number;
    for (int i = 0; i < number; i++)
        keys[i] = mix(first + i);
}

static int in_order(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void step(void)
{
    enum { EACH = 32 };
    uint32_t mine[EACH];
    draw();
    radix(keys, spare, number);
    for (int i = 0; i < EACH; i++)
        mine[i] = keys[mix(rank * EACH + i) % number];
    MPI_Allgather(mine, EACH, MPI_UINT32_T, samples, EACH, MPI_UINT32_T, MPI_COMM_WORLD);
    qsort(samples, EACH * size, sizeof *samples, in_order);
    for (int part = 0, at = 0; part < size; part++) {
        int start = at;
        while (at < number && (part == size - 1 || keys[at] < samples[EACH * (part + 1)]))
            at++;
        places[part] = start;
        counts[part] = at - start;
    }
    MPI_Alltoall(counts, 1, MPI_INT, gives, 1, MPI_INT, MPI_COMM_WORLD);
    came = 0;
    for (int i = 0; i < size; i++) {
        takes[i] = came;
        came += gives[i];
    }
    expect(came <= room, "splitters share the keys out well");
    MPI_Alltoallv(keys, counts, places, MPI_UINT32_T, sorted, gives, takes, MPI_UINT32_T,
                  MPI_COMM_WORLD);
    radix(sorted, spare, came);
}

static void check(void)
{
    unsigned long sums[4] = {number, came, 0, 0}, all[4];
    uint32_t last = came ? sorted[came - 1] : 0, before = 0;
    for (int i = 1; i < came; i++)
        expect(sorted[i - 1] <= sorted[i], "each part is sorted");
    MPI_Exscan(&last, &before, 1, MPI_UINT32_T, MPI_MAX, MPI_COMM_WORLD);
    expect(rank == 0 || came == 0 || before <= sorted[0], "parts are sorted among ranks");
    for (int i = 0; i < number; i++)
        sums[2] += keys[i];
    for (int i = 0; i < came; i++)
        sums[3] += sorted[i];
    MPI_Allreduce(sums, all, 4, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
    expect(all[0] == all[1] && all[2] == all[3], "no key is lost or made up");
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    number = argc > 1 ? atoi(argv[1]) : 10000;
    room = 3 * number + 1000;
    keys = malloc(number * sizeof *keys);
    spare = malloc(room * sizeof *spare);
    sorted = malloc(room * sizeof *sorted);
    samples = malloc(32 * size * sizeof *samples);
    counts = malloc(4 * size * sizeof(int));
    places = counts + size;
    gives = places + size;
    takes = gives + size;
    double took = time_steps(step, size > 16 ? 10 : 50);
    check();
    end(took);
    return 0;
}
