/* A master and workers, any of whom may die, in all modes of FT-MPI (Fagg & Dongarra 2000).
 *
 *     ftrun -np 7 --mode blank --msg cont ./master_worker --kill 3@20 --kill 0@50
 *     ftrun -np 7 --mode shrink ./master_worker --tasks 1000 --work 5 --kill 0+3@500
 *     ftrun -np 7 --mode rebuild --mttf 100ms ./master_worker --tasks 1000 --work 5
 *
 * No result hangs on one life: with each task the master says what has become known since it last
 * spoke to that worker, so everybody has nearly all results. Under BLANK and CONT a worker's death
 * stops nobody: the master is told of it once, and somebody else does the task. After any other
 * failure all recover and tell each other who is there. The first of them is the master now, hears
 * what each of the others knows, and only then gives out what is left. A result is lost only with
 * the last who knows it, and then its task is done again. Each task counts once: results are kept
 * under their tasks, and summed up in their order, so the sum is the same to the last bit.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ftmpi.h"

#define USAGE                                                                                      \
    "usage: master_worker [--tasks N] [--work MS] [--kill RANK[+RANK...]@RESULTS]...\n"            \
    "  --tasks N      how many pieces of work there are (100)\n"                                   \
    "  --work MS      milliseconds that a piece takes (0)\n"                                       \
    "  --kill 3@20    rank 3 dies when it knows of 20 results; 0+3@20: and rank 3 with rank 0.\n"  \
    "                 Ranks as at the start; a rank that was started again is spared\n"

enum { STEPS = 1000, REPORT = 0, ORDER = 1, MOST_KILLS = 64 };
/* What a worker has in hand, if it is no task. */
enum { IDLE = -1, UNHEARD = -2, GONE = -3 };

static int tasks = 100, kills;
static double work_ms;
static struct {
    const char *ranks;
    int results;
} kill_order[MOST_KILLS];

static int rank, size, master, is_restarted, is_over, meetings;
/* Results in the order in which this rank has heard of them, each a task and its value. */
static double *results, *message;
static int known, *is_known, *is_given, next_task;
/* Of each rank: how many results it has been told of, and what it has in hand. */
static int *told, *has;

#define TRY(call)                                                                                  \
    do {                                                                                           \
        int code_ = (call);                                                                        \
        if (code_ != MPI_SUCCESS)                                                                  \
            return code_;                                                                          \
    } while (0)

static void note(int task, double value)
{
    if (is_known[task])
        return;
    is_known[task] = 1;
    results[2 * known] = task;
    results[2 * known + 1] = value;
    known++;
}

/* Tells `whom` all results that it has not been told of, and what to do. */
static int tell(int whom, int what, int task)
{
    int fresh = known - told[whom];
    message[0] = task;
    memcpy(message + 1, results + 2 * told[whom], 2 * fresh * sizeof *message);
    told[whom] = known;
    /* A message from before a recovery has another tag than those after it. */
    return MPI_Send(message, 1 + 2 * fresh, MPI_DOUBLE, whom, 2 * meetings + what, MPI_COMM_WORLD);
}

static int hear(int whom, int what, int *task, MPI_Status *status)
{
    int numbers;
    TRY(MPI_Recv(message, 1 + 2 * tasks, MPI_DOUBLE, whom, 2 * meetings + what, MPI_COMM_WORLD,
                 status));
    MPI_Get_count(status, MPI_DOUBLE, &numbers);
    *task = (int)message[0];
    for (int at = 1; at < numbers; at += 2)
        note((int)message[at], message[at + 1]);
    return MPI_SUCCESS;
}

/* A piece of the integral that is pi. */
static double value_of(int task)
{
    double part = 0, start = MPI_Wtime();
    for (int step = 0; step < STEPS; step++) {
        double x = ((double)task * STEPS + step + 0.5) / ((double)tasks * STEPS);
        part += 4.0 / (1.0 + x * x) / ((double)tasks * STEPS);
    }
    while ((MPI_Wtime() - start) * 1000 < work_ms)
        continue;
    return part;
}

/* Kills whom the orders name, this rank last of all. */
static void meet_orders(void)
{
    int own = ftmpi_rank_in_job();
    for (int k = 0; k < kills && !is_restarted; k++) {
        char *rest;
        if (known < kill_order[k].results || strtol(kill_order[k].ranks, &rest, 10) != own)
            continue;
        while (*rest == '+')
            ftmpi_kill((int)strtol(rest + 1, &rest, 10));
        ftmpi_kill(own);
    }
}

/* The part of a worker: reports, is given a task, does it, until there are no more. */
static int serve(void)
{
    for (;;) {
        int task;
        MPI_Status status;
        TRY(tell(master, REPORT, IDLE));
        TRY(hear(master, ORDER, &task, &status));
        told[master] = known;
        meet_orders();
        if (task == IDLE)
            return MPI_SUCCESS;
        note(task, value_of(task));
    }
}

static int take_task(void)
{
    while (next_task < tasks && (is_known[next_task] || is_given[next_task]))
        next_task++;
    if (next_task == tasks)
        return IDLE;
    is_given[next_task] = 1;
    return next_task;
}

static void give_tasks(void)
{
    for (int worker = 0; worker < size; worker++) {
        if (has[worker] != IDLE)
            continue;
        if ((has[worker] = take_task()) == IDLE)
            return;
        /* Should the worker be dead by now, the next receive says so. */
        tell(worker, ORDER, has[worker]);
    }
}

static int failures(void)
{
    int many = 0, is_there;
    MPI_Comm_get_attr(MPI_COMM_WORLD, FT_MPI_LIST_NUM_FAILED, &many, &is_there);
    return many;
}

/* A line on a terminal that the next one overwrites. The cursor waits at its beginning. */
static void show_progress(void)
{
    static double shown = -1;
    double now = MPI_Wtime();
    if (now - shown < 0.2 || !isatty(STDERR_FILENO))
        return;
    shown = now;
    fprintf(stderr, "\033[K%d of %d tasks done, %d failures survived\r", known, tasks, failures());
}

/* Before anything else is printed. */
static void end_progress(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\033[K", stderr);
}

/* A receive has failed. If that is the death of a worker whom nobody needs, its task is free again:
 * 1. Else 0. */
static int bury(int code, int worker)
{
    int *mode, is_there;
    MPI_Comm_get_attr(MPI_COMM_WORLD, FTMPI_COMM_MODE, &mode, &is_there);
    if (code != MPI_ERR_OTHER || !is_there || *mode != FTMPI_COMM_MODE_BLANK)
        return 0;
    if (worker < 0 || worker >= size || has[worker] == GONE)
        return 0;
    end_progress();
    printf("rank %d is dead, the others continue\n", worker);
    if (has[worker] >= 0)
        is_given[has[worker]] = 0;
    next_task = 0;
    return 1;
}

static void print_sum(void)
{
    double pi = 0, *value = malloc(tasks * sizeof *value);
    for (int at = 0; at < known; at++)
        value[(int)results[2 * at]] = results[2 * at + 1];
    for (int task = 0; task < tasks; task++)
        pi += value[task];
    free(value);
    end_progress();
    printf("%d failures survived\n%d tasks done: pi is about %.13f\n", failures(), known, pi);
    fflush(stdout);
}

/* The part of the master, among those whom it has met: `has` says who that is. */
static int lead(void)
{
    int workers = 0, unheard;
    for (int other = 0; other < size; other++)
        workers += has[other] == UNHEARD;
    unheard = workers;
    next_task = 0;
    memset(is_given, 0, tasks * sizeof *is_given);
    while (unheard > 0 || known < tasks) {
        MPI_Status status = {.MPI_SOURCE = MPI_PROC_NULL};
        int task = IDLE;
        meet_orders();
        if (workers == 0) {
            task = take_task();
            note(task, value_of(task));
            continue;
        }
        int code = hear(MPI_ANY_SOURCE, REPORT, &task, &status), who = status.MPI_SOURCE;
        if (code != MPI_SUCCESS && !bury(code, who))
            return code;
        workers -= code != MPI_SUCCESS;
        if (has[who] == UNHEARD && --unheard == 0 && meetings > 1) {
            end_progress();
            printf("rank %d leads: %d of %d results are known\n", rank, known, tasks);
        }
        has[who] = code == MPI_SUCCESS ? IDLE : GONE;
        fflush(stdout);
        if (unheard == 0)
            give_tasks();
        show_progress();
    }
    print_sum();
    /* If one does not hear of it, not all know all results when they meet. */
    for (int worker = 0; worker < size; worker++)
        if (has[worker] != GONE)
            tell(worker, ORDER, IDLE);
    return MPI_SUCCESS;
}

/* Who is there, and how much do they know? With ATOMIC all get the answer, or nobody does. */
static int meet(void)
{
    int mine[2] = {known, meetings}, code;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *all = malloc(2 * size * sizeof *all);
    /* What belongs to a gap is left as it is. */
    for (int other = 0; other < size; other++)
        all[2 * other] = GONE;
    code = MPI_Allgather(mine, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
    master = size;
    is_over = 1;
    for (int other = size - 1; other >= 0 && code == MPI_SUCCESS; other--) {
        told[other] = 0;
        has[other] = all[2 * other] == GONE || other == rank ? GONE : UNHEARD;
        if (all[2 * other] == GONE)
            continue;
        master = other;
        is_over = is_over && all[2 * other] == tasks;
        if (all[2 * other + 1] > meetings)
            meetings = all[2 * other + 1];
    }
    meetings += code == MPI_SUCCESS;
    free(all);
    return code;
}

/* With nobody dead, this is only a check. */
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
        if (strcmp(word, "--tasks") == 0) {
            tasks = (int)strtol(value, &end, 10);
        } else if (strcmp(word, "--work") == 0) {
            work_ms = strtod(value, &end);
        } else if (strcmp(word, "--kill") == 0 && (when = strchr(value, '@')) &&
                   kills < MOST_KILLS && strspn(value, "0123456789+") == (size_t)(when - value)) {
            kill_order[kills].ranks = value;
            kill_order[kills++].results = (int)strtol(when + 1, &end, 10);
        }
        if (end && end != value && end[-1] != '@' && *end == '\0' && tasks > 0 && work_ms >= 0)
            continue;
        if (rank == 0)
            fprintf(stderr, "master_worker: '%s %s' is not understood\n%s", word, value, USAGE);
        else
            MPI_Barrier(MPI_COMM_WORLD);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

int main(int argc, char **argv)
{
    is_restarted = MPI_Init(&argc, &argv) == MPI_INIT_RESTARTED_PROCS;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    read_options(argc, argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int atomic = FTMPI_COLL_MODE_ATOMIC;
    MPI_Comm_set_attr(MPI_COMM_WORLD, FTMPI_COLL_MODE, &atomic);
    results = malloc(2 * tasks * sizeof *results);
    message = malloc((1 + 2 * tasks) * sizeof *message);
    is_known = calloc(tasks, sizeof *is_known);
    is_given = calloc(tasks, sizeof *is_given);
    told = calloc(size, sizeof *told);
    has = calloc(size, sizeof *has);
    for (;;) {
        int code = meet();
        if (code == MPI_SUCCESS && is_over)
            break;
        if (code == MPI_SUCCESS)
            code = rank == master ? lead() : serve();
        if (code != MPI_SUCCESS && code != MPI_ERR_OTHER)
            MPI_Abort(MPI_COMM_WORLD, 3);
        recover();
    }
    free(results), free(message), free(is_known), free(is_given), free(told), free(has);
    return MPI_Finalize();
}
