/* Times collective calls: `collectives NAME:BYTES...`. For each, rank 0 prints `NAME:BYTES µs`:
 * the median over batches of the time of one call, when all ranks call it again and again.
 * BYTES are those of one block: what each rank gives, or gets from each other. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 5 };
static const double BATCH_SECONDS = 0.12;

static int rank, size;
static char *from, *to;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void barrier(int bytes)
{
    (void)bytes;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(int bytes)
{
    MPI_Bcast(from, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void reduce(int bytes)
{
    MPI_Reduce(from, to, bytes / 8, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void allreduce(int bytes)
{
    MPI_Allreduce(from, to, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void gather(int bytes)
{
    MPI_Gather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void scatter(int bytes)
{
    MPI_Scatter(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void allgather(int bytes)
{
    MPI_Allgather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void alltoall(int bytes)
{
    MPI_Alltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void reduce_scatter(int bytes)
{
    MPI_Reduce_scatter_block(from, to, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void scan(int bytes)
{
    MPI_Scan(from, to, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* The calls, and whether the memory that they need grows with the number of ranks. */
static const struct {
    const char *name;
    void (*call)(int bytes);
    int grows;
} CALLS[] = {{"barrier", barrier, 0},     {"bcast", bcast, 0},         {"reduce", reduce, 0},
             {"allreduce", allreduce, 0}, {"gather", gather, 1},       {"scatter", scatter, 1},
             {"allgather", allgather, 1}, {"alltoall", alltoall, 1},   {"scan", scan, 0},
             {"reduce_scatter", reduce_scatter, 1}};

static double seconds(void (*call)(int), int bytes, int rounds)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++)
        call(bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime() - start;
}

/* Batches are as long as the one before tells: the first is short. */
static double measure(void (*call)(int), int bytes)
{
    double took[BATCHES], once = seconds(call, bytes, 2) / 2;
    for (int i = 0; i < BATCHES; i++) {
        double fits = BATCH_SECONDS / once;
        int rounds = fits < 1 ? 1 : fits > 20000 ? 20000 : (int)fits;
        MPI_Bcast(&rounds, 1, MPI_INT, 0, MPI_COMM_WORLD);
        once = seconds(call, bytes, rounds) / rounds;
        took[i] = once * 1e6;
    }
    qsort(took, BATCHES, sizeof *took, by_value);
    return took[BATCHES / 2];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < argc; i++) {
        char *colon = strchr(argv[i], ':');
        int bytes = colon ? atoi(colon + 1) : 0;
        for (size_t j = 0; j < sizeof CALLS / sizeof *CALLS; j++) {
            size_t length = strlen(CALLS[j].name);
            if (strncmp(argv[i], CALLS[j].name, length) != 0 || argv[i][length] != ':')
                continue;
            size_t room = (size_t)bytes * (CALLS[j].grows ? (size_t)size : 1) + 64;
            from = malloc(room);
            to = malloc(room);
            memset(from, 1, room);
            memset(to, 1, room);
            double us = measure(CALLS[j].call, bytes);
            if (rank == 0)
                printf("%s %.6g\n", argv[i], us);
            fflush(stdout);
            free(from);
            free(to);
        }
    }
    MPI_Finalize();
    return 0;
}
