/* Signals that find a rank at work, in the way that the first argument names. */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "ftmpi.h"

enum { LIVES = 40, JUMPS = 200, FILES = 200 };

static int ends[2];
static sem_t semaphore;
static volatile int handled, value, is_over;
static sigjmp_buf back;
static pthread_t sleeper;

static int is(const char *how, const char *name)
{
    return !strcmp(how, name);
}

static void leave(int number)
{
    (void)number;
    _exit(7);
}

static void jump(int number)
{
    siglongjmp(back, number);
}

static void note(int number)
{
    handled = number;
}

static void note_value(int number, siginfo_t *story, void *machine)
{
    (void)machine;
    value = story->si_value.sival_int;
    handled = number;
}

static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(number, &action, NULL);
}

/* Takes and gives back locks of libc and of the library, one after the other. */
static void *work(void *unused)
{
    for (;;) {
        FILE *file = fopen("/dev/null", "w");
        fprintf(file, "%p\n", unused);
        char *line = malloc(3000), *name = strdup("name");
        setenv(name, "value", 1);
        free(name);
        free(line);
        fclose(file);
    }
    return NULL;
}

/* A thread is ended by a handler in the middle of its work, again and again. */
static int die_at_work(void)
{
    pthread_t worker;
    handle(SIGUSR1, leave, 0);
    if (ftmpi_rank_in_job() == 0 || ftmpi_incarnation() == LIVES)
        for (int i = 0; i < FILES * (ftmpi_rank_in_job() ? 1 : LIVES); i++)
            fclose(fopen("/dev/null", "r")), setenv("name", "other", 1);
    if (ftmpi_rank_in_job() == 0 || ftmpi_incarnation() == LIVES)
        return puts("done") < 0;
    pthread_create(&worker, NULL, work, NULL);
    usleep(200 + 37 * (ftmpi_incarnation() % 20));
    pthread_kill(worker, SIGUSR1);
    for (;;)
        pause();
}

/* A handler jumps out of the work, again and again. */
static int jump_from_work(void)
{
    volatile int jumps = 0;
    struct itimerval soon = {.it_value.tv_usec = 300};
    handle(SIGALRM, jump, 0);
    if (sigsetjmp(back, 1))
        jumps++;
    if (jumps == JUMPS)
        return puts("done") < 0;
    setitimer(ITIMER_REAL, &soon, NULL);
    work(NULL);
    return 1;
}

/* Again and again: the first may come before the wait has begun. */
static void *send_to_sleeper(void *number)
{
    for (usleep(20000); !is_over; usleep(20000))
        pthread_kill(sleeper, (int)(size_t)number);
    return NULL;
}

static void *write_later(void *unused)
{
    while (!handled)
        usleep(1000);
    usleep(60000);
    return write(ends[1], "x", 1) == 1 ? unused : NULL;
}

static int wait_in(const char *how)
{
    sigset_t none;
    char byte;
    struct pollfd file = {.fd = ends[0], .events = POLLIN};
    struct timespec second = {1000, 0};
    sigemptyset(&none);
    if (is(how, "pause"))
        return pause();
    if (is(how, "nanosleep"))
        return nanosleep(&second, NULL);
    if (is(how, "poll"))
        return poll(&file, 1, 1000000);
    if (is(how, "sigsuspend"))
        return sigsuspend(&none);
    if (is(how, "sem_wait"))
        return sem_wait(&semaphore);
    return (int)read(ends[0], &byte, 1);
}

/* A sibling's signal ends the wait with EINTR, after the handler has run. */
static int interrupt(const char *how)
{
    pthread_t sender, writer;
    sigset_t set;
    handle(SIGUSR2, note, is(how, "restart") ? SA_RESTART : 0);
    if (pipe(ends) != 0 || sem_init(&semaphore, 0, 0) != 0)
        return 1;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    if (is(how, "sigsuspend"))
        pthread_sigmask(SIG_BLOCK, &set, NULL);
    sleeper = pthread_self();
    pthread_create(&sender, NULL, send_to_sleeper, (void *)SIGUSR2);
    if (is(how, "restart"))
        pthread_create(&writer, NULL, write_later, NULL);
    int result = wait_in(how), number = errno;
    is_over = 1;
    pthread_join(sender, NULL);
    printf("%s %d %d %d\n", how, result, result < 0 && number == EINTR, handled == SIGUSR2);
    return 0;
}

static void *compute(void *unused)
{
    for (volatile double sum = 0; !handled;)
        sum += 1;
    return unused;
}

/* A signal that finds a computing thread, with the value that came with it. */
static int bring_value(void)
{
    struct sigaction action = {.sa_sigaction = note_value, .sa_flags = SA_SIGINFO};
    union sigval sent = {.sival_int = 40 + ftmpi_rank_in_job()};
    pthread_t computer;
    sigaction(SIGRTMIN, &action, NULL);
    pthread_create(&computer, NULL, compute, NULL);
    pthread_sigqueue(computer, SIGRTMIN, sent);
    pthread_join(computer, NULL);
    int first = value;
    sent.sival_int += 100;
    sigqueue(getpid(), SIGRTMIN, sent);
    printf("%d: %d %d\n", ftmpi_rank_in_job(), first, value);
    return 0;
}

/* A signal to the whole process finds those who wait for it. */
static int wait_for_signal(const char *how)
{
    sigset_t set;
    int number = 0;
    struct signalfd_siginfo story = {0};
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    int descriptor = signalfd(-1, &set, 0);
    /* Not before all ranks hold it back. */
    MPI_Init(NULL, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (ftmpi_rank_in_job() == 0) {
        usleep(100000);
        if (fork() == 0)
            kill(getppid(), SIGTERM), _exit(0);
    }
    if (is(how, "sigwait"))
        sigwait(&set, &number);
    else if (read(descriptor, &story, sizeof story) == sizeof story)
        number = (int)story.ssi_signo;
    printf("waited %d\n", number);
    MPI_Finalize();
    return 0;
}

/* Every rank has an alarm of its own. */
static int have_alarm(void)
{
    int rank = ftmpi_rank_in_job();
    struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}}, left;
    handle(SIGALRM, note, 0);
    if (rank == 1) {
        alarm(1000);
        unsigned before = alarm(0);
        usleep(50000);
        printf("%d: %d %d\n", rank, before > 500 && before <= 1000, handled);
        return 0;
    }
    if (rank == 2) {
        signal(SIGALRM, SIG_DFL);
        ualarm(20000, 0);
        pause();
    }
    for (int i = 0; i < 20; i++, handled = 0) {
        setitimer(ITIMER_REAL, &often, NULL);
        while (!handled)
            pause();
    }
    getitimer(ITIMER_REAL, &left);
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%d: %d %d\n", rank, left.it_interval.tv_usec == 2000, left.it_value.tv_usec <= 2000);
    return 0;
}

int main(int count, char **words)
{
    const char *how = count > 1 ? words[1] : "";
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    if (is(how, "die"))
        return die_at_work();
    if (is(how, "jump"))
        return jump_from_work();
    if (is(how, "value"))
        return bring_value();
    if (is(how, "sigwait") || is(how, "signalfd"))
        return wait_for_signal(how);
    if (is(how, "alarm"))
        return have_alarm();
    return interrupt(how);
}
