/* One measurement of one-sided calls per run:
 * `rma put|get|accumulate|both|both8|fetch|swap|puts|gets|fence|lock|counter|contended`.
 * Rank 0 prints one number: nanoseconds for each call, or million calls a second of all ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 9, ROW = 64 };

/* Seconds that one rank alone calls. */
static const double LONGEST = 0.5;

static int rank, size, rounds;
static MPI_Win win;
static long *mine, number = 1, got, zero;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void put(void)
{
    MPI_Put(&number, 1, MPI_LONG, 1, 1, 1, MPI_LONG, win);
    MPI_Win_flush(1, win);
}

static void get(void)
{
    MPI_Get(&got, 1, MPI_LONG, 1, 1, 1, MPI_LONG, win);
    MPI_Win_flush(1, win);
}

static void accumulate(void)
{
    MPI_Accumulate(&number, 1, MPI_LONG, 1, 1, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_flush(1, win);
}

static void fetch_and_accumulate(void)
{
    MPI_Get_accumulate(&number, 1, MPI_LONG, &got, 1, MPI_LONG, 1, 1, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_flush(1, win);
}

static void fetch_and_accumulate_some(void)
{
    static long numbers[8], former[8];
    MPI_Get_accumulate(numbers, 8, MPI_LONG, former, 8, MPI_LONG, 1, 0, 8, MPI_LONG, MPI_SUM, win);
    MPI_Win_flush(1, win);
}

static void fetch(void)
{
    MPI_Fetch_and_op(&number, &got, MPI_LONG, 1, 1, MPI_SUM, win);
    MPI_Win_flush(1, win);
}

static void swap(void)
{
    MPI_Compare_and_swap(&number, &zero, &got, MPI_LONG, 1, 1, win);
    MPI_Win_flush(1, win);
}

static void puts_in_a_row(void)
{
    for (int i = 0; i < ROW; i++)
        MPI_Put(&number, 1, MPI_LONG, 1, i, 1, MPI_LONG, win);
    MPI_Win_flush(1, win);
}

static void gets_in_a_row(void)
{
    for (int i = 0; i < ROW; i++)
        MPI_Get(&got, 1, MPI_LONG, 1, i, 1, MPI_LONG, win);
    MPI_Win_flush(1, win);
}

static void fence(void)
{
    MPI_Win_fence(0, win);
}

static void lock(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Win_unlock(1, win);
}

/* All ranks draw numbers from one counter. */
static void counter(void)
{
    MPI_Fetch_and_op(&number, &got, MPI_LONG, 0, 0, MPI_SUM, win);
    MPI_Win_flush(0, win);
}

/* All ranks lock the same memory. */
static void contended(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(&number, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Win_unlock(0, win);
}

static const struct {
    const char *name;
    void (*run)(void);
    int rounds, calls, is_passive, is_of_all;
} cases[] = {
    {"put", put, 20000, 1, 1, 0},           {"get", get, 20000, 1, 1, 0},
    {"accumulate", accumulate, 20000, 1, 1, 0}, {"fetch", fetch, 20000, 1, 1, 0},
    {"both", fetch_and_accumulate, 20000, 1, 1, 0},
    {"both8", fetch_and_accumulate_some, 20000, 1, 1, 0},
    {"swap", swap, 20000, 1, 1, 0},         {"puts", puts_in_a_row, 2000, ROW, 1, 0},
    {"gets", gets_in_a_row, 2000, ROW, 1, 0}, {"fence", fence, 2000, 1, 0, 1},
    {"lock", lock, 10000, 1, 0, 0},         {"counter", counter, 2000, 1, 1, 1},
    {"contended", contended, 500, 1, 0, 1},
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int which = -1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && !strcmp(argv[1], cases[i].name))
            which = (int)i;
    if (which < 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    int is_of_all = cases[which].is_of_all;
    rounds = size > 16 && is_of_all ? cases[which].rounds / 20 : cases[which].rounds;
    MPI_Win_allocate(ROW * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    memset(mine, 0, ROW * sizeof(long));
    MPI_Win_fence(0, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    double took[BATCHES];
    for (int batch = -2; batch < BATCHES; batch++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (cases[which].is_passive)
            MPI_Win_lock_all(0, win);
        /* At first, all others come to the barrier: one rank alone takes as many rounds as it would
         * among two, unless others keep it from its core. */
        int done = 0;
        double start = MPI_Wtime();
        while (done < rounds && (rank == 0 || is_of_all)) {
            cases[which].run();
            if (++done % 1000 == 0 && !is_of_all && MPI_Wtime() - start > LONGEST)
                break;
        }
        double own = MPI_Wtime() - start;
        if (cases[which].is_passive)
            MPI_Win_unlock_all(win);
        MPI_Barrier(MPI_COMM_WORLD);
        double all = MPI_Wtime() - start;
        int is_rate = !strcmp(argv[1], "counter") || !strcmp(argv[1], "contended");
        if (batch >= 0)
            took[batch] = is_rate ? (double)rounds * size / all / 1e6
                                  : own / done / cases[which].calls * 1e9;
    }
    qsort(took, BATCHES, sizeof *took, by_value);
    if (rank == 0)
        printf("%.3f\n", took[BATCHES / 2]);
    if (!strcmp(argv[1], "fence"))
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
