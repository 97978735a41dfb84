/* Ranks die in every way and at any moment of every kind of call, again and again, and whatever a
 * call that succeeded has written is right.
 *
 * storm MODE MESSAGES ROUNDS SEED [CALM]: MODE is rebuild, shrink, blank or ulfm; MESSAGES noop or
 * cont. A round is a step of a kind that the seed chooses. A failure sends all survivors through a
 * recovery, after which they agree on the round to go on with. Prints how many have died. With
 * CALM, nobody dies by itself, and the storm goes on until there is a file of that name: then a
 * rank that has outlived everything looks at what is left over. With MARK in the environment, the
 * first rank makes the file of that name when all have met. With APART, ranks are on several hosts,
 * and have no memory in common. */
#include "check.h"
#include "ftmpi.h"
#include <dirent.h>
#include <limits.h>
#include <mpi-ext.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

enum { KINDS = 17, WAYS = 12, MOST_RANKS = 4096, MOST_BYTES = 96 << 10, WINDOW = 4 };
enum { NEVER = -1, BEFORE, AMID, LATE, AFTER, MOMENTS };

static uint64_t seed;
static int rounds, round_now, generation, is_fresh, is_first;
static int is_ulfm, is_blank, is_cont;
static const char *calm_file;
static MPI_Comm comm = MPI_COMM_WORLD;
/* Ranks of `comm` that live, their ranks in the job, and this rank's place among them. */
static int living[MOST_RANKS], job[MOST_RANKS], living_count, place;

/* What has been started and not been waited for; collectives cannot be cancelled. */
static MPI_Request pending[2 * WINDOW + 2];
static int pending_count, is_pending_collective;

static int doom_moment = NEVER, doom_way, killer_of = -1;
static jmp_buf back, out_of_main;
static volatile int is_jumping, heard;

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* A number that the round settles for everybody; of the attempt as well, if `salt` is negative. */
static uint64_t dice(int salt)
{
    uint64_t attempt = salt < 0 ? (uint64_t)generation + 1 : 0;
    return mix(seed ^ mix((uint64_t)round_now << 20 ^ attempt << 44 ^ (uint64_t)(unsigned)salt));
}

/* What rank `from` has for `to` in this round, at place `i`. */
static int64_t value(int from, int to, size_t i)
{
    return (int64_t)(mix(seed ^ (uint64_t)round_now << 36 ^ (uint64_t)from << 24 ^
                         (uint64_t)to << 12 ^ mix(i)) >>
                     16);
}

static void wrong(const char *what, size_t i, int64_t seen, int64_t expected)
{
    fprintf(stderr, "WRONG: rank %d of %d, round %d, generation %d: %s[%zu] is %lld, not %lld\n",
            rank, size, round_now, generation, what, i, (long long)seen, (long long)expected);
    MPI_Abort(MPI_COMM_WORLD, 99);
}

static void same(const char *what, size_t i, int64_t seen, int64_t expected)
{
    if (seen != expected)
        wrong(what, i, seen, expected);
}

/* ---- Deaths ---- */

static int overrun(volatile char *above)
{
    volatile char here[4096];
    here[0] = above ? above[0] : 1;
    return overrun(here) + here[0];
}

static void die(void)
{
    volatile int nothing = 0;
    volatile char *block;
    switch (doom_way) {
    case 0: raise(SIGKILL); break;
    case 1: exit(3);
    case 2: _exit(4);
    case 3: abort();
    case 4: *(volatile int *)(uintptr_t)nothing = 1; break;
    case 5: nothing = 7 / nothing; break;
    case 6: __builtin_trap();
    case 7: overrun(NULL); break;
    case 8: raise(SIGTERM); break;
    case 9:
        block = malloc(40);
        for (int i = 0; i < 40 + 32; i++)
            block[i] = 0;
        free((void *)block);
        abort(); /* the C library's own heap may not have noticed */
    case 10: longjmp(out_of_main, 1);
    default: ftmpi_kill(ftmpi_rank_in_job());
    }
    FAIL("outlived a death of kind %d", doom_way);
}

/* A moment of the step has come: whose last it is dies, whose neighbour it is kills it. */
static void moment(int which)
{
    if (doom_moment != which)
        return;
    doom_moment = NEVER;
    if (killer_of < 0)
        die();
    ftmpi_kill(killer_of);
    killer_of = -1;
}

/* The place of the one rank that nothing happens to before the next recovery is over. */
static int spared(void)
{
    return (int)(mix(seed ^ 0x5afe ^ mix((uint64_t)generation)) % (uint64_t)living_count);
}

/* Who dies in this attempt, when and how. */
static void choose_doom(void)
{
    doom_moment = NEVER;
    killer_of = -1;
    if (calm_file)
        return;
    uint64_t fate = dice(-1);
    int count = fate % 3 ? 0 : fate >> 8 & 7 ? 1 + (int)(fate >> 12 & 1) : (int)(fate >> 16 & 7);
    if (count > living_count - 1)
        count = living_count - 1;
    if (round_now >= rounds || count == 0)
        return;
    int first = (int)(dice(-2) % (uint64_t)living_count);
    int nth = (place - first + living_count) % living_count;
    uint64_t mine = dice(-3 - nth);
    if (nth < count && place != spared()) {
        doom_moment = (int)(mine % MOMENTS);
        doom_way = (int)(mine >> 8) % WAYS;
    } else if (nth == count && nth < living_count && fate >> 40 & 1 && round_now + 10 < rounds) {
        /* One more, from outside: of somebody who expects nothing, long before the end. */
        int victim = (first + count + 1) % living_count;
        if (count + 1 < living_count && victim != first && victim != spared()) {
            doom_moment = (int)(mine % MOMENTS);
            killer_of = job[living[victim]];
        }
    }
}

/* ---- Steps: 0 or the error. Nothing is looked at before all of it has succeeded. ---- */

#define DO(call)                                                                                   \
    do {                                                                                           \
        int code_ = (call);                                                                        \
        if (code_ != MPI_SUCCESS)                                                                  \
            return code_;                                                                          \
    } while (0)

static int64_t out[MOST_BYTES / 8], in[MOST_BYTES / 8];

/* Mostly small; `most` numbers at the most. */
static int count_up_to(size_t most)
{
    uint64_t roll = dice(100), bound = roll % 8 < 4 ? 5 : roll % 8 < 6 ? 300 : most;
    return 1 + (int)(mix(roll) % (bound < most ? bound : most));
}

static int tag(void)
{
    return (generation * 64 + round_now % 64) % 30000;
}

static int next_of(int step)
{
    return living[(place + step % living_count + living_count) % living_count];
}

static void poison(size_t numbers)
{
    memset(in, 0xee, numbers * 8);
}

static int wait_pending(void)
{
    int style = (int)(dice(7) % 4), flag = 0, index;
    if (style == 0)
        DO(MPI_Waitall(pending_count, pending, MPI_STATUSES_IGNORE));
    else if (style == 1)
        while (!flag)
            DO(MPI_Testall(pending_count, pending, &flag, MPI_STATUSES_IGNORE));
    else if (style == 2)
        for (int i = 0; i < pending_count; i++)
            DO(MPI_Waitany(pending_count, pending, &index, MPI_STATUS_IGNORE));
    else
        for (int i = 0; i < pending_count; i++)
            DO(MPI_Wait(&pending[i], MPI_STATUS_IGNORE));
    pending_count = 0;
    return MPI_SUCCESS;
}

static int ring(void)
{
    int n = count_up_to(MOST_BYTES / 8), right = next_of(1), left = next_of(-1);
    for (int i = 0; i < n; i++)
        out[i] = value(rank, right, (size_t)i);
    poison((size_t)n);
    moment(AMID);
    DO(MPI_Sendrecv(out, n, MPI_INT64_T, right, tag(), in, n, MPI_INT64_T, left, tag(), comm,
                    MPI_STATUS_IGNORE));
    for (int i = 0; i < n; i++)
        same("ring", (size_t)i, in[i], value(left, rank, (size_t)i));
    return MPI_SUCCESS;
}

static int window(void)
{
    int n = count_up_to(MOST_BYTES / 8 / WINDOW), stride = 1 + (int)(dice(9) % 5);
    int right = next_of(stride), left = next_of(-stride);
    poison((size_t)(n * WINDOW));
    for (int w = 0; w < WINDOW; w++) {
        DO(MPI_Irecv(in + w * n, n, MPI_INT64_T, left, tag(), comm, &pending[pending_count]));
        pending_count++;
    }
    moment(AMID);
    for (int w = 0; w < WINDOW; w++) {
        for (int i = 0; i < n; i++)
            out[w * n + i] = value(rank, right, (size_t)(w * n + i));
        int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) =
            dice(11) & 1 ? MPI_Isend : MPI_Issend;
        DO(send(out + w * n, n, MPI_INT64_T, right, tag(), comm, &pending[pending_count]));
        pending_count++;
    }
    moment(LATE);
    DO(wait_pending());
    for (int i = 0; i < n * WINDOW; i++)
        same("window", (size_t)i, in[i], value(left, rank, (size_t)i));
    return MPI_SUCCESS;
}

/* All send to one, which takes what comes, in one of three ways. */
static int any_source(void)
{
    int root = living[dice(12) % (uint64_t)living_count], n = count_up_to(2000);
    int way = (int)(dice(13) % 3);
    static char seen[MOST_RANKS];
    if (rank != root) {
        for (int i = 0; i < n; i++)
            out[i] = value(rank, root, (size_t)i);
        moment(AMID);
        return MPI_Send(out, n, MPI_INT64_T, root, tag(), comm);
    }
    memset(seen, 0, sizeof seen);
    for (int left = living_count - 1; left > 0; left--) {
        MPI_Status status;
        MPI_Message message;
        poison((size_t)n);
        if (way == 0) {
            DO(MPI_Recv(in, n, MPI_INT64_T, MPI_ANY_SOURCE, tag(), comm, &status));
        } else if (way == 1) {
            DO(MPI_Probe(MPI_ANY_SOURCE, tag(), comm, &status));
            DO(MPI_Recv(in, n, MPI_INT64_T, status.MPI_SOURCE, tag(), comm, &status));
        } else {
            DO(MPI_Mprobe(MPI_ANY_SOURCE, tag(), comm, &message, &status));
            DO(MPI_Mrecv(in, n, MPI_INT64_T, &message, &status));
        }
        if (left == 2)
            moment(AMID);
        int from = status.MPI_SOURCE;
        if (from < 0 || from >= size || seen[from]++)
            wrong("source", (size_t)left, from, -1);
        for (int i = 0; i < n; i++)
            same("any source", (size_t)i, in[i], value(from, root, (size_t)i));
    }
    return MPI_SUCCESS;
}

/* The sum over the living of what each brings to place `i`. */
static int64_t sum_at(int upto, size_t i)
{
    int64_t sum = 0;
    for (int k = 0; k < upto; k++)
        sum += value(living[k], 0, i);
    return sum;
}

static void bring(int n)
{
    for (int i = 0; i < n; i++)
        out[i] = value(rank, 0, (size_t)i);
    poison((size_t)n);
}

/* Whole results where that is cheap, else some places of it, the last among them. */
static void check_sums(const char *what, const int64_t *seen, int n, size_t first, int upto)
{
    int stride = (int)((size_t)n * (size_t)upto / 20000) + 1;
    for (int i = 0; i < n; i += stride)
        same(what, (size_t)i, seen[i], sum_at(upto, first + (size_t)i));
    same(what, (size_t)n - 1, seen[n - 1], sum_at(upto, first + (size_t)n - 1));
}

/* A collective call in one of its three forms; its last argument but a request is `comm`. */
#define IN_SOME_FORM(blocking, nonblocking, persistent, ...)                                       \
    do {                                                                                           \
        int form_ = (int)(dice(14) % 3);                                                           \
        moment(LATE);                                                                              \
        if (form_ == 0)                                                                            \
            DO(blocking(__VA_ARGS__, comm));                                                       \
        else if (form_ == 1)                                                                       \
            DO(nonblocking(__VA_ARGS__, comm, pending));                                           \
        else                                                                                       \
            DO(persistent(__VA_ARGS__, comm, MPI_INFO_NULL, pending));                             \
        DO(finish(form_));                                                                         \
    } while (0)

static int finish(int form)
{
    if (form == 0)
        return MPI_SUCCESS;
    is_pending_collective = 1;
    pending_count = 1;
    if (form == 2)
        DO(MPI_Start(pending));
    moment(AMID);
    DO(wait_pending());
    if (form == 2)
        MPI_Request_free(pending);
    is_pending_collective = 0;
    return MPI_SUCCESS;
}

static int allreduce(void)
{
    int n = count_up_to(MOST_BYTES / 8);
    bring(n);
    IN_SOME_FORM(MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, out, in, n, MPI_INT64_T,
                 MPI_SUM);
    check_sums("allreduce", in, n, 0, living_count);
    return MPI_SUCCESS;
}

static int reduce(void)
{
    int n = count_up_to(MOST_BYTES / 8);
    int root = living[dice(12) % (uint64_t)living_count];
    bring(n);
    IN_SOME_FORM(MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, out, in, n, MPI_INT64_T, MPI_SUM, root);
    if (rank == root)
        check_sums("reduce", in, n, 0, living_count);
    return MPI_SUCCESS;
}

static int bcast(void)
{
    int n = count_up_to(MOST_BYTES / 8);
    int root = living[dice(12) % (uint64_t)living_count];
    poison((size_t)n);
    for (int i = 0; rank == root && i < n; i++)
        in[i] = value(root, 0, (size_t)i);
    IN_SOME_FORM(MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, in, n, MPI_INT64_T, root);
    for (int i = 0; i < n; i++)
        same("bcast", (size_t)i, in[i], value(root, 0, (size_t)i));
    return MPI_SUCCESS;
}

static int gather(void)
{
    size_t most = (size_t)MOST_BYTES / 8 / (size_t)size;
    int n = count_up_to(most ? most : 1);
    int root = living[dice(12) % (uint64_t)living_count], is_all = (int)(dice(15) & 1);
    bring(n);
    poison((size_t)n * (size_t)size);
    if (is_all)
        IN_SOME_FORM(MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, out, n, MPI_INT64_T, in, n,
                     MPI_INT64_T);
    else
        IN_SOME_FORM(MPI_Gather, MPI_Igather, MPI_Gather_init, out, n, MPI_INT64_T, in, n,
                     MPI_INT64_T, root);
    for (int k = 0; (is_all || rank == root) && k < living_count; k++)
        for (int i = 0; i < n; i++)
            same("gather", (size_t)(living[k] * n + i), in[living[k] * n + i],
                 value(living[k], 0, (size_t)i));
    return MPI_SUCCESS;
}

static int scatter(void)
{
    size_t most = (size_t)MOST_BYTES / 8 / (size_t)size;
    int n = count_up_to(most ? most : 1);
    int root = living[dice(12) % (uint64_t)living_count];
    for (int k = 0; rank == root && k < size; k++)
        for (int i = 0; i < n; i++)
            out[k * n + i] = value(root, k, (size_t)i);
    poison((size_t)n);
    IN_SOME_FORM(MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, out, n, MPI_INT64_T, in, n,
                 MPI_INT64_T, root);
    for (int i = 0; i < n; i++)
        same("scatter", (size_t)i, in[i], value(root, rank, (size_t)i));
    return MPI_SUCCESS;
}

static int alltoall(void)
{
    size_t most = (size_t)MOST_BYTES / 8 / (size_t)size;
    int n = count_up_to(most ? most : 1);
    for (int k = 0; k < size; k++)
        for (int i = 0; i < n; i++)
            out[k * n + i] = value(rank, k, (size_t)i);
    poison((size_t)n * (size_t)size);
    IN_SOME_FORM(MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init, out, n, MPI_INT64_T, in, n,
                 MPI_INT64_T);
    for (int k = 0; k < living_count; k++)
        for (int i = 0; i < n; i++)
            same("alltoall", (size_t)(living[k] * n + i), in[living[k] * n + i],
                 value(living[k], rank, (size_t)i));
    return MPI_SUCCESS;
}

static int scan(void)
{
    int n = count_up_to(MOST_BYTES / 16);
    bring(n);
    IN_SOME_FORM(MPI_Scan, MPI_Iscan, MPI_Scan_init, out, in, n, MPI_INT64_T, MPI_SUM);
    check_sums("scan", in, n, 0, place + 1);
    return MPI_SUCCESS;
}

static int reduce_scatter(void)
{
    size_t most = (size_t)MOST_BYTES / 8 / (size_t)size;
    int n = count_up_to(most ? most : 1);
    bring(n * size);
    IN_SOME_FORM(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block,
                 MPI_Reduce_scatter_block_init, out, in, n, MPI_INT64_T, MPI_SUM);
    check_sums("reduce_scatter", in, n, (size_t)rank * (size_t)n, living_count);
    return MPI_SUCCESS;
}

/* A communicator of every third rank or so, used and freed. */
static MPI_Comm part = MPI_COMM_NULL;
static MPI_Datatype column = MPI_DATATYPE_NULL;

static int communicators(void)
{
    int colors = 1 + (int)(dice(16) % 3), members, mine, expected = 0;
    int64_t one = value(rank, 0, 0), sum = -1, wanted = 0;
    moment(LATE);
    if (dice(17) & 1)
        colors = 1;
    int code = colors == 1 ? MPI_Comm_dup(comm, &part)
                           : MPI_Comm_split(comm, rank % colors, rank, &part);
    moment(AMID);
    /* A revocation of `comm` ends nothing on `part`: nobody uses it before all have it. */
    if (is_ulfm && code == MPI_SUCCESS)
        code = MPI_Barrier(comm);
    DO(code);
    for (int k = 0; k < living_count; k++)
        if (living[k] % colors == rank % colors) {
            expected++;
            wanted += value(living[k], 0, 0);
        }
    MPI_Comm_rank(part, &mine);
    MPI_Comm_size(part, &members);
    if (!(is_blank && colors == 1))
        same("members", 0, members, expected);
    DO(MPI_Allreduce(&one, &sum, 1, MPI_INT64_T, MPI_SUM, part));
    same("sum of a part", 0, sum, wanted);
    return MPI_SUCCESS;
}

/* Columns of a matrix go round by persistent requests, three times. */
static int persistent(void)
{
    int right = next_of(1), left = next_of(-1), height = 1 + count_up_to(200);
    MPI_Type_vector(height, 1, 3, MPI_INT64_T, &column);
    MPI_Type_commit(&column);
    DO(MPI_Recv_init(in, height, MPI_INT64_T, left, tag(), comm, &pending[0]));
    pending_count = 1;
    DO(MPI_Send_init(out, 1, column, right, tag(), comm, &pending[1]));
    pending_count = 2;
    for (int turn = 0; turn < 3; turn++) {
        poison((size_t)height);
        for (int i = 0; i < height; i++)
            out[3 * i] = value(rank, right, (size_t)(i + turn));
        DO(MPI_Startall(2, pending));
        moment(turn ? LATE : AMID);
        DO(MPI_Waitall(2, pending, MPI_STATUSES_IGNORE));
        for (int i = 0; i < height; i++)
            same("column", (size_t)i, in[i], value(left, rank, (size_t)(i + turn)));
    }
    MPI_Request_free(&pending[0]);
    MPI_Request_free(&pending[1]);
    pending_count = 0;
    return MPI_SUCCESS;
}

static int barrier(void)
{
    moment(AMID);
    return MPI_Barrier(comm);
}

#include "storm_kinds.h"

static int (*const kinds[KINDS])(void) = {
    ring,    window,   any_source, allreduce,      reduce,        bcast,      gather,
    scatter, alltoall, scan,       reduce_scatter, communicators, persistent, barrier,
    one_sided, one_sided, partitioned,
};

/* ---- Recoveries ---- */

static void on_error(MPI_Comm *where, int *code, ...)
{
    (void)where;
    heard = *code;
    if (is_jumping)
        longjmp(back, 1);
}

/* Only a failure may be the reason why something did not go. */
static void must_be_failure(int code)
{
    int class, length;
    char words[MPI_MAX_ERROR_STRING];
    MPI_Error_class(code, &class);
    /* From outside, a replacement may be hit again and again: the recovery is tried once more. */
    if (calm_file && class == MPI_ERR_SPAWN)
        return;
    if (is_ulfm ? class == MPIX_ERR_PROC_FAILED || class == MPIX_ERR_REVOKED ||
                      class == MPIX_ERR_PROC_FAILED_PENDING || class == MPI_ERR_IN_STATUS
                : code == MPI_ERR_OTHER || code == MPI_ERR_IN_STATUS)
        return;
    MPI_Error_string(code, words, &length);
    FAIL("round %d, kind %d: %s", round_now, (int)(dice(1) % KINDS), words);
}

/* What the step has left: requests end, whatever becomes of them. */
static void forget(void)
{
    for (int i = 0; i < pending_count; i++) {
        if (pending[i] == MPI_REQUEST_NULL)
            continue;
        if (!is_pending_collective)
            MPI_Cancel(&pending[i]);
        MPI_Wait(&pending[i], MPI_STATUS_IGNORE);
        if (pending[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&pending[i]);
    }
    pending_count = is_pending_collective = 0;
    if (part != MPI_COMM_NULL)
        MPI_Comm_free(&part);
    if (column != MPI_DATATYPE_NULL)
        MPI_Type_free(&column);
    forget_kinds();
}

/* Somebody dies on the way into the recovery, or kills somebody who may be in it. */
static void doom_on_the_way(void)
{
    uint64_t fate = dice(-90);
    int first = (int)(dice(-91) % (uint64_t)living_count);
    if (calm_file || is_fresh || place != first || round_now >= rounds)
        return;
    if (fate % 5 == 0 && place != spared()) {
        doom_way = (int)(dice(-92) % WAYS);
        die();
    }
    int victim = (first + 1 + (int)(fate >> 8 & 1)) % living_count;
    if (fate % 5 == 1 && victim != first && victim != spared() && round_now + 10 < rounds)
        ftmpi_kill(job[living[victim]]);
}

static void recover(void)
{
    is_jumping = 0;
    doom_on_the_way();
    if (!is_cont && !is_ulfm)
        forget();
    if (is_ulfm) {
        MPI_Comm next;
        MPIX_Comm_revoke(comm);
        if (part != MPI_COMM_NULL)
            MPIX_Comm_revoke(part);
        forget();
        EQUAL(MPIX_Comm_shrink(comm, &next), MPI_SUCCESS);
        if (comm != MPI_COMM_WORLD)
            MPI_Comm_free(&comm);
        comm = next;
    } else {
        MPI_Comm again = FT_MPI_CHECK_RECOVER;
        int code;
        while ((code = MPI_Comm_dup(MPI_COMM_WORLD, &again)) != MPI_SUCCESS) {
            must_be_failure(code);
            again = FT_MPI_CHECK_RECOVER;
        }
        if (again != MPI_COMM_WORLD)
            MPI_Comm_free(&again);
        /* Before the recovery, what may still end well goes on: a window, a partitioned message. */
        forget();
    }
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
}

/* All agree on the round and the attempt, and hear who is there. */
static int meet(void)
{
    int mine[2] = {is_fresh ? INT_MAX : round_now, -(generation + 1)}, least[2];
    int self = ftmpi_rank_in_job();
    DO(MPI_Allreduce(mine, least, 2, MPI_INT, MPI_MIN, comm));
    for (int i = 0; i < size; i++)
        job[i] = -1;
    DO(MPI_Allgather(&self, 1, MPI_INT, job, 1, MPI_INT, comm));
    living_count = 0;
    for (int i = 0; i < size; i++) {
        if (i == rank)
            place = living_count;
        if (job[i] >= 0)
            living[living_count++] = i;
    }
    same("own rank in the job", (size_t)rank, job[rank], self);
    if (!is_blank)
        same("ranks that live", 0, living_count, size);
    is_fresh = 0;
    if (calm_file)
        rounds = INT_MAX;
    if (rank == 0 && getenv("MARK"))
        fclose(fopen(getenv("MARK"), "w"));
    round_now = least[0];
    generation = -least[1];
    return MPI_SUCCESS;
}

/* ---- What is left over of a storm from outside ---- */

static struct {
    int files, mappings;
} before;

static int entries_of(const char *path, int is_file)
{
    int count = 0, c;
    if (is_file) {
        FILE *file = fopen(path, "r");
        while (file && (c = getc(file)) != EOF)
            count += c == '\n';
        if (file)
            fclose(file);
        return count;
    }
    DIR *directory = opendir(path);
    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count;
}

/* Every rank has written to every other. */
static int visit_all(void)
{
    static int there[MOST_RANKS], back[MOST_RANKS];
    return MPI_Alltoall(there, 1, MPI_INT, back, 1, MPI_INT, comm);
}

static int open_files(void)
{
    return entries_of("/proc/self/fd", 0);
}

/* Whoever counts has a file open meanwhile, and so has the library that looks at a thread: the
 * least of some counts. */
static void take_stock(void)
{
    before.files = open_files();
    for (int tries = 0; tries < 50; tries++) {
        int now = open_files();
        before.files = now < before.files ? now : before.files;
    }
    before.mappings = entries_of("/proc/self/maps", 1);
}

/* Messages that wait for somebody, by the library's own count. */
static size_t waiting(void)
{
    static MPI_T_pvar_session session;
    static MPI_T_pvar_handle handle;
    static int is_open;
    size_t count = 0;
    int index, level, items;
    if (!is_open++) {
        MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
        MPI_T_pvar_session_create(&session);
        EQUAL(MPI_T_pvar_get_index("messages_elsewhere", MPI_T_PVAR_CLASS_LEVEL, &index), 0);
        EQUAL(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &items), 0);
    }
    EQUAL(MPI_T_pvar_read(session, handle, &count), 0);
    return count;
}

static void compare_stock(void)
{
    time_t until = time(NULL) + 5;
    int flag, files;
    while (waiting() && time(NULL) < until)
        MPI_Iprobe(MPI_ANY_SOURCE, 12345, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    while ((files = open_files()) > before.files && time(NULL) < until)
        MPI_Iprobe(MPI_ANY_SOURCE, 12345, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    printf("left: %zu messages, %d files, %d mappings\n", waiting(), files - before.files,
           entries_of("/proc/self/maps", 1) - before.mappings);
}

/* Whether the storm is over: now and then all agree on that. */
static int look_for_calm(void)
{
    int mine = access(calm_file, F_OK) == 0, all = 0;
    if (round_now % 8)
        return MPI_SUCCESS;
    DO(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, comm));
    DO(visit_all());
    if (is_first && !before.files)
        take_stock();
    if (all)
        rounds = round_now;
    return MPI_SUCCESS;
}

static int attempt(void)
{
    choose_doom();
    moment(BEFORE);
    DO(kinds[dice(1) % KINDS]());
    forget();
    moment(LATE);
    moment(AMID);
    moment(AFTER);
    return MPI_SUCCESS;
}

static int has_met;

/* Goes on as far as it can; the error that ends that. */
static int go_on(int is_jumper)
{
    is_jumping = is_jumper;
    if (!has_met) {
        DO(meet());
        has_met = 1;
    }
    while (round_now < rounds) {
        if (calm_file)
            DO(look_for_calm());
        if (round_now < rounds)
            DO(attempt());
        round_now += round_now < rounds;
    }
    is_jumping = 0;
    doom_moment = NEVER;
    return MPI_Barrier(comm);
}

static void survive(void)
{
    MPI_Errhandler handler;
    int style = (int)(mix(seed) % 3);
    MPI_Comm_create_errhandler(on_error, &handler);
    for (;;) {
        MPI_Comm_set_errhandler(comm, style ? handler : MPI_ERRORS_RETURN);
        if (!setjmp(back)) {
            int code = go_on(style == 2);
            if (code == MPI_SUCCESS)
                break;
            heard = code;
        }
        is_jumping = 0;
        must_be_failure(heard);
        /* Whatever the handler was, it is not to be called for what is cleared up. */
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        recover();
        has_met = 0;
    }
    MPI_Errhandler_free(&handler);
}

static int deaths(void)
{
    int count = 0, flag;
    if (is_ulfm) {
        MPI_Group dead;
        MPIX_Comm_get_failed(MPI_COMM_WORLD, &dead);
        MPI_Group_size(dead, &count);
        return count;
    }
    MPI_Comm_get_attr(MPI_COMM_WORLD, FT_MPI_LIST_NUM_FAILED, &count, &flag);
    return count;
}

int main(int argc, char **argv)
{
    is_fresh = MPI_Init(&argc, &argv) == MPI_INIT_RESTARTED_PROCS;
    is_ulfm = !strcmp(argv[1], "ulfm");
    is_blank = !strcmp(argv[1], "blank");
    is_cont = !strcmp(argv[2], "cont");
    rounds = atoi(argv[3]);
    seed = mix(strtoull(argv[4], NULL, 10) + 77);
    calm_file = argv[5];
    is_first = !is_fresh;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    /* Of requests and types that no communicator answers for. */
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (setjmp(out_of_main))
        return 5; /* without MPI_Finalize: a death */
    for (int i = 0; i < size; i++)
        living[living_count++] = i;
    place = rank;
    survive();
    if (before.files)
        compare_stock();
    if (place == 0)
        printf("%d deaths, %d of %d ranks left\n", deaths(), living_count, size);
    MPI_Finalize();
    return 0;
}
