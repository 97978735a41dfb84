/* What programs of FT-MPI in this directory share: ranks add up numbers, step by step; whoever
 * knows most after a failure tells the others. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 4

static int rank, size, restarted;

static void begin(int *argc, char ***argv)
{
    restarted = MPI_Init(argc, argv) == MPI_INIT_RESTARTED_PROCS;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/* Until a recovery has met no other failure. */
static inline void recover(void)
{
    MPI_Comm repaired = FT_MPI_CHECK_RECOVER;
    while (MPI_Comm_dup(MPI_COMM_WORLD, &repaired) != MPI_SUCCESS)
        repaired = FT_MPI_CHECK_RECOVER;
    MPI_Comm_free(&repaired);
}

/* How far a rank is: the steps, and their sum. */
struct state {
    long step, sum;
};

/* All go on from the state of whoever is furthest. */
static inline int restore(struct state *s)
{
    long mine = s->step << 32 | s->sum, best;
    int code = MPI_Allreduce(&mine, &best, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    if (code == MPI_SUCCESS) {
        s->step = best >> 32;
        s->sum = best & 0xffffffff;
    }
    return code;
}

static inline int step(struct state *s)
{
    long mine = (rank + 1) * (s->step + 1), all;
    int code = MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (code == MPI_SUCCESS) {
        s->sum += all;
        s->step++;
    }
    return code;
}

static inline void tell(const struct state *s)
{
    if (rank == 0) {
        printf("sum %ld\n", s->sum);
        fflush(stdout);
    }
}
