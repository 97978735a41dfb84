/* Measures this host, one rank on each core: what sending, receiving and computing cost. Prints a
 * machine file. Each figure is the best of many, as something else may run now and then. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define W MPI_COMM_WORLD

enum { SMALL = 8, SHORT = 65536, LONG = 1048576, BURST = 64, REPEATS = 200 };

static int rank, size;
static char *mine, *theirs;

static double less(double one, double other)
{
    return one < other ? one : other;
}

/* Seconds one way between ranks 0 and 1. */
static double one_way(int bytes, int times)
{
    double best = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        double begin = MPI_Wtime();
        for (int k = 0; k < times; k++) {
            if (rank == 0) {
                MPI_Send(mine, bytes, MPI_BYTE, 1, 0, W);
                MPI_Recv(theirs, bytes, MPI_BYTE, 1, 0, W, MPI_STATUS_IGNORE);
            } else {
                MPI_Recv(theirs, bytes, MPI_BYTE, 0, 0, W, MPI_STATUS_IGNORE);
                MPI_Send(mine, bytes, MPI_BYTE, 0, 0, W);
            }
        }
        best = less(best, (MPI_Wtime() - begin) / times / 2);
    }
    return best;
}

/* Seconds that a call takes to send a short message, and to receive one that is there. */
static void overheads(double *send, double *receive)
{
    double took[2] = {1e9, 1e9};
    for (int i = 0; i < REPEATS; i++) {
        double begin = MPI_Wtime();
        for (int k = 0; k < BURST && rank == 0; k++)
            MPI_Send(mine, SMALL, MPI_BYTE, 1, 0, W);
        took[0] = less(took[0], (MPI_Wtime() - begin) / BURST);
        if (rank == 0)
            MPI_Send(mine, 0, MPI_BYTE, 1, 1, W);
        else
            MPI_Recv(theirs, 0, MPI_BYTE, 0, 1, W, MPI_STATUS_IGNORE);
        begin = MPI_Wtime();
        for (int k = 0; k < BURST && rank == 1; k++)
            MPI_Recv(theirs, SMALL, MPI_BYTE, 0, 0, W, MPI_STATUS_IGNORE);
        took[1] = less(took[1], (MPI_Wtime() - begin) / BURST);
        if (rank == 1)
            MPI_Send(mine, 0, MPI_BYTE, 0, 1, W);
        else
            MPI_Recv(theirs, 0, MPI_BYTE, 1, 1, W, MPI_STATUS_IGNORE);
    }
    MPI_Bcast(&took[1], 1, MPI_DOUBLE, 1, W);
    *send = took[0];
    *receive = took[1];
}

/* Seconds for y = y + a x on `count` numbers, by all ranks at once; how many operations and bytes
 * that is, the caller knows. */
static double update(double *y, const double *x, int count, int times)
{
    double best = 1e9;
    for (int i = 0; i < 20; i++) {
        MPI_Barrier(W);
        double begin = MPI_Wtime();
        for (int k = 0; k < times; k++) {
            double a = 1e-9 * (k + 1);
            for (int j = 0; j < count; j++)
                y[j] += a * x[j];
        }
        best = less(best, (MPI_Wtime() - begin) / times);
    }
    MPI_Allreduce(MPI_IN_PLACE, &best, 1, MPI_DOUBLE, MPI_MAX, W);
    return best;
}

int main(int argc, char **argv)
{
    enum { NEAR = 1000, FAR = 4 << 20 };
    double send = 0, receive = 0, shortest = 0, medium = 0, longest = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    int cores = atoi(argv[1]);
    mine = malloc(LONG);
    theirs = malloc(LONG);
    double *x = malloc(FAR * sizeof *x), *y = malloc(FAR * sizeof *y);
    if (!mine || !theirs || !x || !y) {
        fprintf(stderr, "no memory for %d numbers\n", 2 * FAR);
        MPI_Abort(W, 1);
    }
    memset(mine, 1, LONG);
    memset(theirs, 1, LONG);
    for (int j = 0; j < FAR; j++)
        x[j] = y[j] = j;
    if (rank < 2) {
        overheads(&send, &receive);
        shortest = one_way(SMALL, 100);
        medium = one_way(SHORT, 10);
        longest = one_way(LONG, 1);
    }
    double near = update(y, x, NEAR, 1000), far = update(y, x, FAR, 1);
    if (rank == 0) {
        double byte = (longest - medium) / (LONG - SHORT);
        double hop = (shortest - SMALL * byte - send - receive) / 2;
        printf("# Measured by ftrun calibrate, with %d ranks on %d cores: one way 8 bytes take\n"
               "# %.3f us, 64 KB %.1f us, 1 MB %.1f us. Each node is a core.\n",
               size, cores, shortest * 1e6, medium * 1e6, longest * 1e6);
        printf("[machine]\nname = \"host\"\ntopology = \"fat-tree\"\narity = %d\nlevels = 1\n\n",
               cores);
        printf("[node]\nprocessors = 1\nthreads = 1\npacket = 4096\n\n");
        printf("[cost]\nhop_ns = %.1f\ncorner_ns = 0\nhandler_ns = 0\nbyte_ns = %.4f\n\n",
               hop > 0 ? hop * 1e9 : 0, byte > 0 ? byte * 1e9 : 0);
        printf("[mpi]\nsend_ns = %.1f\nreceive_ns = %.1f\neager_bytes = %d\n\n", send * 1e9,
               receive * 1e9, SHORT);
        /* Two operations on each number, of which two are read and one is written. */
        printf("[compute]\nflops = %.4e\nbytes = %.4e\nfactor = 1\n", 2.0 * NEAR / near,
               24.0 * FAR / far);
    }
    MPI_Finalize();
    return 0;
}
