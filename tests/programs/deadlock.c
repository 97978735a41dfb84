/* Jobs that are stuck, each in a way of its own; and jobs that only look so. */
#define _GNU_SOURCE
#include "check.h"
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define W MPI_COMM_WORLD

static int value, values[4];

static void nap(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&time, NULL);
}

/* Everybody receives from the right, and nobody sends. */
static void ring(void)
{
    MPI_Recv(values, 4, MPI_INT, (rank + 1) % size, 5, W, MPI_STATUS_IGNORE);
}

/* The last rank sleeps while the others agree on something; then they wait, too. */
static void agreed(void)
{
    MPI_Comm some;
    int flag = 1;
    MPI_Comm_split(W, rank == size - 1, 0, &some);
    if (rank < size - 1) {
        nap(0.3);
        MPIX_Comm_agree(some, &flag);
    }
    ring();
}

/* Rank 0 forgets the barrier that the others are in. */
static void barrier(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(W, &comm);
    MPI_Comm_set_name(comm, "lattice");
    if (rank == 0)
        MPI_Probe(MPI_ANY_SOURCE, 77, comm, MPI_STATUS_IGNORE);
    else
        MPI_Barrier(comm);
}

/* The last rank has called something else than the others, who leave data behind before that. */
static void roots(void)
{
    for (int i = 0; i < 7; i++)
        MPI_Bcast(&value, 1, MPI_INT, 0, W);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, size - 1, 77, W);
    for (int i = 0; i < 3; i++)
        MPI_Reduce(&value, values, 1, MPI_INT, MPI_SUM, rank == size - 1 ? size - 1 : 0, W);
    MPI_Barrier(W);
    if (rank == 0)
        MPI_Bcast(values, 1, MPI_INT, 0, W);
    MPI_Barrier(W);
}

static void other_calls(void)
{
    if (rank == size - 1)
        MPI_Reduce(&value, values, 1, MPI_INT, MPI_SUM, size - 1, W);
    else
        MPI_Allreduce(&value, values, 1, MPI_INT, MPI_SUM, W);
    MPI_Barrier(W);
    MPI_Allreduce(&value, values, 1, MPI_INT, MPI_SUM, W);
}

/* The same with one that is only started. */
static void order(void)
{
    MPI_Request request;
    int done;
    if (rank == 0) {
        MPI_Iallreduce(&value, values, 1, MPI_INT, MPI_SUM, W, &request);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        MPI_Barrier(W);
    } else {
        MPI_Barrier(W);
        MPI_Iallreduce(&value, values, 1, MPI_INT, MPI_SUM, W, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Each starts another one, and all come to both. */
static void started(void)
{
    MPI_Request request;
    if (rank == 0)
        MPI_Iallreduce(&value, values, 1, MPI_INT, MPI_SUM, W, &request);
    else
        MPI_Ireduce(&value, values, 1, MPI_INT, MPI_SUM, rank, W, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Rank 0 is done: the others wait for a message of its. */
static void finished(void)
{
    if (rank != 0)
        MPI_Recv(&value, 1, MPI_INT, 0, MPI_ANY_TAG, W, MPI_STATUS_IGNORE);
}

/* Two synchronous sends that nobody receives, and a request that nobody completes. */
static void sends(void)
{
    MPI_Request request;
    if (rank == 0)
        MPI_Ssend(&value, 1, MPI_INT, 1, 3, W);
    if (rank == 1) {
        MPI_Issend(&value, 1, MPI_INT, 0, 4, W, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank > 1)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 9, W, MPI_STATUS_IGNORE);
}

static void *wait_here(void *lock)
{
    pthread_mutex_lock(lock);
    return NULL;
}

static void *receive_here(void *nothing)
{
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 6, W, MPI_STATUS_IGNORE);
    return nothing;
}

/* One thread of each waits for a lock for ever, one receives, and the first waits for that. */
static void threads(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t waiting, receiving;
    pthread_mutex_lock(&lock);
    pthread_create(&waiting, NULL, wait_here, &lock);
    pthread_create(&receiving, NULL, receive_here, NULL);
    pthread_join(receiving, NULL);
}

/* What follows goes on after a while, however still it is before. */

static void *send_later(void *nothing)
{
    nap(2.5);
    MPI_Send(&value, 1, MPI_INT, rank, 6, W);
    return nothing;
}

static void thread_sleeps(void)
{
    pthread_t thread;
    if (rank == 0) {
        pthread_create(&thread, NULL, send_later, NULL);
        receive_here(NULL);
        pthread_join(thread, NULL);
    }
    MPI_Barrier(W);
}

static void sleeper(void)
{
    if (rank == 0)
        nap(2.5);
    MPI_Barrier(W);
}

static void reader(void)
{
    int ends[2];
    char byte = 0;
    if (rank == 0) {
        CHECK(pipe(ends) == 0);
        pid_t child = fork();
        if (child == 0) {
            nap(2.5);
            _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
        }
        CHECK(read(ends[0], &byte, 1) == 1 && byte == 'x');
        waitpid(child, NULL, 0);
    }
    MPI_Barrier(W);
}

static void *timed(void *nothing)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    pthread_mutex_lock(&lock);
    pthread_cond_timedwait(&never, &lock, &until);
    return send_later(nothing);
}

static void timed_wait(void)
{
    pthread_t thread;
    if (rank == 0) {
        pthread_create(&thread, NULL, timed, NULL);
        receive_here(NULL);
        pthread_join(thread, NULL);
    }
    MPI_Barrier(W);
}

static void compute(void)
{
    if (rank == 0) {
        double end = MPI_Wtime() + 2.5;
        while (MPI_Wtime() < end)
            value++;
    }
    MPI_Barrier(W);
}

static void tests_only(void)
{
    MPI_Request request;
    int flag = 0;
    if (rank == 0) {
        double end = MPI_Wtime() + 2.5;
        MPI_Irecv(&value, 1, MPI_INT, 0, 6, W, &request);
        while (MPI_Wtime() < end)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        CHECK(!flag);
        MPI_Send(&rank, 1, MPI_INT, 0, 6, W);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(W);
}

static void on_timer(int number)
{
    (void)number;
}

static void timer(void)
{
    if (rank == 0) {
        timer_t own;
        struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
        struct itimerspec when = {.it_value = {3, 0}};
        signal(SIGUSR1, on_timer);
        CHECK(timer_create(CLOCK_MONOTONIC, &event, &own) == 0);
        CHECK(timer_settime(own, 0, &when, NULL) == 0);
    }
    MPI_Recv(&value, 1, MPI_INT, (rank + 1) % size, 5, W, MPI_STATUS_IGNORE);
}

/* Messages to and fro, with a wait for each. */
static void busy(void)
{
    double end = MPI_Wtime() + 3;
    int go = 1;
    while (go) {
        go = MPI_Wtime() < end;
        MPI_Bcast(&go, 1, MPI_INT, 0, W);
    }
}

/* Rank 0 has slept for a while already when its first message is received. */
static void late_receive(void)
{
    int value = 0;
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_INT, 1, 6, W);
        MPI_Ssend(&value, 1, MPI_INT, 2, 7, W);
    }
    if (rank == 1) {
        usleep(200000);
        MPI_Recv(&value, 1, MPI_INT, 0, 6, W, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 2, 8, W, MPI_STATUS_IGNORE);
    }
    if (rank == 2)
        MPI_Recv(&value, 1, MPI_INT, 1, 9, W, MPI_STATUS_IGNORE);
}

/* Rank 1 waits for what rank 0 says after many broadcasts, and takes part in none of them. */
static void far_ahead(void)
{
    int value = 0;
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 5, W, MPI_STATUS_IGNORE);
    for (int i = 0; i < 100; i++)
        MPI_Bcast(&value, 1, MPI_INT, 0, W);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 5, W);
}

int main(int argc, char **argv)
{
    const struct test tests[] = {
        {"ring", ring},       {"barrier", barrier},       {"finished", finished},
        {"agreed", agreed},
        {"sends", sends},     {"threads", threads},       {"thread-sleeps", thread_sleeps},
        {"sleeper", sleeper}, {"reader", reader},         {"timed-wait", timed_wait},
        {"compute", compute}, {"tests-only", tests_only}, {"timer", timer},
        {"busy", busy},       {"far-ahead", far_ahead},
        {"late-receive", late_receive},
        {"roots", roots},     {"other-calls", other_calls}, {"order", order},
        {"started", started}, {0}};
    return run_test(argc, argv, tests);
}
