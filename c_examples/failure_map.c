/* Who has failed, in which order, and how often: attributes, read in an error handler and after
 * the recovery (Fagg & Dongarra 2000). Rank 3 dies, and rank 1 as soon as it hears of that.
 *
 *     ftrun -np 5 ./failure_map
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>

static int rank, restarted, heard;

/* Called with the error: every call of MPI may be made in here. */
static void handler(MPI_Comm *comm, int *code, ...)
{
    int failed, flag;
    MPI_Attr_get(*comm, FT_MPI_LIST_NUM_FAILED, &failed, &flag);
    if (*code == MPI_ERR_OTHER && flag)
        heard = failed;
    if (rank == 1 && !restarted)
        raise(SIGKILL);
}

int main(int argc, char **argv)
{
    int size, failed, flag, *list, *map;
    restarted = MPI_Init(&argc, &argv) == MPI_INIT_RESTARTED_PROCS;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Errhandler errhandler;
    MPI_Comm_create_errhandler(handler, &errhandler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler);
    if (size < 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    if (!restarted) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 3)
            raise(SIGKILL);
        while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
            ;
        MPI_Comm repaired = FT_MPI_CHECK_RECOVER;
        if (heard < 1 || MPI_Comm_dup(MPI_COMM_WORLD, &repaired) != MPI_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 3);
        MPI_Comm_free(&repaired);
    }
    MPI_Attr_get(MPI_COMM_WORLD, FT_MPI_LIST_NUM_FAILED, &failed, &flag);
    MPI_Attr_get(MPI_COMM_WORLD, FT_MPI_LIST_FAILED, &list, &flag);
    MPI_Attr_get(MPI_COMM_WORLD, FT_MPI_COM_FAILED, &map, &flag);
    if (rank == 0) {
        printf("failed in this order:");
        for (int event = 0; event < failed; event++)
            printf(" %d", list[event]);
        printf("\nhow often each rank:");
        for (int other = 0; other < size; other++)
            printf(" %d", map[other]);
        printf("\n");
    }
    MPI_Errhandler_free(&errhandler);
    return MPI_Finalize();
}
