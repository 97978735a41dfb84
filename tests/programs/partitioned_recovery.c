/* A ring of partitioned messages goes on after recoveries, with requests that are made anew, and
 * with what the ranks have left of before. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 60, SHORT = 12, LONG = 24000, KINDS = 2 };

static int rank, size, restarted, step;
static int *give_[KINDS], *take_[KINDS];
static MPI_Request requests[2 * KINDS];

static int value(int source, int kind, int index)
{
    return 100000 * step + 1000 * source + 500 * kind + index % 499;
}

/* Requests for this ring: to the right, and from the left, all with one tag. */
static int make(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, code = MPI_SUCCESS;
    for (int kind = 0; kind < KINDS && code == MPI_SUCCESS; kind++) {
        int count = kind ? LONG : SHORT;
        code = MPI_Psend_init(give_[kind], 4, count / 4, MPI_INT, right, 3, MPI_COMM_WORLD,
                              MPI_INFO_NULL, &requests[kind]);
        if (code == MPI_SUCCESS)
            code = MPI_Precv_init(take_[kind], 3, count / 3, MPI_INT, left, 3, MPI_COMM_WORLD,
                                  MPI_INFO_NULL, &requests[KINDS + kind]);
    }
    return code;
}

static int one_step(void)
{
    int left = (rank + size - 1) % size, code;
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < (kind ? LONG : SHORT); i++)
            give_[kind][i] = value(rank, kind, i);
    if ((code = MPI_Startall(2 * KINDS, requests)) != MPI_SUCCESS)
        return code;
    for (int part = 0; part < 4; part++)
        for (int kind = 0; kind < KINDS; kind++)
            if ((code = MPI_Pready(part, requests[kind])) != MPI_SUCCESS)
                return code;
    for (int i = 0; i < 2 * KINDS; i++)
        if ((code = MPI_Wait(&requests[i], MPI_STATUS_IGNORE)) != MPI_SUCCESS)
            return code;
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < (kind ? LONG : SHORT); i++)
            if (take_[kind][i] != value(left, kind, i))
                MPI_Abort(MPI_COMM_WORLD, 3);
    return MPI_SUCCESS;
}

static void begin(void)
{
    for (int kind = 0; kind < KINDS; kind++) {
        give_[kind] = malloc((kind ? LONG : SHORT) * sizeof(int));
        take_[kind] = malloc((kind ? LONG : SHORT) * sizeof(int));
    }
    for (int i = 0; i < 2 * KINDS; i++)
        requests[i] = MPI_REQUEST_NULL;
}

/* What was under way ends, well or not, and is forgotten. Under CONT it goes on, and nobody is
 * there to end it: it is left behind, with its memory. */
static void forget(int is_cont)
{
    if (is_cont)
        begin();
    for (int i = 0; i < 2 * KINDS; i++)
        if (requests[i] != MPI_REQUEST_NULL) {
            if (i < KINDS)
                for (int part = 0; part < 4; part++)
                    MPI_Pready(part, requests[i]);
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
            if (MPI_Request_free(&requests[i]) != MPI_SUCCESS)
                MPI_Abort(MPI_COMM_WORLD, 4);
        }
}

static int ring(void)
{
    int code = MPI_Allreduce(MPI_IN_PLACE, &step, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (code == MPI_SUCCESS)
        code = make();
    for (; step < STEPS && code == MPI_SUCCESS; step++)
        code = one_step();
    int lives = restarted;
    if (code == MPI_SUCCESS)
        code = MPI_Allreduce(MPI_IN_PLACE, &lives, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (code == MPI_SUCCESS && rank == 0)
        printf("%d ranks, %d restarted\n", size, lives);
    return code;
}

int main(int argc, char **argv)
{
    restarted = MPI_Init(&argc, &argv) == MPI_INIT_RESTARTED_PROCS;
    begin();
    for (;;) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        if (ring() == MPI_SUCCESS)
            break;
        MPI_Comm repaired = FT_MPI_CHECK_RECOVER;
        while (MPI_Comm_dup(MPI_COMM_WORLD, &repaired) != MPI_SUCCESS)
            repaired = FT_MPI_CHECK_RECOVER;
        MPI_Comm_free(&repaired);
        forget(argc > 1);
    }
    for (int i = 0; i < 2 * KINDS; i++)
        MPI_Request_free(&requests[i]);
    for (int kind = 0; kind < KINDS; kind++) {
        free(give_[kind]);
        free(take_[kind]);
    }
    return MPI_Finalize();
}
