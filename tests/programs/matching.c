/* Random matching between a few ranks, from a seed: sources, tags, wildcards, probes, cancels,
 * modes and communicators. Who sends what to whom follows from the seed, so every receiver
 * knows what may come. In the end each message was received once or taken back, is whole, and no
 * receive got a message while an earlier one from the same sender would have fitted as well.
 * Argument: seed. In runs with an even seed no sends are cancelled. */
#include "check.h"
#include <stdint.h>

enum { COMMS = 3, TAGS = 3, MESSAGES = 60, WINDOW = 12, LARGEST = 30000, RANKS = 8 };
/* Around what travels inside a packet of each class, and what does not. */
static const int SIZES[] = {4, 5, 8, 9, 200, 201, 1992, 1993, 16384, 16385, LARGEST};
enum { MODES = 5, STANDARD = 0, SYNCHRONOUS, BUFFERED, PERSISTENT, LOCAL };

struct plan {
    int comm, tag, bytes, mode;
};

/* A send that is under way, or done. */
struct sending {
    MPI_Request request;
    unsigned char *data;
    char is_cancelled, is_persistent;
};

/* A receive that waits. */
struct waiting {
    MPI_Request request;
    unsigned char *into;
    int comm, source, tag, room, serial;
};

/* A receive that got a message: what it asked for, in the order of being posted. */
struct match {
    int comm, tag, serial, from, number;
};

static uint64_t seed, state;
static int may_cancel, serials, matches;
static MPI_Comm comms[COMMS], control;
static struct sending sent[RANKS][MESSAGES];
static struct waiting window[WINDOW];
static struct match log_of[RANKS * MESSAGES];
static char seen[RANKS][MESSAGES], gone[RANKS][MESSAGES];
static int next[RANKS];

static uint64_t mix(uint64_t *from)
{
    uint64_t z = *from += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int below(int bound)
{
    return (int)(mix(&state) % (uint64_t)bound);
}

static int chance(int percent)
{
    return below(100) < percent;
}

static struct plan plan_of(int from, int to, int number)
{
    uint64_t bits = seed * 1000003 + (uint64_t)((from * RANKS + to) * MESSAGES + number);
    bits = mix(&bits);
    return (struct plan){(int)(bits % COMMS), (int)(bits >> 8 & 1023) % TAGS,
                         SIZES[(bits >> 16) % (sizeof SIZES / sizeof *SIZES)],
                         (int)(bits >> 40 & 1023) % MODES};
}

/* The third communicator has the ranks in reverse. */
static int rank_in(int comm, int other)
{
    return comm == 2 ? size - 1 - other : other;
}

static void start_send(void)
{
    int to = below(size), number = next[to];
    if (number == MESSAGES)
        return;
    next[to]++;
    struct plan plan = plan_of(rank, to, number);
    struct sending *one = &sent[to][number];
    one->data = malloc((size_t)plan.bytes);
    fill(one->data, (size_t)plan.bytes, number);
    one->data[0] = (unsigned char)rank;
    one->data[1] = (unsigned char)number;
    int dest = rank_in(plan.comm, to);
    MPI_Comm comm = comms[plan.comm];
    one->request = MPI_REQUEST_NULL;
    one->is_persistent = plan.mode == PERSISTENT;
    if (plan.mode == STANDARD)
        MPI_Isend(one->data, plan.bytes, MPI_CHAR, dest, plan.tag, comm, &one->request);
    else if (plan.mode == SYNCHRONOUS)
        MPI_Issend(one->data, plan.bytes, MPI_CHAR, dest, plan.tag, comm, &one->request);
    else if (plan.mode == BUFFERED)
        MPI_Ibsend(one->data, plan.bytes, MPI_CHAR, dest, plan.tag, comm, &one->request);
    else if (plan.mode == LOCAL)
        MPI_Bsend(one->data, plan.bytes, MPI_CHAR, dest, plan.tag, comm);
    else {
        MPI_Send_init(one->data, plan.bytes, MPI_CHAR, dest, plan.tag, comm, &one->request);
        MPI_Start(&one->request);
    }
}

static void end_send(struct sending *one)
{
    MPI_Status status;
    int flag;
    EQUAL(MPI_Wait(&one->request, &status), MPI_SUCCESS);
    MPI_Test_cancelled(&status, &flag);
    one->is_cancelled = (char)flag;
    if (one->is_persistent)
        MPI_Request_free(&one->request);
    CHECK(one->request == MPI_REQUEST_NULL);
}

static void cancel_send(void)
{
    int to = below(size), number = next[to] ? below(next[to]) : 0;
    struct sending *one = &sent[to][number];
    if (!may_cancel || next[to] == 0 || one->request == MPI_REQUEST_NULL)
        return;
    MPI_Cancel(&one->request);
    end_send(one);
}

/* The receive has got this message. */
static void got(const struct waiting *one, int code, const MPI_Status *status)
{
    int from = one->into[0], number = one->into[1];
    CHECK(from < size && number < MESSAGES && !seen[from][number]);
    struct plan plan = plan_of(from, rank, number);
    EQUAL(one->comm, plan.comm);
    CHECK(one->tag == MPI_ANY_TAG || one->tag == plan.tag);
    CHECK(one->source == MPI_ANY_SOURCE || one->source == rank_in(plan.comm, from));
    EQUAL(status->MPI_SOURCE, rank_in(plan.comm, from));
    EQUAL(status->MPI_TAG, plan.tag);
    EQUAL(code, plan.bytes > one->room ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    int bytes = plan.bytes > one->room ? one->room : plan.bytes;
    EQUAL(count_of(status), bytes);
    one->into[0] = byte_of(0, number);
    one->into[1] = byte_of(1, number);
    expect(one->into, (size_t)bytes, number);
    seen[from][number] = 1;
    log_of[matches++] = (struct match){one->comm, one->tag, one->serial, from, number};
}

/* What a receive may ask for now. */
static struct waiting any_pattern(unsigned char *into)
{
    return (struct waiting){.into = into,
                            .comm = below(COMMS),
                            .source = chance(35) ? MPI_ANY_SOURCE : below(size),
                            .tag = chance(35) ? MPI_ANY_TAG : below(TAGS),
                            .room = chance(70) ? LARGEST : SIZES[below(10)],
                            .serial = serials++};
}

static void post(void)
{
    struct waiting *one = &window[below(WINDOW)];
    if (one->request != MPI_REQUEST_NULL)
        return;
    *one = any_pattern(one->into);
    MPI_Irecv(one->into, one->room, MPI_CHAR, one->source, one->tag, comms[one->comm],
              &one->request);
}

/* Ends a receive of the window; false when it was cancelled. */
static int over(struct waiting *one, int code, const MPI_Status *status)
{
    int flag;
    MPI_Test_cancelled(status, &flag);
    CHECK(one->request == MPI_REQUEST_NULL);
    if (!flag)
        got(one, code, status);
    return !flag;
}

static void test(void)
{
    struct waiting *one = &window[below(WINDOW)];
    MPI_Status status;
    int flag = 0;
    if (one->request == MPI_REQUEST_NULL)
        return;
    int code = MPI_Test(&one->request, &flag, &status);
    if (flag)
        CHECK(over(one, code, &status));
}

static void test_some(void)
{
    MPI_Request requests[WINDOW];
    MPI_Status statuses[WINDOW];
    int indices[WINDOW], count;
    for (int i = 0; i < WINDOW; i++)
        requests[i] = window[i].request;
    int code = MPI_Testsome(WINDOW, requests, &count, indices, statuses);
    for (int i = 0; count != MPI_UNDEFINED && i < count; i++) {
        struct waiting *one = &window[indices[i]];
        one->request = requests[indices[i]];
        int own = code == MPI_ERR_IN_STATUS ? statuses[i].MPI_ERROR : code;
        CHECK(over(one, own, &statuses[i]));
    }
}

static void withdraw(struct waiting *one)
{
    MPI_Status status;
    if (one->request == MPI_REQUEST_NULL)
        return;
    MPI_Cancel(&one->request);
    int code = MPI_Wait(&one->request, &status);
    over(one, code, &status);
}

/* Takes a message out before it is received. */
static void matched_probe(void)
{
    static unsigned char into[LARGEST];
    struct waiting one = any_pattern(into);
    MPI_Message message;
    MPI_Status probed, status;
    int flag;
    MPI_Improbe(one.source, one.tag, comms[one.comm], &flag, &message, &probed);
    if (!flag)
        return;
    int code = 0;
    if (chance(50)) {
        code = MPI_Mrecv(into, one.room, MPI_CHAR, &message, &status);
    } else {
        MPI_Imrecv(into, one.room, MPI_CHAR, &message, &one.request);
        code = MPI_Wait(&one.request, &status);
    }
    CHECK(message == MPI_MESSAGE_NULL);
    EQUAL(count_of(&probed), plan_of(into[0], rank, into[1]).bytes);
    EQUAL(probed.MPI_SOURCE, status.MPI_SOURCE);
    EQUAL(probed.MPI_TAG, status.MPI_TAG);
    got(&one, code, &status);
}

/* Looks, and receives what was seen, unless it may be taken back meanwhile. */
static void probe(void)
{
    static unsigned char into[LARGEST];
    struct waiting one = any_pattern(into);
    MPI_Status probed, status;
    int flag;
    MPI_Iprobe(one.source, one.tag, comms[one.comm], &flag, &probed);
    if (!flag || may_cancel)
        return;
    one.source = probed.MPI_SOURCE;
    one.tag = probed.MPI_TAG;
    int code = MPI_Recv(into, one.room, MPI_CHAR, one.source, one.tag, comms[one.comm], &status);
    EQUAL(count_of(&probed), plan_of(into[0], rank, into[1]).bytes);
    got(&one, code, &status);
}

/* Tells everybody which messages were taken back, so that all know what is to come. */
static void tell(void)
{
    MPI_Request requests[2 * RANKS];
    static char mine[RANKS][MESSAGES];
    for (int other = 0; other < size; other++) {
        for (int number = 0; number < MESSAGES; number++)
            mine[other][number] = sent[other][number].is_cancelled;
        MPI_Irecv(gone[other], MESSAGES, MPI_CHAR, other, 0, control, &requests[2 * other]);
        MPI_Isend(mine[other], MESSAGES, MPI_CHAR, other, 0, control, &requests[2 * other + 1]);
    }
    EQUAL(MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

/* Receives the rest, which is sure to come. */
static void drain(void)
{
    static unsigned char into[LARGEST];
    int left[COMMS] = {0};
    MPI_Status status;
    MPI_Message message;
    for (int from = 0; from < size; from++)
        for (int number = 0; number < MESSAGES; number++)
            left[plan_of(from, rank, number).comm] += !seen[from][number] && !gone[from][number];
    for (int comm = 0; comm < COMMS; comm++) {
        for (; left[comm] > 0; left[comm]--) {
            struct waiting one = {.into = into, .comm = comm, .room = LARGEST, .serial = serials++};
            one.source = MPI_ANY_SOURCE, one.tag = MPI_ANY_TAG;
            int code;
            if (chance(50)) {
                code = MPI_Recv(into, LARGEST, MPI_CHAR, one.source, one.tag, comms[comm], &status);
            } else {
                MPI_Mprobe(one.source, one.tag, comms[comm], &message, &status);
                code = MPI_Mrecv(into, LARGEST, MPI_CHAR, &message, &status);
            }
            got(&one, code, &status);
        }
    }
}

/* Of two receives on a communicator, the one posted first must not have left an earlier message of
 * the same sender, which would have fitted, to the other. */
static void check_order(void)
{
    for (int i = 0; i < matches; i++) {
        for (int j = 0; j < matches; j++) {
            const struct match *first = &log_of[i], *second = &log_of[j];
            if (first->from != second->from || first->comm != second->comm ||
                first->serial >= second->serial || first->number <= second->number)
                continue;
            int tag = plan_of(second->from, rank, second->number).tag;
            if (first->tag == MPI_ANY_TAG || first->tag == tag)
                FAIL("seed %llu: message %d from %d was received before %d",
                     (unsigned long long)seed, first->number, first->from, second->number);
        }
    }
}

static void end(void)
{
    int flag;
    for (int i = 0; i < WINDOW; i++)
        withdraw(&window[i]);
    tell();
    drain();
    for (int to = 0; to < size; to++) {
        for (int number = 0; number < MESSAGES; number++) {
            if (sent[to][number].request != MPI_REQUEST_NULL)
                end_send(&sent[to][number]);
            free(sent[to][number].data);
        }
    }
    for (int from = 0; from < size; from++)
        for (int number = 0; number < MESSAGES; number++)
            EQUAL(seen[from][number], !gone[from][number]);
    check_order();
    MPI_Barrier(control);
    for (int comm = 0; comm < COMMS; comm++) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[comm], &flag, MPI_STATUS_IGNORE);
        EQUAL(flag, 0);
    }
}

static void step(void)
{
    int roll = below(100);
    if (roll < 35)
        start_send();
    else if (roll < 55)
        post();
    else if (roll < 68)
        test();
    else if (roll < 74)
        test_some();
    else if (roll < 84)
        matched_probe();
    else if (roll < 90)
        probe();
    else if (roll < 95)
        withdraw(&window[below(WINDOW)]);
    else
        cancel_send();
}

static int all_started(void)
{
    for (int to = 0; to < size; to++)
        if (next[to] < MESSAGES)
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    int room = RANKS * MESSAGES * (LARGEST + MPI_BSEND_OVERHEAD);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(size <= RANKS && argc == 2);
    seed = strtoull(argv[1], NULL, 10);
    state = seed * RANKS + (uint64_t)rank;
    may_cancel = seed % 2 == 1;
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_set_errhandler(comms[0], MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[2]);
    MPI_Comm_dup(MPI_COMM_WORLD, &control);
    void *buffer = malloc((size_t)room);
    MPI_Buffer_attach(buffer, room);
    for (int i = 0; i < WINDOW; i++) {
        window[i].into = malloc(LARGEST);
        window[i].request = MPI_REQUEST_NULL;
    }
    while (!all_started())
        step();
    end();
    MPI_Buffer_detach(&buffer, &room);
    for (int comm = 1; comm < COMMS; comm++)
        MPI_Comm_free(&comms[comm]);
    MPI_Finalize();
    return 0;
}
