/* Rank 2 wakes at the same time as rank 1, who then asks for its message until that is there, while
 * the worker that rank 0 has just left looks around for something to do. */
#include "check.h"
#include <time.h>

#define W MPI_COMM_WORLD

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static void wait_until(double moment)
{
    double left = moment - now();
    struct timespec time = {0, (long)(left * 1e3)};
    if (left > 0)
        nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
    unsigned dice = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    for (int round = 0; round < 1000; round++) {
        double moment = now() + 400;
        int is_there = 0;
        dice = dice * 1103515245 + 12345;
        MPI_Bcast(&moment, 1, MPI_DOUBLE, 0, W);
        wait_until(rank == 0 ? moment - (dice >> 16) % 200 : moment);
        while (rank == 1 && !is_there)
            MPI_Iprobe(2, 7, W, &is_there, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Recv(NULL, 0, MPI_INT, 2, 7, W, MPI_STATUS_IGNORE);
        if (rank == 2)
            MPI_Send(NULL, 0, MPI_INT, 1, 7, W);
        MPI_Barrier(W);
    }
    MPI_Finalize();
    return 0;
}
