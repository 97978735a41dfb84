/* One-sided communication (MPI-5.0 §12). Arguments: the case, or nothing for all. With -DLARGE, by
 * the calls with large counts. */
#include "check.h"
#include <stdint.h>

#ifdef LARGE
#define PUT MPI_Put_c
#define GET MPI_Get_c
#define ACCUMULATE MPI_Accumulate_c
#define GET_ACCUMULATE MPI_Get_accumulate_c
#define RPUT MPI_Rput_c
#define RGET MPI_Rget_c
#define RACCUMULATE MPI_Raccumulate_c
#define RGET_ACCUMULATE MPI_Rget_accumulate_c
#define WIN_CREATE MPI_Win_create_c
#define WIN_ALLOCATE MPI_Win_allocate_c
#define WIN_ALLOCATE_SHARED MPI_Win_allocate_shared_c
#define WIN_SHARED_QUERY MPI_Win_shared_query_c
typedef MPI_Aint Unit;
#else
#define PUT MPI_Put
#define GET MPI_Get
#define ACCUMULATE MPI_Accumulate
#define GET_ACCUMULATE MPI_Get_accumulate
#define RPUT MPI_Rput
#define RGET MPI_Rget
#define RACCUMULATE MPI_Raccumulate
#define RGET_ACCUMULATE MPI_Rget_accumulate
#define WIN_CREATE MPI_Win_create
#define WIN_ALLOCATE MPI_Win_allocate
#define WIN_ALLOCATE_SHARED MPI_Win_allocate_shared
#define WIN_SHARED_QUERY MPI_Win_shared_query
typedef int Unit;
#endif

#define OK(call) EQUAL(call, MPI_SUCCESS)

static MPI_Comm world;

static void *allocate(MPI_Aint bytes, int unit, MPI_Win *win)
{
    void *base = NULL;
    OK(WIN_ALLOCATE(bytes, unit, MPI_INFO_NULL, world, &base, win));
    CHECK(base != NULL);
    return base;
}

static int deleted;

static int on_delete(MPI_Win win, int keyval, void *value, void *state)
{
    CHECK(win != MPI_WIN_NULL && keyval != MPI_KEYVAL_INVALID);
    EQUAL((intptr_t)value, 7);
    EQUAL((intptr_t)state, 9);
    deleted++;
    return MPI_SUCCESS;
}

static int heard;

static void on_error(MPI_Win *win, int *code, ...)
{
    CHECK(*win != MPI_WIN_NULL);
    MPI_Error_class(*code, &heard);
}

static void objects(void)
{
    long memory[10];
    MPI_Win win;
    int flag, length, key, same;
    char name[MPI_MAX_OBJECT_NAME], value[64];
    void *base;
    MPI_Aint *bytes;
    int *unit, *flavor, *model;
    OK(MPI_Win_get_name(MPI_WIN_NULL, name, &length));
    CHECK(!strcmp(name, "MPI_WIN_NULL"));
    OK(WIN_CREATE(memory, sizeof memory, 8, MPI_INFO_NULL, world, &win));
    OK(MPI_Win_get_name(win, name, &length));
    EQUAL(length, 0);
    OK(MPI_Win_set_name(win, "ocean"));
    OK(MPI_Win_get_name(win, name, &length));
    CHECK(!strcmp(name, "ocean"));
    OK(MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag));
    CHECK(flag && base == memory);
    OK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag));
    CHECK(flag && *bytes == sizeof memory);
    OK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag));
    CHECK(flag && *unit == 8);
    OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag));
    CHECK(flag && *flavor == MPI_WIN_FLAVOR_CREATE);
    OK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag));
    CHECK(flag && *model == MPI_WIN_UNIFIED);
    OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, &key, (void *)9));
    OK(MPI_Win_get_attr(win, key, &base, &flag));
    CHECK(!flag);
    OK(MPI_Win_set_attr(win, key, (void *)7));
    OK(MPI_Win_get_attr(win, key, &base, &flag));
    CHECK(flag && base == (void *)7);
    OK(MPI_Win_delete_attr(win, key));
    EQUAL(deleted, 1);
    OK(MPI_Win_set_attr(win, key, (void *)7));
    OK(MPI_Win_free_keyval(&key));
    EQUAL(key, MPI_KEYVAL_INVALID);
    MPI_Group group, all;
    OK(MPI_Win_get_group(win, &group));
    MPI_Comm_group(world, &all);
    MPI_Group_compare(group, all, &same);
    EQUAL(same, MPI_IDENT);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    MPI_Info info;
    OK(MPI_Win_get_info(win, &info));
    length = sizeof value;
    MPI_Info_get_string(info, "accumulate_ordering", &length, value, &flag);
    CHECK(flag && !strcmp(value, "rar,raw,war,waw"));
    MPI_Info_set(info, "no_locks", "true");
    MPI_Info_set(info, "colour", "blue");
    OK(MPI_Win_set_info(win, info));
    MPI_Info_free(&info);
    OK(MPI_Win_get_info(win, &info));
    length = sizeof value;
    MPI_Info_get_string(info, "no_locks", &length, value, &flag);
    CHECK(flag && !strcmp(value, "true"));
    MPI_Info_get_string(info, "colour", &length, value, &flag);
    CHECK(!flag);
    MPI_Info_free(&info);
    MPI_Errhandler handler, seen;
    OK(MPI_Win_get_errhandler(win, &seen));
    CHECK(seen == MPI_ERRORS_ARE_FATAL);
    OK(MPI_Win_create_errhandler(on_error, &handler));
    OK(MPI_Win_set_errhandler(win, handler));
    OK(MPI_Win_get_errhandler(win, &seen));
    CHECK(seen == handler);
    MPI_Errhandler_free(&seen);
    MPI_Errhandler_free(&handler);
    MPI_Win_lock(77, 0, 0, win);
    EQUAL(heard, MPI_ERR_LOCKTYPE);
    OK(MPI_Win_call_errhandler(win, MPI_ERR_OTHER));
    EQUAL(heard, MPI_ERR_OTHER);
    CHECK(MPI_Win_fromint(MPI_Win_toint(win)) == win);
    OK(MPI_Win_free(&win));
    CHECK(win == MPI_WIN_NULL);
    EQUAL(deleted, 2);
}

static void fence(void)
{
    MPI_Win win;
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int *mine = allocate(100 * sizeof(int), rank % 2 ? 4 : 1, &win), got[10], sent[10];
    int unit_of_next = next % 2 ? 4 : 1;
    OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    for (int i = 0; i < 10; i++)
        sent[i] = 100 * rank + i;
    OK(PUT(sent, 10, MPI_INT, next, 20 / unit_of_next, 10, MPI_INT, win));
    OK(PUT(sent, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < 10; i++)
        EQUAL(mine[5 + i], 100 * before + i);
    OK(GET(got, 10, MPI_INT, next, 20 / unit_of_next, 10, MPI_INT, win));
    OK(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT, win));
    for (int i = 0; i < 10; i++)
        EQUAL(got[i], 100 * rank + i);
    /* Every second number of the origin to every third of the target. */
    MPI_Datatype two, three;
    MPI_Type_vector(5, 1, 2, MPI_INT, &two);
    MPI_Type_vector(5, 1, 3, MPI_INT, &three);
    MPI_Type_commit(&two);
    MPI_Type_commit(&three);
    OK(PUT(sent, 1, two, next, 160 / unit_of_next, 1, three, win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < 5; i++)
        EQUAL(mine[40 + 3 * i], 100 * before + 2 * i);
    memset(got, 0, sizeof got);
    OK(GET(got, 5, MPI_INT, next, 160 / unit_of_next, 1, three, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    for (int i = 0; i < 5; i++)
        EQUAL(got[i], 100 * rank + 2 * i);
    MPI_Type_free(&two);
    MPI_Type_free(&three);
    OK(MPI_Win_free(&win));
    /* Long ones, from and to memory of the program. */
    enum { MANY = 300000 };
    char *memory = malloc(MANY), *other = malloc(MANY);
    fill(memory, MANY, rank);
    OK(WIN_CREATE(memory, MANY, 1, MPI_INFO_NULL, world, &win));
    OK(MPI_Win_fence(0, win));
    OK(GET(other, MANY, MPI_CHAR, next, 0, MANY, MPI_CHAR, win));
    OK(MPI_Win_fence(0, win));
    expect(other, MANY, next);
    fill(other, MANY, rank + 7);
    OK(PUT(other, MANY, MPI_CHAR, next, 0, MANY, MPI_CHAR, win));
    OK(MPI_Win_fence(0, win));
    expect(memory, MANY, before + 7);
    OK(MPI_Win_free(&win));
    free(memory);
    free(other);
}

/* All add to all: no addition is lost. */
#define SUMS(T, type, op)                                                                          \
    do {                                                                                           \
        T *mine = allocate(8 * sizeof(T), sizeof(T), &win);                                        \
        T one[8], back[8];                                                                         \
        for (int i = 0; i < 8; i++)                                                                \
            one[i] = (T)(i + 1), mine[i] = 0;                                                      \
        OK(MPI_Win_fence(0, win));                                                                 \
        for (int n = 0; n < 20; n++)                                                               \
            for (int to = 0; to < size; to++)                                                      \
                if (n % 2)                                                                         \
                    OK(ACCUMULATE(one, 8, type, to, 0, 8, type, op, win));                         \
                else                                                                               \
                    OK(GET_ACCUMULATE(one, 8, type, back, 8, type, to, 0, 8, type, op, win));      \
        OK(MPI_Win_fence(0, win));                                                                 \
        for (int i = 0; i < 8; i++)                                                                \
            CHECK(mine[i] == (T)(20 * size * (i + 1)));                                            \
        OK(MPI_Win_free(&win));                                                                    \
    } while (0)

static void sums(void)
{
    MPI_Win win;
    SUMS(int8_t, MPI_INT8_T, MPI_SUM);
    SUMS(uint16_t, MPI_UINT16_T, MPI_SUM);
    SUMS(int, MPI_INT, MPI_SUM);
    SUMS(long, MPI_LONG, MPI_SUM);
    SUMS(float, MPI_FLOAT, MPI_SUM);
    SUMS(double, MPI_DOUBLE, MPI_SUM);
    SUMS(long double, MPI_LONG_DOUBLE, MPI_SUM);
    SUMS(double _Complex, MPI_C_DOUBLE_COMPLEX, MPI_SUM);
    /* Numbers that are not aligned. */
    char *odd = allocate(8 * size + 1, 1, &win);
    long one = 1, sum;
    OK(MPI_Win_fence(0, win));
    for (int n = 0; n < 50; n++)
        OK(ACCUMULATE(&one, 1, MPI_LONG, n % size, 1, 1, MPI_LONG, MPI_SUM, win));
    OK(MPI_Win_fence(0, win));
    memcpy(&sum, odd + 1, sizeof sum);
    int times = 50 / size + (rank < 50 % size);
    EQUAL(sum, times * size);
    OK(MPI_Win_free(&win));
}

static void operations(void)
{
    static const struct {
        MPI_Op op;
        int wanted;
    } cases[] = {{MPI_SUM, 18}, {MPI_PROD, 72}, {MPI_MIN, 6}, {MPI_MAX, 12}, {MPI_BAND, 4},
                 {MPI_BOR, 14}, {MPI_BXOR, 10}, {MPI_LAND, 1}, {MPI_LOR, 1}, {MPI_LXOR, 0},
                 {MPI_REPLACE, 6}, {MPI_NO_OP, 12}};
    MPI_Win win;
    int *mine = allocate(16 * sizeof(int), 4, &win), six[3] = {6, 6, 6}, old[3];
    OK(MPI_Win_lock_all(0, win));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mine[0] = mine[1] = mine[2] = 12;
        OK(GET_ACCUMULATE(six, 3, MPI_INT, old, 3, MPI_INT, rank, 0, 3, MPI_INT, cases[i].op, win));
        for (int n = 0; n < 3; n++)
            CHECK(mine[n] == cases[i].wanted && old[n] == 12);
        mine[0] = 12;
        OK(MPI_Fetch_and_op(six, old, MPI_INT, rank, 0, cases[i].op, win));
        CHECK(mine[0] == cases[i].wanted && old[0] == 12);
        mine[0] = 12, old[0] = 0;
        OK(GET_ACCUMULATE(six, 1, MPI_INT, old, 1, MPI_INT, rank, 0, 1, MPI_INT, cases[i].op, win));
        CHECK(mine[0] == cases[i].wanted && old[0] == 12);
        mine[0] = 12;
        if (cases[i].op == MPI_NO_OP)
            break;
        OK(ACCUMULATE(six, 1, MPI_INT, rank, 0, 1, MPI_INT, cases[i].op, win));
        EQUAL(mine[0], cases[i].wanted);
    }
    /* Without an operand, its place and type are of no matter. */
    OK(GET_ACCUMULATE(NULL, 0, MPI_DATATYPE_NULL, old, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_NO_OP,
                      win));
    EQUAL(old[0], mine[0]);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
    struct pair {
        double value;
        int at;
    } *pairs = allocate(4 * sizeof(struct pair), sizeof(struct pair), &win),
      own = {size - rank, rank};
    pairs[1].value = 1000;
    OK(MPI_Win_fence(0, win));
    OK(ACCUMULATE(&own, 1, MPI_DOUBLE_INT, 0, 1, 1, MPI_DOUBLE_INT, MPI_MINLOC, win));
    OK(MPI_Win_fence(0, win));
    if (rank == 0)
        CHECK(pairs[1].value == 1 && pairs[1].at == size - 1);
    OK(MPI_Win_free(&win));
    /* Elements with gaps, in memory of the program and of the library. */
    struct gap {
        short value;
        int at;
    } memory[3], was[2], *best, next[2] = {{rank + 1, rank}, {-rank, rank}};
    for (int is_own = 0; is_own < 2; is_own++) {
        if (is_own)
            OK(WIN_CREATE(best = memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, world,
                          &win));
        else
            best = allocate(sizeof memory, sizeof *memory, &win);
        for (int n = 0; n < 3; n++)
            best[n] = (struct gap){-10000, 10000};
        memset(was, 0, sizeof was);
        OK(MPI_Win_fence(0, win));
        OK(GET_ACCUMULATE(next, 2, MPI_SHORT_INT, was, 2, MPI_SHORT_INT, 0, 1, 2, MPI_SHORT_INT,
                          MPI_MAXLOC, win));
        OK(MPI_Win_fence(0, win));
        for (int n = 0; n < 2; n++)
            CHECK((was[n].value == -10000 && was[n].at == 10000) ||
                  (was[n].at >= 0 && was[n].at < size &&
                   was[n].value == (n ? -was[n].at : was[n].at + 1)));
        if (rank == 0)
            CHECK(best[0].at == 10000 && best[1].value == size && best[1].at == size - 1 &&
                  best[2].value == 0 && best[2].at == 0);
        OK(MPI_Win_free(&win));
    }
    /* Derived types on all three sides. */
    MPI_Datatype two, three;
    MPI_Type_vector(4, 1, 2, MPI_DOUBLE, &two);
    MPI_Type_vector(4, 1, 3, MPI_DOUBLE, &three);
    MPI_Type_commit(&two);
    MPI_Type_commit(&three);
    double *doubles = allocate(12 * sizeof(double), 8, &win), from[8], back[12] = {0};
    for (int i = 0; i < 12; i++)
        doubles[i] = i;
    for (int i = 0; i < 8; i++)
        from[i] = 10 * i;
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    OK(GET_ACCUMULATE(from, 1, two, back, 4, MPI_DOUBLE, rank, 0, 1, three, MPI_SUM, win));
    OK(MPI_Win_unlock(rank, win));
    for (int i = 0; i < 4; i++) {
        CHECK(back[i] == 3 * i);
        CHECK(doubles[3 * i] == 3 * i + 20 * i && doubles[3 * i + 1] == 3 * i + 1);
    }
    MPI_Type_free(&two);
    MPI_Type_free(&three);
    OK(MPI_Win_free(&win));
}

/* Each ticket goes to one process. */
static void tickets(void)
{
    MPI_Win win;
    enum { EACH = 200 };
    long *counter = allocate(rank == 0 ? sizeof(long) : 0, 8, &win), one = 1, ticket, last = -1;
    char *mine = calloc((size_t)size * EACH, 1), *all = calloc((size_t)size * EACH, 1);
    if (rank == 0)
        *counter = 0;
    MPI_Barrier(world);
    OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    for (int n = 0; n < EACH; n++) {
        OK(MPI_Fetch_and_op(&one, &ticket, MPI_LONG, 0, 0, MPI_SUM, win));
        OK(n % 2 ? MPI_Win_flush(0, win) : MPI_Win_flush_local(0, win));
        CHECK(ticket > last && ticket < (long)size * EACH);
        mine[last = ticket]++;
    }
    OK(MPI_Win_flush_all(win));
    OK(MPI_Win_flush_local_all(win));
    OK(MPI_Win_unlock_all(win));
    MPI_Allreduce(mine, all, size * EACH, MPI_CHAR, MPI_SUM, world);
    for (int n = 0; n < size * EACH; n++)
        EQUAL(all[n], 1);
    free(mine);
    free(all);
    OK(MPI_Win_free(&win));
}

/* A spin lock of compare-and-swap, and the window's own exclusive lock, protect plain numbers. */
static void locks(void)
{
    MPI_Win win;
    enum { EACH = 20 };
    int *mine = allocate(3 * sizeof(int), 4, &win), zero = 0, one = 1, seen, number;
    mine[0] = mine[1] = mine[2] = 0;
    MPI_Barrier(world);
    OK(MPI_Win_lock_all(0, win));
    for (int n = 0; n < EACH; n++) {
        do {
            OK(MPI_Compare_and_swap(&one, &zero, &seen, MPI_INT, 0, 0, win));
            OK(MPI_Win_flush(0, win));
        } while (seen != 0);
        OK(GET(&number, 1, MPI_INT, 0, 1, 1, MPI_INT, win));
        OK(MPI_Win_flush(0, win));
        number++;
        OK(PUT(&number, 1, MPI_INT, 0, 1, 1, MPI_INT, win));
        OK(MPI_Win_flush(0, win));
        OK(ACCUMULATE(&zero, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win));
    }
    OK(MPI_Win_unlock_all(win));
    for (int n = 0; n < EACH; n++) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        OK(GET(&number, 1, MPI_INT, 0, 2, 1, MPI_INT, win));
        OK(MPI_Win_flush(0, win));
        number++;
        OK(PUT(&number, 1, MPI_INT, 0, 2, 1, MPI_INT, win));
        OK(MPI_Win_unlock(0, win));
    }
    MPI_Barrier(world);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    int both[2];
    OK(GET(both, 2, MPI_INT, 0, 1, 2, MPI_INT, win));
    OK(MPI_Win_unlock(0, win));
    EQUAL(both[0], EACH * size);
    EQUAL(both[1], EACH * size);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, win));
    OK(MPI_Win_unlock(MPI_PROC_NULL, win));
    OK(MPI_Win_sync(win));
    OK(MPI_Win_free(&win));
}

/* Epochs at all targets, which never end all at once, and exclusive locks among them. */
static void busy(void)
{
    MPI_Win win;
    enum { EACH = 20 };
    int *mine = allocate(2 * sizeof(int), 4, &win), last = size - 1, is_over = 0, number, one = 1;
    mine[0] = mine[1] = 0;
    MPI_Barrier(world);
    for (int n = 0; n < EACH && rank == 0; n++) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, win));
        OK(GET(&number, 1, MPI_INT, last, 1, 1, MPI_INT, win));
        OK(MPI_Win_flush(last, win));
        EQUAL(number, n);
        number++;
        OK(PUT(&number, 1, MPI_INT, last, 1, 1, MPI_INT, win));
        OK(MPI_Win_unlock(last, win));
    }
    while (!is_over) {
        OK(MPI_Win_lock_all(0, win));
        if (rank == 0)
            OK(PUT(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
        OK(GET(&is_over, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
        for (int n = 0; n < 3; n++) {
            OK(GET(&number, 1, MPI_INT, last, 1, 1, MPI_INT, win));
            OK(MPI_Win_sync(win));
        }
        OK(MPI_Win_unlock_all(win));
    }
    MPI_Barrier(world);
    if (rank == last)
        EQUAL(mine[1], EACH);
    OK(MPI_Win_free(&win));
}

/* A random graph of origins and targets in each round. */
static void pscw(void)
{
    MPI_Win win;
    long *mine = allocate(size * sizeof(long), 8, &win);
    MPI_Group all, origins, targets;
    MPI_Comm_group(world, &all);
    unsigned seed = 1;
    for (int round = 1; round <= 30; round++) {
        int *to = malloc(size * sizeof(int)), *from = malloc(size * sizeof(int));
        int tos = 0, froms = 0;
        for (int a = 0; a < size; a++)
            for (int b = 0; b < size; b++) {
                seed = seed * 1103515245 + 12345;
                if ((seed >> 16) % 3)
                    continue;
                if (a == rank)
                    to[tos++] = b;
                if (b == rank)
                    from[froms++] = a;
            }
        MPI_Group_incl(all, tos, to, &targets);
        MPI_Group_incl(all, froms, from, &origins);
        int check = round % 4 ? 0 : MPI_MODE_NOCHECK, flag = 0;
        OK(MPI_Win_post(origins, check, win));
        if (check)
            MPI_Barrier(world);
        OK(MPI_Win_start(targets, check, win));
        for (int n = 0; n < tos; n++) {
            long number = 1000 * round + rank;
            OK(PUT(&number, 1, MPI_LONG, to[n], rank, 1, MPI_LONG, win));
        }
        OK(MPI_Win_complete(win));
        if (round % 2)
            OK(MPI_Win_wait(win));
        while (!(round % 2) && !flag)
            OK(MPI_Win_test(win, &flag));
        for (int n = 0; n < froms; n++)
            EQUAL(mine[from[n]], 1000 * round + from[n]);
        MPI_Group_free(&targets);
        MPI_Group_free(&origins);
        free(to);
        free(from);
    }
    MPI_Group_free(&all);
    OK(MPI_Win_free(&win));
}

static void dynamic(void)
{
    MPI_Win win;
    long numbers[4] = {rank, rank + 1, rank + 2, rank + 3}, more[2] = {50, 60}, got;
    MPI_Aint own[2], *all = malloc(2 * size * sizeof *all);
    int *flavor, flag, next = (rank + 1) % size;
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, world, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag));
    CHECK(flag && *flavor == MPI_WIN_FLAVOR_DYNAMIC);
    OK(MPI_Win_attach(win, numbers, sizeof numbers));
    OK(MPI_Win_attach(win, more, sizeof more));
    FAILS(MPI_Win_attach(win, &numbers[1], 8), MPI_ERR_RMA_ATTACH, "overlaps");
    MPI_Get_address(numbers, &own[0]);
    MPI_Get_address(more, &own[1]);
    MPI_Allgather(own, 2, MPI_AINT, all, 2, MPI_AINT, world);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    OK(GET(&got, 1, MPI_LONG, next, MPI_Aint_add(all[2 * next], 16), 1, MPI_LONG, win));
    EQUAL(got, next + 2);
    got = 500 + rank;
    OK(PUT(&got, 1, MPI_LONG, next, all[2 * next + 1], 1, MPI_LONG, win));
    OK(ACCUMULATE(&got, 1, MPI_LONG, next, all[2 * next + 1], 1, MPI_LONG, MPI_SUM, win));
    FAILS(GET(&got, 1, MPI_LONG, next, all[2 * next] + 32, 1, MPI_LONG, win), MPI_ERR_RMA_RANGE,
          "attached");
    OK(MPI_Win_unlock(next, win));
    MPI_Barrier(world);
    EQUAL(more[0], 2 * (500 + (rank + size - 1) % size));
    OK(MPI_Win_detach(win, more));
    FAILS(MPI_Win_detach(win, more), MPI_ERR_RMA_ATTACH, "not attached");
    MPI_Barrier(world);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    FAILS(GET(&got, 1, MPI_LONG, next, all[2 * next + 1], 1, MPI_LONG, win), MPI_ERR_RMA_RANGE,
          "attached");
    OK(MPI_Win_unlock(next, win));
    Unit unit;
    MPI_Aint bytes;
    FAILS(WIN_SHARED_QUERY(win, 0, &bytes, &unit, &more), MPI_ERR_RMA_FLAVOR, "dynamic");
    free(all);
    OK(MPI_Win_free(&win));
}

static void shared(void)
{
    MPI_Win win;
    Unit unit;
    MPI_Aint bytes;
    int *mine, *others, *flavor, flag, next = (rank + 1) % size;
    MPI_Aint own = (rank + 1) * sizeof(int);
    OK(WIN_ALLOCATE_SHARED(rank == 0 ? 0 : own, 4, MPI_INFO_NULL, world, &mine, &win));
    OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag));
    CHECK(flag && *flavor == MPI_WIN_FLAVOR_SHARED);
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i <= rank && rank; i++)
        mine[i] = 10 * rank + i;
    OK(MPI_Win_sync(win));
    MPI_Barrier(world);
    OK(MPI_Win_sync(win));
    OK(WIN_SHARED_QUERY(win, next, &bytes, &unit, &others));
    EQUAL(unit, 4);
    EQUAL(bytes, next ? (next + 1) * sizeof(int) : 0);
    for (int i = 0; i <= next && next; i++)
        EQUAL(others[i], 10 * next + i);
    if (next > rank && rank > 0)
        CHECK((char *)others == (char *)mine + own);
    OK(WIN_SHARED_QUERY(win, MPI_PROC_NULL, &bytes, &unit, &others));
    if (size > 1)
        CHECK(bytes == 2 * sizeof(int) && others[1] == 11);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    OK(WIN_ALLOCATE_SHARED(own, 4, info, world, &mine, &win));
    MPI_Info_free(&info);
    EQUAL((uintptr_t)mine % 64, 0);
    mine[0] = rank;
    OK(MPI_Win_fence(0, win));
    OK(WIN_SHARED_QUERY(win, next, &bytes, &unit, &others));
    EQUAL(others[0], next);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_free(&win));
    /* Memory of any window of this process can be shared. */
    int memory[2] = {rank, 5};
    OK(WIN_CREATE(memory, sizeof memory, 4, MPI_INFO_NULL, world, &win));
    OK(MPI_Win_fence(0, win));
    OK(WIN_SHARED_QUERY(win, next, &bytes, &unit, &others));
    const char *ranks = getenv("FTMPI_RANKS");
    if (next != rank && ranks && !strncmp(ranks, "process", 7))
        CHECK(bytes == 0 && !others);
    else
        CHECK(bytes == sizeof memory && others[0] == next && others[1] == 5);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_free(&win));
}

static void requests(void)
{
    MPI_Win win;
    int next = (rank + 1) % size;
    long *mine = allocate(4 * sizeof(long), 8, &win), five = 5, got = 0, old = 0;
    memset(mine, 0, 4 * sizeof(long));
    MPI_Barrier(world);
    MPI_Request all[2], request;
    MPI_Status status;
    OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    OK(RPUT(&five, 1, MPI_LONG, next, 0, 1, MPI_LONG, win, &request));
    OK(MPI_Wait(&request, &status));
    CHECK(request == MPI_REQUEST_NULL);
    OK(RGET(&got, 1, MPI_LONG, next, 0, 1, MPI_LONG, win, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    EQUAL(got, 5);
    OK(RACCUMULATE(&five, 1, MPI_LONG, next, 0, 1, MPI_LONG, MPI_SUM, win, &all[0]));
    OK(RGET_ACCUMULATE(&five, 1, MPI_LONG, &old, 1, MPI_LONG, next, 0, 1, MPI_LONG, MPI_PROD, win,
                       &all[1]));
    OK(MPI_Waitall(2, all, MPI_STATUSES_IGNORE));
    EQUAL(old, 10);
    OK(RPUT(&five, 1, MPI_LONG, MPI_PROC_NULL, 0, 1, MPI_LONG, win, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Win_unlock(next, win));
    MPI_Barrier(world);
    EQUAL(mine[0], 50);
    OK(MPI_Win_free(&win));
}

static void errors(void)
{
    MPI_Win win, none = MPI_WIN_NULL;
    int number = 0, next = (rank + 1) % size;
    MPI_Group all;
    int memory[4];
    void *base;
    MPI_Comm_group(world, &all);
    FAILS(WIN_CREATE(memory, 16, 0, MPI_INFO_NULL, world, &win), MPI_ERR_DISP, "disp_unit is 0");
    FAILS(WIN_CREATE(memory, -1, 1, MPI_INFO_NULL, world, &win), MPI_ERR_SIZE, "size is -1");
    FAILS(WIN_ALLOCATE((MPI_Aint)1 << 60, 1, MPI_INFO_NULL, world, &base, &win), MPI_ERR_NO_MEM,
          "memory");
    /* What one member does wrong ends the call at all. */
    int code = WIN_CREATE(memory, rank ? 16 : -1, 1, MPI_INFO_NULL, world, &win);
    FAILS(code, rank ? MPI_ERR_OTHER : MPI_ERR_SIZE, rank ? "another process" : "size is -1");
    FAILS(MPI_Win_fence(0, none), MPI_ERR_WIN, "MPI_WIN_NULL");
    OK(WIN_CREATE(memory, sizeof memory, 4, MPI_INFO_NULL, world, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    FAILS(PUT(&number, 1, MPI_INT, next, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC, "no epoch");
    FAILS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC, "MPI_Win_start");
    FAILS(MPI_Win_wait(win), MPI_ERR_RMA_SYNC, "MPI_Win_post");
    FAILS(MPI_Win_test(win, &number), MPI_ERR_RMA_SYNC, "MPI_Win_post");
    FAILS(MPI_Win_unlock(next, win), MPI_ERR_RMA_SYNC, "not locked");
    FAILS(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC, "MPI_Win_lock_all");
    FAILS(MPI_Win_flush(next, win), MPI_ERR_RMA_SYNC, "MPI_Win_lock");
    FAILS(MPI_Win_fence(1, win), MPI_ERR_ASSERT, "assert is 1");
    FAILS(MPI_Win_lock(9, 0, 0, win), MPI_ERR_LOCKTYPE, "lock_type is 9");
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win), MPI_ERR_RANK, "rank is");
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win), MPI_ERR_RMA_SYNC, "locked already");
    FAILS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC, "MPI_Win_lock");
    FAILS(MPI_Win_start(all, 0, win), MPI_ERR_RMA_SYNC, "MPI_Win_lock");
    FAILS(MPI_Win_free(&win), MPI_ERR_RMA_SYNC, "MPI_Win_lock");
    FAILS(PUT(&number, 1, MPI_INT, next, 4, 1, MPI_INT, win), MPI_ERR_RMA_RANGE, "16 bytes");
    FAILS(PUT(memory, 2, MPI_INT, next, 3, 2, MPI_INT, win), MPI_ERR_RMA_RANGE, "16 bytes");
    FAILS(GET(&number, 1, MPI_INT, next, -1, 1, MPI_INT, win), MPI_ERR_DISP, "target_disp is -1");
    FAILS(GET(&number, 1, MPI_INT, size, 0, 1, MPI_INT, win), MPI_ERR_RANK, "target_rank");
    FAILS(GET(&number, -1, MPI_INT, next, 0, 1, MPI_INT, win), MPI_ERR_COUNT, "origin_count");
    FAILS(GET(NULL, 1, MPI_INT, next, 0, 1, MPI_INT, win), MPI_ERR_BUFFER, "null");
    FAILS(GET(memory, 2, MPI_INT, next, 0, 1, MPI_INT, win), MPI_ERR_TRUNCATE, "match");
    FAILS(ACCUMULATE(&number, 1, MPI_INT, next, 0, 1, MPI_FLOAT, MPI_SUM, win), MPI_ERR_TYPE,
          "different");
    FAILS(ACCUMULATE(&number, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_NO_OP, win), MPI_ERR_OP,
          "MPI_NO_OP");
    FAILS(ACCUMULATE(&number, 1, MPI_FLOAT, next, 0, 1, MPI_FLOAT, MPI_BAND, win), MPI_ERR_OP,
          "MPI_BAND");
    FAILS(GET_ACCUMULATE(memory, 2, MPI_INT, &number, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM,
                         win), MPI_ERR_TRUNCATE, "match");
    FAILS(GET_ACCUMULATE(memory, 1, MPI_FLOAT, &number, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM,
                         win), MPI_ERR_TYPE, "different");
    FAILS(MPI_Compare_and_swap(memory, memory, memory, MPI_FLOAT, next, 0, win), MPI_ERR_TYPE,
          "integer");
    OK(MPI_Win_unlock(next, win));
    MPI_Request request;
    OK(MPI_Win_fence(0, win));
    FAILS(RPUT(&number, 1, MPI_INT, next, 0, 1, MPI_INT, win, &request), MPI_ERR_RMA_SYNC, "lock");
    OK(GET(&number, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win), MPI_ERR_RMA_SYNC, "MPI_Win_fence");
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    FAILS(MPI_Win_attach(win, memory, 16), MPI_ERR_RMA_FLAVOR, "dynamic");
    OK(MPI_Win_free(&win));
    MPI_Group_free(&all);
}

/* Random epochs and accesses to places that belong to one origin each, compared with a model. */
static void random_epochs(void)
{
    enum { SLOTS = 16 };
    MPI_Win win;
    unsigned seed = 77, own = 1000 + rank;
    long *mine = allocate((MPI_Aint)size * SLOTS * sizeof(long), 8, &win);
    long *model = calloc((size_t)size * SLOTS, sizeof(long));
    memset(mine, 0, (size_t)size * SLOTS * sizeof(long));
    MPI_Barrier(world);
    for (int round = 0; round < 60; round++) {
        seed = seed * 1103515245 + 12345;
        int kind = (seed >> 16) % 3;
        if (kind == 0)
            OK(MPI_Win_fence(0, win));
        if (kind == 1)
            OK(MPI_Win_lock_all(0, win));
        for (int n = 0; n < 20; n++) {
            own = own * 1103515245 + 12345;
            int to = (own >> 16) % size, slot = (own >> 8) % SLOTS, what = (own >> 20) % 4;
            MPI_Aint at = rank * SLOTS + slot;
            long *known = &model[to * SLOTS + slot], value = own % 1000, got = -1;
            if (kind == 2)
                OK(MPI_Win_lock(n % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, to, 0, win));
            switch (what) {
            case 0:
                OK(PUT(&value, 1, MPI_LONG, to, at, 1, MPI_LONG, win));
                *known = value;
                break;
            case 1:
                OK(ACCUMULATE(&value, 1, MPI_LONG, to, at, 1, MPI_LONG, MPI_SUM, win));
                *known += value;
                break;
            case 2:
                OK(MPI_Fetch_and_op(&value, &got, MPI_LONG, to, at, MPI_BXOR, win));
                if (kind)
                    OK(MPI_Win_flush(to, win));
                EQUAL(got, *known);
                *known ^= value;
                break;
            default:
                OK(GET(&got, 1, MPI_LONG, to, at, 1, MPI_LONG, win));
                if (kind)
                    OK(MPI_Win_flush(to, win));
                EQUAL(got, *known);
            }
            if (kind == 2)
                OK(MPI_Win_unlock(to, win));
        }
        if (kind == 0)
            OK(MPI_Win_fence(0, win));
        if (kind == 1)
            OK(MPI_Win_unlock_all(win));
    }
    MPI_Barrier(world);
    long *all = malloc((size_t)size * SLOTS * sizeof(long));
    MPI_Alltoall(model, SLOTS, MPI_LONG, all, SLOTS, MPI_LONG, world);
    for (int i = 0; i < size * SLOTS; i++)
        EQUAL(mine[i], all[i]);
    free(model);
    free(all);
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"objects", objects}, {"fence", fence}, {"sums", sums},
                 {"operations", operations}, {"tickets", tickets}, {"locks", locks},
                 {"busy", busy},
                 {"pscw", pscw}, {"dynamic", dynamic}, {"shared", shared},
                 {"requests", requests}, {"errors", errors}, {"random", random_epochs}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int known = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc < 2 || !strcmp(argv[1], cases[i].name))
            cases[i].run(), known++;
    CHECK(known > 0);
    MPI_Comm_free(&world);
    MPI_Finalize();
    return 0;
}
