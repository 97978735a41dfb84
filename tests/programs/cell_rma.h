/* One-sided calls: a part of cell.c. Everybody accesses the memory to the right. */

static MPI_Win win = MPI_WIN_NULL;
static long *mine, number = 1, old, wanted;

/* A call that must be made whatever came of those before. */
#define NEXT(call)                                                                                 \
    do {                                                                                           \
        int next_ = (call);                                                                        \
        code = either(code, next_);                                                                \
    } while (0)

static int told(int code)
{
    if (win != MPI_WIN_NULL)
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    return code;
}

static int win_allocate(void)
{
    return told(MPI_Win_allocate(64, 8, MPI_INFO_NULL, world, &mine, &win));
}

static int win_create(void)
{
    static long memory[8];
    return told(MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, world, &win));
}

static int win_allocate_shared(void)
{
    return told(MPI_Win_allocate_shared(64, 8, MPI_INFO_NULL, world, &mine, &win));
}

static int win_create_dynamic(void)
{
    return told(MPI_Win_create_dynamic(MPI_INFO_NULL, world, &win));
}

static int win_free(void)
{
    int code = ready(win_allocate());
    NEXT(MPI_Win_free(&win));
    return code;
}

static int put(void)
{
    return MPI_Put(&number, 1, MPI_LONG, right, 0, 1, MPI_LONG, win);
}

static int fence(void)
{
    int code = ready(win_create());
    NEXT(MPI_Win_fence(0, win));
    NEXT(put());
    NEXT(MPI_Win_fence(0, win));
    return code;
}

/* Accesses under a lock. */
#define LOCKED(name, ...)                                                                          \
    static int name(void)                                                                          \
    {                                                                                              \
        MPI_Request request = MPI_REQUEST_NULL;                                                    \
        int code = ready(win_allocate());         \
        (void)request;                                                                             \
        NEXT(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win));                                     \
        NEXT(__VA_ARGS__);                                                                         \
        NEXT(MPI_Win_flush(right, win));                                                           \
        NEXT(MPI_Win_flush_local(right, win));                                                     \
        NEXT(MPI_Win_sync(win));                                                                   \
        NEXT(MPI_Win_unlock(right, win));                                                          \
        return code;                                                                               \
    }

LOCKED(lock, put())
LOCKED(get, MPI_Get(&old, 1, MPI_LONG, right, 0, 1, MPI_LONG, win))
LOCKED(accumulate, MPI_Accumulate(&number, 1, MPI_LONG, right, 0, 1, MPI_LONG, MPI_SUM, win))
LOCKED(get_accumulate, MPI_Get_accumulate(&number, 1, MPI_LONG, &old, 1, MPI_LONG, right, 0, 1,
                                          MPI_LONG, MPI_SUM, win))
LOCKED(fetch_and_op, MPI_Fetch_and_op(&number, &old, MPI_LONG, right, 0, MPI_SUM, win))
LOCKED(compare_and_swap, MPI_Compare_and_swap(&number, &wanted, &old, MPI_LONG, right, 0, win))
LOCKED(rput, of(&request, MPI_Rput(&number, 1, MPI_LONG, right, 0, 1, MPI_LONG, win, &request)))
LOCKED(rget, of(&request, MPI_Rget(&old, 1, MPI_LONG, right, 0, 1, MPI_LONG, win, &request)))
LOCKED(raccumulate, of(&request, MPI_Raccumulate(&number, 1, MPI_LONG, right, 0, 1, MPI_LONG,
                                                 MPI_SUM, win, &request)))
LOCKED(rget_accumulate,
       of(&request, MPI_Rget_accumulate(&number, 1, MPI_LONG, &old, 1, MPI_LONG, right, 0, 1,
                                        MPI_LONG, MPI_SUM, win, &request)))

/* Everybody wants the lock of one, who may die as the one that holds it may. */
static int contended(void)
{
    int code = ready(win_create());
    for (int time = 0; time < 3; time++) {
        NEXT(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, win));
        NEXT(MPI_Accumulate(&number, 1, MPI_LONG, 2, 0, 1, MPI_LONG, MPI_SUM, win));
        NEXT(MPI_Win_unlock(2, win));
    }
    return code;
}

static int lock_all(void)
{
    int code = ready(win_create());
    NEXT(MPI_Win_lock_all(0, win));
    NEXT(put());
    NEXT(MPI_Win_flush_all(win));
    NEXT(MPI_Win_flush_local_all(win));
    NEXT(MPI_Win_unlock_all(win));
    return code;
}

/* The right one exposes its memory, to the left one. */
static int exposed(int tests)
{
    int code = ready(win_allocate()), flag = 0;
    MPI_Group whole, next, last;
    MPI_Comm_group(world, &whole);
    MPI_Group_incl(whole, 1, &right, &next);
    MPI_Group_incl(whole, 1, &left, &last);
    int posted = MPI_Win_post(last, 0, win), given;
    NEXT(posted);
    NEXT(MPI_Win_start(next, 0, win));
    NEXT(put());
    NEXT(MPI_Win_complete(win));
    do
        NEXT(given = tests ? MPI_Win_test(win, &flag) : MPI_Win_wait(win));
    while (tests && !flag && given == MPI_SUCCESS);
    return code;
}

static int win_wait(void)
{
    return exposed(0);
}

static int win_test(void)
{
    return exposed(1);
}

#define RMA_CASES                                                                                  \
    CASE(win_allocate), CASE(win_create), CASE(win_allocate_shared), CASE(win_create_dynamic),     \
        CASE(win_free), CASE(fence), CASE(lock), CASE(get), CASE(accumulate),                      \
        CASE(get_accumulate), CASE(fetch_and_op), CASE(compare_and_swap), CASE(rput), CASE(rget),  \
        CASE(raccumulate), CASE(rget_accumulate), CASE(contended), CASE(lock_all), CASE(win_wait), \
        CASE(win_test)
