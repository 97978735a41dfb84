/* Ranks that compute beside each other in virtual time. Whatever is printed must not depend on the
 * number of cores:
 *
 *   any       a root receives from any source, in the order of virtual time
 *   polls     tests, probes and clocks between
 *   prints    all print in the middle of what they have declared
 *   calls     a reduction's function and an error handler declare what they compute
 *   ends      ranks end in the middle: by exit, by a fault, by a jump out of a handler
 *   memory    one-sided counters
 *   meet      two ranks compute until they see each other do so: prints "met" with two cores */
#include <ftmpi.h>
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        if ((call) != MPI_SUCCESS)                                                                 \
            MPI_Abort(MPI_COMM_WORLD, 99);                                                         \
    } while (0)

static int me, size;
static double x = 1;

/* Works for real, about as long as declared: 1 us each. */
static void work(double seconds)
{
    ftmpi_compute(seconds);
    for (long i = 0; i < seconds * 3e8; i++)
        x = x * 0.999999 + 1e-6;
}

static double how_long(int step)
{
    return 1e-6 * (10 + (me * 37 + step * 101) % 90);
}

static void any(void)
{
    for (int step = 0; step < 20; step++) {
        if (me > 0) {
            work(how_long(step));
            CHECK(MPI_Send(&step, 1, MPI_INT, 0, step, MPI_COMM_WORLD));
            work(how_long(step + 7));
            continue;
        }
        for (int i = 1; i < size; i++) {
            MPI_Status status;
            int got;
            CHECK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
            work(1e-6);
            printf("%d/%d at %.9f\n", status.MPI_SOURCE, status.MPI_TAG, MPI_Wtime());
        }
    }
}

static void polls(void)
{
    int right = (me + 1) % size, left = (me + size - 1) % size;
    for (int step = 0; step < 20; step++) {
        MPI_Request request;
        int got = -1, done = 0, asked = 0;
        CHECK(MPI_Irecv(&got, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &request));
        work(how_long(step));
        CHECK(MPI_Send(&me, 1, MPI_INT, right, 0, MPI_COMM_WORLD));
        while (!done) {
            CHECK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
            asked++;
            if (asked % 3 == 0)
                work(2e-6);
        }
        printf("%d: %d after %d at %.9f\n", me, got, asked, MPI_Wtime());
        if (step % 5 == 0)
            CHECK(MPI_Barrier(MPI_COMM_WORLD));
    }
}

static void prints(void)
{
    for (int step = 0; step < 10; step++) {
        work(how_long(step));
        printf("%d is in step %d\n", me, step);
        fflush(stdout);
        work(how_long(step + 3));
        double mine = x, all;
        CHECK(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
        printf("%d: %.17g at %.9f\n", me, all, MPI_Wtime());
    }
}

static void add_slowly(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
    work(3e-6);
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    work(5e-6);
    printf("%d: an error of class %d at %.9f\n", me, *code, MPI_Wtime());
}

static void calls(void)
{
    MPI_Op op;
    MPI_Errhandler handler;
    CHECK(MPI_Op_create(add_slowly, 0, &op));
    CHECK(MPI_Comm_create_errhandler(on_error, &handler));
    CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
    for (int step = 0; step < 10; step++) {
        int mine[2] = {me, step}, all[2];
        work(how_long(step));
        CHECK(MPI_Reduce(mine, all, 2, MPI_INT, op, step % size, MPI_COMM_WORLD));
        if (me == step % size)
            printf("%d: %d %d at %.9f\n", me, all[0], all[1], MPI_Wtime());
        work(how_long(step + 1));
        if (me % 3 == 0)
            MPI_Send(mine, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
}

static jmp_buf again;

static void jump(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    work(5e-6);
    longjmp(again, 1);
}

static void ends(void)
{
    MPI_Errhandler handler;
    CHECK(MPI_Comm_create_errhandler(jump, &handler));
    CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
    volatile int tries = 0;
    if (setjmp(again))
        printf("%d: jumped at %.9f\n", me, MPI_Wtime());
    while (tries < 6) {
        int step = tries++;
        work(how_long(step));
        if (step == 2 && me == 3)
            exit(4);
        if (step == 3 && me == 5)
            *(volatile int *)8 = 1;
        int right = (me + 1) % size, left = (me + size - 1) % size, got;
        MPI_Sendrecv(&me, 1, MPI_INT, right, step, &got, 1, MPI_INT, left, step, MPI_COMM_WORLD,
            MPI_STATUS_IGNORE);
        printf("%d: step %d at %.9f\n", me, step, MPI_Wtime());
    }
    fflush(stdout);
    _exit(0);
}

static void memory(void)
{
    int *counter, one = 1, before;
    MPI_Win win;
    CHECK(MPI_Win_allocate(sizeof *counter, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD,
        &counter, &win));
    *counter = 0;
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(MPI_Win_lock_all(0, win));
    for (int step = 0; step < 10; step++) {
        work(how_long(step));
        CHECK(MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 0, MPI_SUM, win));
        CHECK(MPI_Win_flush(0, win));
        printf("%d: number %d at %.9f\n", me, before, MPI_Wtime());
    }
    CHECK(MPI_Win_unlock_all(win));
    CHECK(MPI_Win_free(&win));
}

/* Each tells the other that it computes, and computes until it is told. */
static void meet(void)
{
    int volatile *mine, *flags[2];
    MPI_Win win;
    CHECK(MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
        (void *)&mine, &win));
    *mine = 0;
    for (int rank = 0; rank < 2; rank++) {
        MPI_Aint bytes;
        int unit;
        CHECK(MPI_Win_shared_query(win, rank, &bytes, &unit, (void *)&flags[rank]));
    }
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    ftmpi_compute(1);
    long looks = 0;
    *mine = 1;
    while (!*flags[1 - me] && looks < 4000000000)
        looks++;
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    printf("%s\n", looks < 4000000000 ? "met" : "alone");
    CHECK(MPI_Win_free(&win));
}

/* The last rank misses a sum. */
static void miss(void)
{
    int got = 0, sum;
    ftmpi_compute(1e-5 * (me + 1));
    if (me + 1 < size)
        CHECK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    else
        CHECK(MPI_Recv(&got, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {{"any", any}, {"polls", polls}, {"prints", prints}, {"calls", calls},
        {"ends", ends}, {"memory", memory}, {"meet", meet},
        {"miss", miss}};
    CHECK(MPI_Init(&argc, &argv));
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (argc > 1 && strcmp(argv[1], modes[i].name) == 0)
            modes[i].run();
    CHECK(MPI_Finalize());
    return 0;
}
