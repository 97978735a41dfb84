/* Says how far each rank has come, for deaths that the launcher orders. The first argument names
 * the case. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ftmpi.h"

static int rank, size, incarnation;
static volatile double sink;

static void said(const char *what, int number)
{
    printf("rank %d.%d %s %d\n", rank, incarnation + 1, what, number);
    fflush(stdout);
}

static void compute(void)
{
    for (double x = 1;; x = x * 1.0000001 + 1e-9)
        sink = x;
}

/* Rank 0 sends five messages, and rank 1 receives what comes. */
static void messages(void)
{
    int data = 0, came = 0;
    if (rank == 0)
        for (data = 1; data <= 5; data++) {
            MPI_Send(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            said("has sent", data);
        }
    if (rank == 1) {
        while (came < 5 &&
               MPI_Recv(&data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS)
            came++;
        said("has received", came);
    }
}

/* Rank 0 waits for a message that comes after so many ms, then computes for ever; rank 1 says
 * whether it was still there to receive it. */
static void late(int milliseconds)
{
    int data = 7;
    if (rank == 1) {
        usleep(1000 * milliseconds);
        int code = MPI_Ssend(&data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        said(code == MPI_SUCCESS ? "was heard by" : "comes too late for", 0);
    }
    if (rank == 0) {
        MPI_Recv(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        compute();
    }
}

/* Everybody waits for everybody, until somebody dies. */
static void stuck(void)
{
    int data, peer = rank ^ 1;
    MPI_Recv(&data, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    said("goes on without", peer);
}

/* A broadcast; those who get it have it right. */
static void broadcast(void)
{
    int data = rank == 0 ? 42 : 0;
    /* The root comes last: whoever has begun when somebody dies may still receive. */
    if (rank != 0)
        MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
    for (int other = 1; rank == 0 && other < size; other++)
        MPI_Recv(NULL, 0, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        usleep(30000);
    int code = MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD);
    said(code == MPI_SUCCESS ? "has" : "failed", code == MPI_SUCCESS ? data : 0);
}

/* The rank with the number 1 kills all others, then itself. */
static void murder(void)
{
    int data;
    /* Who is killed in one call does not come through the next. */
    while (rank != 1)
        MPI_Recv(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int other = -1; other <= size; other++)
        if (other != rank)
            ftmpi_kill(other);
    said("has killed", size - 1);
    ftmpi_kill(rank);
    said("lives", 0);
}

int main(int argc, char **argv)
{
    incarnation = ftmpi_incarnation();
    rank = ftmpi_rank_in_job();
    if (argc > 1 && strcmp(argv[1], "compute") == 0)
        compute();
    MPI_Init(&argc, &argv);
    said("begins", 0);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(argv[1], "messages") == 0)
        messages();
    else if (strcmp(argv[1], "late") == 0)
        late(atoi(argv[2]));
    else if (strcmp(argv[1], "stuck") == 0)
        stuck();
    else if (strcmp(argv[1], "broadcast") == 0)
        broadcast();
    else if (strcmp(argv[1], "murder") == 0)
        murder();
    said("finalizes", 0);
    MPI_Finalize();
    return 0;
}
