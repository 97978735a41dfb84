/* Ranks die, again and again, and are built up again: after every recovery all ranks are there, at
 * their places, and an allreduce over them is right.
 *
 * rebuild ROUNDS VICTIMS [HOW]: in every round so many ranks die, by HOW: `raise` (SIGKILL),
 * `exit`, `segv`. The state of the job is a number of rounds done, which survivors hand on. */
#include <ft-mpi-modes.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, fresh;

static void fail(const char *what, int code)
{
    fprintf(stderr, "rank %d: %s: %d\n", rank, what, code);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void die(const char *how)
{
    if (strcmp(how, "exit") == 0)
        exit(7);
    if (strcmp(how, "segv") == 0)
        *(volatile int *)0 = 1;
    raise(SIGKILL);
}

/* All ranks go on together once everybody knows how many rounds are done. */
static int recover(void)
{
    MPI_Comm again;
    int code;
    while ((code = MPI_Comm_dup(MPI_COMM_WORLD, &again)) == MPI_ERR_OTHER)
        ;
    if (code != MPI_SUCCESS)
        return code;
    int order;
    MPI_Comm_compare(MPI_COMM_WORLD, again, &order);
    if (order != MPI_CONGRUENT)
        fail("the repaired communicator compares as", order);
    return MPI_Comm_free(&again);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    int victims = argc > 2 ? atoi(argv[2]) : 1;
    const char *how = argc > 3 ? argv[3] : "raise";
    int code = MPI_Init(&argc, &argv);
    fresh = code != MPI_SUCCESS;
    if (fresh && code != MPI_INIT_RESTARTED_PROCS)
        fail("MPI_Init returned", code);
    const char *life = getenv("FTMPI_INCARNATION");
    if ((life != NULL && atoi(life) > 0) != fresh)
        fail("the environment says otherwise", fresh);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int done = fresh ? -1 : 0, started = 0;
    for (;;) {
        int most, sum, one = rank + 1;
        code = MPI_Allreduce(&done, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (code == MPI_SUCCESS)
            code = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (code == MPI_SUCCESS && sum != size * (size + 1) / 2)
            fail("the sum is wrong", sum);
        if (code == MPI_SUCCESS) {
            done = most;
            if (done >= rounds)
                break;
            /* Those who are to die in this round. */
            int first = (done * 7) % size, mine = (rank - first + size) % size;
            if (mine < victims)
                die(how);
            /* The survivors meet until they notice. */
            while ((code = MPI_Barrier(MPI_COMM_WORLD)) == MPI_SUCCESS)
                ;
            started = 1;
        }
        if (code != MPI_ERR_OTHER)
            fail("a failure is called", code);
        if ((code = recover()) != MPI_SUCCESS)
            fail("no recovery", code);
        done += started;
        started = 0;
    }
    MPI_Finalize();
    if (rank == 0)
        printf("%d rounds, %d ranks\n", done, size);
    return 0;
}
