/* Kills processes of ranks, from outside, at any instruction.
 *
 * sniper KILLS GAP SPARED SEED CALM ftrun ...: starts ftrun, and while that runs, kills KILLS times
 * one of its processes, but not the one that begins with the seat SPARED, with up to GAP
 * microseconds between; then makes the file CALM. A process dies at a random time, some single
 * steps after one, or at one of its next system calls. Prints how many have died and where, the
 * fewest files that ftrun had open in the second and in the last quarter, and whether processes are
 * left; ends with the status of ftrun. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 4096, MOST_STEPS = 3000, MOST_CALLS = 12, PATIENCE_US = 20000 };
enum { IN_LIBRARY, IN_LIBC, IN_PROGRAM, ELSEWHERE, ASLEEP, UNSEEN, PLACES };

static uint64_t chance;
static pid_t launcher;
static int status_of_launcher, has_ended, spared;
static int killed, seen_at[PLACES];

static uint64_t roll(uint64_t bound)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return chance % bound;
}

static long microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

static int is_over(void)
{
    if (!has_ended && waitpid(launcher, &status_of_launcher, WNOHANG) == launcher)
        has_ended = 1;
    return has_ended;
}

/* The entries of a directory of /proc that are numbers. */
static int numbers_in(const char *path, int *numbers)
{
    DIR *directory = opendir(path);
    struct dirent *entry;
    int count = 0;
    while (directory && count < MOST && (entry = readdir(directory)))
        if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
            numbers[count++] = atoi(entry->d_name);
    if (directory)
        closedir(directory);
    return count;
}

static int read_file(const char *path, char *into, int most)
{
    int file = open(path, O_RDONLY), length = 0, more;
    while (file >= 0 && length < most - 1 &&
           (more = (int)read(file, into + length, (size_t)(most - 1 - length))) > 0)
        length += more;
    if (file >= 0)
        close(file);
    into[length] = 0;
    return length;
}

/* The seat of a rank's process, the first if it has several; -1 if it is none yet. */
static int seat_of(pid_t pid)
{
    static char text[1 << 16];
    char path[64];
    int seat;
    snprintf(path, sizeof path, "/proc/%d/environ", pid);
    int length = read_file(path, text, sizeof text);
    for (char *at = text; at < text + length; at += strlen(at) + 1)
        if (sscanf(at, "FTRUN_PROCESS=%*s %*s %d", &seat) == 1)
            return seat;
    return -1;
}

/* Somebody who may be killed; 0 if nobody can be found. */
static pid_t victim(void)
{
    static int tasks[MOST], found[MOST];
    static char text[1 << 16];
    char path[96];
    int count = 0;
    snprintf(path, sizeof path, "/proc/%d/task", launcher);
    int task_count = numbers_in(path, tasks);
    for (int i = 0; i < task_count; i++) {
        char *next;
        snprintf(path, sizeof path, "/proc/%d/task/%d/children", launcher, tasks[i]);
        read_file(path, text, sizeof text);
        for (char *at = text; count < MOST; at = next) {
            pid_t pid = (pid_t)strtol(at, &next, 10);
            if (next == at)
                break;
            found[count++] = pid;
        }
    }
    for (int tries = 0; count && tries < 20; tries++) {
        pid_t pid = found[roll((uint64_t)count)];
        int seat = seat_of(pid);
        if (seat >= 0 && seat != spared)
            return pid;
    }
    return 0;
}

/* Waits until a traced thread stops; 0 if it goes on sleeping, -1 if it has ended. */
static int stops(pid_t thread)
{
    long until = microseconds() + PATIENCE_US;
    int status;
    for (;;) {
        pid_t found = waitpid(thread, &status, WNOHANG | __WALL);
        if (found == thread)
            return WIFSTOPPED(status) ? 1 : -1;
        if (found < 0)
            return -1;
        if (microseconds() > until)
            return 0;
    }
}

/* Where a thread that has stopped is. */
static int place_of(pid_t pid, pid_t thread)
{
    static char text[1 << 20];
    struct user_regs_struct registers;
    char path[64];
    if (ptrace(PTRACE_GETREGS, thread, 0, &registers))
        return UNSEEN;
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    read_file(path, text, sizeof text);
    for (char *line = text; line && *line; line = strchr(line, '\n')) {
        unsigned long from, to;
        line += *line == '\n';
        if (sscanf(line, "%lx-%lx", &from, &to) != 2 || registers.rip < from || registers.rip >= to)
            continue;
        char *end = strchr(line, '\n');
        if (end)
            *end = 0;
        return strstr(line, "libftmpi_rs")  ? IN_LIBRARY
               : strstr(line, "/libc.so") ? IN_LIBC
               : strstr(line, "storm")    ? IN_PROGRAM
                                          : ELSEWHERE;
    }
    return ELSEWHERE;
}

/* Leads a thread of the process some steps on. Says where it is then. */
static int lead(pid_t pid, pid_t thread)
{
    int is_stepping = roll(3) != 0;
    int steps = 1 + (int)roll(is_stepping ? 1 + roll(MOST_STEPS) : MOST_CALLS);
    if (ptrace(PTRACE_INTERRUPT, thread, 0, 0))
        return UNSEEN;
    for (;; steps--) {
        int has_stopped = stops(thread);
        if (has_stopped <= 0)
            return has_stopped ? UNSEEN : ASLEEP;
        if (steps == 0)
            return place_of(pid, thread);
        if (ptrace(is_stepping ? PTRACE_SINGLESTEP : PTRACE_SYSCALL, thread, 0, 0))
            return UNSEEN;
    }
}

static int shoot(pid_t pid)
{
    static int threads[MOST];
    char path[64];
    int place = UNSEEN, is_led = roll(3) != 0, status;
    pid_t thread = pid;
    if (is_led) {
        snprintf(path, sizeof path, "/proc/%d/task", pid);
        int count = numbers_in(path, threads);
        if (count && roll(4) == 0)
            thread = threads[roll((uint64_t)count)];
        is_led = !ptrace(PTRACE_SEIZE, thread, 0, 0);
    }
    if (is_led)
        place = lead(pid, thread);
    int is_hit = kill(pid, SIGKILL) == 0;
    /* ftrun hears of the end only after its tracer has. */
    while (is_led && waitpid(thread, &status, __WALL) > 0 && WIFSTOPPED(status))
        ;
    if (is_hit) {
        killed++;
        seen_at[place]++;
    }
    return is_hit;
}

static int count_in(const char *what)
{
    static int numbers[MOST];
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", launcher, what);
    return numbers_in(path, numbers);
}

/* Whether processes outlive ftrun: they have become children of this one. */
static int leaves_orphans(void)
{
    long until = microseconds() + 10000000;
    int status;
    pid_t found;
    while ((found = waitpid(-1, &status, WNOHANG)) >= 0 && microseconds() < until)
        ;
    return found >= 0;
}

int main(int argc, char **argv)
{
    if (argc < 7)
        return 2;
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    int kills = atoi(argv[1]), gap = atoi(argv[2]), open_files[4] = { 0 };
    spared = atoi(argv[3]);
    chance = strtoull(argv[4], NULL, 10) * 0x9e3779b97f4a7c15u + 1;
    launcher = fork();
    if (launcher == 0) {
        execv(argv[6], argv + 6);
        _exit(127);
    }
    while (killed < kills && !is_over()) {
        long until = microseconds() + (long)roll((uint64_t)gap);
        while (microseconds() < until && !is_over())
            ;
        pid_t pid = victim();
        if (!pid || !shoot(pid))
            continue;
        int opened = count_in("fd"), *fewest = &open_files[(killed - 1) * 4 / kills];
        *fewest = *fewest && *fewest < opened ? *fewest : opened;
    }
    close(open(argv[5], O_WRONLY | O_CREAT, 0600));
    if (!has_ended)
        waitpid(launcher, &status_of_launcher, 0);
    int has_orphans = leaves_orphans();
    printf("killed: %d, %d in the library, %d in libc, %d in the program, %d elsewhere, %d asleep, "
           "%d unseen\n",
           killed, seen_at[IN_LIBRARY], seen_at[IN_LIBC], seen_at[IN_PROGRAM], seen_at[ELSEWHERE],
           seen_at[ASLEEP], seen_at[UNSEEN]);
    printf("open: %d then %d\norphans: %d\n", open_files[1], open_files[3], has_orphans);
    return WIFEXITED(status_of_launcher) ? WEXITSTATUS(status_of_launcher) : 99;
}
