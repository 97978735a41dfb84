/* All ranks begin to send to each other. Rank 1 is killed so many microseconds after that, argv[1],
 * while it may still be being connected; the two others go on with each other. */
#include "check.h"
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

enum { ROUNDS = 100 };

static void *die_later(void *microseconds)
{
    usleep((useconds_t)atoi(microseconds));
    kill(getpid(), SIGKILL);
    return NULL;
}

int main(int argc, char **argv)
{
    MPI_Request both[2];
    pthread_t thread;
    int out = 7, in;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1)
        pthread_create(&thread, NULL, die_later, argv[1]);
    for (int step = 1; step < size; step++) {
        int other = (rank + step) % size;
        MPI_Isend(&out, 1, MPI_INT, other, step, MPI_COMM_WORLD, &both[0]);
        MPI_Irecv(&in, 1, MPI_INT, other, size - step, MPI_COMM_WORLD, &both[1]);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
    if (rank == 1)
        pause();
    for (int i = 0; i < ROUNDS; i++) {
        EQUAL(MPI_Sendrecv(&i, 1, MPI_INT, 2 - rank, 9, &in, 1, MPI_INT, 2 - rank, 9,
                           MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        EQUAL(in, i);
    }
    printf("rank %d has gone on\n", rank);
    MPI_Finalize();
    return 0;
}
