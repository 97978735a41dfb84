/* Rank 1 dies before, in or after a one-sided call (by --kill): all others come back with an error,
 * nobody waits for ever, locks of the dead are given up, and the living go on. Arguments: the case,
 * the class of the error, and whether windows still serve the living. */
#include "check.h"

enum { VICTIM = 1, MANY = 100000 };

static MPI_Win win = MPI_WIN_NULL;
static MPI_Comm world;
static long *mine;
static MPI_Group victim, others;

/* One round of each case; the first code that is no success. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        int code_ = (call);                                                                        \
        if (code_ != MPI_SUCCESS)                                                                  \
            return code_;                                                                          \
    } while (0)

static int fence(void)
{
    long number = rank;
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Put(&number, 1, MPI_LONG, (rank + 1) % size, 0, 1, MPI_LONG, win));
    return MPI_Win_fence(0, win);
}

/* Accesses to the victim in an epoch of their own. */
#define LOCKED(call)                                                                               \
    do {                                                                                           \
        TRY(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, VICTIM, 0, win));                                     \
        int access_ = (call), flushed_ = MPI_Win_flush(VICTIM, win);                               \
        int unlocked_ = MPI_Win_unlock(VICTIM, win);                                               \
        TRY(access_);                                                                              \
        TRY(flushed_);                                                                             \
        return unlocked_;                                                                          \
    } while (0)

static long number = 1, old, wanted;

static int put(void)
{
    LOCKED(MPI_Put(&number, 1, MPI_LONG, VICTIM, 0, 1, MPI_LONG, win));
}

static int get(void)
{
    LOCKED(MPI_Get(&old, 1, MPI_LONG, VICTIM, 0, 1, MPI_LONG, win));
}

static int accumulate(void)
{
    LOCKED(MPI_Accumulate(&number, 1, MPI_LONG, VICTIM, 0, 1, MPI_LONG, MPI_SUM, win));
}

static int get_accumulate(void)
{
    LOCKED(MPI_Get_accumulate(&number, 1, MPI_LONG, &old, 1, MPI_LONG, VICTIM, 0, 1, MPI_LONG,
                              MPI_SUM, win));
}

static int fetch(void)
{
    LOCKED(MPI_Fetch_and_op(&number, &old, MPI_LONG, VICTIM, 0, MPI_SUM, win));
}

static int swap(void)
{
    LOCKED(MPI_Compare_and_swap(&number, &wanted, &old, MPI_LONG, VICTIM, 0, win));
}

static int with_request(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    LOCKED(MPI_Rput(&number, 1, MPI_LONG, VICTIM, 0, 1, MPI_LONG, win, &request));
}

static int lock_all(void)
{
    TRY(MPI_Win_lock_all(0, win));
    int put = MPI_Put(&number, 1, MPI_LONG, VICTIM, 0, 1, MPI_LONG, win);
    int flushed = MPI_Win_flush_all(win), unlocked = MPI_Win_unlock_all(win);
    return put ? put : flushed ? flushed : unlocked;
}

/* The victim exposes its memory to all others. */
static int exposed(void)
{
    if (rank == VICTIM) {
        TRY(MPI_Win_post(others, 0, win));
        return MPI_Win_wait(win);
    }
    TRY(MPI_Win_start(victim, 0, win));
    int put = MPI_Put(&number, 1, MPI_LONG, VICTIM, rank, 1, MPI_LONG, win);
    int completed = MPI_Win_complete(win);
    return put ? put : completed;
}

/* All others expose theirs to the victim. */
static int accesses(void)
{
    if (rank == VICTIM) {
        TRY(MPI_Win_start(others, 0, win));
        for (int to = 0; to < size; to++)
            if (to != VICTIM)
                TRY(MPI_Put(&number, 1, MPI_LONG, to, 0, 1, MPI_LONG, win));
        return MPI_Win_complete(win);
    }
    TRY(MPI_Win_post(victim, 0, win));
    return MPI_Win_wait(win);
}

static int accesses_tested(void)
{
    int flag = 0;
    if (rank == VICTIM)
        return accesses();
    TRY(MPI_Win_post(victim, 0, win));
    while (!flag)
        TRY(MPI_Win_test(win, &flag));
    return MPI_SUCCESS;
}

static int create(void)
{
    MPI_Win made;
    long memory[4];
    TRY(MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, world, &made));
    MPI_Win_set_errhandler(made, MPI_ERRORS_RETURN);
    TRY(MPI_Win_fence(0, made));
    return MPI_Win_free(&made);
}

static int create_all_sorts(void)
{
    MPI_Win one, two, three;
    void *base;
    TRY(MPI_Win_allocate(MANY, 1, MPI_INFO_NULL, world, &base, &one));
    int shared = MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, world, &base, &two);
    int dynamic = shared ? shared : MPI_Win_create_dynamic(MPI_INFO_NULL, world, &three);
    MPI_Win_set_errhandler(one, MPI_ERRORS_RETURN);
    MPI_Win_free(&one);
    if (!shared)
        MPI_Win_set_errhandler(two, MPI_ERRORS_RETURN), MPI_Win_free(&two);
    if (!dynamic)
        MPI_Win_set_errhandler(three, MPI_ERRORS_RETURN), MPI_Win_free(&three);
    return dynamic;
}

/* The victim holds the lock of rank 0 when it dies: the others get it. */
static int holds(void)
{
    TRY(MPI_Win_lock(rank == VICTIM ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0, win));
    TRY(MPI_Put(&number, 1, MPI_LONG, 0, rank, 1, MPI_LONG, win));
    return MPI_Win_unlock(0, win);
}

static void talk(void)
{
    int left, right, got = -1;
    for (right = (rank + 1) % size; right == VICTIM; right = (right + 1) % size)
        ;
    for (left = (rank + size - 1) % size; left == VICTIM; left = (left + size - 1) % size)
        ;
    EQUAL(MPI_Sendrecv(&rank, 1, MPI_INT, right, 1, &got, 1, MPI_INT, left, 1, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE),
          MPI_SUCCESS);
    EQUAL(got, left);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } cases[] = {{"fence", fence}, {"put", put}, {"get", get}, {"accumulate", accumulate},
                 {"get_accumulate", get_accumulate}, {"fetch", fetch}, {"swap", swap},
                 {"request", with_request}, {"lock_all", lock_all}, {"exposed", exposed},
                 {"accesses", accesses}, {"tested", accesses_tested}, {"create", create},
                 {"sorts", create_all_sorts}, {"holds", holds}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    int index = -1, wanted_class = atoi(argv[2]), n = VICTIM, dead = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(argv[1], cases[i].name))
            index = (int)i;
    CHECK(index >= 0);
    MPI_Group all;
    MPI_Comm_group(world, &all);
    MPI_Group_incl(all, 1, &n, &victim);
    MPI_Group_excl(all, 1, &n, &others);
    int is_own = argc > 3 && !strcmp(argv[3], "own");
    long *memory = calloc((size_t)size, sizeof(long));
    if (is_own)
        MPI_Win_create(memory, size * sizeof(long), 8, MPI_INFO_NULL, world, &win);
    else
        MPI_Win_allocate(size * sizeof(long), 8, MPI_INFO_NULL, world, &mine, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Barrier(world);
    int code = MPI_SUCCESS;
    /* Who only waits for the lock of a living one meets no error, but hears of the death. */
    if (!strcmp(argv[1], "holds")) {
        for (n = 0; n < 2000 && code == MPI_SUCCESS; n++)
            code = holds();
        EQUAL(code, MPI_SUCCESS);
        CHECK(rank != VICTIM);
        while (MPI_Recv(&dead, 1, MPI_INT, VICTIM, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
               MPI_SUCCESS)
            ;
    } else {
        while (code == MPI_SUCCESS)
            code = cases[index].run();
        FAILS(code, wanted_class, "rank");
    }
    CHECK(rank != VICTIM);
    talk();
    /* The living still reach each other, and each frees its windows. */
    if (strcmp(argv[1], "fence") && strcmp(argv[1], "exposed") && strcmp(argv[1], "accesses") &&
        strcmp(argv[1], "tested")) {
        int next = rank + 1 == VICTIM ? rank + 2 : rank + 1;
        next %= size;
        EQUAL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win), MPI_SUCCESS);
        EQUAL(MPI_Put(&number, 1, MPI_LONG, next, 0, 1, MPI_LONG, win), MPI_SUCCESS);
        EQUAL(MPI_Win_unlock(next, win), MPI_SUCCESS);
    }
    talk();
    EQUAL(MPI_Win_free(&win), MPI_SUCCESS);
    printf("ok\n");
    MPI_Finalize();
    return 0;
}
