/* On which hardware threads each rank may run: `RANK: N, N …`, and whether a thread that it starts
 * may run on the same ones. */
#define _GNU_SOURCE
#include "check.h"
#include <pthread.h>
#include <sched.h>

static cpu_set_t own;

static void *started(void *nothing)
{
    cpu_set_t set;
    EQUAL(sched_getaffinity(0, sizeof set, &set), 0);
    EQUAL(CPU_EQUAL(&set, &own), 1);
    return nothing;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    EQUAL(sched_getaffinity(0, sizeof own, &own), 0);
    pthread_create(&thread, NULL, started, NULL);
    pthread_join(thread, NULL);
    char line[8192];
    int length = sprintf(line, "%d:", rank);
    for (int number = 0; number < CPU_SETSIZE; number++)
        if (CPU_ISSET(number, &own) && length < 8000)
            length += sprintf(line + length, " %d", number);
    puts(line);
    MPI_Finalize();
    return 0;
}
