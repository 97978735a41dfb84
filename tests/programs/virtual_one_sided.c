/* What one-sided calls and files take in virtual time; times are in nanoseconds. */

#include <ftmpi.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8000 };

static int me, size;
static char *window, data[MOST], other[MOST];
static MPI_Win win;

static long now(void)
{
    return lround(MPI_Wtime() * 1e9);
}

static void tell(const char *name, long begun)
{
    printf("rank %d, %s: %ld\n", me, name, now() - begun);
}

/* Accesses of rank 0 to rank 1, which does nothing, in an epoch that a lock begins. */
static void passive(void)
{
    MPI_Request request;
    double value = 1;
    if (me == 0) {
        long begun = now();
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        tell("lock", begun);
        begun = now();
        MPI_Put(data, 8, MPI_CHAR, 1, 0, 8, MPI_CHAR, win);
        tell("put", begun);
        MPI_Win_flush(1, win);
        tell("put and flush", begun);
        begun = now();
        MPI_Win_flush(1, win);
        tell("nothing to flush", begun);
        begun = now();
        MPI_Put(data, 1000, MPI_CHAR, 1, 0, 1000, MPI_CHAR, win);
        MPI_Win_flush_local(1, win);
        tell("put and local flush", begun);
        MPI_Win_flush_all(win);
        tell("1000 bytes", begun);
        begun = now();
        MPI_Get(data, 8, MPI_CHAR, 1, 0, 8, MPI_CHAR, win);
        MPI_Win_flush_local(1, win);
        tell("get", begun);
        begun = now();
        MPI_Accumulate(&value, 1, MPI_DOUBLE, 1, 8, 1, MPI_DOUBLE, MPI_SUM, win);
        MPI_Win_flush(1, win);
        tell("accumulate", begun);
        begun = now();
        MPI_Fetch_and_op(&value, data, MPI_DOUBLE, 1, 8, MPI_SUM, win);
        MPI_Win_flush(1, win);
        tell("fetch and op", begun);
        begun = now();
        MPI_Fetch_and_op(NULL, data, MPI_DOUBLE, 1, 8, MPI_NO_OP, win);
        MPI_Win_flush(1, win);
        tell("fetch", begun);
        begun = now();
        int one = 1, none = 0, before;
        MPI_Compare_and_swap(&one, &none, &before, MPI_INT, 1, 16, win);
        MPI_Win_flush(1, win);
        tell("compare and swap", begun);
        begun = now();
        MPI_Rget(data, 8, MPI_CHAR, 1, 0, 8, MPI_CHAR, win, &request);
        tell("rget", begun);
        MPI_Get(other, 1000, MPI_CHAR, 1, 0, 1000, MPI_CHAR, win);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        tell("rget and wait", begun);
        MPI_Win_flush(1, win);
        tell("both", begun);
        begun = now();
        MPI_Win_unlock(1, win);
        tell("unlock", begun);
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        begun = now();
        MPI_Put(data, 8, MPI_CHAR, 0, 0, 8, MPI_CHAR, win);
        MPI_Win_unlock(0, win);
        tell("own memory", begun);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Between fences, and between the calls by which both sides begin and end their epochs. */
static void active(void)
{
    MPI_Group world, partner;
    int rank = 1 - me;
    MPI_Win_fence(0, win);
    long begun = now();
    if (me == 0)
        MPI_Put(data, 8, MPI_CHAR, 1, 0, 8, MPI_CHAR, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    tell("fence", begun);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &rank, &partner);
    MPI_Barrier(MPI_COMM_WORLD);
    begun = now();
    if (me == 0) {
        MPI_Win_start(partner, 0, win);
        tell("start", begun);
        MPI_Put(data, 1000, MPI_CHAR, 1, 0, 1000, MPI_CHAR, win);
        MPI_Get(other, 8, MPI_CHAR, 1, 0, 8, MPI_CHAR, win);
        MPI_Win_complete(win);
        tell("complete", begun);
    } else {
        MPI_Win_post(partner, 0, win);
        tell("post", begun);
        MPI_Win_wait(win);
        tell("wait", begun);
    }
    MPI_Group_free(&partner);
    MPI_Group_free(&world);
}

/* All but rank 0 add to a counter there, one after the other as their locks are granted. */
static void counter(void)
{
    long before = 0, after;
    MPI_Barrier(MPI_COMM_WORLD);
    if (me > 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Get(&before, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        MPI_Win_flush(0, win);
        after = before + 1;
        MPI_Put(&after, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        MPI_Win_unlock(0, win);
        printf("rank %d was number %ld\n", me, after);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
    if (me == 0)
        printf("counted to %ld\n", *(long *)window);
    MPI_Win_unlock(me, win);
}

/* All write 1000 bytes, each for itself, then together; then rank 0 reads while it computes. */
static void files(const char *name)
{
    MPI_File file;
    MPI_Request request;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_Barrier(MPI_COMM_WORLD);
    long begun = now();
    MPI_File_write_at(file, 1000 * me, data, 1000, MPI_CHAR, MPI_STATUS_IGNORE);
    tell("write", begun);
    MPI_Barrier(MPI_COMM_WORLD);
    begun = now();
    MPI_File_write_at_all(file, 1000 * me, data, 1000, MPI_CHAR, MPI_STATUS_IGNORE);
    if (now() - begun >= 100000 + 10000 * size)
        printf("rank %d waited for all\n", me);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        begun = now();
        MPI_File_iread_at(file, 0, other, 1000, MPI_CHAR, &request);
        ftmpi_compute(60e-6);
        tell("read and computed", begun);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        tell("read", begun);
    }
    MPI_File_close(&file);
}

/* Rank 0 waits for what is under way for long. */
static void long_wait(void)
{
    if (me == 0) {
        MPI_Win_lock_all(0, win);
        for (int i = 0; i < 1000; i++)
            MPI_Put(data, MOST, MPI_CHAR, 1, 0, MOST, MPI_CHAR, win);
        MPI_Win_flush_all(win);
        MPI_Win_unlock_all(win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d ends at %ld\n", me, now());
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(MOST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win);
    memset(window, 0, MOST);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(what, "passive"))
        passive();
    else if (!strcmp(what, "active"))
        active();
    else if (!strcmp(what, "long_wait"))
        long_wait();
    else if (!strcmp(what, "counter"))
        counter();
    else if (!strcmp(what, "files"))
        files(argv[2]);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
