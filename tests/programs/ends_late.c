/* Rank 0 fails after its MPI_Finalize, with the exit code 7 or (`signal`) by SIGTERM. `alone`: rank
 * 2 has died, and rank 1 goes to its end only once ftrun has told of rank 0; `recovered`: the same,
 * and rank 1 recovers then; `together`: nobody dies and nobody waits. */
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "check.h"
#include "ftmpi.h"

static int is(const char *one, const char *other)
{
    return strcmp(one, other) == 0;
}

/* Passes on what the job says on stderr until it has said these words. */
static void await_words(int from, int to, const char *words)
{
    static char said[1 << 14];
    size_t bytes = 0;
    while (!strstr(said, words)) {
        ssize_t got = read(from, said + bytes, sizeof said - 1 - bytes);
        CHECK(got > 0);
        CHECK(write(to, said + bytes, got) == got);
        bytes += got;
    }
    CHECK(dup2(to, 2) == 2);
}

static int end(const char *how)
{
    MPI_Finalize();
    if (is(how, "signal"))
        raise(SIGTERM);
    return 7;
}

int main(int argc, char **argv)
{
    int ends[2], real = -1;
    int is_fresh = MPI_Init(&argc, &argv) != MPI_SUCCESS;
    rank = ftmpi_rank_in_job();
    if (!is_fresh && is(argv[1], "together"))
        return rank == 0 ? end(argv[2]) : MPI_Finalize();
    if (!is_fresh) {
        if (rank == 1) {
            CHECK((real = dup(2)) > 2 && pipe(ends) == 0);
            CHECK(dup2(ends[1], 2) == 2);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 2)
            raise(SIGKILL);
        if (rank == 0)
            return end(argv[2]);
        if (rank == 1)
            await_words(ends[0], real, "rank 0 ");
        if (is(argv[1], "recovered")) {
            MPI_Comm again;
            while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
                ;
            MPI_Comm_dup(MPI_COMM_WORLD, &again);
        }
    }
    return MPI_Finalize();
}
