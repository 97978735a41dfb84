/* How many instructions calls take whose messages are there already. Prints `CALL COUNT` for each.
 * Two ranks take turns, so that no call has to wait. */
#define _GNU_SOURCE
#include "check.h"
#include "counting.h"

enum { WINDOW = 32, OTHERS = 88 };

/* The middle of many: now and then a table grows. */
static void tell(const char *call, long *counts, int each)
{
    printf("%s %ld\n", call, (ranked(counts, ROUNDS / 2) + each - 1) / each);
}

/* Rank 0 sends and counts; then rank 1 receives and counts. */
static int blocking(int from)
{
    long counts[ROUNDS];
    char data[8] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        await_turn(from + 2 * round + rank);
        if (rank == 0)
            counts[round] = COUNTED(MPI_Send(data, 8, MPI_BYTE, 1, 3, MPI_COMM_WORLD));
        else
            counts[round] = COUNTED(
                MPI_Recv(data, 8, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        shared->turn = from + 2 * round + rank + 1;
    }
    tell(rank == 0 ? "send" : "recv", counts, 1);
    return from + 2 * ROUNDS;
}

/* Rank 1 posts a window of receives, next to those that it has posted already; rank 0 sends as many
 * messages in another order; both wait. */
static int windows(int from)
{
    static MPI_Request requests[WINDOW];
    static char data[WINDOW][8];
    long starts[ROUNDS], waits[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        int first = from + 3 * round;
        if (rank == 0)
            await_turn(first + 1);
        else
            await_turn(first);
        starts[round] = 0;
        for (int i = 0; i < WINDOW; i++) {
            int tag = rank == 0 ? i * 7 % WINDOW : i;
            if (rank == 0)
                starts[round] += COUNTED(
                    MPI_Isend(data[i], 8, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &requests[i]));
            else
                starts[round] += COUNTED(
                    MPI_Irecv(data[i], 8, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &requests[i]));
        }
        if (rank == 1) {
            shared->turn = first + 1;
            await_turn(first + 2);
        }
        waits[round] = COUNTED(MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE));
        shared->turn = first + (rank == 0 ? 2 : 3);
    }
    tell(rank == 0 ? "isend" : "irecv", starts, WINDOW);
    tell(rank == 0 ? "waitall-of-sends" : "waitall-of-receives", waits, WINDOW);
    return from + 3 * ROUNDS;
}

/* A receive, its message, and a wait for it alone. */
static int single(int from)
{
    long counts[ROUNDS];
    char data[8] = {0};
    MPI_Request request;
    MPI_Status status;
    for (int round = 0; round < ROUNDS; round++) {
        int first = from + 3 * round;
        if (rank == 0) {
            await_turn(first + 1);
            MPI_Send(data, 8, MPI_BYTE, 1, 4, MPI_COMM_WORLD);
            shared->turn = first + 2;
        } else {
            await_turn(first);
            counts[round] = COUNTED(
                MPI_Irecv(data, 8, MPI_BYTE, 0, 4, MPI_COMM_WORLD, &request));
            shared->turn = first + 1;
            await_turn(first + 2);
            counts[round] += COUNTED(MPI_Wait(&request, &status));
            shared->turn = first + 3;
        }
    }
    if (rank == 1)
        tell("irecv+wait", counts, 1);
    return from + 3 * ROUNDS;
}

int main(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 500; i++) {
        char data[8] = {0};
        MPI_Send(data, 8, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD);
        MPI_Recv(data, 8, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    begin_to_count(MPI_COMM_WORLD);
    int from = single(windows(blocking(2)));
    MPI_Request others[OTHERS];
    for (int i = 0; i < OTHERS && rank == 1; i++)
        MPI_Irecv(NULL, 0, MPI_BYTE, 0, WINDOW + i, MPI_COMM_WORLD, &others[i]);
    windows(from);
    for (int i = 0; i < OTHERS; i++)
        if (rank == 1)
            MPI_Wait(&others[i], MPI_STATUS_IGNORE);
        else
            MPI_Send(NULL, 0, MPI_BYTE, 1, WINDOW + i, MPI_COMM_WORLD);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
