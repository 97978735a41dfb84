/* One measurement per run:
 * `measure latency|bandwidth|rate|barrier|allreduce|alltoall|stencil|memory|empty [BYTES]`.
 * Rank 0 prints one number: microseconds, GB/s, million messages a second, or MB of memory. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 64, BATCHES = 9 };

static int rank, size;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, count, sizeof *values, by_value);
    return values[count / 2];
}

static char *pages(size_t bytes)
{
    char *memory = malloc(bytes + 64);
    memset(memory, 1, bytes + 64);
    return memory;
}

/* Half of a round trip between ranks 0 and 1. */
static double latency(int bytes)
{
    int rounds = size > 16 ? 500 : 5000;
    char *buffer = pages(bytes);
    double took[BATCHES];
    for (int batch = -2; batch < BATCHES; batch++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        for (int i = 0; i < rounds && rank < 2; i++) {
            if (rank == 0)
                MPI_Send(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(buffer, bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank == 1)
                MPI_Send(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        }
        if (batch >= 0)
            took[batch] = (MPI_Wtime() - start) / rounds / 2 * 1e6;
    }
    return median(took, BATCHES);
}

/* Seconds that rank 0 needs to bring one window of messages to rank 1 and hear that all arrived. */
static double window_seconds(int bytes, int window, int rounds)
{
    char *buffer = pages((size_t)bytes * (bytes > 1024 ? 2 : window));
    MPI_Request requests[WINDOW];
    double took[BATCHES];
    for (int batch = -2; batch < BATCHES; batch++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < window; i++) {
                char *at = buffer + (size_t)bytes * (bytes > 1024 ? i % 2 : i);
                if (rank == 0)
                    MPI_Isend(at, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[i]);
                else
                    MPI_Irecv(at, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[i]);
            }
            MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
            if (rank == 0)
                MPI_Recv(buffer, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else
                MPI_Send(buffer, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
        }
        if (batch >= 0)
            took[batch] = (MPI_Wtime() - start) / rounds;
    }
    return median(took, BATCHES);
}

static double bandwidth(int bytes)
{
    int window = bytes > 1 << 20 ? 8 : WINDOW;
    int rounds = bytes > 1 << 20 ? 6 : 60;
    return (double)bytes * window / window_seconds(bytes, window, rounds) / 1e9;
}

static double rate(int bytes)
{
    return WINDOW / window_seconds(bytes, WINDOW, 2000) / 1e6;
}

/* One barrier, or one allreduce or alltoall of `count` doubles, over all ranks. */
static double collective(const char *what, int count)
{
    int rounds = size > 1000 ? 3 : size > 16 ? 10 : 2000;
    size_t blocks = strcmp(what, "alltoall") == 0 ? size : 1;
    double *mine = (double *)pages(blocks * count * sizeof(double));
    double *all = (double *)pages(blocks * count * sizeof(double));
    double took[BATCHES];
    for (int batch = -1; batch < BATCHES; batch++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        for (int i = 0; i < rounds; i++) {
            if (blocks > 1)
                MPI_Alltoall(mine, count, MPI_DOUBLE, all, count, MPI_DOUBLE, MPI_COMM_WORLD);
            else if (strcmp(what, "allreduce") == 0)
                MPI_Allreduce(mine, all, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            else
                MPI_Barrier(MPI_COMM_WORLD);
        }
        if (batch >= 0)
            took[batch] = (MPI_Wtime() - start) / rounds * 1e6;
    }
    return median(took, BATCHES);
}

static void exchange(double *out, int to, double *in, int from, int width)
{
    MPI_Sendrecv(out, width, MPI_DOUBLE, to, 1, in, width, MPI_DOUBLE, from, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

/* One step of a five-point stencil on a square of points per rank, its rows with the neighbours'
 * above and below: two messages each way, and now and then the sum of all changes. */
static double stencil(int points)
{
    enum { STEPS = 400 };
    int width = points + 2, above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int below = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    size_t room = sizeof(double) * width * width;
    double *old = (double *)pages(room), *new = (double *)pages(room);
    double took[BATCHES];
    memset(old, 0, room);
    memset(new, 0, room);
    for (int batch = -1; batch < BATCHES; batch++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        for (int step = 0; step < STEPS; step++) {
            double change = 0, all = 0, *swap = old;
            exchange(old + width, above, old + (points + 1) * width, below, width);
            exchange(old + points * width, below, old, above, width);
            for (int i = 1; i <= points; i++)
                for (int j = 1; j <= points; j++) {
                    int at = i * width + j;
                    double sides = old[at - 1] + old[at + 1] + old[at - width] + old[at + width];
                    new[at] = 0.25 * sides + 1e-3;
                    change += new[at] - old[at];
                }
            if (step % 10 == 0)
                MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            old = new;
            new = swap;
        }
        if (batch >= 0)
            took[batch] = (MPI_Wtime() - start) / STEPS * 1e6;
    }
    return median(took, BATCHES);
}

/* The most memory that this process, which is every rank where ranks share one, ever had, in MB. */
static double memory(void)
{
    long kilobytes = 0;
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    MPI_Barrier(MPI_COMM_WORLD);
    while (status && fgets(line, sizeof line, status))
        sscanf(line, "VmHWM: %ld", &kilobytes);
    if (status)
        fclose(status);
    return kilobytes / 1e3;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *what = argc > 1 ? argv[1] : "empty";
    int bytes = argc > 2 ? atoi(argv[2]) : 8;
    double result = 0;
    if (strcmp(what, "latency") == 0)
        result = latency(bytes);
    else if (strcmp(what, "bandwidth") == 0)
        result = bandwidth(bytes);
    else if (strcmp(what, "rate") == 0)
        result = rate(bytes);
    else if (strcmp(what, "barrier") == 0 || strcmp(what, "allreduce") == 0 ||
             strcmp(what, "alltoall") == 0)
        result = collective(what, bytes / 8);
    else if (strcmp(what, "stencil") == 0)
        result = stencil(bytes);
    else if (strcmp(what, "memory") == 0)
        result = memory();
    if (rank == 0 && strcmp(what, "empty") != 0)
        printf("%.6g\n", result);
    MPI_Finalize();
    return 0;
}
