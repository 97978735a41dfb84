/* The listings of Fagg and Dongarra's paper with the calls that it names: an error handler is
 * installed (example 5), a send fails, failures are read in their order (1) and by rank (2), and
 * MPI_Comm_dup recovers (3). Rank 1 dies, and later rank 2. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>

enum { DEATHS = 2 };

static int handled;

static void errhandleruserfunc(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    handled += *code == MPI_ERR_OTHER;
}

static void install_handler(MPI_Comm MCW)
{
    MPI_Errhandler errh, errh_org;
    MPI_Handler_function *ehf = (MPI_Handler_function *)(&errhandleruserfunc);
    MPI_Errhandler_create(ehf, &errh);
    MPI_Errhandler_get(MCW, &errh_org);
    MPI_Errhandler_free(&errh_org);
    MPI_Errhandler_set(MCW, errh);
}

static void tell_failures(MPI_Comm comm)
{
    int key = FT_MPI_LIST_NUM_FAILED, key2 = FT_MPI_LIST_FAILED, num_failed, flag, *failed_ptr;
    MPI_Comm_get_attr(comm, key, &num_failed, &flag);
    MPI_Comm_get_attr(comm, key2, &failed_ptr, &flag);
    for (int i = 0; i < num_failed; i++)
        printf("failure %d was rank %d\n", i + 1, failed_ptr[i]);
    key = FT_MPI_COM_NUM_FAILED, key2 = FT_MPI_COM_FAILED;
    MPI_Comm_get_attr(comm, key, &num_failed, &flag);
    MPI_Comm_get_attr(comm, key2, &failed_ptr, &flag);
    printf("%d ranks failed, rank 1 %d times, rank 2 %d times\n", num_failed, failed_ptr[1],
           failed_ptr[2]);
}

int main(int argc, char **argv)
{
    int rank, left = DEATHS, word = 0;
    int is_restarted = MPI_Init(&argc, &argv) == MPI_INIT_RESTARTED_NODE;
    MPI_Comm com = MPI_COMM_WORLD, newcom;
    install_handler(com);
    MPI_Comm_rank(com, &rank);
    for (;;) {
        /* How many deaths are to come yet; a replacement does not know. */
        int mine = is_restarted ? DEATHS : left;
        int rc = MPI_Allreduce(&mine, &left, 1, MPI_INT, MPI_MIN, com);
        if (rc == MPI_SUCCESS && left > 0 && rank == DEATHS + 1 - left)
            raise(SIGKILL);
        while (rc == MPI_SUCCESS && left > 0)
            rc = rank == 0 ? MPI_Send(&word, 1, MPI_INT, DEATHS + 1 - left, 0, com)
                           : MPI_Barrier(com);
        if (rc == MPI_SUCCESS)
            break;
        if (rc == MPI_ERR_OTHER) {
            if (rank == 0)
                tell_failures(com);
            MPI_Comm_dup(com, &newcom);
            MPI_Comm_free(&com);
            com = newcom;
            left--;
        }
    }
    if (rank == 0)
        printf("the handler was called %s\n", handled >= DEATHS ? "for each" : "too rarely");
    return MPI_Finalize();
}
