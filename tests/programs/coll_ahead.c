/* Members that only give, or only get, run ahead of a root that is slow now and then: nobody loses
 * his way, and nobody sleeps for ever. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 2000 };

static int rank, size;

static void expect(int is_so, const char *what, int round)
{
    if (is_so)
        return;
    fprintf(stderr, "rank %d, round %d: %s\n", rank, round, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void work(int steps)
{
    static volatile double x = 1;
    for (int i = 0; i < steps; i++)
        x = x * 0.5 + 1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *all = malloc(sizeof(int) * (size_t)size);
    for (int round = 0; round < ROUNDS; round++) {
        int root = round / 100 % size, mine = rank + round, sum = -1, shared = -1;
        if (rank == root && round % 50 == 7)
            work(200000);
        MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
        MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, root, MPI_COMM_WORLD);
        if (rank == root) {
            expect(sum == size * (size - 1) / 2 + size * round, "the sum", round);
            for (int i = 0; i < size; i++)
                expect(all[i] == i + round, "what was gathered", round);
        }
        if (round % 3 == 0) {
            shared = rank == root ? round : -1;
            MPI_Bcast(&shared, 1, MPI_INT, root, MPI_COMM_WORLD);
            expect(shared == round, "what was broadcast", round);
        }
        if (round % 400 == 399)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    free(all);
    MPI_Finalize();
    return 0;
}
