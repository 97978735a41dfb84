/* Patterns of messages: `patterns WHAT BYTES` prints the microseconds of a step, in which
 *   pingpong  rank 0 sends so many bytes to the last rank, and gets as many back,
 *   ring      each rank sends to the next one and receives from the one before,
 *   alltoall, allgather  each rank sends so many bytes to each other, in one call,
 *   allreduce, bcast     vectors of so many bytes are reduced or broadcast. */
#include "app.h"

static char *out, *in;
static int bytes;

static void pingpong(void)
{
    int other = size - 1;
    MPI_Status status;
    if (rank == 0) {
        MPI_Send(out, bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD);
        MPI_Recv(in, bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, &status);
    } else if (rank == other) {
        MPI_Recv(in, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &status);
        MPI_Send(out, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
}

static void ring(void)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Sendrecv(out, bytes, MPI_CHAR, next, 0, in, bytes, MPI_CHAR, before, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void alltoall(void)
{
    MPI_Alltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD);
}

static void allgather(void)
{
    MPI_Allgather(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD);
}

static void allreduce(void)
{
    MPI_Allreduce(out, in, bytes / (int)sizeof(double), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void bcast(void)
{
    MPI_Bcast(out, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "ring";
    bytes = argc > 2 ? atoi(argv[2]) : 8;
    out = calloc(size, bytes);
    in = calloc(size, bytes);
    double took = 0;
    if (!strcmp(what, "alltoall"))
        took = time_steps(alltoall, 10);
    else if (!strcmp(what, "allgather"))
        took = time_steps(allgather, 10);
    else if (!strcmp(what, "allreduce"))
        took = time_steps(allreduce, 10);
    else if (!strcmp(what, "bcast"))
        took = time_steps(bcast, 10);
    else if (!strcmp(what, "pingpong"))
        took = time_steps(pingpong, 100);
    else
        took = time_steps(ring, 100);
    expect(took > 0, "a step takes time");
    end(took);
    return 0;
}
