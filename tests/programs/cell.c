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
static const char *mode, *self;
static int in[LARGE], out[LARGE], all[8 * LARGE];
static int counts[8], displs[8];
static MPI_Aint places[8];
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

/* A persistent operation, from its start to its end. */
static int begun(MPI_Request *request, int code)
{
    int started = MPI_Start(request);
    code = either(code, started);
    return either(code, MPI_Wait(request, MPI_STATUS_IGNORE));
}

/* What each process has told all others before the call that matters. */
static char words[8][MPI_MAX_PORT_NAME];

/* The calls up to here have ended everywhere: nobody dies before. */
static int ready(int code)
{
    for (int to = 0; to < size; to++)
        if (to != rank)
            MPI_Send(words[rank], MPI_MAX_PORT_NAME, MPI_CHAR, to, 99, world);
    for (int from = 0; from < size; from++)
        if (from != rank)
            code = either(code, MPI_Recv(words[from], MPI_MAX_PORT_NAME, MPI_CHAR, from, 99, world,
                                         MPI_STATUS_IGNORE));
    return code;
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
STARTS(irsend, COUNT, MPI_Irsend(out, n, MPI_INT, right, 1, world, request))

static int buffered(MPI_Request *request)
{
    static char room[8 * LARGE];
    MPI_Buffer_attach(room, sizeof room);
    return MPI_Ibsend(out, COUNT, MPI_INT, right, 1, world, request);
}

STARTS(ibsend, COUNT, buffered(request))

/* All that waits until buffered messages are gone. */
static int flush(void)
{
    static char room[2][4 * LARGE];
    MPI_Request request = MPI_REQUEST_NULL;
    void *at;
    int bytes, code = MPI_SUCCESS;
    MPI_Comm_attach_buffer(world, room[0], sizeof room[0]);
    MPI_Buffer_attach(room[1], sizeof room[1]);
    MPI_Bsend(out, COUNT, MPI_INT, right, 1, world);
    MPI_Recv(in, COUNT, MPI_INT, left, 1, world, MPI_STATUS_IGNORE);
    code = either(code, MPI_Comm_flush_buffer(world));
    int begun = MPI_Comm_iflush_buffer(world, &request);
    code = either(code, of(&request, begun));
    code = either(code, MPI_Comm_detach_buffer(world, &at, &bytes));
    MPI_Bsend(out, COUNT, MPI_INT, right, 2, world);
    MPI_Recv(in, COUNT, MPI_INT, left, 2, world, MPI_STATUS_IGNORE);
    code = either(code, MPI_Buffer_flush());
    begun = MPI_Buffer_iflush(&request);
    code = either(code, of(&request, begun));
    return either(code, MPI_Buffer_detach(&at, &bytes));
}

/* Everybody receives from the left; the call is one of these. */
#define RECEIVES(name, count, call)                                                                \
    static int name(void)                                                                          \
    {                                                                                              \
        MPI_Request request = MPI_REQUEST_NULL;                                                    \
        MPI_Status status;                                                                         \
        int n = count, flag = 0;                                                                   \
        MPI_Message message = MPI_MESSAGE_NULL;                                                    \
        MPI_Request both = MPI_REQUEST_NULL;                                                       \
        (void)status, (void)flag, (void)message, (void)both;                                       \
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

RECEIVES(isendrecv, COUNT, of(&both, MPI_Isendrecv(out, n, MPI_INT, right, 2, in, n, MPI_INT, left,
                                                   2, world, &both)))

static int probed(int code)
{
    int received = MPI_Recv(in, COUNT, MPI_INT, left, 1, world, MPI_STATUS_IGNORE);
    return either(code, received);
}

RECEIVES(probe, COUNT, probed(MPI_Probe(left, 1, world, &status)))

static int matched(int code, MPI_Message *message)
{
    int received = MPI_Mrecv(in, COUNT, MPI_INT, message, MPI_STATUS_IGNORE);
    return either(code, received);
}

RECEIVES(mprobe, COUNT, matched(MPI_Mprobe(left, 1, world, &message, &status), &message))

static int matched_at_once(MPI_Message *message)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int flag = 0, code;
    while ((code = MPI_Improbe(left, 1, world, &flag, message, MPI_STATUS_IGNORE)) == MPI_SUCCESS &&
           !flag)
        ;
    int received = MPI_Imrecv(in, COUNT, MPI_INT, message, &request);
    return either(code, of(&request, received));
}

RECEIVES(improbe, COUNT, matched_at_once(&message))

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

static int replaced_later(MPI_Request *request)
{
    memcpy(in, out, sizeof in);
    int code = MPI_Isendrecv_replace(in, COUNT, MPI_INT, right, 3, left, 3, world, request);
    return of(request, code);
}

RECEIVES(isendrecv_replace, COUNT, replaced_later(&both))

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

static int testany_(MPI_Request *requests, MPI_Status *statuses)
{
    int code = MPI_SUCCESS, index;
    for (int i = 0, flag = 0; i < 2 && code == MPI_SUCCESS; i++, flag = 0)
        while (code == MPI_SUCCESS && !flag)
            code = MPI_Testany(2, requests, &index, &flag, statuses);
    return code;
}

static int testsome_(MPI_Request *requests, MPI_Status *statuses)
{
    int done = 0, some = 0, indices[2], code = MPI_SUCCESS;
    while (code == MPI_SUCCESS && done < 2 && some != MPI_UNDEFINED) {
        for (int i = 0; i < 2; i++)
            statuses[i].MPI_ERROR = MPI_SUCCESS;
        code = MPI_Testsome(2, requests, &some, indices, statuses);
        done += some == MPI_UNDEFINED ? 0 : some;
    }
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
COMPLETES(testany, testany_)
COMPLETES(testsome, testsome_)
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

/* A persistent send of each mode. */
#define PERSISTENT(name, Init)                                                                     \
    static int name(void)                                                                          \
    {                                                                                              \
        static char room[8 * LARGE];                                                               \
        MPI_Request request = MPI_REQUEST_NULL, received = MPI_REQUEST_NULL;                       \
        MPI_Buffer_attach(room, sizeof room);                                                      \
        int posted = MPI_Irecv(in, COUNT, MPI_INT, left, 1, world, &received);                     \
        int code = Init(out, COUNT, MPI_INT, right, 1, world, &request);                           \
        code = begun(&request, code);                                                              \
        posted = of(&received, posted);                                                            \
        arrived(posted, left, COUNT);                                                              \
        return either(code, posted);                                                               \
    }

PERSISTENT(bsend_init, MPI_Bsend_init)
PERSISTENT(rsend_init, MPI_Rsend_init)
PERSISTENT(ssend_init, MPI_Ssend_init)

static int startall(void)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int first = MPI_Recv_init(in, COUNT, MPI_INT, left, 1, world, &requests[0]);
    int second = MPI_Send_init(out, COUNT, MPI_INT, right, 1, world, &requests[1]);
    int code = either(first, second), begun = MPI_Startall(2, requests);
    code = either(code, begun);
    for (int i = 0; i < 2; i++)
        code = either(code, MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    arrived(code, left, COUNT);
    return code;
}

/* The calls of a partitioned message with nobody: a rank that is to die in one of them calls it. */
static void with_nobody(void)
{
    MPI_Request requests[2];
    int flag;
    MPI_Precv_init(in, 1, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_SELF, MPI_INFO_NULL, &requests[0]);
    MPI_Psend_init(out, 3, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_SELF, MPI_INFO_NULL,
                   &requests[1]);
    for (int i = 0; i < 2; i++)
        MPI_Start(&requests[i]);
    MPI_Pready(0, requests[1]);
    MPI_Pready_list(1, (int[]){1}, requests[1]);
    MPI_Pready_range(2, 2, requests[1]);
    MPI_Parrived(requests[0], 0, &flag);
    for (int i = 0; i < 2; i++)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

/* A message in two partitions, which the receiver cuts into three. */
static int partitioned(int polls, int lists)
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
    if (begun[1] == MPI_SUCCESS && lists) {
        sent = either(sent, MPI_Pready_list(1, (int[]){1}, requests[1]));
        sent = either(sent, MPI_Pready_range(0, 0, requests[1]));
    }
    for (int part = 0; begun[1] == MPI_SUCCESS && !lists && part < 2; part++)
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
    return partitioned(0, 0);
}

static int pready_list(void)
{
    return partitioned(0, 1);
}

static int parrived(void)
{
    return partitioned(1, 0);
}

#include "cell_coll.h"
#include "cell_dynamic.h"
#include "cell_files.h"
#include "cell_rma.h"

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
    CASE(isend_large), CASE(issend), CASE(irsend), CASE(ibsend), CASE(recv), CASE(recv_large),
    CASE(recv_any), CASE(sendrecv), CASE(sendrecv_replace), CASE(isendrecv),
    CASE(isendrecv_replace), CASE(probe), CASE(mprobe), CASE(improbe), CASE(iprobe),
    CASE(waitall), CASE(waitany), CASE(waitsome), CASE(testall), CASE(testany), CASE(testsome),
    CASE(test), CASE(start), CASE(bsend_init), CASE(rsend_init), CASE(ssend_init),
    CASE(startall), CASE(flush), CASE(pready), CASE(pready_list), CASE(parrived), COLL_CASES,
    DYNAMIC_CASES, FILE_CASES, RMA_CASES, CASE(nothing),
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
        places[i] = displs[i] * (MPI_Aint)sizeof(int);
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
    if (argc > 1 && strcmp(argv[1], "child") == 0) {
        MPI_Finalize();
        return 0;
    }
    self = argv[0];
    mode = argv[2];
    deaths = atoi(argv[3]);
    rank = ftmpi_rank_in_job();
    EQUAL(is_fresh, ftmpi_incarnation() > 0);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    world = MPI_COMM_WORLD;
    prepare();
    if (strcmp(mode, "continue") == 0)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    code = MPI_SUCCESS;
    if (!is_fresh) {
        unsigned i = 0;
        while (i < sizeof calls / sizeof *calls && strcmp(calls[i].name, argv[1]) != 0)
            i++;
        CHECK(i < sizeof calls / sizeof *calls);
        if (strstr(argv[1], "neighbor"))
            code = on_grid();
        int called = calls[i].run();
        code = either(code, called);
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
    remove_file();
    printf("ok\n");
    return 0;
}
