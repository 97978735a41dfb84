/* Programs whose output depends on who is first, for runs that a seed repeats.
 *
 * seed CASE [N]: each case prints, at once and as it happens, what an order decides on. */
#include <ft-mpi-modes.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int rank, size;

static void say(const char *what, int number)
{
    printf("%d: %s %d\n", rank, what, number);
    fflush(stdout);
}

/* Everybody sends to rank 0, which takes what comes first, in several ways. */
static void races(int rounds)
{
    MPI_Status status;
    int data;
    for (int round = 0; round < rounds; round++) {
        if (rank != 0) {
            say("sends", round);
            MPI_Send(&round, 1, MPI_INT, 0, round % 3, MPI_COMM_WORLD);
            continue;
        }
        for (int left = size - 1; left > 0; left--) {
            int found = 0;
            switch (round % 3) {
            case 0:
                MPI_Recv(&data, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
                break;
            case 1:
                while (!found)
                    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &found, &status);
                MPI_Recv(&data, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD, &status);
                break;
            default: {
                MPI_Request request;
                MPI_Irecv(&data, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &request);
                while (!found)
                    MPI_Test(&request, &found, &status);
            }
            }
            say("hears", status.MPI_SOURCE);
        }
    }
    int sum = rank, all;
    MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    say("has", all);
}

/* Whichever of the requests is done first, and which are done together. */
static void choices(int rounds)
{
    MPI_Request *requests = malloc(sizeof *requests * size);
    int *data = malloc(sizeof *data * size), *done = malloc(sizeof *done * size);
    for (int round = 0; round < rounds; round++) {
        if (rank != 0) {
            MPI_Send(&round, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            MPI_Barrier(MPI_COMM_WORLD);
            continue;
        }
        for (int peer = 1; peer < size; peer++)
            MPI_Irecv(&data[peer], 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &requests[peer - 1]);
        for (int left = size - 1; left > 0;) {
            int which, count, flag;
            if (round % 3 == 0) {
                MPI_Waitany(size - 1, requests, &which, MPI_STATUS_IGNORE);
                say("any", which);
                left--;
            } else if (round % 3 == 1) {
                MPI_Waitsome(size - 1, requests, &count, done, MPI_STATUSES_IGNORE);
                say("some", count);
                left -= count;
            } else {
                MPI_Testany(size - 1, requests, &which, &flag, MPI_STATUS_IGNORE);
                if (flag)
                    say("test", which);
                left -= flag;
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Sleeps, clocks and chance: what time a rank sees, and what it makes of it. */
static void times(int seconds)
{
    struct timeval now;
    struct timespec half = {0, 500 * 1000 * 1000};
    double begun = MPI_Wtime();
    sleep(rank % 3 * seconds);
    nanosleep(&half, NULL);
    usleep(1000 * (size - rank));
    gettimeofday(&now, NULL);
    srand(time(NULL));
    printf("%d: %.6f s, at %ld.%06ld, draws %d, clock %ld\n", rank, MPI_Wtime() - begun,
           (long)now.tv_sec, (long)now.tv_usec, rand(), (long)clock());
    fflush(stdout);
    double asleep = MPI_Wtime();
    while (MPI_Wtime() - asleep < 0.01)
        ;
    say("is done", (int)(MPI_Wtime() - begun));
}

static volatile sig_atomic_t rung;

static void ring(int number)
{
    (void)number;
    rung++;
}

/* An alarm of two hours ends a wait. */
static void alarms(void)
{
    signal(SIGALRM, ring);
    alarm(7200 + rank);
    pause();
    say("was woken", rung);
}

/* The answers of two workers belong to one question, the programmer thinks. */
static void mistake(void)
{
    int data = rank, first, second;
    if (rank == 0) {
        MPI_Status status;
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        if (first > second) {
            fprintf(stderr, "%d came before %d\n", first, second);
            MPI_Abort(MPI_COMM_WORLD, 5);
        }
    } else if (rank <= 2) {
        MPI_Barrier(MPI_COMM_SELF);
        if (rank == 2)
            for (int i = 0; i < 4; i++)
                MPI_Barrier(MPI_COMM_SELF);
        MPI_Send(&data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
}

/* One rank looks and looks, for what the last of the others does last. */
static void spins(void)
{
    int flag = 0, data = 0;
    if (rank == 0)
        while (!flag)
            MPI_Iprobe(size - 1, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    for (int i = 0; rank > 0 && i < 50; i++)
        MPI_Sendrecv_replace(&data, 1, MPI_INT, rank % (size - 1) + 1, 0,
                             (rank + size - 3) % (size - 1) + 1, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    if (rank == size - 1)
        MPI_Send(&data, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    say("is through", flag);
}

/* Rounds of collective calls and a race, until so many are done; deaths are survived. */
static void survive(int rounds)
{
    int done = -1, code = MPI_SUCCESS;
    MPI_Comm again;
    if (getenv("FTMPI_INCARNATION") == NULL)
        done = 0;
    for (;;) {
        int most = 0, sum = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        code = MPI_Allreduce(&done, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (code == MPI_SUCCESS && (done = most) >= rounds)
            break;
        if (code == MPI_SUCCESS && rank == 0) {
            for (int left = size - 1; left > 0 && code == MPI_SUCCESS; left--) {
                MPI_Status status;
                code = MPI_Recv(&sum, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
                if (code == MPI_SUCCESS)
                    say("hears", status.MPI_SOURCE);
            }
        } else if (code == MPI_SUCCESS) {
            usleep(200 * (rank % 3));
            code = MPI_Send(&rank, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
        }
        if (code == MPI_SUCCESS)
            code = MPI_Barrier(MPI_COMM_WORLD);
        if (code == MPI_SUCCESS) {
            done++;
            continue;
        }
        say("has heard of a death in round", done);
        while ((code = MPI_Comm_dup(MPI_COMM_WORLD, &again)) == MPI_ERR_OTHER)
            ;
        if (code != MPI_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 3);
        say("recovers at", (int)(1e6 * MPI_Wtime()));
        MPI_Comm_free(&again);
    }
    say("is through", done);
}

/* A flag that another rank would have to set, and no call of MPI. */
static void computes(int milliseconds)
{
    struct timespec begun, now;
    volatile double sink = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        (void)begun, (void)now;
        for (long i = 0; i < 200000L * milliseconds; i++)
            sink += i;
        say("has computed", sink > 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "races";
    int number = argc > 2 ? atoi(argv[2]) : 3;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(name, "races") == 0)
        races(number);
    else if (strcmp(name, "choices") == 0)
        choices(number);
    else if (strcmp(name, "times") == 0)
        times(number);
    else if (strcmp(name, "alarms") == 0)
        alarms();
    else if (strcmp(name, "mistake") == 0)
        mistake();
    else if (strcmp(name, "spins") == 0)
        spins();
    else if (strcmp(name, "survive") == 0)
        survive(number);
    else if (strcmp(name, "computes") == 0)
        computes(number);
    MPI_Finalize();
    return 0;
}
