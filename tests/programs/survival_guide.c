/* A solver as Dongarra, Chen, Bosilca and Langou write it: codes of return are looked at, survivors
 * jump to where the environment and the data are recovered, and the last ranks hold sums of the
 * others' data with random weights, which are formed by MPI_Reduce.
 *
 *     survival_guide KEEPERS RANK...      these ranks die together in the middle
 */
#include <math.h>
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 50, MOST = 32, K = 10, STEPS = 40, NORMAL = 0, RECOVER };

typedef double Block[COUNT + 1];

static jmp_buf env;
static int rank, computing, keepers, num_iter, state = NORMAL, is_restarted;
static double x[COUNT];
/* The last checkpoint: the data and the iteration, or their weighted sum. */
static Block saved;

static void check(int rc)
{
    if (rc == MPI_ERR_OTHER) {
        state = RECOVER;
        longjmp(env, state);
    }
}

static double weight(int keeper, int of)
{
    double wide = sin(12.9898 * (keeper + 1) + 78.233 * (of + 1)) * 43758.5453;
    return wide - floor(wide) - 0.5;
}

static void checkpoint_data(void)
{
    for (int i = 0; i < COUNT && rank < computing; i++)
        saved[i] = x[i];
    if (rank < computing)
        saved[COUNT] = num_iter;
    for (int keeper = 0; keeper < keepers; keeper++) {
        Block weighted = {0}, sum;
        for (int i = 0; i <= COUNT && rank < computing; i++)
            weighted[i] = weight(keeper, rank) * saved[i];
        int root = computing + keeper;
        check(MPI_Reduce(weighted, sum, COUNT + 1, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD));
        for (int i = 0; i <= COUNT && rank == root; i++)
            saved[i] = sum[i];
    }
}

/* Solves for the lost blocks: matrix * lost = sums. */
static void solve(int lost, double matrix[MOST][MOST], Block *sums)
{
    for (int step = 0; step < lost; step++) {
        int best = step;
        for (int row = step; row < lost; row++)
            best = fabs(matrix[row][step]) > fabs(matrix[best][step]) ? row : best;
        for (int at = 0; at < MOST; at++) {
            double other = matrix[step][at];
            matrix[step][at] = matrix[best][at], matrix[best][at] = other;
        }
        for (int i = 0; i <= COUNT; i++) {
            double other = sums[step][i];
            sums[step][i] = sums[best][i], sums[best][i] = other;
        }
        for (int row = 0; row < lost; row++) {
            double factor = matrix[row][step] / matrix[step][step];
            if (row == step)
                continue;
            for (int at = step; at < lost; at++)
                matrix[row][at] -= factor * matrix[step][at];
            for (int i = 0; i <= COUNT; i++)
                sums[row][i] -= factor * sums[step][i];
        }
    }
    for (int row = 0; row < lost; row++)
        for (int i = 0; i <= COUNT; i++)
            sums[row][i] /= matrix[row][row];
}

static void recover_data(void)
{
    int dead[MOST], whose[MOST], lost = 0, rows = 0;
    double matrix[MOST][MOST] = {{0}};
    Block mine[MOST] = {{0}}, sums[MOST];
    check(MPI_Allgather(&is_restarted, 1, MPI_INT, dead, 1, MPI_INT, MPI_COMM_WORLD));
    for (int other = 0; other < computing; other++)
        if (dead[other])
            whose[lost++] = other;
    /* As many equations as there are unknowns, of keepers that live. */
    for (int keeper = 0; keeper < keepers && rows < lost; keeper++) {
        if (dead[computing + keeper])
            continue;
        for (int at = 0; at < lost; at++)
            matrix[rows][at] = weight(keeper, whose[at]);
        for (int i = 0; i <= COUNT && !is_restarted; i++) {
            if (rank == computing + keeper)
                mine[rows][i] = saved[i];
            else if (rank < computing)
                mine[rows][i] = -weight(keeper, rank) * saved[i];
        }
        rows++;
    }
    if (rows < lost)
        MPI_Abort(MPI_COMM_WORLD, 4);
    check(MPI_Allreduce(mine, sums, rows * (COUNT + 1), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    solve(lost, matrix, sums);
    for (int at = 0; at < lost; at++)
        for (int i = 0; i <= COUNT && rank == whose[at]; i++)
            saved[i] = sums[at][i];
    for (int i = 0; i < COUNT && rank < computing; i++)
        x[i] = saved[i];
    int step = rank < computing ? (int)lround(saved[COUNT]) : 0;
    check(MPI_Allreduce(&step, &num_iter, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    is_restarted = 0;
}

static void iterate(void)
{
    double sum = 0, all;
    for (int i = 0; i < COUNT && rank < computing; i++)
        sum += x[i];
    check(MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    for (int i = 0; i < COUNT; i++)
        x[i] = 0.9 * x[i] + 1e-4 * all + cos(i + rank);
}

int main(int argc, char **argv)
{
    /* Determine who is re-spawned. */
    int rc = MPI_Init(&argc, &argv), size;
    MPI_Comm oldcomm = MPI_COMM_WORLD, newcomm;
    MPI_Comm_rank(oldcomm, &rank);
    MPI_Comm_size(oldcomm, &size);
    int was_restarted = rc == MPI_INIT_RESTARTED_NODE;
    keepers = argc > 1 ? atoi(argv[1]) : 2;
    computing = size - keepers;
    if (size > MOST || computing < 1)
        MPI_Abort(oldcomm, 2);
    if (was_restarted) {
        is_restarted = 1;
        state = RECOVER;
    } else {
        for (int i = 0; i < COUNT; i++)
            x[i] = rank + i;
    }
    /* Failed ranks jump to here to recover. */
    setjmp(env);
    if (state == RECOVER) {
        newcomm = FT_MPI_CHECK_RECOVER;
        MPI_Comm_dup(oldcomm, &newcomm);
        recover_data();
        state = NORMAL;
    }
    do {
        if (num_iter % K == 0)
            checkpoint_data();
        for (int at = 2; at < argc; at++)
            if (!was_restarted && num_iter == STEPS / 2 + 3 && atoi(argv[at]) == rank)
                raise(SIGKILL);
        iterate();
    } while (++num_iter < STEPS);
    double sum = 0, all;
    for (int i = 0; i < COUNT && rank < computing; i++)
        sum += x[i] * x[i];
    check(MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD));
    if (rank == 0)
        printf("%.12e\n", all);
    return MPI_Finalize();
}
