/* Ranks leave a checkpoint, or a restoration, by longjmp out of a handler that runs while they wait
 * there; then all go on among themselves (ULFM), and nobody has lost anything.
 *
 *     checkpoint_jump ROUNDS
 */
#include <mpi.h>
#include <mpi-ext.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#include "ftmpi.h"

enum { COUNT = 30000 };

static double x[COUNT];
static int rank;
static sigjmp_buf back;
static volatile sig_atomic_t is_inside;

#define MUST(call)                                                                                 \
    do {                                                                                           \
        int code_ = (call);                                                                        \
        if (code_ != MPI_SUCCESS) {                                                                \
            char words_[MPI_MAX_ERROR_STRING];                                                     \
            int length_;                                                                           \
            MPI_Error_string(code_, words_, &length_);                                             \
            fprintf(stderr, "rank %d: %s: %s\n", rank, #call, words_);                             \
            MPI_Abort(MPI_COMM_WORLD, 3);                                                          \
        }                                                                                          \
    } while (0)

static void alarmed(int signal)
{
    (void)signal;
    if (is_inside)
        siglongjmp(back, 1);
}

static double value(int version, int i)
{
    return version * 1000.0 + rank * 10 + i;
}

static void fill(int version)
{
    for (int i = 0; i < COUNT; i++)
        x[i] = value(version, i);
}

static void set_timer(int microseconds)
{
    struct itimerval timer = {{0, 0}, {0, microseconds}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

int main(int argc, char **argv)
{
    int rounds = atoi(argv[1]);
    volatile int version = 0, round, jumps = 0;
    MPI_Comm comm = MPI_COMM_WORLD;
    FTCK ck;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    signal(SIGALRM, alarmed);
    MUST(FTCK_Create(comm, "xor", &ck));
    MUST(FTCK_Register(ck, 0, x, COUNT, MPI_DOUBLE));
    fill(version);
    MUST(FTCK_Checkpoint(ck, version));
    for (round = 0; round < rounds; round++) {
        /* More than the scheme makes up for, if what they have were gone with the jump. */
        int is_jumper = rank < 2;
        if (sigsetjmp(back, 1) == 0) {
            int code = MPI_SUCCESS, restored;
            is_inside = is_jumper;
            if (is_jumper)
                set_timer(100 + round * 337 % 3000);
            while (code == MPI_SUCCESS) {
                if (round % 2 == 0) {
                    version++;
                    fill(version);
                    code = FTCK_Checkpoint(ck, version);
                } else {
                    code = FTCK_Restore(ck, &restored);
                }
            }
        } else {
            jumps++;
        }
        is_inside = 0;
        MPIX_Comm_revoke(comm);
        MPI_Comm next;
        MUST(MPIX_Comm_shrink(comm, &next));
        MPI_Comm_set_errhandler(next, MPI_ERRORS_RETURN);
        if (comm != MPI_COMM_WORLD)
            MPI_Comm_free(&comm);
        comm = next;
        MUST(FTCK_Set_comm(ck, comm));
        int restored = -1;
        MUST(FTCK_Restore(ck, &restored));
        for (int i = 0; i < COUNT; i++) {
            if (x[i] != value(restored, i)) {
                fprintf(stderr, "rank %d: %g at %d of %d\n", rank, x[i], i, restored);
                MPI_Abort(MPI_COMM_WORLD, 4);
            }
        }
        version = restored;
        MUST(FTCK_Register(ck, 0, x, COUNT, MPI_DOUBLE));
    }
    if (rank < 2 && jumps == 0)
        MPI_Abort(MPI_COMM_WORLD, 5);
    FTCK_Free(&ck);
    MPI_Finalize();
    return 0;
}
