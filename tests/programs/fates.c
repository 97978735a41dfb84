/* Rank 1 does to itself what the first argument says; with a second argument, rank 0 kills it
 * meanwhile. The others work with malloc and printf for a while. Without MPI. */
#define _GNU_SOURCE
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ftmpi.h"

static int fresh = 1;
static int *fresh_too = &fresh;
static volatile double sink;
static volatile int zero;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static int deep(int level)
{
    volatile char frame[4096];
    frame[level % 4096] = (char)level;
    return level < 0 ? 0 : deep(level + 1) + frame[0];
}

static __attribute__((noinline)) void smash(int bytes)
{
    char frame[8];
    memset(frame, 'A', bytes);
    __asm__ volatile("" : : "r"(frame) : "memory");
}

static void compute(void)
{
    for (;;)
        sink += sin(sink);
}

static void wait_for_condition(void)
{
    pthread_mutex_lock(&mutex);
    for (;;)
        pthread_cond_wait(&condition, &mutex);
}

static void *thread(void *what)
{
    const char *how = what;
    if (!strcmp(how, "compute"))
        compute();
    if (!strcmp(how, "condition"))
        wait_for_condition();
    if (!strcmp(how, "mutex")) {
        pthread_mutex_lock(&mutex);
        return NULL;
    }
    if (!strcmp(how, "segv"))
        *(volatile int *)8 = 0;
    if (!strcmp(how, "exit"))
        exit(9);
    for (;;)
        sleep(1000);
}

static pthread_t start(const char *how)
{
    pthread_t started;
    pthread_create(&started, NULL, thread, (void *)how);
    return started;
}

static void handler(int number)
{
    if (write(1, "handled\n", 8) == 8)
        _exit(40 + (number == SIGSEGV));
}

static void block_all(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
}

static void fork_children(void)
{
    int status;
    if (fork() == 0)
        *(volatile int *)8 = 0;
    wait(&status);
    assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    if (fork() == 0)
        exit(6);
    wait(&status);
    assert(WIFEXITED(status) && WEXITSTATUS(status) == 6);
    exit(8);
}

static void double_free(void)
{
    char *volatile memory = malloc(100);
    free(memory);
    free(memory);
}

static int is(const char *how, const char *name)
{
    return !strcmp(how, name);
}

static void suffer_faults(const char *how)
{
    if (is(how, "segv"))
        *(volatile int *)0 = 1;
    if (is(how, "text"))
        *(volatile char *)how == 0 ? (void)0 : (void)(*(volatile char *)"constant" = 1);
    if (is(how, "call"))
        ((void (*)(void))(size_t)zero)();
    if (is(how, "fpe"))
        sink = 77 / zero;
    if (is(how, "ill"))
        __builtin_trap();
    if (is(how, "overflow"))
        deep(1);
    if (is(how, "smash"))
        smash(200);
    if (is(how, "odd"))
        *(volatile int *)0x8000000000000000 = 1;
    if (is(how, "strlen"))
        sink = strlen((char *)(size_t)(16 + zero));
    if (is(how, "printf"))
        printf("%s", (char *)(size_t)(16 + zero));
    if (is(how, "double-free"))
        double_free();
    if (is(how, "handled")) {
        signal(SIGSEGV, handler);
        *(volatile int *)0 = 1;
    }
    if (is(how, "blocked-segv")) {
        block_all();
        *(volatile int *)0 = 1;
    }
}

static void leave(const char *how)
{
    if (is(how, "abort"))
        abort();
    if (is(how, "assert"))
        assert(zero);
    if (is(how, "exit"))
        exit(3);
    if (is(how, "_exit"))
        _exit(4);
    if (is(how, "quick"))
        quick_exit(5);
    if (is(how, "raise-kill"))
        raise(SIGKILL);
    if (is(how, "kill-self"))
        kill(getpid(), SIGKILL);
    if (is(how, "term"))
        raise(SIGTERM);
    if (is(how, "fork"))
        fork_children();
}

static void use_threads(const char *how)
{
    if (is(how, "threads")) {
        start("compute"), start("sleep"), start("condition");
        usleep(2000);
        exit(7);
    }
    if (is(how, "mutexes")) {
        pthread_join(start("mutex"), NULL), start("mutex"), start("mutex");
        usleep(2000);
        abort();
    }
    if (is(how, "thread-segv"))
        start("segv"), compute();
    if (is(how, "thread-exit"))
        pthread_join(start("exit"), NULL);
    if (is(how, "main-leaves"))
        start("exit"), pthread_exit(NULL);
}

static void wait_for_death(const char *how)
{
    int ends[2];
    if (is(how, "compute"))
        compute();
    if (is(how, "malloc"))
        for (int i = 0;; i = (i + 7) % 5000)
            free(memset(malloc(100 + i), 1, 50));
    if (is(how, "printf-loop"))
        for (FILE *null = fopen("/dev/null", "w");;)
            fprintf(null, "%d\n", zero);
    while (is(how, "pause"))
        pause();
    if (is(how, "blocked"))
        block_all(), compute();
    if (is(how, "condition"))
        wait_for_condition();
    if (is(how, "read") && pipe(ends) == 0)
        while (read(ends[0], ends, 1) < 0)
            ;
    if (is(how, "join"))
        pthread_join(start("sleep"), NULL);
}

int main(int count, char **words)
{
    int rank = ftmpi_rank_in_job();
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    if (!fresh || !*fresh_too)
        printf("rank %d.%d is not fresh\n", rank, ftmpi_incarnation());
    fresh = 0;
    if (rank == 1 && ftmpi_incarnation() == 0) {
        suffer_faults(words[1]);
        leave(words[1]);
        use_threads(words[1]);
        wait_for_death(words[1]);
        printf("survived\n");
        return 0;
    }
    if (rank == 0 && count > 2) {
        usleep(10000);
        ftmpi_kill(1);
    }
    for (int i = 0; i < (count > 2 ? 100 : 20); i++) {
        char *text = malloc(i * 100 + 20);
        sprintf(text, "%d", i);
        assert(atoi(text) == i);
        free(text);
        usleep(1000);
    }
    printf("rank %d.%d done\n", rank, ftmpi_incarnation());
    return 0;
}
