/* CONT: what is under way between the living survives a recovery, and ends well after it.
 *
 * The last rank but one dies. The others have receives open for messages that are sent before, in
 * and after the recovery, and long sends that nobody has received yet.
 *
 * goes_on [attribute]: with that word, the program chooses the mode. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include "ft-mpi-modes.h"
#include "ftmpi.h"

enum { LONG = 100000 };

static void fail(const char *what, int code)
{
    fprintf(stderr, "rank %d: %s: %d\n", ftmpi_rank_in_job(), what, code);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

#define MUST(call)                                                                                 \
    do {                                                                                           \
        int code_ = (call);                                                                        \
        if (code_ != MPI_SUCCESS)                                                                  \
            fail(#call, code_);                                                                    \
    } while (0)

int main(int argc, char **argv)
{
    int rank, size, me, before[2], code, soon = -1;
    static int out[LONG], in[LONG];
    MPI_Request requests[4], next = MPI_REQUEST_NULL;
    MPI_Status status;
    int fresh = MPI_Init(&argc, &argv) != MPI_SUCCESS;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    me = ftmpi_rank_in_job();
    if (argc > 1 && !fresh)
        MUST(MPI_Comm_set_attr(MPI_COMM_WORLD, FTMPI_MSG_MODE,
                              (void *)(long)FTMPI_MSG_MODE_CONT));
    int victim = size - 2, old_size = size;
    if (!fresh) {
        /* The ring of those who will live: 0 .. size - 3, size - 1. */
        int after = (me + 1) % size, ahead = (me + size - 1) % size;
        if (after == victim)
            after = victim + 1;
        if (ahead == victim)
            ahead = victim - 1;
        if (me != victim) {
            for (int i = 0; i < LONG; i++)
                out[i] = me * 1000 + i % 7;
            int early = me;
            MUST(MPI_Irecv(&before[0], 1, MPI_INT, ahead, 9, MPI_COMM_WORLD, &requests[0]));
            MUST(MPI_Irecv(&before[1], 1, MPI_INT, MPI_ANY_SOURCE, 10, MPI_COMM_WORLD,
                           &requests[1]));
            MUST(MPI_Isend(out, LONG, MPI_INT, after, 11, MPI_COMM_WORLD, &requests[2]));
            MUST(MPI_Irecv(&code, 1, MPI_INT, victim, 12, MPI_COMM_WORLD, &requests[3]));
            MUST(MPI_Send(&early, 1, MPI_INT, after, 13, MPI_COMM_WORLD));
            MUST(MPI_Irecv(&soon, 1, MPI_INT, ahead, 15, MPI_COMM_WORLD, &next));
        }
        MUST(MPI_Barrier(MPI_COMM_WORLD));
        /* Nobody dies before all have left the barrier. */
        if (me != victim)
            MUST(MPI_Send(NULL, 0, MPI_INT, victim, 14, MPI_COMM_WORLD));
        for (int other = 1; me == victim && other < size; other++)
            MUST(MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 14, MPI_COMM_WORLD, &status));
        if (me == victim)
            raise(SIGKILL);
        code = MPI_Wait(&requests[3], &status);
        if (code != MPI_ERR_OTHER || status.MPI_SOURCE != victim || requests[3] != MPI_REQUEST_NULL)
            fail("the receive from the dead says", code);
        /* One of the receives may tell of the death: MPI_ANY_SOURCE does, once. */
        code = MPI_Wait(&requests[1], &status);
        if (code != MPI_ERR_OTHER || status.MPI_SOURCE != victim)
            fail("the receive from anybody says", code);
        MUST(MPI_Irecv(&before[1], 1, MPI_INT, MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, &requests[1]));
        MPI_Comm again;
        MUST(MPI_Comm_dup(MPI_COMM_WORLD, &again));
        MUST(MPI_Comm_free(&again));
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int count, one = 1, living = size;
    int after = -1, ahead = -1, is_shrunk = size < old_size;
    if (!fresh) {
        if (is_shrunk) {
            after = (rank + 1) % size;
            ahead = (rank + size - 1) % size;
        } else {
            after = (me + 1) % size == victim ? victim + 1 : (me + 1) % size;
            ahead = (me + size - 1) % size == victim ? victim - 1 : (me + size - 1) % size;
        }
        /* Sent at once: the receiver may not have come so far. */
        MUST(MPI_Send(&rank, 1, MPI_INT, after, 15, MPI_COMM_WORLD));
        MUST(MPI_Wait(&next, &status));
        if (soon != ahead || status.MPI_SOURCE != ahead)
            fail("the first message after the recovery came from", soon);
    }
    MUST(MPI_Allreduce(&one, &count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    if (!fresh) {
        int late = 100 + rank;
        MUST(MPI_Send(&late, 1, MPI_INT, after, 9, MPI_COMM_WORLD));
        MUST(MPI_Send(&late, 1, MPI_INT, after, 10, MPI_COMM_WORLD));
        MUST(MPI_Recv(in, LONG, MPI_INT, ahead, 11, MPI_COMM_WORLD, &status));
        if (status.MPI_SOURCE != ahead || in[8] % 1000 != 1)
            fail("the long message came from", status.MPI_SOURCE);
        int early = -1;
        MUST(MPI_Recv(&early, 1, MPI_INT, MPI_ANY_SOURCE, 13, MPI_COMM_WORLD, &status));
        if (status.MPI_SOURCE != ahead || early != in[0] / 1000)
            fail("the early message came from", status.MPI_SOURCE);
        for (int i = 0; i < 3; i++) {
            MUST(MPI_Wait(&requests[i], &status));
            if (i < 2 && (status.MPI_SOURCE != ahead || before[i] != 100 + ahead))
                fail("a receive of before the recovery got", before[i]);
        }
    }
    MUST(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        printf("%d of %d go on\n", count, living);
    MPI_Finalize();
    return 0;
}
