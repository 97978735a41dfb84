/* Ranks die one after the other and nobody takes their places; whoever is given their data adds
 * them to its own, so that no number is ever lost. By SHRINK, BLANK, or ULFM's shrink.
 *
 *     checkpoint_fewer SCHEME shrink|blank|ulfm LAST     (until LAST ranks are left)
 */
#include <mpi.h>
#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ftmpi.h"

enum { ROOM = 64 };

static long number[ROOM];
static int numbers;
static FTCK ck;
static MPI_Comm comm;

#define MUST(call)                                                                                 \
    do {                                                                                           \
        int code_ = (call);                                                                        \
        if (code_ != MPI_SUCCESS) {                                                                \
            fprintf(stderr, "rank %d: %s: %d\n", ftmpi_rank_in_job(), #call, code_);               \
            MPI_Abort(MPI_COMM_WORLD, 3);                                                          \
        }                                                                                          \
    } while (0)

static void recover(int is_ulfm)
{
    if (is_ulfm) {
        MPI_Comm left;
        MUST(MPIX_Comm_shrink(comm, &left));
        MPI_Comm_set_errhandler(left, MPI_ERRORS_RETURN);
        if (comm != MPI_COMM_WORLD)
            MPI_Comm_free(&comm);
        comm = left;
        MUST(FTCK_Set_comm(ck, comm));
        return;
    }
    MPI_Comm repaired = FT_MPI_CHECK_RECOVER;
    while (MPI_Comm_dup(MPI_COMM_WORLD, &repaired) != MPI_SUCCESS)
        repaired = FT_MPI_CHECK_RECOVER;
    MPI_Comm_free(&repaired);
}

/* What those had who are there no more. */
static void adopt(void)
{
    int ranks[ROOM], count;
    MUST(FTCK_Orphans(ck, ROOM, ranks, &count));
    for (int i = 0; i < count; i++) {
        long theirs[ROOM];
        int many;
        MUST(FTCK_Adopt(ck, ranks[i], 0, &many, 1, MPI_INT));
        MUST(FTCK_Adopt_c(ck, ranks[i], 1, theirs, ROOM, MPI_LONG));
        memcpy(number + numbers, theirs, many * sizeof *theirs);
        numbers += many;
    }
}

int main(int argc, char **argv)
{
    int is_ulfm = strcmp(argv[2], "ulfm") == 0, last = atoi(argv[3]), all, me;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    comm = MPI_COMM_WORLD;
    MPI_Comm_size(comm, &all);
    MPI_Comm_rank(comm, &me);
    number[numbers++] = (me + 1) * (me + 1);
    MUST(FTCK_Create(comm, argv[1], &ck));
    MUST(FTCK_Register(ck, 0, &numbers, 1, MPI_INT));
    MUST(FTCK_Register(ck, 1, number, ROOM, MPI_LONG));
    for (int living = all; living > last; living--) {
        int version;
        MUST(FTCK_Checkpoint(ck, living));
        /* What came after the checkpoint is undone. */
        number[0] += 1000;
        if (me == all - living)
            raise(SIGKILL);
        while (MPI_Barrier(comm) == MPI_SUCCESS)
            ;
        recover(is_ulfm);
        MUST(FTCK_Restore(ck, &version));
        if (version != living)
            MPI_Abort(MPI_COMM_WORLD, 4);
        adopt();
    }
    long mine = 0, sum = 0;
    for (int i = 0; i < numbers; i++)
        mine += number[i];
    MUST(MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, comm));
    if (me == all - 1)
        printf("%ld\n", sum);
    FTCK_Free(&ck);
    MPI_Finalize();
    return 0;
}
