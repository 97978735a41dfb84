/* Rank 3 dies again and again and is started anew; rank 2, of the same host, says how many more
 * files their agent has open in the end. */
#include <dirent.h>
#include <ftmpi.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int files_of_the_agent(void)
{
    char path[64];
    int count = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", getppid());
    DIR *directory = opendir(path);
    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count;
}

int main(int argc, char **argv)
{
    enum { DEATHS = 40 };
    int rank, life = 0, before = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (;;) {
        int mine = rank == 3 ? ftmpi_incarnation() : 0;
        int code = MPI_Allreduce(&mine, &life, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (code == MPI_SUCCESS && life == DEATHS)
            break;
        if (code == MPI_SUCCESS && rank == 3)
            raise(SIGKILL);
        if (code == MPI_SUCCESS && !before)
            before = files_of_the_agent();
        while (code == MPI_SUCCESS)
            code = MPI_Barrier(MPI_COMM_WORLD);
        while (code != MPI_SUCCESS) {
            MPI_Comm again = FT_MPI_CHECK_RECOVER;
            code = MPI_Comm_dup(MPI_COMM_WORLD, &again);
        }
    }
    if (rank == 2)
        printf("%d more\n", files_of_the_agent() - before);
    return MPI_Finalize();
}
