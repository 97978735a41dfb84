/* Rules of FT-MPI that concern more than one kind of call. Each case loses ranks. */
#include "check.h"
#include "ftmpi.h"
#include <ft-mpi-modes.h>
#include <signal.h>

static int is_fresh, me;

static void restore(void)
{
    MPI_Comm again;
    EQUAL(MPI_Comm_dup(MPI_COMM_WORLD, &again), MPI_SUCCESS);
    MPI_Comm_free(&again);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/* The victim dies as soon as all others have come here. */
static void all_before(int victim)
{
    if (rank != victim)
        EQUAL(MPI_Send(NULL, 0, MPI_INT, victim, 1, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int other = 1; rank == victim && other < size; other++)
        EQUAL(MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
    if (rank == victim)
        raise(SIGKILL);
}

static void notice(void)
{
    int code;
    while ((code = MPI_Barrier(MPI_COMM_WORLD)) == MPI_SUCCESS)
        ;
    EQUAL(code, MPI_ERR_OTHER);
}

static int most(int number)
{
    int all;
    EQUAL(MPI_Allreduce(&number, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), MPI_SUCCESS);
    return all;
}

/* A check of a world that has lost nobody costs little, and gives the world. */
static void healthy(void)
{
    for (int i = 0; i < 500; i++) {
        MPI_Comm checked = FT_MPI_CHECK_RECOVER;
        int like, sum, one = 1;
        EQUAL(MPI_Comm_dup(MPI_COMM_WORLD, &checked), MPI_SUCCESS);
        EQUAL(MPI_Comm_compare(MPI_COMM_WORLD, checked, &like), MPI_SUCCESS);
        CHECK(like == MPI_IDENT || like == MPI_CONGRUENT);
        EQUAL(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, checked), MPI_SUCCESS);
        EQUAL(sum, size);
        EQUAL(MPI_Comm_free(&checked), MPI_SUCCESS);
    }
}

enum { LONG = 50000, KINDS = 28 };

static int in[2], is_cont;

/* Two receives that can come to nothing. */
static void post(MPI_Comm pair, MPI_Request requests[2])
{
    int other = 1 - (me & 1);
    for (int i = 0; i < 2; i++)
        EQUAL(MPI_Irecv(&in[i], 1, MPI_INT, i ? MPI_ANY_SOURCE : other, 70 + i, pair, &requests[i]),
              MPI_SUCCESS);
}

/* A call on two requests refuses those that it names; under CONT they go on. */
static int refused(int code, int count, MPI_Request requests[2], MPI_Status statuses[2])
{
    EQUAL(code, MPI_ERR_IN_STATUS);
    CHECK(count == 1 || count == 2);
    for (int i = 0; i < count; i++)
        EQUAL(statuses[i].MPI_ERROR, MPI_ERR_OTHER);
    if (is_cont)
        CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
    return MPI_ERR_OTHER;
}

/* What is in the buffer is lost under NOOP, so that it comes free. */
static int detached(MPI_Comm pair)
{
    /* So long that it stays with its sender until it is received. */
    enum { LONG = 20000 };
    static char buffer[KINDS * (LONG + MPI_BSEND_OVERHEAD)], data[LONG];
    static int is_attached;
    void *address;
    int bytes, code, other = 1 - (me & 1);
    if (!is_attached)
        EQUAL(MPI_Buffer_attach(buffer, sizeof buffer), MPI_SUCCESS);
    code = MPI_Bsend(data, LONG, MPI_CHAR, other, 90, pair);
    if (code != MPI_SUCCESS)
        EQUAL(code, MPI_ERR_OTHER);
    code = MPI_Buffer_detach(&address, &bytes);
    is_attached = code != MPI_SUCCESS;
    if (is_attached)
        CHECK(is_cont);
    else if (!is_cont)
        code = MPI_Barrier(MPI_COMM_WORLD); /* nothing has told this rank yet */
    return code;
}

/* An agreement that one of two has not come to. */
static int undecided(int kind, MPI_Comm pair)
{
    MPI_Request request;
    MPI_Comm made;
    int flag = 1, code;
    switch (kind) {
    case 24: return MPIX_Comm_agree(pair, &flag);
    case 25: return MPIX_Comm_shrink(pair, &made);
    case 26: code = MPIX_Comm_iagree(pair, &flag, &request); break;
    default: code = MPIX_Comm_ishrink(pair, &made, &request);
    }
    return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}

/* One call that can come to nothing, on a communicator of two that has lost nobody. */
static int blocked(int kind, MPI_Comm pair, MPI_Request requests[2])
{
    static int out[LONG];
    int other = 1 - (me & 1), flag = 0, place, count, places[2], code;
    MPI_Status statuses[2];
    MPI_Message message;
    MPI_Request request;
    MPI_Comm made;
    switch (kind) {
    case 0: return MPI_Recv(in, 1, MPI_INT, other, 5, pair, statuses);
    case 1: return MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, 5, pair, statuses);
    case 2: return MPI_Probe(other, 5, pair, statuses);
    case 3: return MPI_Mprobe(MPI_ANY_SOURCE, 5, pair, &message, statuses);
    case 4: return MPI_Ssend(out, 1, MPI_INT, other, 93, pair);
    case 5: return MPI_Send(out, LONG, MPI_INT, other, 94, pair);
    case 6:
        return MPI_Sendrecv(out, 1, MPI_INT, other, 95, in, 1, MPI_INT, other, 6, pair, statuses);
    case 7: return MPI_Wait(&requests[0], statuses);
    case 8: return refused(MPI_Waitall(2, requests, statuses), 2, requests, statuses);
    case 9:
        code = MPI_Waitany(2, requests, &place, statuses);
        CHECK(place == 0 || place == 1);
        return code;
    case 10:
        code = MPI_Waitsome(2, requests, &count, places, statuses);
        return refused(code, count, requests, statuses);
    case 11:
        do
            code = MPI_Test(&requests[0], &flag, statuses);
        while (code == MPI_SUCCESS && !flag);
        return code;
    case 12:
        do
            code = MPI_Iprobe(other, 5, pair, &flag, statuses);
        while (code == MPI_SUCCESS && !flag);
        return code;
    case 13: return me & 1 ? MPI_Barrier(pair) : MPI_Recv(in, 1, MPI_INT, other, 5, pair, statuses);
    case 14: return me & 1 ? MPI_Comm_split(pair, 0, 0, &made) : MPI_Wait(&requests[1], statuses);
    case 15:
        do
            code = MPI_Improbe(other, 5, pair, &flag, &message, statuses);
        while (code == MPI_SUCCESS && !flag);
        return code;
    case 16:
        do
            code = MPI_Testany(2, requests, &place, &flag, statuses);
        while (code == MPI_SUCCESS && !flag);
        return code;
    case 17:
        do
            code = MPI_Testsome(2, requests, &count, places, statuses);
        while (code == MPI_SUCCESS && count == 0);
        return refused(code, count, requests, statuses);
    case 18:
        do
            code = MPI_Testall(2, requests, &flag, statuses);
        while (code == MPI_SUCCESS && !flag);
        return refused(code, 2, requests, statuses);
    case 19:
        do
            code = MPI_Request_get_status(requests[0], &flag, statuses);
        while (code == MPI_SUCCESS && !flag);
        return code;
    case 20: return MPI_Sendrecv_replace(in, 1, MPI_INT, other, 91, other, 92, pair, statuses);
    case 21:
        EQUAL(MPI_Recv_init(in, 1, MPI_INT, other, 5, pair, &request), MPI_SUCCESS);
        code = MPI_Start(&request);
        return code == MPI_SUCCESS ? MPI_Wait(&request, statuses) : code;
    case 22:
        if ((me & 1) == 0)
            return MPI_Recv(in, 1, MPI_INT, other, 5, pair, statuses);
        code = MPI_Ibarrier(pair, &request);
        return code == MPI_SUCCESS ? MPI_Wait(&request, statuses) : code;
    case 23: return detached(pair);
    default:
        /* The other one, who recovers or waits, does not agree. */
        if ((me & 1) == 0)
            return MPI_Recv(in, 1, MPI_INT, other, 5, pair, statuses);
        return undecided(kind, pair);
    }
}

/* While rank 0 recovers from the death of rank 1, all others hear of that wherever they wait. */
static void promptly(void)
{
    int *msg_mode, has;
    EQUAL(MPI_Comm_get_attr(MPI_COMM_WORLD, FTMPI_MSG_MODE, &msg_mode, &has), MPI_SUCCESS);
    is_cont = *msg_mode == FTMPI_MSG_MODE_CONT;
    for (int kind = most(is_fresh ? -1 : 0); kind < KINDS; kind = most(kind)) {
        MPI_Comm pair;
        EQUAL(MPI_Comm_split(MPI_COMM_WORLD, me / 2, me, &pair), MPI_SUCCESS);
        /* Nobody may begin a receive once he knows that others recover. */
        MPI_Request requests[2];
        if (me > 1)
            post(pair, requests);
        all_before(1);
        if (me > 1) {
            int code = blocked(kind, pair, requests);
            if (code != MPI_ERR_OTHER)
                FAIL("the call of kind %d says %d", kind, code);
        } else {
            notice();
        }
        restore();
        FAILS(MPI_Barrier(pair), MPI_ERR_OTHER, "");
        EQUAL(MPI_Comm_free(&pair), MPI_SUCCESS);
        kind++;
    }
}

/* Any communicator that has lost somebody leads to a recovery; the world is whole then, and of the
 * others the program hears that it has to make them again. */
static void derived(void)
{
    MPI_Comm part, made = MPI_COMM_NULL;
    if (!is_fresh) {
        EQUAL(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &part), MPI_SUCCESS);
        all_before(2);
        notice();
        FAILS(MPI_Comm_dup(part, &made), MPI_ERR_COMM, "create this communicator from it again");
        EQUAL(made, MPI_COMM_NULL);
        FAILS(MPI_Comm_dup(part, &made), MPI_ERR_OTHER, "");
        EQUAL(MPI_Comm_free(&part), MPI_SUCCESS);
    }
    EQUAL(most(1), 1);
    EQUAL(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &part), MPI_SUCCESS);
    EQUAL(MPI_Barrier(part), MPI_SUCCESS);
}

/* BLANK: who is a neighbour of a gap, has none there. */
static void grids(void)
{
    MPI_Comm ring, twin, row, graph;
    int extent = size, periodic = 1, left, right, around[2] = {-7, -7}, sum, one = 1, keep = 1;
    all_before(2);
    notice();
    restore();
    EQUAL(size, extent);
    EQUAL(MPI_Cart_create(MPI_COMM_WORLD, 1, &extent, &periodic, 0, &ring), MPI_SUCCESS);
    EQUAL(MPI_Comm_dup(ring, &twin), MPI_SUCCESS);
    EQUAL(MPI_Cart_sub(ring, &keep, &row), MPI_SUCCESS);
    MPI_Comm all[] = {ring, twin, row};
    for (int i = 0; i < 3; i++) {
        int members, place;
        MPI_Comm_size(all[i], &members);
        MPI_Comm_rank(all[i], &place);
        EQUAL(members, extent);
        EQUAL(place, rank);
        EQUAL(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all[i]), MPI_SUCCESS);
        EQUAL(sum, extent - 1);
        EQUAL(MPI_Cart_shift(all[i], 0, 1, &left, &right), MPI_SUCCESS);
        EQUAL(left, (rank + extent - 1) % extent);
        EQUAL(MPI_Neighbor_allgather(&rank, 1, MPI_INT, around, 1, MPI_INT, all[i]), MPI_SUCCESS);
        EQUAL(around[0], left == 2 ? -7 : left);
        EQUAL(around[1], right == 2 ? -7 : right);
        if (right == 2)
            FAILS(MPI_Send(&rank, 1, MPI_INT, right, 0, all[i]), MPI_ERR_RANK, "");
    }
    /* Everybody says the edge of the one after: those out of a gap nobody says. */
    int from = (rank + 1) % extent, degree = 1, to = (rank + 2) % extent, weight = 1;
    EQUAL(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &from, &degree, &to, &weight, MPI_INFO_NULL, 0,
                                &graph),
          MPI_SUCCESS);
    around[0] = -7;
    EQUAL(MPI_Neighbor_allgather(&rank, 1, MPI_INT, around, 1, MPI_INT, graph), MPI_SUCCESS);
    int before = (rank + extent - 1) % extent, says = (rank + extent - 2) % extent;
    EQUAL(around[0], before == 2 || says == 2 ? -7 : before);
    EQUAL(MPI_Barrier(graph), MPI_SUCCESS);
}

/* CONT: what is under way on a communicator goes on when it is made again, in the same order. */
static void again(void)
{
    MPI_Comm twin, half;
    MPI_Request late = MPI_REQUEST_NULL, long_one = MPI_REQUEST_NULL;
    enum { LONG = 60000 };
    static int out[LONG], in[LONG];
    int got = -1, early = -1, place, members, victim = size - 1;
    for (int generation = is_fresh; generation < 2; generation++) {
        EQUAL(MPI_Comm_dup(MPI_COMM_WORLD, &twin), MPI_SUCCESS);
        EQUAL(MPI_Comm_split(MPI_COMM_WORLD, me == victim, me, &half), MPI_SUCCESS);
        MPI_Comm_rank(half, &place);
        MPI_Comm_size(half, &members);
        int after = (place + 1) % members, ahead = (place + members - 1) % members;
        if (generation == 0) {
            if (me != victim) {
                out[LONG - 1] = place;
                EQUAL(MPI_Irecv(&got, 1, MPI_INT, ahead, 3, half, &late), MPI_SUCCESS);
                EQUAL(MPI_Isend(out, LONG, MPI_INT, after, 4, half, &long_one), MPI_SUCCESS);
                EQUAL(MPI_Send(&place, 1, MPI_INT, after, 5, half), MPI_SUCCESS);
            }
            all_before(victim);
            notice();
            restore();
        } else if (me != victim) {
            EQUAL(MPI_Send(&place, 1, MPI_INT, after, 3, half), MPI_SUCCESS);
            EQUAL(MPI_Recv(&early, 1, MPI_INT, ahead, 5, half, MPI_STATUS_IGNORE), MPI_SUCCESS);
            EQUAL(early, ahead);
            EQUAL(MPI_Recv(in, LONG, MPI_INT, ahead, 4, half, MPI_STATUS_IGNORE), MPI_SUCCESS);
            EQUAL(in[LONG - 1], ahead);
            EQUAL(MPI_Wait(&late, MPI_STATUS_IGNORE), MPI_SUCCESS);
            EQUAL(got, ahead);
            EQUAL(MPI_Wait(&long_one, MPI_STATUS_IGNORE), MPI_SUCCESS);
        }
    }
}

static const struct test cases[] = {
    {"healthy", healthy}, {"promptly", promptly}, {"derived", derived},
    {"grids", grids},     {"again", again},       {NULL, NULL},
};

int main(int argc, char **argv)
{
    is_fresh = MPI_Init(&argc, &argv) != MPI_SUCCESS;
    me = ftmpi_rank_in_job();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1 && strcmp(argv[1], "grids") == 0)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (const struct test *test = cases; test->name; test++)
        if (argc > 1 && strcmp(argv[1], test->name) == 0)
            test->run();
    EQUAL(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (me == 0)
        printf("%s: done\n", argv[1]);
    MPI_Finalize();
    return 0;
}
