/* Ranks on several hosts.
 *
 *     hosts exchange                          messages of all lengths between all, collectives
 *     hosts survive STEPS [rank|process|host|heal R@S]...
 *                                             rank R dies in step S, or its process, or its whole
 *                                             host; heal: its host dies in the first recovery
 *                                             after step S
 *
 * A rank ends its host by killing its parent, the agent that has started it. With MARK in the
 * environment, rank 0 makes the file of that name in step 50; with GAP, the last line tells the
 * longest time between two steps that was seen by a rank which lived through it. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, size, born, restarted, failures;

static void expect(int is_so, const char *what)
{
    if (is_so)
        return;
    printf("rank %d: %s\n", rank, what);
    failures++;
}

static unsigned char byte(int from, int length, int at)
{
    return (unsigned char)(from * 31 + length * 7 + at + at / 251);
}

/* Each rank sends to each other one, itself included; what comes has the right bytes. */
static void exchange(int length)
{
    unsigned char *out = malloc(length + 1), *in = malloc((size_t)size * (length + 1));
    MPI_Request *requests = malloc(2 * size * sizeof *requests);
    for (int at = 0; at < length; at++)
        out[at] = byte(rank, length, at);
    for (int other = 0; other < size; other++)
        MPI_Irecv(in + (size_t)other * (length + 1), length, MPI_BYTE, other, length,
                  MPI_COMM_WORLD, &requests[other]);
    for (int other = 0; other < size; other++)
        MPI_Isend(out, length, MPI_BYTE, other, length, MPI_COMM_WORLD, &requests[size + other]);
    MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
    for (int other = 0; other < size; other++)
        for (int at = 0; at < length; at++)
            if (in[(size_t)other * (length + 1) + at] != byte(other, length, at)) {
                expect(0, "wrong bytes");
                at = length;
            }
    free(out);
    free(in);
    free(requests);
}

/* A matrix by columns, some of it from another host: neither side is in one piece. */
static void scattered(void)
{
    enum { ROWS = 700, COLUMNS = 60 };
    static double mine[ROWS][COLUMNS], theirs[ROWS][COLUMNS];
    MPI_Datatype column;
    MPI_Type_vector(ROWS, COLUMNS / 2, COLUMNS, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int row = 0; row < ROWS; row++)
        for (int at = 0; at < COLUMNS; at++)
            mine[row][at] = rank * 1e6 + row * 100 + at;
    MPI_Sendrecv(mine, 1, column, right, 5, theirs, 1, column, left, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int row = 0; row < ROWS; row++)
        for (int at = 0; at < COLUMNS; at++)
            expect(theirs[row][at] == (at < COLUMNS / 2 ? left * 1e6 + row * 100 + at : 0),
                   "a wrong part of a matrix");
    MPI_Type_free(&column);
}

/* A thousand messages in order, and a send that waits for its receive. */
static void in_order(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, got, token = 0;
    MPI_Request request;
    if (size == 1)
        return;
    for (int number = 0; number < 1000; number++) {
        MPI_Isend(&number, 1, MPI_INT, right, 7, MPI_COMM_WORLD, &request);
        MPI_Recv(&got, 1, MPI_INT, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect(got == number, "out of order");
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 0)
        MPI_Ssend(&token, 1, MPI_INT, right, 8, MPI_COMM_WORLD);
    MPI_Recv(&token, 1, MPI_INT, left, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0)
        MPI_Ssend(&token, 1, MPI_INT, right, 8, MPI_COMM_WORLD);
}

static void together(int count)
{
    int *mine = malloc(count * sizeof *mine), *all = malloc((size_t)count * size * sizeof *all);
    int *sums = malloc(count * sizeof *sums);
    for (int at = 0; at < count; at++)
        mine[at] = rank + at;
    MPI_Allreduce(mine, sums, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int at = 0; at < count; at++)
        expect(sums[at] == size * (size - 1) / 2 + size * at, "a wrong sum");
    MPI_Allgather(mine, count, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD);
    for (int other = 0; other < size; other++)
        expect(all[(size_t)other * count + count - 1] == other + count - 1, "a wrong gather");
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD);
    for (int other = 0; other < size; other++)
        expect(all[(size_t)other * count] == rank, "a wrong exchange");
    memset(sums, 0, count * sizeof *sums);
    MPI_Bcast(rank == size - 1 ? mine : sums, count, MPI_INT, size - 1, MPI_COMM_WORLD);
    expect(rank == size - 1 || sums[0] == size - 1, "a wrong broadcast");
    MPI_Barrier(MPI_COMM_WORLD);
    free(mine);
    free(all);
    free(sums);
}

/* Memory that all use directly is refused to all, and given to the ranks of one host. */
static void of_one_host(void)
{
    MPI_Comm near;
    MPI_Win win;
    int neighbours, class, *memory, one = 1, sum;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &near);
    MPI_Comm_size(near, &neighbours);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, near);
    expect(sum == neighbours, "a wrong sum on a host");
    MPI_Win_allocate_shared(64, 4, MPI_INFO_NULL, near, &memory, &win);
    MPI_Win_free(&win);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int code = MPI_Win_allocate_shared(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Error_class(code, &class);
    int is_refused = class == MPI_ERR_UNSUPPORTED_OPERATION;
    expect(is_refused == (neighbours < size), "a window among hosts");
    if (code == MPI_SUCCESS)
        MPI_Win_free(&win);
    MPI_Comm_free(&near);
    printf("rank %d has %d on its host\n", rank, neighbours);
}

static int step;
static long value;
static double gap; /* in seconds */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

/* All have what the one has that has come furthest. */
static int restore(void)
{
    long mine, furthest;
    int latest, code = MPI_Allreduce(&step, &latest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    mine = step == latest ? value : -1;
    if (code == MPI_SUCCESS)
        code = MPI_Allreduce(&mine, &furthest, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    if (code == MPI_SUCCESS) {
        step = latest;
        value = furthest;
    }
    return code;
}

static void die(const char *how)
{
    if (!strcmp(how, "host"))
        kill(getppid(), SIGKILL);
    else if (!strcmp(how, "process") && fork() == 0)
        kill(getppid(), SIGKILL), _exit(0);
    else if (!strcmp(how, "rank"))
        raise(SIGKILL);
    for (;;)
        pause(); /* without its agent, the process is ended */
}

/* Dies if that was ordered for this step, or for a recovery after a step. */
static void obey(int is_recovery, int argc, char **argv)
{
    for (int at = 3; at + 1 < argc; at += 2) {
        int victim, when, heals = !strcmp(argv[at], "heal");
        sscanf(argv[at + 1], "%d@%d", &victim, &when);
        if (restarted || victim != born || heals != is_recovery)
            continue;
        if (heals ? step >= when : step == when)
            die(heals ? "host" : argv[at]);
    }
}

static int compute(int steps, int argc, char **argv)
{
    static double last;
    int code = MPI_SUCCESS;
    while (step < steps && code == MPI_SUCCESS) {
        obey(0, argc, argv);
        if (step == 50 && rank == 0 && getenv("MARK"))
            fclose(fopen(getenv("MARK"), "w"));
        long mine = value + 1, total;
        code = MPI_Allreduce(&mine, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        if (code == MPI_SUCCESS) {
            value = total % 1000003;
            step++;
            double seen = now();
            if (last > 0 && seen - last > gap)
                gap = seen - last;
            last = seen;
        }
    }
    return code;
}

static void survive(int argc, char **argv)
{
    int lives = 0, code;
    for (;;) {
        code = restore();
        if (code == MPI_SUCCESS)
            code = compute(atoi(argv[2]), argc, argv);
        if (code == MPI_SUCCESS)
            code = MPI_Allreduce(&restarted, &lives, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (code == MPI_SUCCESS)
            break;
        if (code != MPI_ERR_OTHER)
            MPI_Abort(MPI_COMM_WORLD, 3);
        obey(1, argc, argv);
        MPI_Comm repaired = FT_MPI_CHECK_RECOVER;
        while (MPI_Comm_dup(MPI_COMM_WORLD, &repaired) != MPI_SUCCESS)
            repaired = FT_MPI_CHECK_RECOVER;
        MPI_Comm_free(&repaired);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    }
    int least;
    double longest;
    MPI_Allreduce(&rank, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&gap, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == least)
        printf("%d ranks, %d restarted: %ld\n", size, lives, value);
    if (rank == least && getenv("GAP"))
        printf("longest gap: %.1f ms\n", longest * 1e3);
}

int main(int argc, char **argv)
{
    restarted = MPI_Init(&argc, &argv) == MPI_INIT_RESTARTED_PROCS;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    born = rank; /* SHRINK gives others */
    if (argc > 2 && !strcmp(argv[1], "survive")) {
        survive(argc, argv);
        return MPI_Finalize();
    }
    static const int lengths[] = {0, 1, 8, 1000, 16000, 16384, 40000, 300000, 3 << 20};
    for (unsigned at = 0; at < sizeof lengths / sizeof *lengths; at++)
        exchange(lengths[at]);
    scattered();
    in_order();
    together(1);
    together(1000);
    together(30000);
    of_one_host();
    MPI_Finalize();
    return failures > 0;
}
