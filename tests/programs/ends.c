/* The ways in which a rank comes to MPI and leaves it, one for each argument. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, victim;

static int is(const char *one, const char *other)
{
    return strcmp(one, other) == 0;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    int flag, value;
    if (is(way, "no-mpi"))
        return 0;
    if (is(way, "before-init"))
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (is(way, "any-time")) {
        char text[MPI_MAX_LIBRARY_VERSION_STRING];
        MPI_Initialized(&flag);
        printf("%d", flag);
        MPI_Finalized(&flag);
        MPI_Get_version(&value, &value);
        MPI_Get_library_version(text, &value);
        printf("%d", flag);
    }
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    victim = size / 2;
    if (is(way, "init-twice"))
        MPI_Init(&argc, &argv);
    if (is(way, "fatal"))
        MPI_Bcast(&value, -1, MPI_INT, 0, MPI_COMM_WORLD);
    if (is(way, "errors-abort")) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ABORT);
        MPI_Bcast(&value, 1, MPI_INT, size, MPI_COMM_WORLD);
    }
    if (is(way, "window"))
        MPI_Win_create(NULL, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, (MPI_Win[1]){0});
    if (is(way, "file")) {
        MPI_File file;
        int code = MPI_File_open(MPI_COMM_SELF, "none", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
        printf("%d\n", code == MPI_ERR_NO_SUCH_FILE);
    }
    if (is(way, "printed"))
        printf("printed by %d\n", rank);
    if (rank == victim && is(way, "abort"))
        MPI_Abort(MPI_COMM_WORLD, atoi(argv[2]));
    if (rank == victim && (is(way, "printed") || is(way, "self")))
        MPI_Abort(MPI_COMM_SELF, 7);
    if (rank == victim && is(way, "no-finalize"))
        return 0;
    if (rank == victim && is(way, "exit"))
        exit(9);
    /* The others wait for the victim, until the job ends. */
    MPI_Barrier(MPI_COMM_WORLD);
    if (is(way, "any-time"))
        MPI_Initialized(&flag), printf("%d", flag);
    MPI_Finalize();
    if (is(way, "any-time")) {
        MPI_Initialized(&flag);
        printf("%d", flag);
        MPI_Finalized(&flag);
        printf("%d\n", flag);
    }
    if (is(way, "after-finalize"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (is(way, "finalize-twice"))
        MPI_Finalize();
    return rank == victim && is(way, "status") ? 5 : 0;
}
