/* Whole curves: one run measures all points of one kind and prints a line for each,
 * `NAME BYTES MICROSECONDS`; for what varies in number and not in size, BYTES is that number.
 *
 *   curve messages      one way between ranks 0 and 1, by size: buffers used again and fresh ones,
 *                       wildcards, unexpected messages, nonblocking and persistent calls
 *   curve offsets       one way, by the distance of source and target from pages
 *   curve streams       a message of a window of 64, by size, to one side and to both
 *   curve windows       a message of 8 bytes, by the number of messages in flight
 *   curve pairs         the same for as many pairs as there are, by size
 *   curve types         one way, by size, of vectors, indexed blocks and structs
 *   curve collectives   every collective, by size
 *   curve forms         nonblocking and persistent collectives, and those in place, by size
 *   curve communicators dup, split and create, by the number of ranks
 *   curve busy          a message, a barrier and an allreduce of 8 bytes, each for half a second, so
 *                       that what other programs take of the cores counts
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 5, PAGE = 4096, MOST = 64 << 20, COLD = 128 << 20, WINDOW = 64, WINDOWS = 4096 };

static int rank, size, peer;
static char *out, *in;
static MPI_Request requests[WINDOWS];

/* What one measurement does, again and again. */
struct act {
    const char *name;
    void (*run)(size_t bytes, int number);
    int number;
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds for each of `rounds` runs. */
static double batch(const struct act *act, size_t bytes, int rounds)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++)
        act->run(bytes, act->number);
    return (MPI_Wtime() - start) / rounds;
}

/* The median of some batches of some milliseconds each, divided among `share` messages. */
static void measure(const struct act *act, size_t bytes, long shown, double share)
{
    double took[BATCHES];
    int rounds = 1;
    batch(act, bytes, 2);
    double once = batch(act, bytes, 3);
    if (once < 4e-3)
        rounds = 4e-3 / (once + 1e-7);
    MPI_Bcast(&rounds, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rounds > 20000)
        rounds = 20000;
    for (int i = 0; i < BATCHES; i++)
        took[i] = batch(act, bytes, rounds);
    qsort(took, BATCHES, sizeof *took, by_value);
    if (rank == 0)
        printf("%s %ld %.4f\n", act->name, shown, took[BATCHES / 2] / share * 1e6);
    fflush(stdout);
}

/* 0, the powers of two and odd sizes between them. */
static const size_t odd[] = {3, 1000, 50000};

static void for_sizes(const struct act *act, size_t least, size_t most, int step, double share)
{
    if (least == 0)
        measure(act, 0, 0, share);
    for (size_t bytes = least ? least : 1; bytes <= most; bytes <<= step)
        measure(act, bytes, bytes, share);
    for (int i = 0; i < 3; i++)
        if (odd[i] > least && odd[i] < most && step == 1)
            measure(act, odd[i], odd[i], share);
}

/* To rank 1 and back: two messages. */
static void there_and_back(char *from, char *to, size_t bytes, MPI_Datatype type, int source, int tag)
{
    if (rank > 1)
        return;
    if (rank == 0)
        MPI_Send(from, bytes, type, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(to, bytes, type, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(from, bytes, type, 0, 1, MPI_COMM_WORLD);
}

static void again(size_t bytes, int number)
{
    (void)number;
    there_and_back(out, in, bytes, MPI_BYTE, 1 - rank, 1);
}

static void fresh(size_t bytes, int number)
{
    static size_t at;
    (void)number;
    at = (at + bytes + PAGE - 1) / PAGE * PAGE;
    if (at + bytes > COLD)
        at = 0;
    there_and_back(out + at, in + at, bytes, MPI_BYTE, 1 - rank, 1);
}

static void any(size_t bytes, int number)
{
    (void)number;
    there_and_back(out, in, bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG);
}

/* The second message is there before it is received. */
static void unexpected(size_t bytes, int number)
{
    (void)number;
    if (rank == 0) {
        MPI_Isend(out, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, requests);
        MPI_Send(out, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
        MPI_Recv(in, 0, MPI_BYTE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(in, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(in, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, 0, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
    }
}

static void nonblocking(size_t bytes, int number)
{
    (void)number;
    if (rank > 1)
        return;
    MPI_Irecv(in, bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, requests);
    if (rank == 1)
        MPI_Wait(requests, MPI_STATUS_IGNORE);
    MPI_Isend(out, bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, requests + 1);
    MPI_Wait(requests + 1, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Wait(requests, MPI_STATUS_IGNORE);
}

/* Both requests are made for each size by the first run with it. */
static void persistent(size_t bytes, int number)
{
    static MPI_Request mine[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    static size_t made = (size_t)-1;
    (void)number;
    if (rank > 1)
        return;
    if (made != bytes) {
        for (int i = 0; i < 2 && mine[i] != MPI_REQUEST_NULL; i++)
            MPI_Request_free(mine + i);
        MPI_Recv_init(in, bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, mine);
        MPI_Send_init(out, bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, mine + 1);
        made = bytes;
    }
    MPI_Start(mine);
    if (rank == 1)
        MPI_Wait(mine, MPI_STATUS_IGNORE);
    MPI_Start(mine + 1);
    MPI_Wait(mine + 1, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Wait(mine, MPI_STATUS_IGNORE);
}

/* The target lies `number` bytes further from a page than the source. */
static void apart(size_t bytes, int number)
{
    there_and_back(out, in + number, bytes, MPI_BYTE, 1 - rank, 1);
}

/* Two blocks of this size from malloc, one after the other. */
static void mallocs(size_t bytes, int number)
{
    static char *source, *target;
    static size_t made;
    (void)number;
    if (made != bytes) {
        free(source);
        free(target);
        source = malloc(bytes);
        target = malloc(bytes);
        memset(source, 1, bytes);
        memset(target, 1, bytes);
        made = bytes;
    }
    there_and_back(source, target, bytes, MPI_BYTE, 1 - rank, 1);
}

/* `window` messages from the lower half to the upper, and an answer. */
static void stream(size_t bytes, int window)
{
    if (peer < 0)
        return;
    size_t room = bytes * window > MOST ? MOST / (bytes ? bytes : 1) : (size_t)window;
    for (int i = 0; i < window; i++) {
        size_t at = bytes * (i % (room ? room : 1));
        if (rank < peer)
            MPI_Isend(out + at, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, requests + i);
        else
            MPI_Irecv(in + at, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, requests + i);
    }
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
    if (rank < peer)
        MPI_Recv(in, 0, MPI_BYTE, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(out, 0, MPI_BYTE, peer, 2, MPI_COMM_WORLD);
}

static void both_ways(size_t bytes, int window)
{
    if (peer < 0)
        return;
    size_t room = bytes * window > MOST ? MOST / (bytes ? bytes : 1) : (size_t)window;
    for (int i = 0; i < window; i++) {
        size_t at = bytes * (i % (room ? room : 1));
        MPI_Irecv(in + at, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, requests + 2 * i);
        MPI_Isend(out + at, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, requests + 2 * i + 1);
    }
    MPI_Waitall(2 * window, requests, MPI_STATUSES_IGNORE);
}

static MPI_Datatype derived;

static void typed(size_t bytes, int number)
{
    (void)bytes, (void)number;
    there_and_back(out, in, 1, derived, 1 - rank, 1);
}

static void with_type(const char *name, size_t bytes, int kind)
{
    struct act act = {name, typed, 0};
    int count = bytes / sizeof(double);
    if (kind == 0) {
        MPI_Type_vector(count, 1, 3, MPI_DOUBLE, &derived);
    } else if (kind == 1) {
        int blocks = count / 2, *lengths = malloc(2 * blocks * sizeof(int)), *at = lengths + blocks;
        for (int i = 0; i < blocks; i++) {
            lengths[i] = 1 + i % 3;
            at[i] = 5 * i;
        }
        MPI_Type_indexed(blocks, lengths, at, MPI_DOUBLE, &derived);
        free(lengths);
    } else {
        int lengths[] = {1, 3};
        MPI_Aint at[] = {0, 8};
        MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE}, one;
        MPI_Type_create_struct(2, lengths, at, types, &one);
        MPI_Type_contiguous(count / 4 ? count / 4 : 1, one, &derived);
        MPI_Type_free(&one);
    }
    MPI_Type_commit(&derived);
    measure(&act, bytes, bytes, 2);
    MPI_Type_free(&derived);
}

/* The collectives; `bytes` is what each rank gives, or each block. */
#define WORLD MPI_COMM_WORLD
#define DOUBLES(bytes) ((int)((bytes) / sizeof(double)))
#define COLLECTIVE(name, call) \
    static void name(size_t bytes, int number) \
    { \
        int n = DOUBLES(bytes); \
        (void)n, (void)number; \
        call; \
    }
#define REQUEST(name, call) \
    COLLECTIVE(name, { \
        MPI_Request r; \
        call; \
        MPI_Wait(&r, MPI_STATUS_IGNORE); \
    })
#define PERSISTENT(name, call) \
    static void name(size_t bytes, int number) \
    { \
        static MPI_Request r = MPI_REQUEST_NULL; \
        static size_t made = (size_t)-1; \
        int n = DOUBLES(bytes); \
        (void)n, (void)number; \
        if (made != bytes) { \
            if (r != MPI_REQUEST_NULL) \
                MPI_Request_free(&r); \
            call; \
            made = bytes; \
        } \
        MPI_Start(&r); \
        MPI_Wait(&r, MPI_STATUS_IGNORE); \
    }

COLLECTIVE(barrier, MPI_Barrier(WORLD))
COLLECTIVE(bcast, MPI_Bcast(out, n, MPI_DOUBLE, 0, WORLD))
COLLECTIVE(reduce, MPI_Reduce(out, in, n, MPI_DOUBLE, MPI_SUM, 0, WORLD))
COLLECTIVE(allreduce, MPI_Allreduce(out, in, n, MPI_DOUBLE, MPI_SUM, WORLD))
COLLECTIVE(gather, MPI_Gather(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, 0, WORLD))
COLLECTIVE(scatter, MPI_Scatter(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, 0, WORLD))
COLLECTIVE(allgather, MPI_Allgather(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, WORLD))
COLLECTIVE(alltoall, MPI_Alltoall(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, WORLD))
COLLECTIVE(reduce_scatter, MPI_Reduce_scatter_block(out, in, n, MPI_DOUBLE, MPI_SUM, WORLD))
COLLECTIVE(scan, MPI_Scan(out, in, n, MPI_DOUBLE, MPI_SUM, WORLD))
COLLECTIVE(allreduce_in_place, MPI_Allreduce(MPI_IN_PLACE, in, n, MPI_DOUBLE, MPI_SUM, WORLD))
COLLECTIVE(allgather_in_place,
           MPI_Allgather(MPI_IN_PLACE, 0, MPI_DOUBLE, in, n, MPI_DOUBLE, WORLD))
REQUEST(ibarrier, MPI_Ibarrier(WORLD, &r))
REQUEST(ibcast, MPI_Ibcast(out, n, MPI_DOUBLE, 0, WORLD, &r))
REQUEST(iallreduce, MPI_Iallreduce(out, in, n, MPI_DOUBLE, MPI_SUM, WORLD, &r))
REQUEST(iallgather, MPI_Iallgather(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, WORLD, &r))
REQUEST(ialltoall, MPI_Ialltoall(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, WORLD, &r))
PERSISTENT(barrier_init, MPI_Barrier_init(WORLD, MPI_INFO_NULL, &r))
PERSISTENT(allreduce_init,
           MPI_Allreduce_init(out, in, n, MPI_DOUBLE, MPI_SUM, WORLD, MPI_INFO_NULL, &r))

static const struct act collectives[] = {
    {"bcast", bcast, 0},         {"reduce", reduce, 0},       {"allreduce", allreduce, 0},
    {"scan", scan, 0},           {"gather", gather, 1},       {"scatter", scatter, 1},
    {"allgather", allgather, 1}, {"alltoall", alltoall, 1},   {"reduce_scatter", reduce_scatter, 1},
};

static const struct act forms[] = {
    {"ibcast", ibcast, 0},
    {"iallreduce", iallreduce, 0},
    {"allreduce_init", allreduce_init, 0},
    {"allreduce_in_place", allreduce_in_place, 0},
    {"allgather_in_place", allgather_in_place, 1},
    {"iallgather", iallgather, 1},
    {"ialltoall", ialltoall, 1},
};

/* Those with a block for each rank end where the blocks fill the buffers. */
static void for_all(const struct act *acts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for_sizes(acts + i, 8, acts[i].number ? MOST / 4 / size : MOST / 16, size > 16 ? 3 : 1, 1);
}

static void dup(size_t bytes, int number)
{
    MPI_Comm made;
    (void)bytes, (void)number;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Comm_free(&made);
}

static void split(size_t bytes, int number)
{
    MPI_Comm made;
    (void)bytes, (void)number;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &made);
    MPI_Comm_free(&made);
}

static void create(size_t bytes, int number)
{
    MPI_Comm made;
    MPI_Group all;
    (void)bytes, (void)number;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Comm_create(MPI_COMM_WORLD, all, &made);
    MPI_Group_free(&all);
    MPI_Comm_free(&made);
}

/* The mean of as many runs as half a second has. */
static void measure_long(const struct act *act, double share)
{
    double took = 0;
    int rounds = 1;
    batch(act, 8, 2);
    for (;;) {
        took = batch(act, 8, rounds);
        MPI_Bcast(&took, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (took * rounds > 0.5)
            break;
        rounds *= took * rounds < 0.05 ? 8 : 2;
    }
    if (rank == 0)
        printf("%s 8 %.4f\n", act->name, took / share * 1e6);
    fflush(stdout);
}

static void measure_busy(void)
{
    static const struct act acts[] = {{"one_way", again, 0}, {"barrier", barrier, 0},
                                      {"allreduce", allreduce, 0}};
    for (int i = 0; i < 3; i++)
        measure_long(acts + i, i == 0 ? 2 : 1);
}

static char *pages(size_t bytes)
{
    char *memory = aligned_alloc(PAGE, bytes);
    memset(memory, 0, bytes);
    return memory;
}

static void measure_messages(void)
{
    static const struct act acts[] = {
        {"again", again, 0},
        {"fresh", fresh, 0},
        {"wildcards", any, 0},
        {"nonblocking", nonblocking, 0},
        {"persistent", persistent, 0},
    };
    const struct act late = {"unexpected", unexpected, 0};
    for (int i = 0; i < 5; i++)
        for_sizes(acts + i, 0, MOST, i < 2 ? 1 : 2, 2);
    for_sizes(&late, 0, 1 << 22, 2, 1);
}

static void measure_offsets(void)
{
    static const int offsets[] = {0, 16, 32, 48, 64, 2048};
    for (int i = 0; i < 6; i++) {
        char name[32];
        struct act act = {name, apart, offsets[i]};
        snprintf(name, sizeof name, "offset_%d", offsets[i]);
        for_sizes(&act, 1024, 1 << 22, 1, 2);
    }
    struct act act = {"mallocs", mallocs, 0};
    for_sizes(&act, 1024, 1 << 22, 1, 2);
}

static void measure_windows(void)
{
    struct act act = {"in_flight", stream, 1};
    for (int window = 1; window <= WINDOWS; window *= 2) {
        act.number = window;
        measure(&act, 8, window, window);
    }
}

static void measure_streams(void)
{
    static const struct act one = {"one_way", stream, WINDOW}, two = {"both_ways", both_ways, WINDOW};
    for_sizes(&one, 0, MOST / 16, 1, WINDOW);
    for_sizes(&two, 0, MOST / 16, 1, WINDOW);
}

static void measure_communicators(void)
{
    static const struct act acts[] = {{"dup", dup, 0}, {"split", split, 0}, {"create", create, 0}};
    for (int i = 0; i < 3; i++)
        measure(acts + i, 0, size, 1);
}

/* A machine that was idle takes a while to run at its usual pace. */
static void warm_up(void)
{
    double end = MPI_Wtime() + 0.1;
    for (int goes_on = 1; goes_on;) {
        goes_on = MPI_Wtime() < end;
        MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *what = argc > 1 ? argv[1] : "";
    int is_about_all = strcmp(what, "pairs") == 0;
    int half = is_about_all ? size / 2 : 1;
    peer = rank < half ? rank + half : rank < 2 * half ? rank - half : -1;
    size_t room = strcmp(what, "messages") == 0 ? COLD : strcmp(what, "busy") == 0 ? PAGE : MOST;
    if (size > 16 && room > MOST / 4)
        room = MOST / 4;
    out = pages(room + 2 * PAGE);
    in = pages(room + 2 * PAGE);
    warm_up();
    if (strcmp(what, "messages") == 0) {
        measure_messages();
    } else if (strcmp(what, "offsets") == 0) {
        measure_offsets();
    } else if (strcmp(what, "streams") == 0) {
        measure_streams();
    } else if (strcmp(what, "windows") == 0) {
        measure_windows();
    } else if (is_about_all) {
        const struct act act = {"pairs", stream, WINDOW}, many = {"pairs_256", stream, 256};
        for_sizes(&act, 0, 1 << 16, 1, WINDOW);
        for_sizes(&many, 8, 1 << 10, 1, 256);
    } else if (strcmp(what, "types") == 0) {
        for (size_t bytes = 64; bytes <= 1 << 22; bytes *= 4) {
            with_type("vector", bytes, 0);
            with_type("indexed", bytes, 1);
            with_type("struct", bytes, 2);
        }
    } else if (strcmp(what, "collectives") == 0) {
        const struct act act = {"barrier", barrier, 0};
        measure(&act, 0, 0, 1);
        for_all(collectives, sizeof collectives / sizeof *collectives);
    } else if (strcmp(what, "forms") == 0) {
        const struct act acts[] = {{"ibarrier", ibarrier, 0}, {"barrier_init", barrier_init, 0}};
        measure(acts, 0, 0, 1);
        measure(acts + 1, 0, 0, 1);
        for_all(forms, sizeof forms / sizeof *forms);
    } else if (strcmp(what, "communicators") == 0) {
        measure_communicators();
    } else if (strcmp(what, "busy") == 0) {
        measure_busy();
    } else if (rank == 0) {
        fprintf(stderr, "curve: unknown kind `%s`\n", what);
    }
    MPI_Finalize();
    return 0;
}
