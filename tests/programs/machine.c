/* Each rank says on which node it sits: when its life begins, and after a barrier in which those
 * may die who are ordered to. */
#include <mpi.h>
#include <stdio.h>

static void say(const char *when)
{
    char name[MPI_MAX_PROCESSOR_NAME];
    int length, rank;
    MPI_Get_processor_name(name, &length);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("%s: rank %d at %s\n", when, rank, name);
}

int main(int argc, char **argv)
{
    int is_fresh = MPI_Init(&argc, &argv) == MPI_INIT_RESTARTED_PROCS;
    say(is_fresh ? "again" : "first");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    while (MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS) {
        MPI_Comm whole;
        if (MPI_Comm_dup(MPI_COMM_WORLD, &whole) == MPI_SUCCESS)
            MPI_Comm_free(&whole);
    }
    say("then");
    MPI_Finalize();
    return 0;
}
