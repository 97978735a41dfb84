/* What the machine itself does, without any MPI: `bare latency` sends a cache line between two threads
 * to and fro, `bare bandwidth BYTES` copies from one buffer to another, `bare allgather MEMBERS BYTES`
 * copies a block of each of so many members to each, by two threads, and `bare alltoall` another
 * block to each. Prints one number: microseconds (one way, for all), or GB/s. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCHES = 9, ROUNDS = 20000 };

static _Alignas(128) atomic_long ping;
static _Alignas(128) atomic_long pong;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void await(atomic_long *line, long value)
{
    while (atomic_load_explicit(line, memory_order_acquire) != value)
        __builtin_ia32_pause();
}

static void stay_on(int core)
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    pthread_setaffinity_np(pthread_self(), sizeof cores, &cores);
}

static void *answer(void *unused)
{
    (void)unused;
    stay_on(1);
    for (long i = 1; i <= (long)BATCHES * ROUNDS; i++) {
        await(&ping, i);
        atomic_store_explicit(&pong, i, memory_order_release);
    }
    return NULL;
}

static double latency(void)
{
    pthread_t other;
    double took[BATCHES];
    long i = 0;
    stay_on(0);
    pthread_create(&other, NULL, answer, NULL);
    for (int batch = 0; batch < BATCHES; batch++) {
        double start = now();
        for (int round = 0; round < ROUNDS; round++) {
            atomic_store_explicit(&ping, ++i, memory_order_release);
            await(&pong, i);
        }
        took[batch] = (now() - start) / ROUNDS / 2 * 1e6;
    }
    pthread_join(other, NULL);
    qsort(took, BATCHES, sizeof *took, by_value);
    return took[BATCHES / 2];
}

static double bandwidth(size_t bytes)
{
    char *from = malloc(2 * bytes), *to = malloc(2 * bytes);
    int rounds = bytes > 1 << 20 ? 48 : 4000;
    double took[BATCHES];
    memset(from, 1, 2 * bytes);
    memset(to, 1, 2 * bytes);
    for (int batch = -2; batch < BATCHES; batch++) {
        double start = now();
        for (int round = 0; round < rounds; round++) {
            size_t half = round % 2 * bytes;
            memcpy(to + half, from + half, bytes);
            __asm__ volatile("" ::: "memory");
        }
        if (batch >= 0)
            took[batch] = (now() - start) / rounds;
    }
    qsort(took, BATCHES, sizeof *took, by_value);
    return bytes / took[BATCHES / 2] / 1e9;
}

/* Members, and what each has for the others and gets of them. */
static struct {
    size_t members, bytes;
    int has_one_for_each;
    char **from, **to;
} all;

static void *copy_every_other(void *first)
{
    for (size_t to = first != NULL; to < all.members; to += 2)
        for (size_t from = 0; from < all.members; from++)
            memcpy(all.to[to] + from * all.bytes,
                   all.from[from] + all.has_one_for_each * to * all.bytes, all.bytes);
    return NULL;
}

static char **rooms(size_t bytes)
{
    char **rooms = malloc(all.members * sizeof *rooms);
    for (size_t i = 0; i < all.members; i++)
        memset(rooms[i] = malloc(bytes), 1, bytes);
    return rooms;
}

static double exchange(void)
{
    double took[BATCHES];
    all.from = rooms(all.has_one_for_each ? all.members * all.bytes : all.bytes);
    all.to = rooms(all.members * all.bytes);
    for (int batch = 0; batch < BATCHES; batch++) {
        pthread_t other;
        double start = now();
        pthread_create(&other, NULL, copy_every_other, &all);
        copy_every_other(NULL);
        pthread_join(other, NULL);
        took[batch] = (now() - start) * 1e6;
    }
    qsort(took, BATCHES, sizeof *took, by_value);
    return took[BATCHES / 2];
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "latency") == 0)
        printf("%.6g\n", latency());
    else if (argc == 3 && strcmp(argv[1], "bandwidth") == 0)
        printf("%.6g\n", bandwidth(strtoul(argv[2], NULL, 10)));
    else if (argc == 4) {
        all.has_one_for_each = strcmp(argv[1], "alltoall") == 0;
        all.members = strtoul(argv[2], NULL, 10);
        all.bytes = strtoul(argv[3], NULL, 10);
        printf("%.6g\n", exchange());
    } else
        return fprintf(stderr, "usage: bare latency | bandwidth BYTES | allgather MEMBERS BYTES | "
                               "alltoall MEMBERS BYTES\n"), 2;
    return 0;
}
