/* Ranks that another launcher has started.
 *
 *     launched alone            says of how many it is one
 *     launched abort RANK CODE  this rank ends the job by MPI_Abort
 *     launched late RANK        this rank never calls MPI
 *     launched child            rank 0 starts this program, which is then alone
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "alone";
    int rank, size;
    if (!strcmp(what, "late")) {
        const char *numbers[] = {getenv("PMI_RANK"), getenv("PMIX_RANK")};
        const char *own = numbers[0] ? numbers[0] : numbers[1];
        if (own && !strcmp(own, argv[2]))
            for (;;)
                pause();
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(what, "abort")) {
        if (rank == atoi(argv[2]))
            MPI_Abort(MPI_COMM_WORLD, atoi(argv[3]));
        for (;;)
            pause();
    }
    printf("rank %d of %d\n", rank, size);
    fflush(stdout);
    if (!strcmp(what, "child") && rank == 0) {
        char command[4096];
        snprintf(command, sizeof command, "exec %s alone", argv[0]);
        if (system(command) != 0)
            return 3;
    }
    MPI_Finalize();
    return 0;
}
