/* A product of matrices that survives the deaths of ranks without any checkpoint: fault tolerance
 * that is part of the algorithm (Huang & Abraham 1984; Chen & Dongarra 2006).
 *
 *     ftrun -np 16 --mode rebuild ./abft --order 600 --kill 5@10 --kill 0+6@20
 *
 * The ranks are a grid, each with a block of A, of B and of C = A B. The last column of the grid
 * has the sums of all blocks to its left, the last row of those above it. The product goes on in
 * steps, each of which multiplies some columns of A with the same rows of B: then C, too, has such
 * sums after every step, and not just at the end. So a lost block is what is missing from a sum,
 * in the midst of the product: no work is done again. A and B never change, so a rank that is some
 * steps behind the others first catches up with them.
 *
 * Any three ranks may die at once, and more unless four of them are the corners of a rectangle:
 * whatever row or column lacks one block only gives it back, and so on. What cannot come back is
 * said, and the job ends: never with a wrong product.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ftmpi.h"

#define USAGE                                                                                      \
    "usage: abft [--order N] [--panel W] [--kill RANK[+RANK...]@STEP]...\n"                        \
    "  --order N      rows and columns of the matrices (240)\n"                                    \
    "  --panel W      at most so many columns of A in a step (16)\n"                               \
    "  --kill 3@20    rank 3 dies at step 20; 0+3@20: and rank 3 with rank 0.\n"                   \
    "                 A rank that was started again is spared\n"

enum { MOST_KILLS = 64 };

static int order = 240, panel = 16, kills;
static struct {
    const char *ranks;
    int step;
} kill_order[MOST_KILLS];

/* The grid of ranks; what a block of A, B and C has; the columns of a step, and all steps. */
static int rank, size, rows, columns, is_restarted;
static int m, n, k_a, k_b, width, steps;
static double *a, *b, *c, *a_panel, *b_panel, *room;
static MPI_Comm row = MPI_COMM_NULL, column = MPI_COMM_NULL;

/* All sums were there at some time; this rank has its blocks; it has done so many steps. */
static int is_encoded, is_whole, step;
static double recovery_time;

#define TRY(call)                                                                                  \
    do {                                                                                           \
        int code_ = (call);                                                                        \
        if (code_ != MPI_SUCCESS)                                                                  \
            return code_;                                                                          \
    } while (0)

static void die(const char *what)
{
    if (rank == 0)
        fprintf(stderr, "abft: %s\n", what);
    else
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

/* An element of A or of B; zeros fill up the last blocks. */
static double element(int of_b, long i, long j)
{
    return i < order && j < order ? sin(12.9898 * i + 78.233 * j + of_b) : 0;
}

static void fill(int of_b, double *x, int height, int breadth)
{
    long top = (long)(rank / columns) * height, left = (long)(rank % columns) * breadth;
    for (int i = 0; i < height; i++)
        for (int j = 0; j < breadth; j++)
            x[(long)i * breadth + j] = element(of_b, top + i, left + j);
}

static int lies_in_sums(int of)
{
    return of / columns == rows - 1 || of % columns == columns - 1;
}

static void meet_orders(void)
{
    for (int k = 0; k < kills && !is_restarted; k++) {
        char *rest;
        if (step != kill_order[k].step || strtol(kill_order[k].ranks, &rest, 10) != rank)
            continue;
        while (*rest == '+')
            ftmpi_kill((int)strtol(rest + 1, &rest, 10));
        ftmpi_kill(rank);
    }
}

/* Brings the columns of A and the rows of B that are this step's, and adds their product. */
static int multiply(int now)
{
    int from_column = now * width / k_a, from_row = now * width / k_b;
    if (step == now)
        meet_orders();
    if (rank % columns == from_column)
        for (int i = 0; i < m; i++)
            memcpy(a_panel + i * width, a + i * k_a + now * width % k_a, width * sizeof *a);
    if (rank / columns == from_row)
        memcpy(b_panel, b + (long)(now * width % k_b) * n, (long)width * n * sizeof *b);
    TRY(MPI_Bcast(a_panel, m * width, MPI_DOUBLE, from_column, row));
    TRY(MPI_Bcast(b_panel, width * n, MPI_DOUBLE, from_row, column));
    /* Who is ahead of others only helps them. */
    if (step != now)
        return MPI_SUCCESS;
    for (int i = 0; i < m; i++)
        for (int k = 0; k < width; k++)
            for (int j = 0; j < n; j++)
                c[(long)i * n + j] += a_panel[i * width + k] * b_panel[k * n + j];
    step++;
    return MPI_SUCCESS;
}

/* In which order lost blocks come back, and whether by their row; those that never do stay lost. */
static int plan(int *is_lost, int *order_of, int *by_row)
{
    int many = 0, before;
    do {
        before = many;
        for (int of = 0; of < size; of++) {
            int in_row = 0, in_column = 0;
            for (int other = 0; other < size; other++) {
                in_row += is_lost[other] && other / columns == of / columns;
                in_column += is_lost[other] && other % columns == of % columns;
            }
            if (!is_lost[of] || (in_row > 1 && in_column > 1))
                continue;
            by_row[many] = in_row == 1;
            order_of[many++] = of;
            is_lost[of] = 0;
        }
    } while (many > before);
    return many;
}

/* Gives the rank `whom` its block back: a sum of others, or what they lack of their sum. */
static int rebuild(double *x, long count, int whom, int by_row)
{
    int lost = by_row ? whom % columns : whom / columns;
    int own = by_row ? rank % columns : rank / columns, last = (by_row ? columns : rows) - 1;
    if (by_row ? whom / columns != rank / columns : whom % columns != rank % columns)
        return MPI_SUCCESS;
    for (long at = 0; at < count; at++)
        room[at] = own == lost ? 0 : own == last || lost == last ? x[at] : -x[at];
    return MPI_Reduce(room, x, (int)count, MPI_DOUBLE, MPI_SUM, lost, by_row ? row : column);
}

/* One says it. Should it die before, it is said after the next recovery. */
static int give_up(const int *is_lost)
{
    if (rank != 0)
        return MPI_Barrier(MPI_COMM_WORLD);
    fprintf(stderr, "abft: lost is what ranks");
    for (int of = 0; of < size; of++)
        if (is_lost[of])
            fprintf(stderr, " %d", of);
    fprintf(stderr, " had: no row or column lacks but one\n");
    return MPI_Abort(MPI_COMM_WORLD, 4);
}

/* All find out what each has, bring back what is lost, and are at one step. */
static int come_together(void)
{
    int mine[3] = {is_encoded, is_whole, step}, furthest = 0, nearest = steps, was_encoded = 0;
    int all[3 * size], is_lost[size], whom[size], by_row[size];
    TRY(MPI_Comm_split(MPI_COMM_WORLD, rank / columns, rank, &row));
    TRY(MPI_Comm_split(MPI_COMM_WORLD, rank % columns, rank, &column));
    TRY(MPI_Allgather(mine, 3, MPI_INT, all, 3, MPI_INT, MPI_COMM_WORLD));
    for (int of = 0; of < size; of++)
        was_encoded |= all[3 * of];
    if (!was_encoded) {
        /* The sums are what is lost at the beginning. */
        fill(0, a, m, k_a);
        fill(1, b, k_b, n);
        memset(c, 0, (long)m * n * sizeof *c);
        is_whole = !lies_in_sums(rank);
    }
    for (int of = 0; of < size; of++) {
        is_lost[of] = was_encoded ? !all[3 * of + 1] : lies_in_sums(of);
        if (!is_lost[of] && all[3 * of + 2] > furthest)
            furthest = all[3 * of + 2];
        if (!is_lost[of] && all[3 * of + 2] < nearest)
            nearest = all[3 * of + 2];
    }
    int many = plan(is_lost, whom, by_row);
    for (int of = 0; of < size; of++)
        if (is_lost[of])
            return give_up(is_lost);
    for (int at = 0; at < many; at++) {
        TRY(rebuild(a, (long)m * k_a, whom[at], by_row[at]));
        TRY(rebuild(b, (long)k_b * n, whom[at], by_row[at]));
    }
    if (!is_whole)
        step = furthest;
    for (int now = nearest; now < furthest; now++)
        TRY(multiply(now));
    for (int at = 0; at < many; at++) {
        TRY(rebuild(c, (long)m * n, whom[at], by_row[at]));
        is_whole |= whom[at] == rank;
        if (rank == 0 && was_encoded)
            printf("step %d: rank %d has its blocks back, from its %s\n", furthest, whom[at],
                   by_row[at] ? "row" : "column");
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    is_encoded = 1;
    return MPI_SUCCESS;
}

/* The largest difference from what is computed directly, relative to the largest element. */
static int verify(double *residual)
{
    double most[2] = {0, 0}, all[2];
    if (!lies_in_sums(rank)) {
        long top = (long)(rank / columns) * m, left = (long)(rank % columns) * n;
        double *right = malloc((long)order * n * sizeof *right), *sum = malloc(n * sizeof *sum);
        for (int k = 0; k < order; k++)
            for (int j = 0; j < n; j++)
                right[(long)k * n + j] = element(1, k, left + j);
        for (int i = 0; i < m; i++) {
            memset(sum, 0, n * sizeof *sum);
            for (int k = 0; k < order; k++) {
                double factor = element(0, top + i, k);
                for (int j = 0; j < n; j++)
                    sum[j] += factor * right[(long)k * n + j];
            }
            for (int j = 0; j < n; j++) {
                most[0] = fmax(most[0], fabs(sum[j] - c[(long)i * n + j]));
                most[1] = fmax(most[1], fabs(sum[j]));
            }
        }
        free(right), free(sum);
    }
    TRY(MPI_Allreduce(most, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
    *residual = all[0] / all[1];
    return MPI_SUCCESS;
}

static void recover(void)
{
    MPI_Comm repaired;
    int code;
    do {
        repaired = FT_MPI_CHECK_RECOVER;
        code = MPI_Comm_dup(MPI_COMM_WORLD, &repaired);
    } while (code == MPI_ERR_OTHER);
    if (code != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Comm_free(&repaired);
    if (row != MPI_COMM_NULL)
        MPI_Comm_free(&row);
    if (column != MPI_COMM_NULL)
        MPI_Comm_free(&column);
}

static int solve(double *residual)
{
    double start = MPI_Wtime();
    int was_encoded = is_encoded || is_restarted;
    TRY(come_together());
    recovery_time += was_encoded ? MPI_Wtime() - start : 0;
    while (step < steps)
        TRY(multiply(step));
    meet_orders();
    return verify(residual);
}

static void read_options(int argc, char **argv)
{
    for (int at = 1; at < argc; at += 2) {
        const char *word = argv[at], *value = at + 1 < argc ? argv[at + 1] : "", *when;
        char *end = NULL;
        if (strcmp(word, "--help") == 0) {
            if (rank == 0)
                fputs(USAGE, stdout);
            MPI_Finalize();
            exit(0);
        }
        if (strcmp(word, "--order") == 0) {
            order = (int)strtol(value, &end, 10);
        } else if (strcmp(word, "--panel") == 0) {
            panel = (int)strtol(value, &end, 10);
        } else if (strcmp(word, "--kill") == 0 && (when = strchr(value, '@')) &&
                   kills < MOST_KILLS && strspn(value, "0123456789+") == (size_t)(when - value)) {
            kill_order[kills].ranks = value;
            kill_order[kills++].step = (int)strtol(when + 1, &end, 10);
        }
        if (end && end != value && end[-1] != '@' && *end == '\0' && order > 0 && panel > 0)
            continue;
        if (rank == 0)
            fputs(USAGE, stderr);
        char words[256];
        snprintf(words, sizeof words, "'%s %s' is not understood", word, value);
        die(words);
    }
}

/* The grid, and blocks that a step's columns and rows never cross. */
static void lay_out(void)
{
    int dims[2] = {0, 0}, units;
    MPI_Dims_create(size, 2, dims);
    rows = dims[0];
    columns = dims[1];
    if (columns < 2)
        die("the number of ranks must be that of a grid: 4, 6, 8, 9, 10, 12 ...");
    int p = rows - 1, q = columns - 1;
    for (units = p; units % q != 0;)
        units += p;
    int turns = (order + units * panel - 1) / (units * panel);
    width = (order + units * turns - 1) / (units * turns);
    steps = units * turns;
    m = (order + p - 1) / p;
    n = (order + q - 1) / q;
    k_a = steps * width / q;
    k_b = steps * width / p;
    long largest = fmax((double)m * n, fmax((double)m * k_a, (double)k_b * n));
    a = malloc((long)m * k_a * sizeof *a);
    b = malloc((long)k_b * n * sizeof *b);
    c = malloc((long)m * n * sizeof *c);
    a_panel = malloc((long)m * width * sizeof *a_panel);
    b_panel = malloc((long)width * n * sizeof *b_panel);
    room = malloc(largest * sizeof *room);
    if (!a || !b || !c || !a_panel || !b_panel || !room)
        die("there is not enough memory");
}

int main(int argc, char **argv)
{
    double residual = 0, start = MPI_Wtime();
    int failures = 0, is_there;
    is_restarted = MPI_Init(&argc, &argv) == MPI_INIT_RESTARTED_PROCS;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    read_options(argc, argv);
    lay_out();
    for (;;) {
        int code = solve(&residual);
        if (code == MPI_SUCCESS)
            code = MPI_Barrier(MPI_COMM_WORLD);
        if (code == MPI_SUCCESS)
            break;
        double before = MPI_Wtime();
        recover();
        recovery_time += MPI_Wtime() - before;
    }
    MPI_Comm_get_attr(MPI_COMM_WORLD, FT_MPI_LIST_NUM_FAILED, &failures, &is_there);
    if (rank == 0) {
        printf("order %d on %d x %d ranks and their sums\n", order, rows - 1, columns - 1);
        printf("time %.4f s, recovery %.4f\n", MPI_Wtime() - start, recovery_time);
        printf("residual %.1e steps %d failures %d\n", residual, steps, failures);
    }
    free(a), free(b), free(c), free(a_panel), free(b_panel), free(room);
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    return MPI_Finalize();
}
