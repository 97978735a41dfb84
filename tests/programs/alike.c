/* Communicators are made at all members or at none, whoever revokes what they are made of, and
 * whenever; and who is late gets what is there although it is revoked by then.
 * Arguments: what happens, how often, and what is called. */
#include "ulfm.h"
#include <pthread.h>
#include <unistd.h>

/* What a constructor works on: intracommunicators, or halves of the world. */
static MPI_Comm parent, half, peer, made;
static int rounds;

static int is_low(void) { return rank < size / 2; }

static int waited(int code, MPI_Request *request)
{
    return code != MPI_SUCCESS ? code : MPI_Wait(request, MPI_STATUS_IGNORE);
}

static int make_dup(void) { return MPI_Comm_dup(parent, &made); }
static int make_info(void) { return MPI_Comm_dup_with_info(parent, MPI_INFO_NULL, &made); }
static int make_split(void) { return MPI_Comm_split(parent, rank % 2, -rank, &made); }

static int make_idup(void)
{
    MPI_Request request;
    int code = waited(MPI_Comm_idup(parent, &made, &request), &request);
    /* What has not been made has no handle. */
    if (code != MPI_SUCCESS)
        made = MPI_COMM_NULL;
    return code;
}

static int make_split_type(void)
{
    return MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &made);
}

static int make_create(void)
{
    MPI_Group group;
    MPI_Comm_group(parent, &group);
    int code = MPI_Comm_create(parent, group, &made);
    MPI_Group_free(&group);
    return code;
}

static int make_group(void)
{
    MPI_Group group;
    MPI_Comm_group(parent, &group);
    int code = MPI_Comm_create_group(parent, group, 5, &made);
    MPI_Group_free(&group);
    return code;
}

static int make_cart(void)
{
    int dims[1] = {size}, periods[1] = {1};
    return MPI_Cart_create(parent, 1, dims, periods, 0, &made);
}

static int make_graph(void)
{
    int index[1] = {0}, edges[1] = {0};
    return MPI_Graph_create(parent, 1, index, edges, 0, &made);
}

static int make_adjacent(void)
{
    int next = (rank + 1) % size, last = (rank + size - 1) % size;
    return MPI_Dist_graph_create_adjacent(parent, 1, &last, MPI_UNWEIGHTED, 1, &next,
                                          MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
}

static int make_dist_graph(void)
{
    int one = 1, next = (rank + 1) % size;
    return MPI_Dist_graph_create(parent, 1, &rank, &one, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &made);
}

static int make_inter(void)
{
    return MPI_Intercomm_create(half, 0, peer, is_low() ? size / 2 : 0, 6, &made);
}

static int make_merge(void) { return MPI_Intercomm_merge(parent, is_low(), &made); }

static const struct maker {
    const char *name;
    int (*make)(void);
    /* 'w': of the world; 'b': of an intercommunicator; 'h': of a half and a peer. */
    char of;
} makers[] = {
    {"dup", make_dup, 'w'},
    {"dup_with_info", make_info, 'w'},
    {"idup", make_idup, 'w'},
    {"split", make_split, 'w'},
    {"split_type", make_split_type, 'w'},
    {"create", make_create, 'w'},
    {"create_group", make_group, 'w'},
    {"cart", make_cart, 'w'},
    {"graph", make_graph, 'w'},
    {"adjacent", make_adjacent, 'w'},
    {"dist_graph", make_dist_graph, 'w'},
    {"intercomm_create", make_inter, 'h'},
    {"inter_dup", make_dup, 'b'},
    {"inter_idup", make_idup, 'b'},
    {"inter_split", make_split, 'b'},
    {"inter_create", make_create, 'b'},
    {"merge", make_merge, 'b'},
    {NULL, NULL, 0},
};

static MPI_Comm of_halves(MPI_Comm *mine)
{
    MPI_Comm both;
    MPI_Comm_split(W, is_low(), rank, mine);
    MPI_Comm_set_errhandler(*mine, MPI_ERRORS_RETURN);
    MPI_Intercomm_create(*mine, 0, W, is_low() ? size / 2 : 0, 3, &both);
    MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
    return both;
}

static void prepare(const struct maker *maker)
{
    made = MPI_COMM_NULL;
    MPI_Comm_dup(W, &peer);
    MPI_Comm_set_errhandler(peer, MPI_ERRORS_RETURN);
    parent = peer;
    if (maker->of == 'b')
        parent = of_halves(&half);
    if (maker->of == 'h') {
        MPI_Comm_split(W, is_low(), rank, &half);
        MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
        parent = half;
    }
}

static void clear(const struct maker *maker)
{
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    if (maker->of == 'b')
        MPI_Comm_free(&parent);
    if (maker->of != 'w')
        MPI_Comm_free(&half);
    MPI_Comm_free(&peer);
}

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

/* Success or not, the same for all. */
static int all_alike(int code, const char *what, int round)
{
    int ends[2] = {code == MPI_SUCCESS, code != MPI_SUCCESS}, any[2];
    MPI_Allreduce(ends, any, 2, MPI_INT, MPI_MAX, W);
    if (any[0] && any[1])
        FAIL("%s %d: class %d here, and it ended otherwise elsewhere", what, round, class_of(code));
    if (code != MPI_SUCCESS && class_of(code) != MPIX_ERR_REVOKED)
        FAIL("%s %d: class %d", what, round, class_of(code));
    return any[0];
}

/* Who leaves first gives the parent up at once: all have made theirs by then. */
static void leaving(const struct maker *maker)
{
    for (int round = 0; round < rounds; round++) {
        prepare(maker);
        if (round % size == rank && round % 3 == 0)
            usleep(1);
        int code = maker->make();
        MPIX_Comm_revoke(round % 2 == 0 ? parent : peer);
        if (!all_alike(code, maker->name, round))
            FAIL("%s %d: revoked before all had it", maker->name, round);
        clear(maker);
    }
}

/* One gives the parent up, and does not come. */
static void absent(const struct maker *maker)
{
    for (int round = 0; round < rounds; round++) {
        prepare(maker);
        int code = MPIX_ERR_REVOKED;
        if (round % size == rank) {
            if (round % 3 == 0)
                usleep(1);
            /* Members of the other half hear nothing of this one's communicator. */
            MPIX_Comm_revoke(maker->of == 'h' ? peer : parent);
            MPIX_Comm_revoke(parent);
        } else {
            code = maker->make();
        }
        if (all_alike(code, maker->name, round))
            FAIL("%s %d: made without all members", maker->name, round);
        clear(maker);
    }
}

static volatile int delay;

static void *revoke_later(void *comm)
{
    for (volatile int i = 0; i < delay; i++)
        ;
    MPIX_Comm_revoke(*(MPI_Comm *)comm);
    return NULL;
}

/* Another thread of some rank gives it up while all are making it. */
static void amid(const struct maker *maker)
{
    int done = 0, failed = 0;
    for (int round = 0; round < rounds; round++) {
        pthread_t thread;
        prepare(maker);
        MPI_Barrier(W);
        delay = (round * 7919) % 40000;
        if (round % size == rank)
            pthread_create(&thread, NULL, revoke_later, round % 2 == 0 ? &parent : &peer);
        int code = maker->make();
        if (all_alike(code, maker->name, round))
            done++;
        else
            failed++;
        if (round % size == rank)
            pthread_join(thread, NULL);
        /* Who still waits on the other side of a revoked half would find nobody. */
        MPI_Barrier(W);
        clear(maker);
    }
    if (rank == 0)
        printf("%s: %d made, %d not\n", maker->name, done, failed);
}

static char in[64 * 16], out[64 * 16];

/* What the last one, or the first, still finds although the others have left and given up. */
static int late_call(const char *name, MPI_Comm comm)
{
    MPI_Request request;
    int last = size - 1, code = -1;
    if (!strcmp(name, "bcast"))
        return MPI_Bcast(out, 16, MPI_CHAR, 0, comm);
    if (!strcmp(name, "ibcast"))
        return waited(MPI_Ibcast(out, 16, MPI_CHAR, 0, comm, &request), &request);
    if (!strcmp(name, "gather"))
        return MPI_Gather(out, 16, MPI_CHAR, in, 16, MPI_CHAR, last, comm);
    if (!strcmp(name, "igather"))
        return waited(MPI_Igather(out, 16, MPI_CHAR, in, 16, MPI_CHAR, last, comm, &request),
                      &request);
    if (!strcmp(name, "scatter"))
        return MPI_Scatter(in, 16, MPI_CHAR, out, 16, MPI_CHAR, 0, comm);
    if (!strcmp(name, "reduce"))
        return MPI_Reduce(out, in, 16, MPI_SIGNED_CHAR, MPI_MAX, last, comm);
    if (!strcmp(name, "scan"))
        return MPI_Scan(out, in, 16, MPI_SIGNED_CHAR, MPI_MAX, comm);
    FAIL("there is no %s", name);
    return code;
}

static void late(const char *name)
{
    for (int round = 0; round < rounds; round++) {
        MPI_Comm comm, others;
        memset(out, 7, sizeof out);
        memset(in, 7, sizeof in);
        MPI_Comm_dup(W, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        MPI_Comm_split(W, rank == size - 1, rank, &others);
        if (rank < size - 1) {
            EQUAL(late_call(name, comm), MPI_SUCCESS);
            MPI_Barrier(others);
            if (rank == 0) {
                MPIX_Comm_revoke(comm);
                MPI_Send(NULL, 0, MPI_CHAR, size - 1, 0, W);
            }
        } else {
            memset(out, strcmp(name, "scan") && strcmp(name, "reduce") ? 0 : 7, sizeof out);
            MPI_Recv(NULL, 0, MPI_CHAR, 0, 0, W, MPI_STATUS_IGNORE);
            EQUAL(late_call(name, comm), MPI_SUCCESS);
            EQUAL(strcmp(name, "bcast") ? in[0] : out[0], 7);
            /* Once it has heard of it, nothing begins there. */
            FAILS(MPI_Barrier(comm), MPIX_ERR_REVOKED, "revoked by");
            FAILS(late_call(name, comm), MPIX_ERR_REVOKED, "revoked by");
        }
        MPI_Comm_free(&others);
        MPI_Comm_free(&comm);
        all_are_well(W, size);
    }
}

/* Messages that have come before are received, by every kind of receive, until it is heard. */
static void arrived(const char *unused)
{
    (void)unused;
    for (int round = 0; round < rounds; round++) {
        MPI_Comm comm;
        MPI_Request request;
        MPI_Message message;
        int flag, bytes = round % 2 == 0 ? 16 : 1000;
        MPI_Comm_dup(W, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        if (rank == 0) {
            fill(out, bytes, round);
            for (int tag = 0; tag < 6; tag++)
                MPI_Send(out, bytes, MPI_CHAR, 1, tag, comm);
            MPIX_Comm_revoke(comm);
            FAILS(MPI_Recv(in, 1, MPI_CHAR, 1, 0, comm, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED, "");
            MPI_Send(NULL, 0, MPI_CHAR, 1, 0, W);
        }
        if (rank == 1) {
            MPI_Recv(NULL, 0, MPI_CHAR, 0, 0, W, MPI_STATUS_IGNORE);
            EQUAL(MPI_Probe(0, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
            EQUAL(MPI_Iprobe(0, 1, comm, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
            CHECK(flag);
            EQUAL(MPI_Recv(in, bytes, MPI_CHAR, 0, 0, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
            expect(in, bytes, round);
            EQUAL(MPI_Irecv(in, bytes, MPI_CHAR, MPI_ANY_SOURCE, 1, comm, &request), MPI_SUCCESS);
            EQUAL(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
            EQUAL(MPI_Mprobe(0, 2, comm, &message, MPI_STATUS_IGNORE), MPI_SUCCESS);
            EQUAL(MPI_Mrecv(in, bytes, MPI_CHAR, &message, MPI_STATUS_IGNORE), MPI_SUCCESS);
            EQUAL(MPI_Improbe(0, 3, comm, &flag, &message, MPI_STATUS_IGNORE), MPI_SUCCESS);
            CHECK(flag);
            EQUAL(MPI_Mrecv(in, bytes, MPI_CHAR, &message, MPI_STATUS_IGNORE), MPI_SUCCESS);
            EQUAL(MPI_Recv_init(in, bytes, MPI_CHAR, 0, 4, comm, &request), MPI_SUCCESS);
            EQUAL(MPI_Start(&request), MPI_SUCCESS);
            EQUAL(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
            MPI_Request_free(&request);
            expect(in, bytes, round);
            FAILS(MPI_Recv(in, 1, MPI_CHAR, 0, 9, comm, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED, "");
            FAILS(MPI_Recv(in, bytes, MPI_CHAR, 0, 5, comm, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED,
                  "revoked by");
            FAILS(MPI_Probe(0, 5, comm, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED, "revoked by");
        }
        MPI_Comm_free(&comm);
        all_are_well(W, size);
    }
}

/* Somebody is ordered to die in it; the harness compares what the others are told. */
static void deadly(const struct maker *maker)
{
    prepare(maker);
    int code = maker->make();
    printf("round 0 %s %s\n", maker->name, code == MPI_SUCCESS ? "made" : "not");
    fflush(stdout);
    if (code != MPI_SUCCESS && class_of(code) != MPIX_ERR_PROC_FAILED)
        FAIL("%s: class %d", maker->name, class_of(code));
    MPI_Comm left;
    EQUAL(MPIX_Comm_shrink(W, &left), MPI_SUCCESS);
    MPI_Barrier(left);
}

int main(int argc, char **argv)
{
    int provided, is_known = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    CHECK(argc > 3);
    rounds = atoi(argv[2]);
    for (const struct maker *maker = makers; maker->name; maker++) {
        if (strcmp(argv[3], maker->name) && strcmp(argv[3], "all"))
            continue;
        is_known = 1;
        if (!strcmp(argv[1], "leaving"))
            leaving(maker);
        if (!strcmp(argv[1], "absent"))
            absent(maker);
        if (!strcmp(argv[1], "amid"))
            amid(maker);
        if (!strcmp(argv[1], "deadly"))
            deadly(maker);
    }
    if (!strcmp(argv[1], "late"))
        late(argv[3]);
    else if (!strcmp(argv[1], "arrived"))
        arrived(argv[3]);
    else
        CHECK(is_known);
    MPI_Finalize();
    return 0;
}
