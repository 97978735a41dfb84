/* Automatic recovery: the call that notices a death says MPI_ERR_OTHER once, and the world is
 * whole again when it returns. The handler hears of it once, too, and is not entered again.
 *
 * automatic ROUNDS [jump]: with `jump`, the handler jumps out instead of returning. */
#include <ft-mpi-modes.h>
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static int heard, rank, jumps;
static jmp_buf out;

static void fail(const char *what, int code)
{
    fprintf(stderr, "rank %d: %s: %d\n", rank, what, code);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void handler(MPI_Comm *comm, int *code, ...)
{
    /* There is nothing to be done any more; a replacement does not call it. */
    MPI_Comm fresh = FT_MPI_CHECK_RECOVER;
    if (*code != MPI_ERR_OTHER)
        fail("the handler hears", *code);
    heard++;
    /* A call that fails in here is returned, and this function is not entered again. */
    if (MPI_Send(&rank, 1, MPI_INT, 4711, 0, *comm) != MPI_ERR_RANK)
        fail("an error inside of the handler", 0);
    if (MPI_Comm_dup(MPI_COMM_WORLD, &fresh) != MPI_SUCCESS)
        fail("the world cannot be checked", 0);
    MPI_Comm_free(&fresh);
    if (jumps)
        longjmp(out, 1);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 3, size, done = 0;
    MPI_Errhandler mine;
    jumps = argc > 2;
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        done = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_create_errhandler(handler, &mine);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
    for (;;) {
        int most, code;
        if ((code = MPI_Allreduce(&done, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD)))
            fail("an allreduce after the recovery", code);
        done = most;
        if (done >= rounds)
            break;
        MPI_Barrier(MPI_COMM_WORLD);
        /* Nobody dies before all have left the barrier. */
        if (rank != done % size)
            MPI_Send(NULL, 0, MPI_INT, done % size, 98, MPI_COMM_WORLD);
        for (int other = 1; rank == done % size && other < size; other++)
            MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 98, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == done % size)
            raise(SIGKILL);
        int before = heard;
        if (setjmp(out) == 0) {
            int nothing;
            code = MPI_Recv(&nothing, 1, MPI_INT, done % size, 99, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE);
            if (jumps || code != MPI_ERR_OTHER)
                fail("the receive from the dead says", code);
        }
        if (heard != before + 1)
            fail("the handler was called so often", heard - before);
        done++;
    }
    if (rank == (rounds - 1) % size)
        printf("%d rounds\n", done);
    MPI_Finalize();
    return 0;
}
