/* Runs a command and stops single threads of it, whichever, for random times: what happens between
 * two instructions once in a million times happens all the time then. Finds races.
 *
 *     cc -O2 -o jitter tools/jitter.c
 *     ./jitter EVERY_US LONGEST_MS SEED COMMAND...
 *
 * About every EVERY_US microseconds a thread is stopped, for LONGEST_MS milliseconds at most and
 * much less as a rule. The exit status is the command's (128 + its signal). The same seed makes the
 * same choices, of threads that may have come elsewhere: it does not replay a run exactly. SIGTERM
 * makes it let go of the command, which a debugger can look at then.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum state { RUNS, IS_ASKED, STANDS };

static struct thread {
    pid_t number;
    enum state state;
    double until;
} *threads;

static int count, room;
static volatile sig_atomic_t is_leaving;
static unsigned long long random_state;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

/* SplitMix64, as a number from 0 to 1. */
static double chance(void)
{
    unsigned long long mixed = random_state += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return ((mixed ^ mixed >> 31) >> 11) * 0x1p-53;
}

static struct thread *find(pid_t number)
{
    for (int i = 0; i < count; i++)
        if (threads[i].number == number)
            return &threads[i];
    if (count == room) {
        room = room ? 2 * room : 256;
        threads = realloc(threads, room * sizeof *threads);
        if (!threads) {
            perror("jitter");
            exit(125);
        }
    }
    threads[count] = (struct thread){.number = number, .state = RUNS};
    return &threads[count++];
}

static void forget(pid_t number)
{
    for (int i = 0; i < count; i++)
        if (threads[i].number == number)
            threads[i] = threads[--count];
}

static void go_on(struct thread *thread, int number)
{
    thread->state = RUNS;
    ptrace(is_leaving ? PTRACE_DETACH : PTRACE_CONT, thread->number, 0, number);
}

static void leave(int number)
{
    (void)number;
    is_leaving = 1;
}

/* All who run stop once more, and are let go of then. */
static void part(void)
{
    for (int i = 0; i < count; i++)
        if (threads[i].state == RUNS)
            ptrace(PTRACE_INTERRUPT, threads[i].number, 0, 0);
}

/* A thread has stopped, for whatever reason. */
static void stopped(struct thread *thread, int status, double longest)
{
    int event = status >> 16, number = WSTOPSIG(status);
    if (is_leaving) {
        go_on(thread, event ? 0 : number);
    } else if (event == PTRACE_EVENT_STOP && thread->state == IS_ASKED && number == SIGTRAP) {
        /* Short stops find races between two, long ones those among many. */
        double part = chance();
        thread->state = STANDS;
        thread->until = now() + longest * part * part * part;
    } else if (event == PTRACE_EVENT_STOP && number != SIGTRAP) {
        /* Somebody has stopped the whole process; it goes on when it is told to. */
        ptrace(PTRACE_LISTEN, thread->number, 0, 0);
    } else if (event == PTRACE_EVENT_EXEC) {
        /* Its other threads are gone. */
        pid_t left = thread->number;
        count = 0;
        go_on(find(left), 0);
    } else {
        go_on(thread, event ? 0 : number);
    }
}

/* Notes all that has happened; the exit status of `command`, if it is over, or -1. */
static int look_around(pid_t command, double longest)
{
    int status, ended = -1;
    pid_t number;
    while ((number = waitpid(-1, &status, __WALL | WNOHANG)) > 0) {
        if (WIFSTOPPED(status)) {
            stopped(find(number), status, longest);
            continue;
        }
        forget(number);
        if (number == command)
            ended = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return ended;
}

/* Lets those go on who have stood for long enough; when the next one is due, at most `latest`. */
static double release(double latest)
{
    double time = now();
    for (int i = 0; i < count; i++) {
        if (threads[i].state != STANDS)
            continue;
        if (threads[i].until <= time || is_leaving)
            go_on(&threads[i], 0);
        else if (threads[i].until < latest)
            latest = threads[i].until;
    }
    return latest;
}

static int run(pid_t command, double every, double longest)
{
    double next = now() + every;
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    for (;;) {
        int status = look_around(command, longest);
        if (status >= 0)
            return status;
        if (is_leaving == 1) {
            is_leaving = 2;
            part();
        } else if (!is_leaving && now() >= next && count > 0) {
            struct thread *thread = &threads[(int)(chance() * count)];
            if (thread->state == RUNS && ptrace(PTRACE_INTERRUPT, thread->number, 0, 0) == 0)
                thread->state = IS_ASKED;
            next = now() + 2 * every * chance();
        }
        double left = release(next) - now();
        struct timespec pause = {.tv_nsec = left <= 0 ? 0 : left >= 0.01 ? 10000000 : left * 1e9};
        sigtimedwait(&children, NULL, &pause);
    }
}

int main(int argc, char **argv)
{
    sigset_t children, before;
    int status;
    if (argc < 5) {
        fprintf(stderr, "usage: jitter EVERY_US LONGEST_MS SEED COMMAND...\n");
        return 125;
    }
    random_state = strtoull(argv[3], NULL, 10);
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, &before);
    signal(SIGTERM, leave);
    pid_t command = fork();
    if (command == 0) {
        signal(SIGTERM, SIG_DFL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        raise(SIGSTOP);
        execvp(argv[4], argv + 4);
        fprintf(stderr, "jitter: %s: %s\n", argv[4], strerror(errno));
        _exit(127);
    }
    if (command < 0 || waitpid(command, &status, WUNTRACED) != command) {
        perror("jitter");
        return 125;
    }
    long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SEIZE, command, 0, options) != 0) {
        perror("jitter: ptrace");
        kill(command, SIGKILL);
        return 125;
    }
    find(command);
    kill(command, SIGCONT);
    return run(command, atof(argv[1]) * 1e-6, atof(argv[2]) * 1e-3);
}
