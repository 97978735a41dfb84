/* Two parents and two children talk in all ways, and one of the four dies by --kill. Whoever lives
 * makes all calls, whatever they return, and says at the end whether some have failed; the
 * replacement of the dead makes none. */
#include "dynamic.h"

static int failures;

static void note(int code)
{
    failures += code != MPI_SUCCESS;
}

static void returns(MPI_Comm comm)
{
    if (comm != MPI_COMM_NULL)
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
}

static void talk(MPI_Comm inter, int is_parent)
{
    MPI_Comm all = MPI_COMM_NULL, copy = MPI_COMM_NULL;
    char large[100000] = "", got[100000];
    int root = is_parent ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, number = 1, sum = 0;
    note(MPI_Sendrecv(&number, 1, MPI_INT, rank, 1, &sum, 1, MPI_INT, rank, 1, inter,
                      MPI_STATUS_IGNORE));
    note(MPI_Sendrecv(large, sizeof large, MPI_CHAR, rank, 2, got, sizeof got, MPI_CHAR, rank, 2,
                      inter, MPI_STATUS_IGNORE));
    note(MPI_Bcast(&number, 1, MPI_INT, root, inter));
    note(MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, inter));
    note(MPI_Comm_dup(inter, &copy));
    returns(copy);
    if (copy != MPI_COMM_NULL)
        note(MPI_Barrier(copy));
    note(MPI_Intercomm_merge(inter, !is_parent, &all));
    returns(all);
    if (all != MPI_COMM_NULL)
        note(MPI_Allgather(&number, 1, MPI_INT, got, 1, MPI_INT, all));
    if (copy != MPI_COMM_NULL)
        note(MPI_Comm_disconnect(&copy));
    note(MPI_Comm_disconnect(&inter));
}

int main(int argc, char **argv)
{
    MPI_Comm inter;
    char *args[] = {"child", NULL};
    int is_new = MPI_Init(&argc, &argv) == MPI_INIT_RESTARTED_PROCS;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&inter);
    returns(MPI_COMM_WORLD);
    int is_parent = inter == MPI_COMM_NULL;
    if (is_new) {
        MPI_Finalize();
        return 0;
    }
    if (is_parent)
        note(MPI_Comm_spawn(argv[0], args, 2, MPI_INFO_NULL, 1, MPI_COMM_WORLD, &inter,
                            MPI_ERRCODES_IGNORE));
    if (inter != MPI_COMM_NULL) {
        returns(inter);
        talk(inter, is_parent);
    }
    printf("%s %d %s\n", is_parent ? "parent" : "child", rank, failures ? "has heard" : "is done");
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
