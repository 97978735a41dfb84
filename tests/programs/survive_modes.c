/* Ranks die, and the others continue without them: by SHRINK with contiguous ranks, by BLANK with
 * gaps where the dead were. One rank dies after the other, until one is left.
 *
 * survive_modes shrink|blank [FIRST]: ranks die in their order from FIRST on (as numbered at the
 * beginning), and rank FIRST - 1 is the last. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ftmpi.h"

static void fail(const char *what, int code)
{
    fprintf(stderr, "rank %d: %s: %d\n", ftmpi_rank_in_job(), what, code);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

#define MUST(call)                                                                                 \
    do {                                                                                           \
        int code_ = (call);                                                                        \
        if (code_ != MPI_SUCCESS)                                                                  \
            fail(#call, code_);                                                                    \
    } while (0)

int main(int argc, char **argv)
{
    int is_blank = argc > 1 && strcmp(argv[1], "blank") == 0;
    int first = argc > 2 ? atoi(argv[2]) : 0;
    int size, rank, me = ftmpi_rank_in_job(), all;
    MUST(MPI_Init(&argc, &argv));
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    int *seen = malloc(sizeof *seen * all);
    for (int dead = 0; dead < all; dead++) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        int living = all - dead;
        if (size != (is_blank ? all : living))
            fail("the size is", size);
        if (is_blank && rank != me)
            fail("the rank is", rank);
        /* Everybody's number comes to everybody; gaps are left alone. */
        for (int i = 0; i < all; i++)
            seen[i] = -7;
        MUST(MPI_Allgather(&me, 1, MPI_INT, seen, 1, MPI_INT, MPI_COMM_WORLD));
        for (int i = 0, alive = 0; i < size; i++) {
            int is_gap = is_blank && (i - first + all) % all < dead;
            if (is_gap ? seen[i] != -7 : is_blank && seen[i] != i)
                fail("a block of the allgather is", seen[i]);
            if (!is_gap && ++alive > 1 && !is_blank && seen[i] <= seen[i - 1])
                fail("the order is lost at", i);
        }
        int sum = 0, want = 0;
        MUST(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        for (int i = dead; i < all; i++)
            want += (first + i) % all;
        if (sum != want)
            fail("the sum is", sum);
        /* A ring of those who live. */
        int after = rank, before = rank, number = -1;
        do
            after = (after + 1) % size;
        while (seen[after] == -7);
        do
            before = (before + size - 1) % size;
        while (seen[before] == -7);
        MUST(MPI_Sendrecv(&me, 1, MPI_INT, after, 5, &number, 1, MPI_INT, before, 5,
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        if (number != seen[before])
            fail("the neighbour said", number);
        int root = -1;
        while (seen[++root] == -7)
            ;
        int gift = rank == root ? 4711 : 0;
        MUST(MPI_Bcast(&gift, 1, MPI_INT, root, MPI_COMM_WORLD));
        if (gift != 4711)
            fail("the root gave", gift);
        if (is_blank && dead > 0) {
            MUST(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
            int code = MPI_Send(&me, 1, MPI_INT, first, 0, MPI_COMM_WORLD);
            if (code != MPI_ERR_RANK)
                fail("a send into a gap says", code);
            code = MPI_Bcast(&gift, 1, MPI_INT, first, MPI_COMM_WORLD);
            if (code != MPI_ERR_ROOT)
                fail("a root in a gap says", code);
        }
        if (dead == all - 1)
            break;
        MPI_Comm part;
        MUST(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &part));
        int members;
        MPI_Comm_size(part, &members);
        if (members != living)
            fail("a split has", members);
        /* Nobody dies while others are still in there. */
        int victim = 0;
        while (seen[victim] != (first + dead) % all)
            victim++;
        if (rank != victim)
            MUST(MPI_Send(NULL, 0, MPI_INT, victim, 6, MPI_COMM_WORLD));
        for (int other = 0; rank == victim && other < size; other++)
            if (other != victim && seen[other] != -7)
                MUST(MPI_Recv(NULL, 0, MPI_INT, other, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        if (rank == victim)
            raise(SIGKILL);
        int code;
        while ((code = MPI_Barrier(MPI_COMM_WORLD)) == MPI_SUCCESS)
            ;
        if (code != MPI_ERR_OTHER)
            fail("the death is called", code);
        MPI_Comm again;
        MUST(MPI_Comm_dup(MPI_COMM_WORLD, &again));
        MUST(MPI_Comm_free(&again));
        if (MPI_Barrier(part) != MPI_ERR_OTHER)
            fail("a stale communicator works", 0);
        MUST(MPI_Comm_free(&part));
    }
    printf("rank %d is left\n", me);
    MPI_Finalize();
    return 0;
}
