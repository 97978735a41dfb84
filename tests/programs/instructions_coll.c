/* How many instructions collective operations on 8 bytes take at a member that need not wait: the
 * last one to come, or one that only gives. Prints `CALL COUNT` for each. */
#define _GNU_SOURCE
#include "check.h"
#include "counting.h"

#define W MPI_COMM_WORLD

static double mine, all[4096];

enum { BARRIER, BCAST, REDUCE, ALLREDUCE, GATHER };

static void call(int kind)
{
    switch (kind) {
    case BARRIER: MPI_Barrier(W); break;
    case BCAST: MPI_Bcast(&mine, 1, MPI_DOUBLE, 0, W); break;
    case REDUCE: MPI_Reduce(&mine, all, 1, MPI_DOUBLE, MPI_SUM, 0, W); break;
    case ALLREDUCE: MPI_Allreduce(&mine, all, 1, MPI_DOUBLE, MPI_SUM, W); break;
    case GATHER: MPI_Gather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, W); break;
    }
}

/* How many others have arrived. Where they wait for the one who counts, they say so just before;
 * where they do not, afterwards. */
static volatile int own_arrived[ROUNDS], *arrived = own_arrived;

static int waits_for_all(int kind)
{
    return kind == BARRIER || kind == ALLREDUCE;
}

/* `who` counts, as the first one to come or as the last one. */
static void counted(const char *name, int kind, int who, int is_first)
{
    long counts[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Barrier(W);
        if (rank == 0)
            arrived[round] = shared->turn = 0;
        MPI_Barrier(W);
        if (rank != who) {
            if (is_first)
                await_turn(1);
            if (waits_for_all(kind))
                __atomic_add_fetch(&arrived[round], 1, __ATOMIC_SEQ_CST);
            call(kind);
            if (!waits_for_all(kind))
                __atomic_add_fetch(&arrived[round], 1, __ATOMIC_SEQ_CST);
            continue;
        }
        for (int looks = 0; !is_first && looks < 300; looks += arrived[round] == size - 1)
            sched_yield();
        /* Who has kept others waiting for the core makes room for them at the next call. */
        MPI_Comm_size(W, &size);
        counts[round] = COUNTED(call(kind));
        shared->turn = 1;
    }
    if (rank == who) {
        /* Of those who wait, some sleep already, and are woken. */
        printf("%s %ld\n", name, ranked(counts, 0));
        fflush(stdout);
    }
}

int main(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    MPI_Bcast(&arrived, sizeof arrived, MPI_BYTE, 0, W);
    begin_to_count(MPI_COMM_WORLD);
    for (int i = 0; i < 100; i++)
        for (int kind = BARRIER; kind <= GATHER; kind++)
            call(kind);
    counted("barrier", BARRIER, 0, 0);
    counted("bcast-root", BCAST, 0, 1);
    counted("bcast", BCAST, 1, 0);
    counted("reduce", REDUCE, 1, 1);
    counted("reduce-root", REDUCE, 0, 0);
    counted("allreduce", ALLREDUCE, 0, 0);
    counted("gather", GATHER, 1, 1);
    counted("gather-root", GATHER, 0, 0);
    MPI_Finalize();
    return 0;
}
