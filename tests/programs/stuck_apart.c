/* Ranks in processes of their own that are stuck, or only look so. The first word says how. */
#define _GNU_SOURCE
#include <mpi-ext.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, size, word;

/* Long enough for several looks. */
static void compute(double seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double end = now.tv_sec + now.tv_nsec * 1e-9 + seconds;
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec + now.tv_nsec * 1e-9 < end);
}

static void from(int peer)
{
    int code = MPI_Recv(&word, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank %d: %s\n", rank, code == MPI_SUCCESS ? "received" : "heard of a death");
}

static void to(int peer)
{
    MPI_Send(&rank, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
}

/* The others wait for the last rank, which dies while they do. */
static void death(double after)
{
    if (rank == size - 1) {
        compute(after);
        raise(SIGKILL);
    }
    from(size - 1);
}

/* The last rank dies while the others wait for each other. */
static void death_beside(double after)
{
    if (rank == size - 1) {
        compute(after);
        raise(SIGKILL);
    }
    from((rank + 1) % (size - 1));
}

/* The last rank is stopped, and goes on later. */
static void stopped(void)
{
    if (rank == size - 1) {
        pid_t self = getpid();
        if (fork() == 0) {
            /* By then it has stopped. */
            sleep(3);
            kill(self, SIGCONT);
            _exit(0);
        }
        raise(SIGSTOP);
        for (int peer = 0; peer < size - 1; peer++)
            to(peer);
    } else {
        from(size - 1);
    }
}

static void *send_later(void *unused)
{
    (void)unused;
    compute(3);
    for (int peer = 0; peer < size; peer++)
        to(peer);
    return NULL;
}

/* Everybody waits, but a thread of the last rank computes, and then sends. */
static void thread(void)
{
    pthread_t other;
    if (rank == size - 1)
        pthread_create(&other, NULL, send_later, NULL);
    from(size - 1);
    if (rank == size - 1)
        pthread_join(other, NULL);
}

/* More long messages than may be under way at a time, which nobody receives. */
static void unreceived(void)
{
    enum { MESSAGES = 1500, BYTES = 150000 };
    static char data[BYTES];
    static MPI_Request requests[MESSAGES];
    if (rank != 0)
        from(0);
    for (int i = 0; i < MESSAGES; i++)
        MPI_Isend(data, BYTES, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
}

/* Messages go round all the time: all wait at nearly every moment. */
static void round_and_round(void)
{
    /* Rank 0 says when it is over. */
    for (double end = MPI_Wtime() + 3;;) {
        long data[4000] = {0};
        int count = rank % 2 ? 4000 : 1, next = (rank + 1) % size, last = (rank + size - 1) % size;
        for (int i = 0; i < 50; i++) {
            if (rank == 0)
                MPI_Send(data, count, MPI_LONG, next, 3, MPI_COMM_WORLD);
            MPI_Recv(data, 4000, MPI_LONG, last, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank != 0)
                MPI_Send(data, count, MPI_LONG, next, 3, MPI_COMM_WORLD);
        }
        int is_over = MPI_Wtime() >= end;
        MPI_Bcast(&is_over, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (is_over)
            break;
    }
}

/* One-sided accesses only, in which targets do nothing themselves. */
static void one_sided(void)
{
    MPI_Win win;
    int value = rank, *base, got;
    MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    *base = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        for (double end = MPI_Wtime() + 3; MPI_Wtime() < end;) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
            MPI_Fetch_and_op(&value, &got, MPI_INT, 1, 0, MPI_SUM, win);
            MPI_Win_unlock(1, win);
        }
    MPI_Win_free(&win);
}

/* Each holds a lock of its own window and wants that of the next. */
static void locks(void)
{
    MPI_Win win;
    int *base, next = (rank + 1) % size;
    MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    MPI_Get(&word, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    MPI_Win_flush(rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win);
    MPI_Get(&word, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Win_flush(next, win);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    double after = argc > 2 ? atof(argv[2]) : 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &(int){0});
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(how, "death"))
        death(after);
    else if (!strcmp(how, "death-beside"))
        death_beside(after);
    else if (!strcmp(how, "stopped"))
        stopped();
    else if (!strcmp(how, "thread"))
        thread();
    else if (!strcmp(how, "unreceived"))
        unreceived();
    else if (!strcmp(how, "round"))
        round_and_round();
    else if (!strcmp(how, "one-sided"))
        one_sided();
    else if (!strcmp(how, "locks"))
        locks();
    else if (!strcmp(how, "dup"))
        rank == 0 ? from(1) : (void)MPI_Comm_dup(MPI_COMM_WORLD, &(MPI_Comm){MPI_COMM_NULL});
    MPI_Finalize();
    return 0;
}
