/* What the machine itself does, without any MPI: `bare latency` sends a cache line between two threads
 * to and fro, `bare bandwidth BYTES` copies from one buffer to another. Prints one number:
 * microseconds one way, or GB/s. */
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

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "latency") == 0)
        printf("%.6g\n", latency());
    else if (argc == 3 && strcmp(argv[1], "bandwidth") == 0)
        printf("%.6g\n", bandwidth(strtoul(argv[2], NULL, 10)));
    else
        return fprintf(stderr, "usage: bare latency | bare bandwidth BYTES\n"), 2;
    return 0;
}
