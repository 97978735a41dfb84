/* What tests/virtual_time.rs asks of virtual time; times are in nanoseconds. */

#include <ftmpi.h>
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define world MPI_COMM_WORLD
/* Of each rank, also where all ranks have one image. */
static _Thread_local int me, size;

static long now(void)
{
    return lround(MPI_Wtime() * 1e9);
}

/* Half a round trip of so many bytes between the first two ranks. */
static void latency(int bytes)
{
    char *data = calloc(1, bytes + 1);
    long begun = now();
    for (int round = 0; round < 10; round++) {
        for (int turn = 0; turn < 2; turn++)
            if (me == turn)
                MPI_Send(data, bytes, MPI_CHAR, 1 - me, 0, world);
            else if (me < 2)
                MPI_Recv(data, bytes, MPI_CHAR, 1 - me, 0, world, MPI_STATUS_IGNORE);
    }
    if (me == 0)
        printf("%d bytes: %ld\n", bytes, (now() - begun) / 20);
    free(data);
}

/* The ranks of the first half send to those of the second, all over the link in the middle. */
static void share(int bytes)
{
    char *data = calloc(1, bytes);
    long begun = now();
    if (me < size / 2)
        MPI_Send(data, bytes, MPI_CHAR, me + size / 2, 0, world);
    else
        MPI_Recv(data, bytes, MPI_CHAR, me - size / 2, 0, world, MPI_STATUS_IGNORE);
    long mine = now() - begun, last;
    MPI_Reduce(&mine, &last, 1, MPI_LONG, MPI_MAX, 0, world);
    if (me == 0)
        printf("%d messages: %ld\n", size / 2, last);
    free(data);
}

/* Whoever computes longest sends last, whatever the order of ranks and of receives. */
static void first_come(void)
{
    int from, order[64];
    MPI_Status status;
    if (me > 0) {
        ftmpi_compute(((me * 7) % size) * 1e-3);
        MPI_Send(&me, 1, MPI_INT, 0, 0, world);
        return;
    }
    for (int at = 1; at < size; at++) {
        if (at % 2) {
            int flag = 0;
            while (!flag)
                MPI_Iprobe(MPI_ANY_SOURCE, 0, world, &flag, &status);
        }
        MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, world, MPI_STATUS_IGNORE);
        order[at] = from;
        if (at > 1 && (order[at] * 7) % size < (order[at - 1] * 7) % size)
            printf("%d came before %d\n", order[at - 1], order[at]);
    }
    printf("%d came, the last at %ld us\n", size - 1, now() / 1000);
}

/* Loops that poll, sleep or look at the clock end, and take the time that they wait for. */
static void patience(void)
{
    int flag = 0, got = 0;
    if (me == 0) {
        ftmpi_compute(2.0);
        MPI_Send(&me, 1, MPI_INT, 1, 0, world);
        sleep(100);
        printf("slept until %ld s\n", now() / 1000000000);
        double until = MPI_Wtime() + 0.5;
        while (MPI_Wtime() < until)
            continue;
        printf("looked until %ld ms\n", now() / 1000000);
    } else {
        MPI_Request request;
        MPI_Irecv(&got, 1, MPI_INT, 0, 0, world, &request);
        while (!flag)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        printf("polled until %ld ms\n", now() / 1000000);
    }
}

/* Some ranks ask for ever for what nobody sends; others have a deadline. */
static void in_vain(int all)
{
    int flag = 0, got;
    MPI_Request request;
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 7, world, &request);
    long begun = now();
    while (now() - begun < 5000000000)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    printf("rank %d asked for %ld ms\n", me, (now() - begun) / 1000000);
    fflush(stdout);
    while (!flag && (all || me == 0))
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    MPI_Barrier(world);
}

/* Rank 0 computes, while ranks 1 and 2 ask for what it sends then. */
static void askers(void)
{
    int flag = 0, got = 0;
    MPI_Request request;
    if (me == 0) {
        ftmpi_compute(0.1);
        MPI_Send(&me, 1, MPI_INT, 1, 0, world);
        MPI_Send(&me, 1, MPI_INT, 2, 0, world);
        return;
    }
    MPI_Irecv(&got, 1, MPI_INT, 0, 0, world, &request);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    printf("rank %d asked until %ld us\n", me, now() / 1000);
}

/* Rank 0 asks whenever it has computed for a while, and rank 1 sends at last. */
static void between(void)
{
    int flag = 0, got = 0;
    MPI_Barrier(world);
    long begun = now();
    if (me == 0) {
        for (int step = 0; step < 1000; step++) {
            ftmpi_compute(1e-3);
            MPI_Iprobe(1, 0, world, &flag, MPI_STATUS_IGNORE);
        }
        printf("computed for %ld us\n", (now() - begun) / 1000);
        MPI_Recv(&got, 1, MPI_INT, 1, 0, world, MPI_STATUS_IGNORE);
    } else {
        ftmpi_compute(10.0);
        MPI_Send(&me, 1, MPI_INT, 0, 0, world);
    }
}

/* When the last rank has come here. */
static void tell_latest(const char *name)
{
    long mine = now(), latest;
    MPI_Reduce(&mine, &latest, 1, MPI_LONG, MPI_MAX, 0, world);
    if (me == 0)
        printf("%s: %ld\n", name, latest);
}

/* A broadcast along x, from there along y, and from there along z, as ftbg's line. What the first
 * rank does takes as long as to receive a message. */
static void line(int x, int y, int z)
{
    int at[3] = {me % x, me / x % y, me / x / y}, token = 0;
    int dims[3] = {x, y, z}, stride[3] = {1, x, x * y};
    int last = at[2] ? 2 : at[1] ? 1 : 0;
    if (me == 0)
        ftmpi_compute(1e-6);
    else
        MPI_Recv(&token, 1, MPI_INT, me - stride[last], 0, world, MPI_STATUS_IGNORE);
    for (int dim = last; dim < 3; dim++)
        if (at[dim] + 1 < dims[dim])
            MPI_Send(&token, 1, MPI_INT, me + stride[dim], 0, world);
    tell_latest("line");
}

/* A part of the machine, from one node to before another, that has not got a broadcast yet; its
 * first node may have. */
struct part {
    int from[3], end[3], is_begun;
};

static int middle_of(const struct part *part, const int dims[3])
{
    int at[3];
    for (int dim = 0; dim < 3; dim++)
        at[dim] = (part->from[dim] + part->end[dim]) / 2;
    return at[0] + dims[0] * (at[1] + dims[1] * at[2]);
}

/* The middle of a part has the message: it cuts the part into eight, and sends it to their
 * middles. */
static void cut(const struct part *whole, const int dims[3])
{
    for (int way = 0; way < 8; way++) {
        struct part part = *whole;
        int nodes = 1, is_middle = 1, is_first = 1;
        for (int dim = 0; dim < 3; dim++) {
            int middle = (whole->from[dim] + whole->end[dim]) / 2;
            *(way >> dim & 1 ? &part.from[dim] : &part.end[dim]) = middle;
            nodes *= part.end[dim] - part.from[dim];
            is_middle &= part.from[dim] == middle;
            is_first &= part.from[dim] == whole->from[dim];
        }
        part.is_begun = is_middle || (whole->is_begun && is_first);
        if (nodes > part.is_begun)
            MPI_Send(&part, sizeof part, MPI_BYTE, middle_of(&part, dims), 0, world);
    }
}

/* A broadcast from the middle of the machine, as ftbg's octtree. */
static void octree(int x, int y, int z)
{
    int dims[3] = {x, y, z};
    struct part part = {{0, 0, 0}, {x, y, z}, 0};
    if (me == middle_of(&part, dims))
        ftmpi_compute(1e-6);
    else
        MPI_Recv(&part, sizeof part, MPI_BYTE, MPI_ANY_SOURCE, 0, world, MPI_STATUS_IGNORE);
    cut(&part, dims);
    tell_latest("octtree");
}

/* The largest value, on the way back of line, as ftbg's reduce. */
static void reduce(int x, int y, int z)
{
    int at[3] = {me % x, me / x % y, me / x / y}, dims[3] = {x, y, z}, stride[3] = {1, x, x * y};
    int last = at[2] ? 2 : at[1] ? 1 : 0, children = 0, best = me, other;
    for (int dim = last; dim < 3; dim++)
        children += at[dim] + 1 < dims[dim];
    if (children == 0)
        ftmpi_compute(1e-6);
    for (int child = 0; child < children; child++) {
        MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 0, world, MPI_STATUS_IGNORE);
        best = other > best ? other : best;
    }
    if (me > 0)
        MPI_Send(&best, 1, MPI_INT, me - stride[last], 0, world);
    else
        printf("reduce: %ld\n", best == size - 1 ? now() : -1);
}

/* Around all ranks and back to the first. */
static void ring(void)
{
    int token = 0;
    if (me == 0) {
        ftmpi_compute(1e-6);
        MPI_Send(&token, 1, MPI_INT, 1 % size, 0, world);
    }
    MPI_Recv(&token, 1, MPI_INT, (me + size - 1) % size, 0, world, MPI_STATUS_IGNORE);
    token++;
    if (me > 0)
        MPI_Send(&token, 1, MPI_INT, (me + 1) % size, 0, world);
    else
        printf("ring: %d ranks, %ld\n", token, now());
}

/* All ranks go on at the next full second. */
static long together(void)
{
    MPI_Barrier(world);
    double at = MPI_Wtime();
    ftmpi_compute(floor(at) + 1 - at);
    return now();
}

static long tell(const char *name, long begun)
{
    long mine = now() - begun, longest;
    MPI_Reduce(&mine, &longest, 1, MPI_LONG, MPI_MAX, 0, world);
    if (me == 0)
        printf("%s: %ld\n", name, longest);
    return together();
}

/* What operations on a double of each member take, or on so many doubles. */
static void collectives(int many)
{
    double *from = calloc(many * size, sizeof *from), *to = calloc(many * size, sizeof *to);
    MPI_Request request;
    long begun = together();
    MPI_Barrier(world);
    begun = tell("barrier", begun);
    MPI_Bcast(to, many, MPI_DOUBLE, 0, world);
    begun = tell("bcast", begun);
    MPI_Reduce(from, to, many, MPI_DOUBLE, MPI_SUM, 2, world);
    begun = tell("reduce", begun);
    MPI_Allreduce(from, to, many, MPI_DOUBLE, MPI_SUM, world);
    begun = tell("allreduce", begun);
    MPI_Iallreduce(from, to, many, MPI_DOUBLE, MPI_SUM, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    begun = tell("iallreduce", begun);
    MPI_Gather(from, many, MPI_DOUBLE, to, many, MPI_DOUBLE, 1, world);
    begun = tell("gather", begun);
    MPI_Scatter(from, many, MPI_DOUBLE, to, many, MPI_DOUBLE, 3, world);
    begun = tell("scatter", begun);
    MPI_Allgather(from, many, MPI_DOUBLE, to, many, MPI_DOUBLE, world);
    begun = tell("allgather", begun);
    MPI_Alltoall(from, many, MPI_DOUBLE, to, many, MPI_DOUBLE, world);
    begun = tell("alltoall", begun);
    MPI_Reduce_scatter_block(from, to, many, MPI_DOUBLE, MPI_SUM, world);
    begun = tell("reduce_scatter_block", begun);
    MPI_Scan(from, to, many, MPI_DOUBLE, MPI_SUM, world);
    begun = tell("scan", begun);
    MPI_Comm half;
    MPI_Comm_split(world, me % 2, me, &half);
    begun = together();
    MPI_Barrier(half);
    tell("barrier of half", begun);
    MPI_Comm_free(&half);
}

/* What a reduction of so many doubles takes, by its root. */
static void roots(int many)
{
    double *from = calloc(many, sizeof *from), *to = calloc(many, sizeof *to);
    char name[32];
    for (int root = 0; root < size; root++) {
        long begun = together();
        MPI_Reduce(from, to, many, MPI_DOUBLE, MPI_SUM, root, world);
        snprintf(name, sizeof name, "reduce to %d", root);
        tell(name, begun);
    }
}

/* Rank 1 is killed while rank 0 waits for it. */
static void loss(void)
{
    int got, code = MPI_SUCCESS;
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    if (ftmpi_incarnation() == 0 && me == 0) {
        code = MPI_Recv(&got, 1, MPI_INT, 1, 0, world, MPI_STATUS_IGNORE);
        printf("failed: %d, at %ld us\n", code != MPI_SUCCESS, now() / 1000);
    } else if (ftmpi_incarnation() == 0 && me == 1) {
        ftmpi_compute(0.005);
        ftmpi_kill(1);
    } else if (me == 1) {
        printf("again at %ld us\n", now() / 1000);
    }
    MPI_Comm whole;
    if (me != 1)
        MPI_Comm_dup(world, &whole);
    MPI_Barrier(world);
    if (me == 0)
        printf("whole\n");
}

/* Rank 1 is killed; when all are there again, they have met. */
static void make_room(void)
{
    MPI_Comm whole;
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    if (ftmpi_incarnation() == 0 && me == 1) {
        ftmpi_compute(0.005);
        ftmpi_kill(1);
    } else if (me != 1) {
        while (MPI_Barrier(world) == MPI_SUCCESS)
            ;
        while (MPI_Comm_dup(world, &whole) != MPI_SUCCESS)
            ;
    }
    MPI_Barrier(world);
    if (me == 0)
        printf("met after %ld us\n", now() / 1000);
}

/* Ranks 1 and 2 send long messages to rank 0, of which the last way is the same; one of them may
 * die meanwhile. */
static void cut_off(void)
{
    enum { LONG = 500000 };
    char *data = malloc(LONG);
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    memset(data, me, LONG);
    if (me > 0) {
        MPI_Send(data, LONG, MPI_CHAR, 0, 0, world);
        return;
    }
    char *other = malloc(LONG);
    MPI_Irecv(data, LONG, MPI_CHAR, 1, 0, world, &requests[0]);
    MPI_Irecv(other, LONG, MPI_CHAR, 2, 0, world, &requests[1]);
    int codes[2] = {MPI_Wait(&requests[0], &statuses[0]), MPI_Wait(&requests[1], &statuses[1])};
    printf("%d %d: %d\n", codes[0] == MPI_SUCCESS, codes[1] == MPI_SUCCESS,
           codes[1] == MPI_SUCCESS && other[0] == 2 && other[LONG - 1] == 2);
}

/* All compute for as long, and then hear of each other: ten times. */
static void in_step(void)
{
    double mine = me, all;
    MPI_Barrier(world);
    long begun = now();
    for (int round = 0; round < 10; round++) {
        ftmpi_compute(20e-6);
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, world);
    }
    printf("rank %d: %ld\n", me, now() - begun);
}

/* Rank 0 keeps rank 1 waiting, and so rank 1 keeps rank 2. */
static void relay(void)
{
    static char data[1000];
    if (me == 0)
        ftmpi_compute(0.005);
    else
        MPI_Recv(data, 1000, MPI_CHAR, me - 1, 0, world, MPI_STATUS_IGNORE);
    if (me + 1 < size)
        MPI_Send(data, 1000 / (me + 1), MPI_CHAR, me + 1, 0, world);
}

static void *nothing(void *argument)
{
    return argument;
}

/* Rank 0 does what virtual time has no room for; the others wait for it. */
static void beyond(const char *what)
{
    pthread_t thread;
    if (me == 0 && !strcmp(what, "computes"))
        ftmpi_compute(1e300);
    if (me == 0 && !strcmp(what, "sums"))
        for (int time = 0; time < 5; time++)
            ftmpi_compute(4e6);
    if (me == 0 && !strcmp(what, "sleeps"))
        sleep(4000000000u);
    if (me == 0 && !strcmp(what, "thread"))
        pthread_create(&thread, NULL, nothing, NULL);
    MPI_Barrier(world);
    printf("rank %d was there\n", me);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int number[3] = {0};
    for (int at = 2; at < argc && at < 5; at++)
        number[at - 2] = atoi(argv[at]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &me);
    MPI_Comm_size(world, &size);
    if (!strcmp(what, "latency"))
        latency(number[0]);
    else if (!strcmp(what, "share"))
        share(number[0]);
    else if (!strcmp(what, "first"))
        first_come();
    else if (!strcmp(what, "patience"))
        patience();
    else if (!strcmp(what, "in_vain"))
        in_vain(number[0]);
    else if (!strcmp(what, "askers"))
        askers();
    else if (!strcmp(what, "between"))
        between();
    else if (!strcmp(what, "line"))
        line(number[0], number[1], number[2]);
    else if (!strcmp(what, "octtree"))
        octree(number[0], number[1], number[2]);
    else if (!strcmp(what, "reduce"))
        reduce(number[0], number[1], number[2]);
    else if (!strcmp(what, "ring"))
        ring();
    else if (!strcmp(what, "collectives"))
        collectives(number[0]);
    else if (!strcmp(what, "roots"))
        roots(number[0]);
    else if (!strcmp(what, "loss"))
        loss();
    else if (!strcmp(what, "make_room"))
        make_room();
    else if (!strcmp(what, "relay"))
        relay();
    else if (!strcmp(what, "cut"))
        cut_off();
    else if (!strcmp(what, "in_step"))
        in_step();
    else if (!strcmp(what, "beyond") && argc > 2)
        beyond(argv[2]);
    MPI_Finalize();
    return 0;
}
