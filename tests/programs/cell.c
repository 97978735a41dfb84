/* One call, in which somebody may be ordered to die; then the recovery, and a sum over all who are
 * there: every rank that ends says "ok".
 *
 * cell CALL MODE DEATHS: MODE is the mode of communicators, or `continue` where nobody recovers;
 * DEATHS is how many die in all. */
#include "check.h"
#include "ftmpi.h"

#define ROOT 3
#define LARGE 40000
#define COUNT 3

static int left, right, deaths;
static const char *mode;
static int in[LARGE], out[LARGE], all[8 * LARGE];
static int counts[8], displs[8];
static MPI_Datatype types[8];
static MPI_Comm made = MPI_COMM_NULL;
static MPI_Comm world;

/* Nothing, or the error of a failure. */
static int failed(int code)
{
    int class = -1;
    if (code == MPI_SUCCESS)
        return 0;
    if (strcmp(mode, "continue") == 0) {
        MPI_Error_class(code, &class);
        EQUAL(class, MPI_ERR_PROC_ABORTED);
    } else
        EQUAL(code, MPI_ERR_OTHER);
    return 1;
}

/* The first failure of two. */
static int either(int one, int other)
{
    return one != MPI_SUCCESS ? one : other;
}

static int of(MPI_Request *request, int code)
{
    return either(code, MPI_Wait(request, MPI_STATUS_IGNORE));
}

static void arrived(int code, int from, int count)
{
    if (code == MPI_SUCCESS)
        for (int i = 0; i < count; i++)
            EQUAL(in[i], 1000 * from + i);
}

static void summed(int code, const int *sums, int count)
{
    if (code == MPI_SUCCESS)
        for (int i = 0; i < count; i++)
            EQUAL(sums[i], 1000 * size * (size - 1) / 2 + i * size);
}

static void gathered(int code, int count)
{
    if (code == MPI_SUCCESS)
        for (int i = 0; i < size * count; i++)
            EQUAL(all[i], 1000 * (i / count) + i % count);
}

/* Everybody sends to the right; the call is one of these. */
#define SENDS(name, count, call)                                                                   \
    static int name(void)                                                                          \
    {                                                                                              \
        MPI_Request request = MPI_REQUEST_NULL;                                                    \
        int n = count;                                                                             \
        int code = MPI_Irecv(in, n, MPI_INT, left, 1, world, &request);                            \
        int sent = call;                                                                           \
        code = of(&request, code);                                                                 \
        arrived(code, left, n);                                                                    \
        return either(sent, code);                                                                 \
    }

SENDS(send, COUNT, MPI_Send(out, n, MPI_INT, right, 1, world))
SENDS(send_large, LARGE, MPI_Send(out, n, MPI_INT, right, 1, world))
SENDS(ssend, COUNT, MPI_Ssend(out, n, MPI_INT, right, 1, world))
SENDS(rsend, COUNT, MPI_Rsend(out, n, MPI_INT, right, 1, world))

static int bsend(void)
{
    static char room[8 * LARGE];
    MPI_Buffer_attach(room, sizeof room);
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPI_Irecv(in, COUNT, MPI_INT, left, 1, world, &request);
    int sent = MPI_Bsend(out, COUNT, MPI_INT, right, 1, world);
    code = of(&request, code);
    arrived(code, left, COUNT);
    return either(sent, code);
}

#define STARTS(name, count, call)                                                                  \
    static int name(void)                                                                          \
    {                                                                                              \
        MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};                            \
        MPI_Request *request = &requests[1];                                                       \
        int n = count;                                                                             \
        int code = MPI_Irecv(in, n, MPI_INT, left, 1, world, &requests[0]);                        \
        int sent = call;                                                                           \
        sent = of(request, sent);                                                                  \
        code = of(&requests[0], code);                                                             \
        arrived(code, left, n);                                                                    \
        return either(sent, code);                                                                 \
    }

STARTS(isend, COUNT, MPI_Isend(out, n, MPI_INT, right, 1, world, request))
STARTS(isend_large, LARGE, MPI_Isend(out, n, MPI_INT, right, 1, world, request))
STARTS(issend, COUNT, MPI_Issend(out, n, MPI_INT, right, 1, world, request))

/* Everybody receives from the left; the call is one of these. */
#define RECEIVES(name, count, call)                                                                \
    static int name(void)                                                                          \
    {                                                                                              \
        MPI_Request request = MPI_REQUEST_NULL;                                                    \
        MPI_Status status;                                                                         \
        int n = count, flag = 0;                                                                   \
        MPI_Message message = MPI_MESSAGE_NULL;                                                    \
        (void)status, (void)flag, (void)message;                                                   \
        int sent = MPI_Isend(out, n, MPI_INT, right, 1, world, &request);                          \
        int code = call;                                                                           \
        arrived(code, left, n);                                                                    \
        return either(code, of(&request, sent));                                                   \
    }

RECEIVES(recv, COUNT, MPI_Recv(in, n, MPI_INT, left, 1, world, &status))
RECEIVES(recv_large, LARGE, MPI_Recv(in, n, MPI_INT, left, 1, world, &status))
RECEIVES(recv_any, COUNT, MPI_Recv(in, n, MPI_INT, MPI_ANY_SOURCE, 1, world, &status))
RECEIVES(sendrecv, COUNT, MPI_Sendrecv(out, n, MPI_INT, right, 2, in, n, MPI_INT, left, 2, world,
                                       &status))

static int probed(int code)
{
    int received = MPI_Recv(in, COUNT, MPI_INT, left, 1, world, MPI_STATUS_IGNORE);
    return either(code, received);
}

RECEIVES(probe, COUNT, probed(MPI_Probe(left, 1, world, &status)))

static int matched(int code, MPI_Message *message)
{
    return code != MPI_SUCCESS ? code : MPI_Mrecv(in, COUNT, MPI_INT, message, MPI_STATUS_IGNORE);
}

RECEIVES(mprobe, COUNT, matched(MPI_Mprobe(left, 1, world, &message, &status), &message))

static int polled(void)
{
    int flag = 0, code;
    while ((code = MPI_Iprobe(left, 1, world, &flag, MPI_STATUS_IGNORE)) == MPI_SUCCESS && !flag)
        ;
    return probed(code);
}

RECEIVES(iprobe, COUNT, polled())

static int replaced(void)
{
    memcpy(in, out, sizeof in);
    return MPI_Sendrecv_replace(in, COUNT, MPI_INT, right, 3, left, 3, world, MPI_STATUS_IGNORE);
}

RECEIVES(sendrecv_replace, COUNT, replaced())

/* A message in each direction, completed by one of these. */
#define COMPLETES(name, call)                                                                      \
    static int name(void)                                                                          \
    {                                                                                              \
        MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};                            \
        MPI_Status statuses[2];                                                                    \
        int first = MPI_Irecv(in, LARGE, MPI_INT, left, 1, world, &requests[0]);                   \
        int second = MPI_Isend(out, LARGE, MPI_INT, right, 1, world, &requests[1]);                \
        int code = call(requests, statuses);                                                       \
        code = either(either(first, second), code);                                                \
        arrived(code, left, LARGE);                                                                \
        leave_nobody_waiting(requests);                                                            \
        return code;                                                                               \
    }

/* Where nobody recovers, what is still pending after an error concerns neighbours that live. */
static void leave_nobody_waiting(MPI_Request *requests)
{
    for (int i = 0; i < 2 && strcmp(mode, "continue") == 0; i++)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

static int worst(const MPI_Status *statuses)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < 2; i++)
        if (statuses[i].MPI_ERROR != MPI_SUCCESS && statuses[i].MPI_ERROR != MPI_ERR_PENDING)
            code = statuses[i].MPI_ERROR;
    return code;
}

static int waitall_(MPI_Request *requests, MPI_Status *statuses)
{
    int code = MPI_Waitall(2, requests, statuses);
    return code == MPI_ERR_IN_STATUS ? worst(statuses) : code;
}

static int waitany_(MPI_Request *requests, MPI_Status *statuses)
{
    int index, code = MPI_Waitany(2, requests, &index, statuses);
    return either(code, MPI_Waitany(2, requests, &index, statuses));
}

static int waitsome_(MPI_Request *requests, MPI_Status *statuses)
{
    int done = 0, some, indices[2], code = MPI_SUCCESS;
    while (code == MPI_SUCCESS && done < 2) {
        for (int i = 0; i < 2; i++)
            statuses[i].MPI_ERROR = MPI_SUCCESS;
        code = MPI_Waitsome(2, requests, &some, indices, statuses);
        if (some == MPI_UNDEFINED)
            break;
        done += some;
    }
    return code == MPI_ERR_IN_STATUS ? worst(statuses) : code;
}

static int testall_(MPI_Request *requests, MPI_Status *statuses)
{
    int flag = 0, code = MPI_SUCCESS;
    while (code == MPI_SUCCESS && !flag)
        code = MPI_Testall(2, requests, &flag, statuses);
    return code == MPI_ERR_IN_STATUS ? worst(statuses) : code;
}

static int test_(MPI_Request *requests, MPI_Status *statuses)
{
    int code = MPI_SUCCESS;
    for (int i = 0, flag = 0; i < 2 && code == MPI_SUCCESS; i++, flag = 0)
        while (code == MPI_SUCCESS && !flag)
            code = MPI_Test(&requests[i], &flag, statuses);
    return code;
}

COMPLETES(waitall, waitall_)
COMPLETES(waitany, waitany_)
COMPLETES(waitsome, waitsome_)
COMPLETES(testall, testall_)
COMPLETES(test, test_)

static int start(void)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int code = MPI_Recv_init(in, COUNT, MPI_INT, left, 1, world, &requests[0]);
    int sent = MPI_Send_init(out, COUNT, MPI_INT, right, 1, world, &requests[1]);
    for (int i = 0; i < 2; i++)
        if (requests[i] != MPI_REQUEST_NULL) {
            int begun = MPI_Start(&requests[i]);
            code = either(code, begun);
            code = either(code, MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
        } else if (rank == ROOT)
            MPI_Start(&requests[i]);
    code = either(code, sent);
    arrived(code, left, COUNT);
    return code;
}

/* The calls of a partitioned message with nobody: a rank that is to die in one of them calls it. */
static void with_nobody(void)
{
    MPI_Request requests[2];
    int flag;
    MPI_Precv_init(in, 1, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_SELF, MPI_INFO_NULL, &requests[0]);
    MPI_Psend_init(out, 1, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_SELF, MPI_INFO_NULL,
                   &requests[1]);
    for (int i = 0; i < 2; i++)
        MPI_Start(&requests[i]);
    MPI_Pready(0, requests[1]);
    MPI_Parrived(requests[0], 0, &flag);
    for (int i = 0; i < 2; i++)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

/* A message in two partitions, which the receiver cuts into three. */
static int partitioned(int polls)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int code = MPI_Precv_init(in, 3, 2 * COUNT, MPI_INT, left, 1, world, MPI_INFO_NULL,
                              &requests[0]);
    int sent = MPI_Psend_init(out, 2, 3 * COUNT, MPI_INT, right, 1, world, MPI_INFO_NULL,
                              &requests[1]);
    int begun[2] = {1, 1}, flag = 0;
    for (int i = 0; i < 2; i++)
        if (requests[i] != MPI_REQUEST_NULL) {
            begun[i] = MPI_Start(&requests[i]);
            code = either(code, begun[i]);
        }
    if (begun[0] != MPI_SUCCESS || begun[1] != MPI_SUCCESS)
        with_nobody();
    for (int part = 0; begun[1] == MPI_SUCCESS && part < 2; part++)
        sent = either(sent, MPI_Pready(part, requests[1]));
    while (polls && begun[0] == MPI_SUCCESS && code == MPI_SUCCESS && !flag)
        code = MPI_Parrived(requests[0], 2, &flag);
    for (int i = 0; i < 2; i++)
        if (begun[i] == MPI_SUCCESS)
            code = either(code, MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    code = either(code, sent);
    arrived(code, left, 6 * COUNT);
    return code;
}

static int pready(void)
{
    return partitioned(0);
}

static int parrived(void)
{
    return partitioned(1);
}

/* A collective operation in its three forms. */
#define FORMS(name, Call, check, ...)                                                              \
    static int name(void)                                                                          \
    {                                                                                              \
        int code = MPI_##Call(__VA_ARGS__);                                                        \
        check;                                                                                     \
        return code;                                                                               \
    }                                                                                              \
    static int i##name(void)                                                                       \
    {                                                                                              \
        MPI_Request request = MPI_REQUEST_NULL;                                                    \
        int code = MPI_I##name(__VA_ARGS__, &request);                                             \
        code = of(&request, code);                                                                 \
        check;                                                                                     \
        return code;                                                                               \
    }

FORMS(barrier, Barrier, (void)0, world)
FORMS(bcast, Bcast, arrived(rank == ROOT ? 1 : code, ROOT, COUNT), rank == ROOT ? out : in, COUNT,
      MPI_INT, ROOT, world)
FORMS(gather, Gather, gathered(rank == ROOT ? code : 1, COUNT), out, COUNT, MPI_INT, all, COUNT,
      MPI_INT, ROOT, world)
FORMS(gatherv, Gatherv, gathered(rank == ROOT ? code : 1, COUNT), out, COUNT, MPI_INT, all, counts,
      displs, MPI_INT, ROOT, world)
FORMS(scatter, Scatter, (void)0, all, COUNT, MPI_INT, in, COUNT, MPI_INT, ROOT, world)
FORMS(scatterv, Scatterv, (void)0, all, counts, displs, MPI_INT, in, COUNT, MPI_INT, ROOT, world)
FORMS(allgather, Allgather, gathered(code, COUNT), out, COUNT, MPI_INT, all, COUNT, MPI_INT, world)
FORMS(allgatherv, Allgatherv, gathered(code, COUNT), out, COUNT, MPI_INT, all, counts, displs,
      MPI_INT, world)
FORMS(alltoall, Alltoall, (void)0, all, COUNT, MPI_INT, in, COUNT, MPI_INT, world)
FORMS(alltoallv, Alltoallv, (void)0, all, counts, displs, MPI_INT, in, counts, displs, MPI_INT,
      world)
FORMS(alltoallw, Alltoallw, (void)0, all, counts, displs, types, in, counts, displs, types, world)
FORMS(reduce, Reduce, summed(rank == ROOT ? code : 1, in, COUNT), out, in, COUNT, MPI_INT, MPI_SUM,
      ROOT, world)
FORMS(allreduce, Allreduce, summed(code, in, COUNT), out, in, COUNT, MPI_INT, MPI_SUM, world)
FORMS(reduce_scatter, Reduce_scatter, (void)0, out, in, counts, MPI_INT, MPI_SUM, world)
FORMS(reduce_scatter_block, Reduce_scatter_block, (void)0, out, in, COUNT, MPI_INT, MPI_SUM, world)
FORMS(scan, Scan, (void)0, out, in, COUNT, MPI_INT, MPI_SUM, world)
FORMS(exscan, Exscan, (void)0, out, in, COUNT, MPI_INT, MPI_SUM, world)

static int allreduce_large(void)
{
    int code = MPI_Allreduce(out, in, LARGE, MPI_INT, MPI_SUM, world);
    summed(code, in, LARGE);
    return code;
}

static int bcast_large(void)
{
    int code = MPI_Bcast(rank == ROOT ? out : in, LARGE, MPI_INT, ROOT, world);
    arrived(rank == ROOT ? 1 : code, ROOT, LARGE);
    return code;
}

static int allreduce_init(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPI_Allreduce_init(out, in, COUNT, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &request);
    int begun = MPI_Start(&request);
    code = code != MPI_SUCCESS ? code : begun;
    code = either(code, request == MPI_REQUEST_NULL ? MPI_SUCCESS
                                                    : MPI_Wait(&request, MPI_STATUS_IGNORE));
    summed(code, in, COUNT);
    return code;
}

/* What makes communicators. Some of them are a recovery where somebody is known to be dead. */
static int dup(void)
{
    return MPI_Comm_dup(world, &made);
}

static int idup(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    return of(&request, MPI_Comm_idup(world, &made, &request));
}

static int split(void)
{
    return MPI_Comm_split(world, rank % 2, -rank, &made);
}

static int split_type(void)
{
    return MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made);
}

static int create(void)
{
    MPI_Group group;
    MPI_Comm_group(world, &group);
    int code = MPI_Comm_create(world, group, &made);
    MPI_Group_free(&group);
    return code;
}

static int create_group(void)
{
    MPI_Group group;
    MPI_Comm_group(world, &group);
    int code = MPI_Comm_create_group(world, group, 5, &made);
    MPI_Group_free(&group);
    return code;
}

static int cart(void)
{
    int dims[1] = {size}, periods[1] = {1};
    return MPI_Cart_create(world, 1, dims, periods, 0, &made);
}

static int graph(void)
{
    return MPI_Dist_graph_create_adjacent(world, 1, &left, MPI_UNWEIGHTED, 1, &right,
                                          MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
}

/* A call on a communicator that was made before: it is affected, too. */
static int neighbours(void)
{
    int code = cart();
    int both[2 * COUNT];
    int told = MPI_Neighbor_allgather(out, COUNT, MPI_INT, both, COUNT, MPI_INT,
                                      code == MPI_SUCCESS ? made : world);
    if (code != MPI_SUCCESS)
        return code;
    return told;
}

static int on_half(void)
{
    int code = split(), sum;
    int added = MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_MAX,
                              code == MPI_SUCCESS ? made : MPI_COMM_SELF);
    return either(code, added);
}

static int nothing(void)
{
    return MPI_SUCCESS;
}

static const struct {
    const char *name;
    int (*run)(void);
} calls[] = {
#define CASE(name) {#name, name}
    CASE(send), CASE(send_large), CASE(ssend), CASE(rsend), CASE(bsend), CASE(isend),
    CASE(isend_large), CASE(issend), CASE(recv), CASE(recv_large), CASE(recv_any), CASE(sendrecv),
    CASE(sendrecv_replace), CASE(probe), CASE(mprobe), CASE(iprobe), CASE(waitall), CASE(waitany),
    CASE(waitsome), CASE(testall), CASE(test), CASE(start), CASE(pready), CASE(parrived),
    CASE(barrier), CASE(bcast),
    CASE(bcast_large), CASE(gather), CASE(gatherv), CASE(scatter), CASE(scatterv), CASE(allgather),
    CASE(allgatherv), CASE(alltoall), CASE(alltoallv), CASE(alltoallw), CASE(reduce),
    CASE(allreduce), CASE(allreduce_large), CASE(allreduce_init), CASE(reduce_scatter),
    CASE(reduce_scatter_block), CASE(scan), CASE(exscan), CASE(ibarrier), CASE(ibcast),
    CASE(igather), CASE(igatherv), CASE(iscatter), CASE(iscatterv), CASE(iallgather),
    CASE(iallgatherv), CASE(ialltoall), CASE(ialltoallv), CASE(ialltoallw), CASE(ireduce),
    CASE(iallreduce), CASE(ireduce_scatter), CASE(ireduce_scatter_block), CASE(iscan),
    CASE(iexscan), CASE(dup), CASE(idup), CASE(split), CASE(split_type), CASE(create),
    CASE(create_group), CASE(cart), CASE(graph), CASE(neighbours), CASE(on_half), CASE(nothing),
};

static void prepare(void)
{
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    for (int i = 0; i < LARGE; i++)
        out[i] = 1000 * rank + i;
    for (int i = 0; i < size; i++) {
        counts[i] = COUNT;
        displs[i] = COUNT * i;
        types[i] = MPI_INT;
    }
}

/* All who live recover, and nothing is left over from before (E8). */
static void recover(void)
{
    MPI_Comm again = MPI_COMM_NULL;
    int code;
    while (failed(code = MPI_Comm_dup(MPI_COMM_WORLD, &again)))
        ;
    EQUAL(MPI_Comm_free(&again), MPI_SUCCESS);
}

/* How many have died and are accounted for, if all who are there can say so together. */
static int accounted(int *code)
{
    int mine[2] = {1, ftmpi_incarnation()}, sums[2] = {0, 0}, extent, place;
    *code = MPI_Allreduce(mine, sums, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (*code != MPI_SUCCESS)
        return 0;
    EQUAL(MPI_Comm_size(MPI_COMM_WORLD, &extent), MPI_SUCCESS);
    EQUAL(MPI_Comm_rank(MPI_COMM_WORLD, &place), MPI_SUCCESS);
    if (strcmp(mode, "rebuild") == 0) {
        EQUAL(extent, size);
        EQUAL(sums[0], size);
        EQUAL(place, ftmpi_rank_in_job());
        return sums[1];
    }
    EQUAL(sums[1], 0);
    if (strcmp(mode, "shrink") == 0) {
        EQUAL(extent, sums[0]);
        EQUAL(place <= ftmpi_rank_in_job(), 1);
    } else {
        EQUAL(extent, size);
        EQUAL(place, ftmpi_rank_in_job());
    }
    return size - sums[0];
}

int main(int argc, char **argv)
{
    int code = MPI_Init(&argc, &argv), is_fresh = code != MPI_SUCCESS;
    mode = argv[2];
    deaths = atoi(argv[3]);
    rank = ftmpi_rank_in_job();
    EQUAL(is_fresh, ftmpi_incarnation() > 0);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    world = MPI_COMM_WORLD;
    prepare();
    if (strcmp(mode, "continue") == 0)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    code = MPI_SUCCESS;
    if (!is_fresh) {
        unsigned i = 0;
        while (i < sizeof calls / sizeof *calls && strcmp(calls[i].name, argv[1]) != 0)
            i++;
        CHECK(i < sizeof calls / sizeof *calls);
        code = calls[i].run();
        failed(code);
    }
    int sum;
    if (strcmp(mode, "continue") == 0)
        while (!failed(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)))
            ;
    else
        while (accounted(&code) < deaths)
            if (failed(code))
                recover();
    EQUAL(MPI_Finalize(), MPI_SUCCESS);
    printf("ok\n");
    return 0;
}
