/* The structures of programs that the papers on FT-MPI print, as they print them. `listings WHAT`:
 *
 *     handler   an error handler recovers and jumps to the top, above a library that knows nothing
 *               of failures (Fagg and Dongarra, example 5 and figure 1)
 *     codes     every code is looked at, and a failure jumps to the recovery of the environment and
 *               of the data, which weighted sums keep (Dongarra, Chen, Bosilca and Langou)
 *     static    a rank knows by a static variable whether it was started again (the same paper)
 *     filled    started with BLANK, the program has a gap filled later
 *
 * Rank 1 dies in the middle. */
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "ftmpi.h"

enum { NORMAL, RECOVER, STEPS = 20, INTERVAL = 5, MOMENT = 12 };

static int rank, size, is_restarted;
static jmp_buf top;

/* A solver of somebody else's: it looks at no code. */
static long solver(void)
{
    long value = rank + 1, total = 0;
    for (int step = 0; step < STEPS; step++) {
        if (step == MOMENT && rank == 1 && !is_restarted)
            raise(SIGKILL);
        MPI_Allreduce(&value, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        value = (3 * value + total) % 10007;
    }
    return total;
}

static void recover_and_jump(MPI_Comm *comm, int *code, ...)
{
    MPI_Comm again;
    if (*code != MPI_ERR_OTHER || MPI_Comm_dup(*comm, &again) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Comm_free(&again);
    longjmp(top, 1);
}

static long by_handler(void)
{
    MPI_Handler_function *function = recover_and_jump;
    MPI_Errhandler mine, original;
    MPI_Errhandler_create(function, &mine);
    MPI_Errhandler_get(MPI_COMM_WORLD, &original);
    MPI_Errhandler_free(&original);
    MPI_Errhandler_set(MPI_COMM_WORLD, mine);
    setjmp(top);
    return solver();
}

/* The library knows by a return code, the program by a jump. */
static void look_at(int code)
{
    if (code == MPI_ERR_OTHER)
        longjmp(top, RECOVER);
}

static long by_codes(void)
{
    static int state, step;
    static double x, sum;
    FTCK ck;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    FTCK_Create(MPI_COMM_WORLD, "weighted:1,dedicated", &ck);
    if (rank < size - 1) {
        x = rank + 1;
        FTCK_Register(ck, 0, &x, 1, MPI_DOUBLE);
        FTCK_Register(ck, 1, &step, 1, MPI_INT);
    }
    if (setjmp(top) == RECOVER)
        state = RECOVER;
    if (state == RECOVER) {
        MPI_Comm newcomm = FT_MPI_CHECK_RECOVER;
        look_at(MPI_Comm_dup(MPI_COMM_WORLD, &newcomm));
        look_at(MPI_Comm_free(&newcomm));
        state = NORMAL;
    }
    int version;
    look_at(FTCK_Restore(ck, &version));
    step = version == FTCK_NONE ? 0 : version;
    for (; step < STEPS; step++) {
        if (step % INTERVAL == 0)
            look_at(FTCK_Checkpoint(ck, step));
        if (step == MOMENT && rank == 1 && !is_restarted)
            raise(SIGKILL);
        double mine = rank < size - 1 ? x : 0;
        look_at(MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
        x = x / 2 + sum / 16;
    }
    /* Nobody leaves before all are through. */
    look_at(MPI_Barrier(MPI_COMM_WORLD));
    FTCK_Free(&ck);
    return (long)(1e6 * sum + 0.5);
}

/* Rank 1 dies, and the others recover. */
static void lose_one(void)
{
    MPI_Comm again;
    int code = MPI_SUCCESS;
    if (rank == 1)
        raise(SIGKILL);
    while (code == MPI_SUCCESS)
        code = MPI_Barrier(MPI_COMM_WORLD);
    if (code != MPI_ERR_OTHER || MPI_Comm_dup(MPI_COMM_WORLD, &again) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Comm_free(&again);
}

static long sum_of(int mine)
{
    int sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* How many ranks have begun anew, as each of them finds without the library's help. */
static long by_static(void)
{
    static int has_begun;
    if (!is_restarted) {
        has_begun = 1;
        lose_one();
    }
    return size - sum_of(has_begun);
}

/* How many live in the end: with a gap one less. */
static long by_filling(void)
{
    if (!is_restarted) {
        int one = 1, living;
        lose_one();
        /* Another rank may recover again already, which ends this call. */
        if (MPI_Allreduce(&one, &living, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS
            && living != size - 1)
            MPI_Abort(MPI_COMM_WORLD, 3);
        MPI_Comm_set_attr(MPI_COMM_WORLD, FTMPI_COMM_MODE, (void *)FTMPI_COMM_MODE_REBUILD);
        MPI_Comm filled = FT_MPI_CHECK_RECOVER;
        MPI_Comm_dup(MPI_COMM_WORLD, &filled);
        MPI_Comm_free(&filled);
    }
    return sum_of(1);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int rc = MPI_Init(&argc, &argv);
    is_restarted = rc == MPI_INIT_RESTARTED_NODE;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    long result = strcmp(what, "handler") == 0  ? by_handler()
                  : strcmp(what, "codes") == 0  ? by_codes()
                  : strcmp(what, "static") == 0 ? by_static()
                                                : by_filling();
    if (rank == 1)
        printf("%s: %ld, rank 1 %s\n", what, result, is_restarted ? "was restarted" : "never died");
    return MPI_Finalize();
}
