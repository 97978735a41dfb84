/* One rank dies in the way that the first argument names; the others must not mind.
 *
 * Every survivor waits for a message from the victim, which must end with an error; then works on
 * with malloc, printf and messages round the ring of survivors. A fresh incarnation of the victim
 * finds its globals as they were when the program began. Also compiled as C++. */
#include <assert.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ftmpi.h"

static int rank, size, victim;
static int touched;               /* dirtied before the death: a fresh incarnation sees 0 */
static int *initialised = &touched;
static volatile double sink;
static volatile int zero;

static int deep(int level)
{
    volatile char frame[4096];
    frame[level % 4096] = (char)level;
    return deep(level + 1) + frame[0];
}

static void compute_loop(void)
{
    for (double x = 1;; x = x * 1.0000001 + 1e-9)
        sink = x;
}

static void malloc_loop(void)
{
    for (unsigned i = 0;; i++) {
        char *memory = (char *)malloc(16 + i % 5000);
        memory[0] = (char)i;
        free(memory);
    }
}

static void printf_loop(void)
{
    FILE *null = fopen("/dev/null", "w");
    for (unsigned i = 0;; i++)
        fprintf(null, "line %u of the victim's loop\n", i);
}

static void double_free(void)
{
    char *memory = (char *)malloc(100);
    char *volatile again = memory;
    free(memory);
    free(again);
}

static void heap_overflow(void)
{
    char *blocks[64];
    for (int i = 0; i < 64; i++)
        blocks[i] = (char *)malloc(40);
    volatile size_t too_far = 40 * 64 + 4096;
    memset(blocks[10], 0x5a, too_far);
    for (int i = 0; i < 64; i++)
        free(blocks[i]);
    abort(); /* an overflow that nothing noticed is a death all the same */
}

/* Ends the calling rank in the way named; "outside" kinds wait to be killed by a neighbour. */
static void die(const char *how)
{
    if (strcmp(how, "exit") == 0)
        exit(7);
    else if (strcmp(how, "_exit") == 0)
        _exit(8);
    else if (strcmp(how, "return") == 0)
        return;
    else if (strcmp(how, "abort") == 0)
        abort();
    else if (strcmp(how, "assert") == 0)
        assert(zero == 1);
    else if (strcmp(how, "segv") == 0)
        *(volatile int *)(size_t)zero = 1;
    else if (strcmp(how, "fpe") == 0)
        zero = 100 / zero;
    else if (strcmp(how, "ill") == 0)
        __asm__ volatile("ud2");
    else if (strcmp(how, "stack") == 0)
        zero = deep(0);
    else if (strcmp(how, "double-free") == 0)
        double_free();
    else if (strcmp(how, "heap-overflow") == 0)
        heap_overflow();
    else if (strcmp(how, "null-call") == 0)
        ((void (*volatile)(void))(size_t)zero)();
    else if (strcmp(how, "raise-kill") == 0)
        raise(SIGKILL);
    else if (strcmp(how, "strlen") == 0)
        zero = (int)strlen((char *)(size_t)(zero + 8));
    else if (strcmp(how, "bad-buffer") == 0)
        MPI_Send((char *)0x123456780000 + zero, 1 << 20, MPI_BYTE, (rank + 1) % size, 99,
                 MPI_COMM_WORLD);
    else if (strcmp(how, "compute-loop") == 0)
        compute_loop();
    else if (strcmp(how, "malloc-loop") == 0)
        malloc_loop();
    else if (strcmp(how, "printf-loop") == 0)
        printf_loop();
#ifdef __cplusplus
    else if (strcmp(how, "throw") == 0)
        throw 42;
#endif
    fprintf(stderr, "rank %d outlived `%s`\n", rank, how);
}

static int survivors_neighbour(int step)
{
    int other = (rank + step + size) % size;
    return other == victim ? (other + step + size) % size : other;
}

static void live_on(void)
{
    int right = survivors_neighbour(1), left = survivors_neighbour(-1);
    long sum = 0;
    for (int round = 0; round < 50; round++) {
        size_t bytes = 64 + (size_t)round * 977;
        char *out = (char *)malloc(bytes), *in = (char *)malloc(bytes);
        memset(out, rank + round, bytes);
        MPI_Sendrecv(out, (int)bytes, MPI_BYTE, right, round, in, (int)bytes, MPI_BYTE, left, round,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(in[0] == (char)(left + round) && in[bytes - 1] == in[0]);
        sum += in[0];
        free(in);
        free(out);
    }
    printf("survivor %d lives on\n", rank);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "segv";
    int from_outside = strstr(how, "-loop") != NULL;
    if (ftmpi_incarnation() > 0) {
        char *memory = (char *)malloc(100000);
        memset(memory, 1, 100000);
        printf("fresh incarnation %d finds %d\n", ftmpi_incarnation(), *initialised);
        free(memory);
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    victim = argc > 2 ? atoi(argv[2]) : size / 2;
    touched = 1000 + rank;
    int killer = (victim + 1) % size, word = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == victim) {
        if (from_outside)
            MPI_Send(&word, 1, MPI_INT, killer, 5, MPI_COMM_WORLD);
        die(how);
        return strcmp(how, "return") == 0 ? 9 : 0;
    }
    if (from_outside && rank == killer) {
        MPI_Recv(&word, 1, MPI_INT, victim, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        ftmpi_kill(victim);
    }
    char *large = (char *)malloc(1 << 20);
    int code = MPI_Recv(large, 1 << 20, MPI_BYTE, victim, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(large);
    if (code == MPI_SUCCESS) {
        fprintf(stderr, "rank %d received from the dead\n", rank);
        return 1;
    }
    live_on();
    MPI_Finalize();
    return 0;
}
