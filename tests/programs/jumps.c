/* Ranks leave calls by longjmp out of a handler, hundreds of times: a receive that nothing comes
 * for, a loop of messages to itself, or one of calls that make and free objects. After that, all
 * works that the jumps might have spoilt.
 *
 *     jumps ROUNDS
 */
#include "check.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

static sigjmp_buf back;
static volatile sig_atomic_t is_inside;

static void alarmed(int signal)
{
    (void)signal;
    if (is_inside)
        siglongjmp(back, 1);
}

static void set_timer(int microseconds)
{
    struct itimerval timer = {{0, 0}, {0, microseconds}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* Until the timer runs out. */
static void work(int kind)
{
    int in, out = rank;
    for (;;) {
        MPI_Request request;
        MPI_Comm twin;
        MPI_Datatype pair;
        if (kind == 0) {
            MPI_Recv(&in, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (kind == 1) {
            MPI_Irecv(&in, 1, MPI_INT, 0, 6, MPI_COMM_SELF, &request);
            MPI_Send(&out, 1, MPI_INT, 0, 6, MPI_COMM_SELF);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Comm_dup(MPI_COMM_SELF, &twin);
            MPI_Comm_free(&twin);
            MPI_Type_contiguous(2, MPI_INT, &pair);
            MPI_Type_free(&pair);
        }
    }
}

int main(int argc, char **argv)
{
    volatile int round, jumps = 0;
    int rounds = atoi(argv[1]), sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    signal(SIGALRM, alarmed);
    for (round = 0; round < rounds; round++) {
        if (sigsetjmp(back, 1) == 0) {
            is_inside = 1;
            set_timer(50 + round * 337 % 1500);
            work(round % 3);
        }
        is_inside = 0;
        jumps++;
        if (round % 10 == 0) {
            MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            EQUAL(sum, size * (size - 1) / 2);
        }
    }
    EQUAL(jumps, rounds);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d jumps\n", jumps);
    MPI_Finalize();
    return 0;
}
